/* test_coordinates.c: the coordinates of a block whose sides are named as a heart's, where all of them are
 * linear; those of an ellipsoid at two edge lengths, which must agree; the rotational one, which is an angle.
 */
#include "solver/heart/coordinates.h"

#include <omp.h>

#include "kernels/base/vec3.h"
#include "solver/heart/rotation.h"
#include "solver/mesh/generate.h"
#include "solver/mesh/nearest.h"
#include "tests/support/mesh_sample.h"
#include "tests/support/septum.h"

static void put(uint8_t *on, enum heart_surface surface)
{
    *on |= (uint8_t)(1 << surface);
}

/* lv at x = 0, rv at x = 3, epi at y = 0, apex at z = 0, base at z = 2.5 */
static void test_slab(bool epi)
{
    struct error error = {0};
    struct mesh mesh;
    struct coordinates c = {0};
    CHECK_OK(mesh_slab(&mesh, (double[3]){3, 2, 2.5}, 0.25, &error), error);
    uint8_t *on = calloc((size_t)mesh.nodes, 1);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        const double *x = mesh.point + 3 * i;
        if (x[0] == 0)
            put(on + i, HEART_LV);
        if (x[0] == 3)
            put(on + i, epi ? HEART_EPI : HEART_RV);
        if (x[2] == 0)
            put(on + i, HEART_APEX);
        if (x[2] == 2.5)
            put(on + i, HEART_BASE);
    }
    CHECK_OK(coordinates_make(&c, &mesh, on, COORDINATES_ALL, &error), error);
    CHECK(!c.transmural == !epi && !c.interventricular == epi, "what is missing was made");
    CHECK(!c.distance[HEART_RV] == epi && c.distance[HEART_BASE], "distances");
    double *across = epi ? c.transmural : c.interventricular;
    for (int64_t i = 0; i < mesh.nodes; i++) {
        const double *x = mesh.point + 3 * i;
        CHECK(fabs(across[i] - x[0] / 3) <= 1e-10, "node %lld: %.17g", (long long)i, across[i]);
        CHECK_CLOSE(c.distance[HEART_LV][i], x[0], 1e-15);
        CHECK_CLOSE(c.distance[HEART_BASE][i], 2.5 - x[2], 1e-15);
        CHECK(fabs(c.apicobasal[i] - x[2] / 2.5) <= 1e-9, "node %lld: %.17g", (long long)i, c.apicobasal[i]);
    }
    coordinates_free(&c);
    mesh_free(&mesh);
    free(on);
}

struct heart {
    struct mesh mesh;
    struct coordinates c;
};

static void make_heart(struct heart *heart, double edge)
{
    struct error error = {0};
    *heart = (struct heart){0};
    CHECK_OK(mesh_ellipsoid(&heart->mesh, (double[3]){7, 17, 3}, edge, &error), error);
    uint8_t *on = calloc((size_t)heart->mesh.nodes, 1);
    CHECK_OK(heart_surfaces_find(on, &heart->mesh, &error), error);
    CHECK_OK(coordinates_make(&heart->c, &heart->mesh, on, COORDINATES_ALL, &error), error);
    CHECK(heart_surfaces_count(on, heart->mesh.nodes, HEART_APEX) == 1, "the apex");
    for (int64_t i = 0; i < heart->mesh.nodes; i++)
        if (on[i] >> HEART_APEX & 1)
            CHECK(heart->mesh.point[3 * i + 2] == -20, "the apex lies at z = %g",
                  heart->mesh.point[3 * i + 2]);
    free(on);
}

/* Mean and largest difference of a coordinate at the coarse nodes from the fine node nearest to each */
static void compare(const struct heart *coarse, const struct heart *fine, const double *a, const double *b,
                    const char *name, double mean_most)
{
    struct error error = {0};
    struct nearest nearest;
    double sum = 0, low = HUGE_VAL, high = -HUGE_VAL;
    int32_t *node = malloc((size_t)fine->mesh.nodes * sizeof *node);
    for (int32_t i = 0; i < fine->mesh.nodes; i++)
        node[i] = i;
    CHECK_OK(nearest_create(&nearest, fine->mesh.point, node, 1, fine->mesh.nodes, &error), error);
    for (int64_t i = 0; i < coarse->mesh.nodes; i++) {
        int64_t other = nearest_find(&nearest, coarse->mesh.point + 3 * i, -1, NULL);
        sum += fabs(a[i] - b[other]);
        low = fmin(low, a[i]);
        high = fmax(high, a[i]);
    }
    double mean = sum / (double)coarse->mesh.nodes;
    printf("%s: from %g to %g, %.4f apart in the mean\n", name, low, high, mean);
    CHECK(low == 0 && high == 1, "%s from %g to %g", name, low, high);
    CHECK(mean < mean_most, "%s: %g apart", name, mean);
    nearest_free(&nearest);
    free(node);
}

