/* test_ldrb.c: fibres by rule, against rotations about axes for any solutions; on a block the angles are the given ones, linear across the wall; on a
 * ventricle the axes are orthonormal, along the walls, and mirrored with the mesh; the bits do not depend on
 * threads. */
#include "solver/heart/ldrb.h"

#include <omp.h>
#include <string.h>

#include "kernels/base/vec3.h"
#include "solver/heart/coordinates.h"
#include "solver/matrix/simplex.h"
#include "solver/mesh/generate.h"
#include "tests/support/mesh_sample.h"

static const double DEGREES = 57.29577951308232;

static void put(uint8_t *on, enum heart_surface surface)
{
    *on |= (uint8_t)(1 << surface);
}

static void check_orthonormal(const struct mesh *mesh)
{
    for (int64_t e = 0; e < mesh->elements; e++) {
        const double *f = mesh->fiber + 3 * e, *s = mesh->sheet + 3 * e;
        CHECK(fabs(f[0] * f[0] + f[1] * f[1] + f[2] * f[2] - 1) < 1e-14, "fibre %lld", (long long)e);
        CHECK(fabs(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 1) < 1e-14, "sheet %lld", (long long)e);
        CHECK(fabs(f[0] * s[0] + f[1] * s[1] + f[2] * s[2]) < 1e-14, "angle at %lld", (long long)e);
    }
}

static enum status lay(struct mesh *mesh, uint8_t *on, const struct ldrb *angles, struct error *error)
{
    struct coordinates coordinates = {0};
    enum status status = ldrb_fibers(mesh, on, &coordinates, angles, error);
    coordinates_free(&coordinates);
    return status;
}

/* A wall between x = 0 (lv) and x = 2 (epi), or rv beyond it; up is z; so around is z cross x = y */
static struct mesh wall(uint8_t **on, enum heart_surface beyond)
{
    struct error error = {0};
    struct mesh mesh;
    CHECK_OK(mesh_slab(&mesh, (double[3]){2, 1.5, 1.25}, 0.25, &error), error);
    *on = calloc((size_t)mesh.nodes, 1);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        const double *x = mesh.point + 3 * i;
        if (x[0] == 0)
            put(*on + i, HEART_LV);
        if (x[0] == 2)
            put(*on + i, beyond);
        if (x[2] == 0)
            put(*on + i, HEART_APEX);
        if (x[2] == 1.25)
            put(*on + i, HEART_BASE);
    }
    return mesh;
}

static double centre(const struct mesh *mesh, int64_t e, int axis)
{
    double sum = 0;
    for (int c = 0; c < 4; c++)
        sum += mesh->point[3 * (int64_t)mesh->vertex[4 * e + c] + axis] / 4;
    return sum;
}

static void test_wall(const struct ldrb *angles)
{
    struct error error = {0};
    uint8_t *on;
    struct mesh mesh = wall(&on, HEART_EPI);
    CHECK_OK(lay(&mesh, on, angles, &error), error);
    check_orthonormal(&mesh);
    for (int64_t e = 0; e < mesh.elements; e++) {
        const double *f = mesh.fiber + 3 * e, *s = mesh.sheet + 3 * e;
        double p = centre(&mesh, e, 0) / 2;
        double want = angles->fiber[0] * (1 - p) + angles->fiber[1] * p;
        double turned = angles->sheet[0] * (1 - p) + angles->sheet[1] * p;
        double helix = atan(f[2] / f[1]) * DEGREES, across = acos(fmin(fabs(s[0]), 1)) * DEGREES;
        CHECK(fabs(f[0]) < 1e-8, "fibre %lld leaves the wall: %g", (long long)e, f[0]);
        CHECK(fabs(helix - want) < 1e-6, "element %lld: %.10g instead of %.10g deg", (long long)e, helix,
              want);
        CHECK(fabs(across - fabs(turned)) < 1e-5, "sheet of %lld: %.10g instead of %.10g deg", (long long)e,
              across, turned);
    }
    mesh_free(&mesh);
    free(on);
}

/* Between the ventricles it turns from a on the left to -a on the right, by axes that point from left to
 * right. A few epicardial nodes far from the middle make the septum one: the rule requires an epicardium. */
