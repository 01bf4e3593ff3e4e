/* test_refine.c: a refined mesh fills the same space with the right number of equal or bounded elements; its
 * statistics are those of the lattice. */
#include "solver/mesh/check.h"
#include "solver/mesh/refine.h"
#include "solver/mesh/stats.h"
#include "tests/support/mesh_sample.h"

static struct mesh_stats stats_of(const struct mesh *mesh)
{
    struct error error = {0};
    struct mesh_stats stats;
    CHECK_OK(mesh_stats_create(&stats, mesh, &error), error);
    return stats;
}

/* Of no two edges alike: the shortest and the longest, and the lower node of the shortest */
static void test_edges(int dimension)
{
    struct mesh mesh = mesh_sample_odd(dimension, LOCATION_ELEMENT, false);
    const int corners = dimension + 1;
    double least = INFINITY, most = 0;
    int32_t lower = -1;
    for (int64_t k = 0; k < mesh.elements * corners * corners; k++) {
        const int32_t *vertex = mesh.vertex + k / (corners * corners) * corners;
        const int32_t a = vertex[k % corners], b = vertex[k / corners % corners];
        const double length = mesh_distance(mesh.point + 3 * (int64_t)a, mesh.point + 3 * (int64_t)b);
        if (a >= b)
            continue;
        lower = length < least ? a : lower;
        least = fmin(least, length);
        most = fmax(most, length);
    }
    struct mesh_stats stats = stats_of(&mesh);
    CHECK(stats.shortest == lower, "node %d has the shortest edge, not %d", lower, stats.shortest);
    CHECK_CLOSE(stats.edge_min, least, 1e-14);
    CHECK_CLOSE(stats.edge_max, most, 1e-14);
    mesh_stats_free(&stats);
    mesh_free(&mesh);
}

/* Total measure, tags, quality and health before and after */
static void test_refine(int dimension, enum location location, int with_sheet)
{
    struct error error = {0};
    struct mesh mesh = {0}, fine = {0};
    struct mesh_health health;
    mesh = mesh_sample_odd(dimension, location, with_sheet);
    CHECK_OK(mesh_refine(&fine, &mesh, &error), error);
    struct mesh_stats before = stats_of(&mesh), after = stats_of(&fine);
    CHECK(fine.nodes == mesh.nodes + before.edges && fine.elements == mesh.elements << dimension,
          "%lld nodes, %lld elements", (long long)fine.nodes, (long long)fine.elements);
    CHECK_CLOSE(after.measure, before.measure, 1e-13);
    CHECK(after.tags == before.tags, "%d tags", after.tags);
    for (int t = 0; t < after.tags; t++) {
        CHECK(after.tag[t].elements == before.tag[t].elements << dimension, "tag %d", after.tag[t].tag);
        CHECK_CLOSE(after.tag[t].measure, before.tag[t].measure, 1e-13);
    }
    CHECK(after.quality_min > 0.6 * before.quality_min, "quality %g after %g", after.quality_min,
          before.quality_min);
    double volume = 0; /* of the signed kind: nothing overlaps */
    for (int64_t e = 0; e < fine.elements; e++) {
        double child = mesh_measure(&fine, e), parent = mesh_measure(&mesh, e >> dimension);
        CHECK_CLOSE(child * (1 << dimension), parent, 1e-12);
        volume += child;
    }
    CHECK(volume > 0, "volume %g", volume);
    CHECK_OK(mesh_check(&fine, &health, &error), error);
    CHECK_OK(mesh_health_verdict(&health, &error), error);
    CHECK(health.turned == 0 && health.components == 1 && health.doubles == 0, "%lld turned",
          (long long)health.turned);
    mesh_stats_free(&before);
    mesh_stats_free(&after);
    mesh_free(&mesh);
    mesh_free(&fine);
}