static void test_heart(void)
{
    struct heart coarse, fine;
    make_heart(&coarse, 1.3);
    make_heart(&fine, 0.7);
    compare(&coarse, &fine, coarse.c.transmural, fine.c.transmural, "transmural", 0.002);
    compare(&coarse, &fine, coarse.c.apicobasal, fine.c.apicobasal, "apicobasal", 0.02);
    for (int64_t i = 0; i < coarse.mesh.nodes; i++) { /* the wall is 3 mm thick or a little more */
        double both = coarse.c.distance[HEART_EPI][i] + coarse.c.distance[HEART_LV][i];
        CHECK(both > 2.6 && both < 3.6, "%g mm from both sides", both);
    }
    coordinates_free(&coarse.c);
    coordinates_free(&fine.c);
    mesh_free(&coarse.mesh);
    mesh_free(&fine.mesh);
}

struct around {
    struct heart heart;
    uint8_t *on;
    double *segment; /* [nodes] */
    double *point;   /* [nodes][3] before it was laid down */
};

/* lying: turned so that the long axis has no part along z */
static void make_around(struct around *around, double edge, bool lying)
{
    static const double turned[3][3] = {{0.36, -0.48, 0.8}, {-0.48, 0.64, 0.6}, {-0.8, -0.6, 0}};
    static const enum heart_surface of[] = {
        [MESH_BASE] = HEART_BASE, [MESH_EPI] = HEART_EPI, [MESH_LV] = HEART_LV, [SEPTUM_RV] = HEART_RV};
    struct error error = {0};
    struct mesh *mesh = &around->heart.mesh;
    *around = (struct around){0};
    make_septum(mesh, edge);
    around->point = malloc(3 * (size_t)mesh->nodes * sizeof *around->point);
    memcpy(around->point, mesh->point, 3 * (size_t)mesh->nodes * sizeof *around->point);
    for (int64_t i = 0; i < mesh->nodes && lying; i++)
        for (int d = 0; d < 3; d++)
            mesh->point[3 * i + d] = vec3_dot(turned[d], around->point + 3 * i);
    around->on = calloc((size_t)mesh->nodes, 1);
    around->segment = calloc((size_t)mesh->nodes, sizeof *around->segment);
    for (int32_t mark = MESH_BASE; mark <= SEPTUM_RV; mark++)
        CHECK_OK(heart_surfaces_mark(around->on, mesh, of[mark], mark, &error), error);
    CHECK_OK(coordinates_make(&around->heart.c, mesh, around->on, COORDINATES_ROTATIONAL, &error), error);
    CHECK(around->heart.c.rotational != NULL, "no rotational coordinate");
    CHECK_OK(rotation_segments(around->segment, &around->heart.c, mesh, around->on, LOCATION_NODE, &error),
             error);
}

static void free_around(struct around *around)
{
    coordinates_free(&around->heart.c);
    mesh_free(&around->heart.mesh);
    free(around->on);
    free(around->segment);
    free(around->point);
}

/* The angle about the axis is harmonic in a body of revolution, and its septum a third of the turn: the
 * coordinate is off by at most `most` edges, in the mean by `mean_most` turns. All 17 segments are where they
 * are to be. */
static void test_around(double edge, bool lying, double most, double mean_most)
{
    struct around around;
    make_around(&around, edge, lying);
    const struct mesh *mesh = &around.heart.mesh;
    double worst = 0, sum = 0, away, off;
    int64_t count = 0, of[18] = {0};
    for (int64_t i = 0; i < mesh->nodes; i++) {
        const double *x = around.point + 3 * i, r = around.heart.c.rotational[i];
        double wrong = r - septum_rotational(x);
        wrong = fabs(wrong - floor(wrong + 0.5));
        CHECK(r >= 0 && r < 1, "node %lld: %.17g", (long long)i, r);
        const double arc = wrong * 2 * acos(-1.0) * sqrt(x[0] * x[0] + x[1] * x[1]);
        worst = fmax(worst, arc / edge);
        sum += wrong;
        count++;
        const int want = septum_segment(x, &away, &off);
        const bool near = away * 2 * acos(-1.0) * sqrt(x[0] * x[0] + x[1] * x[1]) < most * edge || off < 0.01;
        CHECK(near || around.segment[i] == want, "node %lld at %g %g %g: segment %g instead of %d",
              (long long)i, x[0], x[1], x[2], around.segment[i], want);
        of[(int)around.segment[i]]++;
    }
    printf("edge %g: at most %.4f edges off, in the mean %.5f turns\n", edge, worst, sum / (double)count);
    CHECK(worst < most && sum < mean_most * (double)count, "%g edges off, %g turns in the mean", worst,
          sum / (double)count);
    for (int k = 1; k <= 17; k++)
        CHECK(of[k] > 5, "segment %d has %lld nodes", k, (long long)of[k]);
    CHECK(of[0] == 0, "%lld nodes of a left ventricle are in no segment", (long long)of[0]);
    free_around(&around);
}