static void test_septum(void)
{
    struct error error = {0};
    const struct ldrb angles = {{60, -50}, {0, 0}};
    uint8_t *on;
    struct mesh mesh = wall(&on, HEART_RV);
    CHECK(lay(&mesh, on, &angles, &error) == STATUS_INPUT && strstr(error.text, "epi"), "%s", error.text);
    CHECK(!mesh.fiber, "fibres after a refusal");
    for (int64_t i = 0; i < mesh.nodes; i++)
        if (mesh.point[3 * i + 1] == 0 && on[i] < 1 << HEART_APEX && !(on[i] & 15))
            put(on + i, HEART_EPI);
    CHECK_OK(lay(&mesh, on, &angles, &error), error);
    check_orthonormal(&mesh);
    for (int64_t e = 0; e < mesh.elements; e++) {
        const double *f = mesh.fiber + 3 * e;
        if (centre(&mesh, e, 1) < 1.2) /* where the epicardium is far */
            continue;
        double d = centre(&mesh, e, 0) / 2, helix = atan(f[2] / f[1]) * DEGREES;
        CHECK(fabs(helix - 60 * (1 - 2 * d)) < 12, "element %lld at %g: %g deg", (long long)e, d, helix);
    }
    mesh_free(&mesh);
    free(on);
}

/* A ventricle, its fibres and, in order, the cosines of the angle to the wall's normal */
static struct mesh ventricle(double mirror, const struct ldrb *angles)
{
    struct error error = {0};
    struct mesh mesh;
    CHECK_OK(mesh_ellipsoid(&mesh, (double[3]){7, 17, 3}, 1.4, &error), error);
    for (int64_t i = 0; i < mesh.nodes; i++)
        mesh.point[3 * i] *= mirror;
    for (int64_t e = 0; mirror < 0 && e < mesh.elements; e++) {
        int32_t swapped = mesh.vertex[4 * e];
        mesh.vertex[4 * e] = mesh.vertex[4 * e + 1];
        mesh.vertex[4 * e + 1] = swapped;
    }
    uint8_t *on = calloc((size_t)mesh.nodes, 1);
    CHECK_OK(heart_surfaces_find(on, &mesh, &error), error);
    CHECK_OK(lay(&mesh, on, angles, &error), error);
    free(on);
    return mesh;
}

/* Mirrored, with angles of the other sign, the fibres are the mirror's, up to their sign. Where axes are
 * undefined, at the apex, there are none. */
static void test_mirror(void)
{
    const struct ldrb angles = {{60, -60}, {-30, 20}}, opposite = {{-60, 60}, {30, -20}};
    omp_set_num_threads(1);
    struct mesh mesh = ventricle(1, &angles), other = ventricle(-1, &opposite);
    omp_set_num_threads(3);
    struct mesh again = ventricle(1, &angles);
    check_orthonormal(&mesh);
    CHECK(memcmp(mesh.fiber, again.fiber, (size_t)mesh.elements * 3 * sizeof(double)) == 0 &&
              memcmp(mesh.sheet, again.sheet, (size_t)mesh.elements * 3 * sizeof(double)) == 0,
          "threads change a bit");
    for (int64_t e = 0; e < mesh.elements; e++) {
        const double *f = mesh.fiber + 3 * e, *g = other.fiber + 3 * e;
        double cosine = -f[0] * g[0] + f[1] * g[1] + f[2] * g[2];
        CHECK(1 - fabs(cosine) < 1e-12, "element %lld: mirrored by %.17g", (long long)e, cosine);
        /* along the wall: across it points the gradient of x^2/a^2 + y^2/a^2 + z^2/c^2 midway */
        double n[3] = {centre(&mesh, e, 0) / 72, centre(&mesh, e, 1) / 72, centre(&mesh, e, 2) / 342};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        double out = (f[0] * n[0] + f[1] * n[1] + f[2] * n[2]) / length;
        if (centre(&mesh, e, 2) > -15)
            CHECK(fabs(out) < 0.25, "element %lld: %g across the wall", (long long)e, out);
    }
    mesh_free(&mesh);
    mesh_free(&other);
    mesh_free(&again);
}

/* lv at x = 0, rv at x = 2, epi at y = 1.5, and the base comes down there: nodes on two surfaces, and
 * elements with three of them. Solutions add up to 1, and fibres do not depend on how the corners are
 * numbered, that is on rounding.
 */
