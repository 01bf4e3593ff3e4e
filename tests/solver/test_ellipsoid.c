/* test_ellipsoid.c: the generated ventricle: good tetrahedra of about the requested edge, nodes on its
 * surfaces, its volume, marks on all of its boundary, and refused sizes. */
#include "solver/heart/coordinates.h"
#include "solver/mesh/generate.h"

#include "solver/heart/surfaces.h"
#include "solver/mesh/check.h"
#include "solver/mesh/stats.h"
#include "solver/mesh/surface.h"
#include "tests/support/mesh_sample.h"

/* Below its plane base an ellipsoid of radius a and depth c holds pi a^2 (z - z^3 / 3 c^2) from -c to base.
 */
static double volume(double a, double c, double base)
{
    return acos(-1) * a * a * (base - base * base * base / (3 * c * c) + 2 * c / 3);
}

static void test_shape(const double size[3], double edge, double volume_error)
{
    struct error error = {0};
    struct mesh mesh;
    struct mesh_health health;
    struct mesh_stats stats;
    struct mesh_surface surface;
    double base = size[1] / 4;
    CHECK_OK(mesh_ellipsoid(&mesh, size, edge, &error), error);
    CHECK_OK(mesh_check(&mesh, &health, &error), error);
    CHECK_OK(mesh_health_verdict(&health, &error), error);
    CHECK(health.turned == 0 && health.components == 1, "%lld turned", (long long)health.turned);
    CHECK_OK(mesh_stats_create(&stats, &mesh, &error), error);
    printf("%g x %g x %g, edge %g: %lld nodes, median edge %.3f, quality at least %.3f, median %.3f\n",
           size[0], size[1], size[2], edge, (long long)mesh.nodes, stats.edge_median, stats.quality_min,
           stats.quality_median);
    CHECK(stats.quality_min > 0.4 && stats.quality_median > 0.8, "quality %g", stats.quality_min);
    CHECK(fabs(stats.edge_median / edge - 1) < 0.25, "median edge %g", stats.edge_median);
    double want = volume(size[0] + size[2], size[1] + size[2], base) - volume(size[0], size[1], base);
    CHECK(fabs(stats.measure / want - 1) < volume_error, "volume %g instead of %g", stats.measure, want);

    CHECK_OK(mesh_surface_create(&surface, &mesh, NULL, &error), error);
    CHECK(surface.faces == mesh.faces, "%lld faces are marked, %lld there", (long long)mesh.faces,
          (long long)surface.faces);
    for (int64_t f = 0; f < mesh.faces; f++)
        for (int c = 0; c < 3; c++) {
            const double *x = mesh.point + 3 * (int64_t)mesh.face[3 * f + c];
            double more = mesh.mark[f] == MESH_EPI ? size[2] : 0, a = size[0] + more, d = size[1] + more;
            if (mesh.mark[f] == MESH_BASE)
                CHECK(x[2] == base, "base at %g", x[2]);
            else
                CHECK_CLOSE((x[0] * x[0] + x[1] * x[1]) / (a * a) + x[2] * x[2] / (d * d), 1.0, 1e-6);
        }

    uint8_t *marked = calloc((size_t)mesh.nodes, 1), *found = malloc((size_t)mesh.nodes);
    CHECK_OK(heart_surfaces_mark(marked, &mesh, HEART_BASE, MESH_BASE, &error), error);
    CHECK_OK(heart_surfaces_mark(marked, &mesh, HEART_EPI, MESH_EPI, &error), error);
    CHECK_OK(heart_surfaces_mark(marked, &mesh, HEART_LV, MESH_LV, &error), error);
    CHECK(heart_surfaces_mark(marked, &mesh, HEART_RV, 4, &error) == STATUS_INPUT,
          "a mark that is not there");
    CHECK(strstr(error.text, "1, 2, 3"), "%s", error.text);
    CHECK_OK(heart_surfaces_find(found, &mesh, &error), error);
    CHECK(memcmp(marked, found, (size_t)mesh.nodes) == 0, "the surfaces by shape differ from the marks");
    free(marked);
    double *distance =
        malloc((size_t)mesh.nodes * sizeof *distance); /* between the two walls, nowhere more than edges */
    CHECK_OK(coordinates_to_mark(distance, &mesh, MESH_EPI, &error), error);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        double nearest = INFINITY;
        for (int64_t f = 0; f < 3 * mesh.faces; f++)
            if (mesh.mark[f / 3] == MESH_EPI)
                nearest =
                    fmin(nearest, mesh_distance(mesh.point + 3 * i, mesh.point + 3 * (int64_t)mesh.face[f]));
        CHECK((distance[i] < 1e-12) == (nearest == 0) && distance[i] <= nearest * (1 + 1e-12) &&
                  distance[i] >= nearest - stats.edge_max,
              "node %lld: %g mm to the marked faces, %g mm to their nodes", (long long)i, distance[i],
              nearest);
    }
    free(distance);
    free(found);
    mesh_surface_free(&surface);
    mesh_stats_free(&stats);
    mesh_free(&mesh);
}

/* Where each node is: rings at equal distances along the meridian midway through the wall, of nodes an edge apart there, every other ring
 * turned by half an edge; in other layers at the same share of the way from the apex to the base */