/* Each element has the segment of its centre, also where it goes from 1 to 0. */
static void test_elements(void)
{
    struct around around;
    struct error error = {0};
    make_around(&around, 1.0, false);
    const struct mesh *mesh = &around.heart.mesh;
    double *segment = calloc((size_t)mesh->elements, sizeof *segment), corner[2] = {0.99, 0.01};
    CHECK_OK(rotation_segments(segment, &around.heart.c, mesh, around.on, LOCATION_ELEMENT, &error), error);
    int64_t checked = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        double x[3] = {0, 0, 0}, away, off;
        for (int k = 0; k < 12; k++)
            x[k % 3] += mesh->point[3 * (int64_t)mesh->vertex[4 * e + k / 3] + k % 3] / 4;
        const int want = septum_segment(x, &away, &off);
        if (x[0] * x[0] + x[1] * x[1] < 4 || away < 0.02 || off < 0.01)
            continue;
        CHECK(segment[e] == want, "element %lld at %g %g %g: segment %g instead of %d", (long long)e, x[0],
              x[1], x[2], segment[e], want);
        checked++;
    }
    CHECK(2 * checked > mesh->elements, "%lld elements", (long long)checked);
    rotation_unwrap(corner, 2);
    CHECK_CLOSE(corner[1], 1.01, 1e-15);
    CHECK(rotation_wrap(-1e-30) == 0 && rotation_wrap(1.25) == 0.25, "what is 1 is 0");
    free(segment);
    free_around(&around);
}

/* A left ventricle alone has no septum, and what is in two pieces no angle. */
static void test_none(void)
{
    struct heart heart;
    make_heart(&heart, 1.3);
    CHECK(!heart.c.rotational, "no right ventricle");
    coordinates_free(&heart.c);
    mesh_free(&heart.mesh);
}

/* One thread and three agree to the last bit. */
static void test_threads(void)
{
    struct around single, triple;
    omp_set_num_threads(1);
    make_around(&single, 0.9, false);
    omp_set_num_threads(3);
    make_around(&triple, 0.9, false);
    const size_t bytes = (size_t)single.heart.mesh.nodes * sizeof(double);
    CHECK(memcmp(single.heart.c.rotational, triple.heart.c.rotational, bytes) == 0 &&
              memcmp(single.segment, triple.segment, bytes) == 0,
          "threads change the way around");
    free_around(&single);
    free_around(&triple);
    struct heart one, three;
    omp_set_num_threads(1);
    make_heart(&one, 0.9);
    omp_set_num_threads(3);
    make_heart(&three, 0.9);
    const double *const a[] = {one.c.transmural, one.c.upward, one.c.apicobasal, one.c.distance[HEART_EPI],
                               one.c.distance[HEART_LV]},
                        *const b[] = {three.c.transmural, three.c.upward, three.c.apicobasal,
                                      three.c.distance[HEART_EPI], three.c.distance[HEART_LV]};
    for (int k = 0; k < 5; k++)
        CHECK(memcmp(a[k], b[k], (size_t)one.mesh.nodes * sizeof **a) == 0, "threads change a bit of %d", k);
    coordinates_free(&one.c);
    coordinates_free(&three.c);
    mesh_free(&one.mesh);
    mesh_free(&three.mesh);
}

/* The segment of a bull's eye at a height, as a fraction of the left cavity's length, and a way around */
static int segment_of(double height, double around, bool right)
{
    const double turn = around + 2.0 / 3;
    return right              ? 0
           : height < 0       ? 17
           : height < 1.0 / 3 ? 13 + (int)floor(4 * turn - 0.5) % 4
           : height < 2.0 / 3 ? 7 + (int)floor(6 * turn - 1) % 6
                              : 1 + (int)floor(6 * turn - 1) % 6;
}