static void test_rim(void)
{
    const struct ldrb angles = ldrb_default();
    struct error error = {0};
    struct coordinates coordinates = {0};
    struct mesh mesh[2];
    uint8_t *on;
    int64_t both = 0, undefined = 0;
    for (int turned = 0; turned < 2; turned++) {
        mesh[turned] = wall(&on, HEART_RV);
        for (int64_t i = 0; i < mesh->nodes; i++) {
            const double *x = mesh[turned].point + 3 * i;
            if (x[1] == 1.5)
                put(on + i, HEART_EPI);
            if (x[1] == 1.5 && x[2] >= 0.75)
                put(on + i, HEART_BASE);
        }
        mesh_sample_bend(&mesh[turned], 0.03, 3);
        for (int64_t e = 0; e < mesh->elements && turned; e++) {
            int32_t *vertex = mesh[1].vertex + 4 * e, first = vertex[0];
            vertex[0] = vertex[1], vertex[1] = vertex[2], vertex[2] = first;
        }
        coordinates_free(&coordinates);
        CHECK_OK(ldrb_fibers(&mesh[turned], on, &coordinates, &angles, &error), error);
        for (int64_t i = 0; i < mesh->nodes; i++) {
            const double epi = coordinates.transmural[i], lv = coordinates.endocardium[0][i];
            CHECK(fabs(epi + lv + coordinates.endocardium[1][i] - 1) < 1e-9, "node %d: %g and %g", (int)i,
                  epi, lv);
            both += on[i] >> HEART_EPI & on[i] >> HEART_LV & 1;
            if (on[i] >> HEART_EPI & 1)
                CHECK(epi == 1 && lv == 0, "node %d belongs to the epicardium: %g, %g", (int)i, epi, lv);
        }
        free(on);
    }
    for (int64_t e = 0; e < mesh->elements; e++) {
        const double *f = mesh[0].fiber + 3 * e, *g = mesh[1].fiber + 3 * e;
        const double cosine = fabs(f[0] * g[0] + f[1] * g[1] + f[2] * g[2]);
        const bool none = f[0] == 0 && f[1] == 0 && f[2] == 0;
        undefined += none;
        CHECK(none ? g[0] == 0 && g[1] == 0 && g[2] == 0 : cosine > 1 - 1e-9, "element %d: %.12g", (int)e,
              cosine);
    }
    CHECK(both > 0 && undefined > 5 && undefined < 100, "%d nodes, %d elements", (int)both, (int)undefined);
    coordinates_free(&coordinates);
    mesh_free(&mesh[0]);
    mesh_free(&mesh[1]);
}

/* ---- the rule by rotations about axes instead of quaternions, for any solutions ---- */

/* Columns e0, e1, e2 from up and across; false where they are parallel or vanish */
static bool make_axes(double e[3][3], const double up[3], const double across[3], double side)
{
    memcpy(e[1], up, sizeof e[1]);
    if (!(vec3_normalise(e[1]) > 0))
        return false;
    for (int d = 0; d < 3; d++)
        e[2][d] = side * (across[d] - vec3_dot(e[1], across) * e[1][d]);
    if (!(vec3_normalise(e[2]) > 1e-6 * vec3_length(across)))
        return false;
    vec3_cross(e[0], e[1], e[2]);
    return true;
}

/* By a about e2, so that the fibre leaves e0 for e1; then by b about the fibre, so that the sheet leaves e2 for e1 */
static void turn_axes(double e[3][3], double a, double b)
{
    double f[3][3];
    for (int d = 0; d < 3; d++) {
        f[0][d] = cos(a) * e[0][d] + sin(a) * e[1][d];
        f[1][d] = cos(a) * e[1][d] - sin(a) * e[0][d];
        f[2][d] = e[2][d];
    }
    for (int d = 0; d < 3; d++) {
        e[0][d] = f[0][d];
        e[1][d] = cos(b) * f[1][d] - sin(b) * f[2][d];
        e[2][d] = cos(b) * f[2][d] + sin(b) * f[1][d];
    }
}

/* a <- the part t of the way to b: the signs of two of its axes are such that the way is shortest. false if two ways are about as short */
static bool blend_axes(double a[3][3], double b[3][3], double t)
{
    double best = -2, second = -2, turned[3][3], way[3][3], axis[3];
    for (int k = 0; k < 4; k++) { /* none of the axes, or all but one, reversed */
        double trace = 0;
        for (int j = 0; j < 3; j++)
            trace += (k == 0 || j == k - 1 ? 1 : -1) * vec3_dot(a[j], b[j]);
        second = trace > best ? best : fmax(second, trace);
        if (trace <= best)
            continue;
        best = trace;
        for (int j = 0; j < 3; j++)
            for (int d = 0; d < 3; d++)
                turned[j][d] = (k == 0 || j == k - 1 ? 1 : -1) * a[j][d];
    }
    if (best - second < 1e-3)
        return false;
    for (int r = 0; r < 3; r++) /* the rotation that brings turned to b: sum of b_j turned_j' */
        for (int c = 0; c < 3; c++) {
            way[r][c] = 0;
            for (int j = 0; j < 3; j++)
                way[r][c] += b[j][r] * turned[j][c];
        }
    for (int d = 0; d < 3; d++)
        axis[d] = way[(d + 2) % 3][(d + 1) % 3] - way[(d + 1) % 3][(d + 2) % 3];
    const double sine = vec3_length(axis), angle = t * atan2(sine, best - 1); /* 2 sin and 2 cos */
    for (int j = 0; j < 3; j++) {
        double cross[3];
        for (int d = 0; d < 3 && sine > 1e-9; d++)
            axis[d] /= j == 0 ? sine : 1;
        vec3_cross(cross, axis, turned[j]);
        for (int d = 0; d < 3; d++) /* Rodrigues */
            a[j][d] = turned[j][d] * cos(angle) + cross[d] * sin(angle) +
                      axis[d] * vec3_dot(axis, turned[j]) * (1 - cos(angle));
    }
    return true;
}