static void test_nodes(const double size[3], double edge)
{
    enum { STEPS = 20000 };
    static double arc[STEPS + 1];
    struct error error = {0};
    struct mesh mesh;
    const double pi = acos(-1), base = size[1] / 4, a = size[0] + size[2] / 2, c = size[1] + size[2] / 2,
                 end = acos(-base / c);
    int64_t at = 0;
    for (int k = 0; k < STEPS; k++)
        arc[k + 1] =
            arc[k] + hypot(a * cos((k + 0.5) / STEPS * end), c * sin((k + 0.5) / STEPS * end)) * end / STEPS;
    const int rings = (int)round(arc[STEPS] / (edge * sqrt(0.75))),
              layers = (int)fmax(1, round(size[2] / edge));
    CHECK_OK(mesh_ellipsoid(&mesh, size, edge, &error), error);
    for (int layer = 0; layer <= layers; layer++) {
        const double more = size[2] * layer / layers, across = size[0] + more, down = size[1] + more,
                     last = acos(-base / down);
        for (int ring = 0, k = 0; ring <= rings; ring++) {
            while (k + 1 < STEPS && arc[k + 1] < arc[STEPS] * ring / rings)
                k++;
            const double share = (k + (arc[STEPS] * ring / rings - arc[k]) / (arc[k + 1] - arc[k])) / STEPS,
                         u = share * last;
            const int nodes = ring ? (int)fmax(5, round(2 * pi * a * sin(share * end) / edge)) : 1;
            for (int n = 0; n < nodes; n++, at++) {
                const double angle = 2 * pi * (n + (ring % 2 ? 0.5 : 0)) / nodes, *x = mesh.point + 3 * at,
                             r = ring ? across * sin(u) : 0;
                CHECK(at < mesh.nodes, "more than %lld nodes", (long long)at);
                CHECK(fabs(x[0] - r * cos(angle)) < 1e-5 * size[0] &&
                          fabs(x[1] - r * sin(angle)) < 1e-5 * size[0] &&
                          fabs(x[2] + down * cos(u)) < 1e-5 * size[1],
                      "layer %d, ring %d, node %d is at %g, %g, %g, want %g, %g, %g", layer, ring, n, x[0],
                      x[1], x[2], r * cos(angle), r * sin(angle), -down * cos(u));
            }
        }
    }
    CHECK(at == mesh.nodes, "%lld nodes, want %lld", (long long)mesh.nodes, (long long)at);
    /* three tetrahedra on each triangle of a layer: each is a stair of three steps up, in the order of its nodes */
    const int64_t up = mesh.nodes / (layers + 1);
    for (int64_t e = 0; e < mesh.elements; e += 3) {
        int64_t stair[3][4], foot[4];
        for (int t = 0; t < 3; t++)
            for (int k = 0; k < 4; k++) {
                int64_t v = mesh.vertex[4 * (e + t) + k], j = k;
                for (; j > 0 && stair[t][j - 1] > v; j--)
                    stair[t][j] = stair[t][j - 1];
                stair[t][j] = v;
            }
        memcpy(foot, stair[0], sizeof foot);
        for (int t = 0; t < 3; t++)
            for (int k = 0; k < 4; k++) {
                const int64_t want = k < 3 - t ? foot[k] : foot[k - 1] + up;
                CHECK(stair[t][k] == want, "element %lld: corner %d is %lld, want %lld", (long long)(e + t),
                      k, (long long)stair[t][k], (long long)want);
            }
    }
    mesh_free(&mesh);
}

static void test_refused(const double size[3], double edge, const char *words)
{
    struct error error = {0};
    struct mesh mesh = {0};
    CHECK(mesh_ellipsoid(&mesh, size, edge, &error) == STATUS_INPUT, "edge %g was taken", edge);
    CHECK(strstr(error.text, words) && !mesh.point, "'%s' is not in '%s'", words, error.text);
}

/* A block has six flat sides, none of them a wall. */
static void test_no_heart(void)
{
    struct error error = {0};
    struct mesh mesh;
    uint8_t on[60];
    CHECK_OK(mesh_slab(&mesh, (double[3]){2, 1.5, 1}, 0.5, &error), error);
    CHECK(heart_surfaces_find(on, &mesh, &error) == STATUS_INPUT, "a block is a heart");
    CHECK(strstr(error.text, "name the surfaces"), "%s", error.text);
    mesh_free(&mesh);
}

int main(void)
{
    test_nodes((const double[]){7, 17, 3}, 1.4);
    test_nodes((const double[]){5, 6, 0.7}, 1.6);
    test_nodes((const double[]){9, 4, 5}, 1.3);
    test_shape((double[3]){7, 17, 3}, 1, 0.02);
    test_shape((double[3]){20, 50, 10}, 3, 0.02);
    test_shape((double[3]){25, 30, 4}, 5.5, 0.06);
    test_refused((double[3]){7, 17, 3}, 4, "at most 3.5 mm");
    test_refused((double[3]){7, 17, 0}, 1, "wall");
    test_refused((double[3]){7, 17, 3}, NAN, "not a positive length");
    test_refused((double[3]){7, 17, 3}, 1e-5, "elements; at most 2147483647 are possible");
    test_no_heart();
    return 0;
}