static void test_fibers(void)
{
    struct error error = {0};
    struct mesh mesh = {0}, fine = {0};
    mesh = mesh_sample_odd(1, LOCATION_NODE, 0); /* nodes 0 - 1 - 2 - 3 */
    const double fiber[12] = {2, 0, 0, -3, 0, 0, 0, 0, 0, 0, 5, 0};
    memcpy(mesh.fiber, fiber, sizeof fiber);
    CHECK_OK(mesh_refine(&fine, &mesh, &error), error);
    const double *middle = fine.fiber + 12;
    CHECK(middle[0] == 1 && middle[1] == 0, "opposite directions are one axis: %g", middle[0]);
    CHECK(middle[3] == -1, "a zero fibre has no say: %g", middle[3]);
    CHECK(middle[7] == 1, "a zero fibre has no say: %g", middle[7]);
    CHECK_OK(mesh_fibers_to_elements(&mesh, &error), error);
    CHECK(mesh.fiber_location == LOCATION_ELEMENT && mesh.fiber[0] == 1 && mesh.fiber[7] == 1, "%g",
          mesh.fiber[0]);
    mesh_free(&fine);
    CHECK_OK(mesh_refine(&fine, &mesh, &error), error);
    for (int e = 0; e < 6; e++)
        CHECK(memcmp(fine.fiber + 3 * e, mesh.fiber + 3 * (e / 2), 24) == 0, "element %d", e);
    mesh_free(&fine);
    mesh_free(&mesh);
}

/* In a Kuhn lattice of spacing h every edge is h, sqrt(2) h or sqrt(3) h, and all tetrahedra have one shape.
 */
static void test_lattice_stats(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    CHECK_OK(mesh_slab(&mesh, (double[]){2, 1.5, 1}, 0.5, &error), error);
    struct mesh_stats stats = stats_of(&mesh);
    CHECK_CLOSE(stats.edge_min, 0.5, 1e-15);
    CHECK_CLOSE(stats.edge_median, 0.5, 1e-15); /* 133 of the 255 edges lie along an axis */
    CHECK_CLOSE(stats.edge_max, 0.5 * sqrt(3.0), 1e-15);
    /* 12 (3/6)^(2/3) / (3 + 2*2 + 3): three edges, two face diagonals and one of space, squared */
    CHECK_CLOSE(stats.quality_min, 12 * pow(0.5, 2.0 / 3) / 10, 1e-13);
    CHECK_CLOSE(stats.quality_median, stats.quality_min, 1e-13);
    CHECK_CLOSE(stats.measure, 3.0, 1e-13);
    CHECK(stats.tags == 1 && stats.tag[0].elements == mesh.elements, "%d tags", stats.tags);
    CHECK(stats.low[1] == 0 && stats.high[1] == 1.5 && stats.high[0] == 2, "box up to %g", stats.high[1]);
    /* edges of a lattice of a x b x c cells along the 7 directions of Kuhn's subdivision */
    int64_t a = 4, b = 3, c = 2;
    int64_t edges = a * (b + 1) * (c + 1) + (a + 1) * b * (c + 1) + (a + 1) * (b + 1) * c + a * b * (c + 1) +
                    a * (b + 1) * c + (a + 1) * b * c + a * b * c;
    CHECK(stats.edges == edges, "%lld edges instead of %lld", (long long)stats.edges, (long long)edges);
    mesh_stats_free(&stats);
    mesh_free(&mesh);

    mesh = (struct mesh){.dimension = 3, .nodes = 4, .elements = 1};
    CHECK_OK(mesh_allocate(&mesh, 0, &error), error);
    const double regular[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    memcpy(mesh.point, regular, sizeof regular);
    for (int c4 = 0; c4 < 4; c4++)
        mesh.vertex[c4] = c4;
    CHECK_CLOSE(mesh_quality(&mesh, 0), 1.0, 1e-14);
    mesh_free(&mesh);
}

int main(void)
{
    for (int dimension = 1; dimension <= 3; dimension++) {
        test_edges(dimension);
        test_refine(dimension, LOCATION_NONE, 0);
        test_refine(dimension, LOCATION_NODE, 1);
        test_refine(dimension, LOCATION_ELEMENT, 1);
    }
    test_fibers();
    test_lattice_stats();
    return 0;
}