static void test_rule(uint64_t seed, bool two)
{
    struct error error = {0};
    struct coordinates c = {0};
    const struct ldrb angles = {{60 + (double)seed, -40}, {-65, 25 + (double)seed}};
    struct mesh mesh = mesh_sample_lattice(3, (const int[]){3, 2, 2}, (const double[]){1, 1.2, 0.8});
    double **const u[4] = {&c.upward, &c.transmural, &c.endocardium[0], &c.endocardium[1]};
    uint8_t *on = calloc((size_t)mesh.nodes, 1);
    int compared = 0;
    CHECK(on, "no memory");
    mesh_sample_bend(&mesh, 0.1, 3);
    put(on, HEART_BASE);
    put(on + 1, HEART_EPI);
    put(on + 2, HEART_LV);
    put(on + 4, HEART_APEX);
    if (two)
        put(on + 3, HEART_RV);
    for (int k = 0; k < 4; k++) {
        if (!two && k > 1)
            continue;
        CHECK(*u[k] = calloc((size_t)mesh.nodes, sizeof **u), "no memory");
        for (int64_t i = 0; i < mesh.nodes; i++) /* also a little below 0 and above 1 */
            (*u[k])[i] = 1.1 * bits_random(1000 * seed + (uint64_t)(200 * k + i)) - 0.05;
    }
    CHECK_OK(ldrb_fibers(&mesh, on, &c, &angles, &error), error);
    for (int64_t e = 0; e < mesh.elements; e++) {
        double gradient[4][3], value[4] = {0}, slope[4][3] = {{0}}, left[3][3], right[3][3], epi[3][3];
        simplex_gradients(&mesh, e, gradient);
        for (int k = 0; k < 4; k++)
            for (int a = 0; a < 4; a++) {
                const int32_t node = mesh.vertex[4 * e + a];
                const double at = *u[k] ? (*u[k])[node] : k == 2 ? 1 - c.transmural[node] : 0;
                value[k] += at / 4;
                for (int d = 0; d < 3; d++)
                    slope[k][d] += at * gradient[a][d];
            }
        const double l = fmax(value[2], 0), r = fmax(value[3], 0), p = fmin(fmax(value[1], 0), 1),
                     d = l + r > 0 ? r / (l + r) : 0;
        const double a = (angles.fiber[0] * (1 - p) + angles.fiber[1] * p) * atan(1) / 45,
                     b = (angles.sheet[0] * (1 - p) + angles.sheet[1] * p) * atan(1) / 45;
        bool clear = make_axes(left, slope[0], slope[2], -1) && make_axes(epi, slope[0], slope[1], 1);
        turn_axes(left, a * (1 - 2 * d), b * (1 - 2 * d));
        turn_axes(epi, a, b);
        if (two) {
            clear = clear && make_axes(right, slope[0], slope[3], 1);
            turn_axes(right, a * (1 - 2 * d), b * (1 - 2 * d));
            clear = clear && blend_axes(left, right, d);
        }
        if (!clear || !blend_axes(left, epi, p))
            continue;
        compared++;
        CHECK(fabs(fabs(vec3_dot(left[0], mesh.fiber + 3 * e)) - 1) < 1e-6 &&
                  fabs(fabs(vec3_dot(left[2], mesh.sheet + 3 * e)) - 1) < 1e-6,
              "element %lld: %g along the fibre, %g along the sheet", (long long)e,
              vec3_dot(left[0], mesh.fiber + 3 * e), vec3_dot(left[2], mesh.sheet + 3 * e));
    }
    CHECK(2 * compared > mesh.elements, "%d elements", compared);
    coordinates_free(&c);
    free(on);
    mesh_free(&mesh);
}

int main(void)
{
    for (uint64_t seed = 0; seed < 12; seed++)
        test_rule(seed, seed % 3 > 0);
    const struct ldrb steep = {{60, -60}, {0, 0}}, paper = ldrb_default(), flat = {{0, 0}, {90, -90}};
    test_wall(&steep);
    test_wall(&paper);
    test_wall(&flat);
    test_septum();
    test_mirror();
    test_rim();
    return 0;
}