/* Whether rounding decides */
static bool is_close(double height, double around)
{
    const double turn = around + 2.0 / 3,
                 parts[] = {height, height - 1.0 / 3, height - 2.0 / 3,
                            4 * turn - 0.5 - round(4 * turn - 0.5), 6 * turn - 1 - round(6 * turn - 1)};
    double least = 1;
    for (int k = 0; k < 5; k++)
        least = fmin(least, fabs(parts[k]));
    return least < 1e-9;
}

/* Of any coordinates: the axis from the left surface's node farthest from the centre of its rim at the base */
static void test_segments(uint64_t seed)
{
    struct error error = {0};
    struct mesh mesh = mesh_sample_lattice(3, (const int[]){3, 2, 3}, (const double[]){1, 1.2, 0.8});
    const int64_t n = mesh.nodes, most = mesh.elements > n ? mesh.elements : n;
    double *value = calloc((size_t)(5 * n), sizeof *value), *segment = calloc((size_t)most, sizeof *segment),
           centre[3] = {0}, up[3], farthest = 0;
    uint8_t *on = calloc((size_t)n, 1);
    struct coordinates c = {.interventricular = value, .rotational = value + n};
    int64_t rim = 0, apex = -1;
    CHECK(value && segment && on, "no memory");
    c.distance[HEART_EPI] = value + 2 * n;
    c.distance[HEART_LV] = value + 3 * n;
    c.distance[HEART_RV] = value + 4 * n;
    mesh_sample_bend(&mesh, 0.2, 3);
    for (int64_t k = 0; k < 5 * n; k++)
        value[k] = bits_random(100000 * seed + (uint64_t)k);
    for (int64_t i = 0; i < n; i++) {
        const double dice = bits_random(100000 * seed + 50000 + (uint64_t)i);
        on[i] = (uint8_t)((dice < 0.5) << HEART_LV | (dice > 0.35) << HEART_BASE);
        for (int d = 0; d < 3 && dice < 0.5 && dice > 0.35; d++)
            centre[d] += mesh.point[3 * i + d];
        rim += dice < 0.5 && dice > 0.35;
    }
    for (int d = 0; d < 3; d++)
        centre[d] /= (double)rim;
    for (int64_t i = 0; i < n; i++) {
        const double far = mesh_distance(mesh.point + 3 * i, centre);
        if (on[i] >> HEART_LV & 1 && far > farthest) {
            farthest = far;
            apex = i;
        }
    }
    vec3_between(up, mesh.point + 3 * apex, centre);
    for (int location = 0; location < 2; location++) {
        CHECK_OK(
            rotation_segments(segment, &c, &mesh, on, location ? LOCATION_ELEMENT : LOCATION_NODE, &error),
            error);
        for (int64_t k = 0; k < (location ? mesh.elements : n); k++) {
            double height = 0, around = 0, mean[5] = {0};
            for (int a = 0; a < (location ? 4 : 1); a++) {
                const int64_t i = location ? mesh.vertex[4 * k + a] : k;
                double to[3], part = location ? 0.25 : 1;
                vec3_between(to, mesh.point + 3 * apex, mesh.point + 3 * i);
                height += part * vec3_dot(to, up) / (farthest * farthest);
                for (int v = 0; v < 5; v++)
                    mean[v] += part * value[v * n + i];
                double ahead = c.rotational[i] - c.rotational[location ? mesh.vertex[4 * k] : k];
                ahead -= ahead > 0.5 ? 1 : ahead < -0.5 ? -1 : 0; /* the shorter way from the first corner */
                around += part * ahead;
            }
            around += c.rotational[location ? mesh.vertex[4 * k] : k];
            around -= floor(around);
            const int want = segment_of(height, around, mean[0] > 0.5 && mean[2] < mean[3]);
            CHECK(is_close(height, around) || segment[k] == want, "%s %lld at %g, %g: segment %g, want %d",
                  location ? "element" : "node", (long long)k, height, around, segment[k], want);
        }
    }
    for (int64_t i = 0; i < n; i++)
        on[i] = i % 2 ? 1 << HEART_LV : 1 << HEART_BASE;
    CHECK(rotation_segments(segment, &c, &mesh, on, LOCATION_NODE, &error) == STATUS_INPUT, "without a rim");
    free(value);
    free(segment);
    free(on);
    mesh_free(&mesh);
}

int main(void)
{
    for (uint64_t seed = 0; seed < 20; seed++)
        test_segments(seed);
    test_slab(true);
    test_slab(false);
    test_heart();
    test_around(1.3, true, 1, 0.006);
    test_around(0.7, false, 1, 0.003);
    test_elements();
    test_none();
    test_threads();
    return 0;
}
