/* test_network.c: random trees of lines joined to random tissue, against plain loops: ends, resistors, fused ends, what is appended and what
 * is said of it. */
#include "solver/mesh/network.h"

#include <string.h>

#include "tests/support/dice.h"
#include "tests/support/mesh_sample.h"

enum { LINES_MOST = 30 };

/* Tissue with some elements of a lower dimension, directions at nodes or elements */
static struct mesh make_tissue(int dimension)
{
    struct mesh mesh =
        mesh_sample_lattice(dimension, (const int[]){3, 2, 2}, (const double[]){0.5, 0.5, 0.5});
    const int corners = dimension + 1;
    for (int64_t e = 0; e < mesh.elements; e++) {
        int32_t *vertex = mesh.vertex + e * corners;
        const int own = below(2) ? dimension : 1 + below(dimension);
        for (int c = own + 1; c < corners; c++)
            vertex[c] = vertex[own];
    }
    mesh_sample_directions(&mesh, below(2) ? LOCATION_NODE : LOCATION_ELEMENT, true);
    const int64_t rows = mesh.fiber_location == LOCATION_NODE ? mesh.nodes : mesh.elements;
    for (int64_t k = 0; k < 3 * rows; k++) {
        mesh.fiber[k] = (double)(k + 1);
        mesh.sheet[k] = -(double)(k + 1);
    }
    return mesh;
}

/* Trees of lines: each node but the roots has a line from an earlier one; some nodes lie where an earlier one lies */
static struct mesh make_lines(void)
{
    struct error error = {0};
    struct mesh lines = {.dimension = 1, .nodes = 3 + below(LINES_MOST - 3)};
    lines.elements = lines.nodes; /* at most */
    CHECK_OK(mesh_allocate(&lines, 0, &error), error);
    lines.elements = 0;
    for (int32_t i = 0; i < lines.nodes; i++) {
        const int of = i ? below(i) : 0;
        for (int d = 0; d < 3; d++)
            lines.point[3 * i + d] =
                i && below(6) == 0 ? lines.point[3 * of + d] : 2.2 * bits_random(dice++) - 0.3;
        if (i && below(5) == 0)
            memcpy(lines.point + 3 * i, lines.point + 3 * of, 3 * sizeof *lines.point);
        if (i == 0 || below(6) == 0)
            continue;
        lines.vertex[2 * lines.elements] = below(i);
        lines.vertex[2 * lines.elements++ + 1] = i;
    }
    return lines;
}

static void test_joined(int dimension)
{
    struct error error = {0};
    struct network_report report;
    struct mesh mesh = make_tissue(dimension);
    const struct mesh lines = make_lines();
    const bool fused = below(2), joins = below(5) > 0;
    const struct network network = {lines, 11, joins && !fused ? 12 : 0, joins && fused,
                                    0.2 + 0.5 * bits_random(dice++)};
    const int64_t nodes = mesh.nodes, elements = mesh.elements;
    const int corners = dimension + 1;
    const bool at_nodes = mesh.fiber_location == LOCATION_NODE;
    uint8_t *has = calloc((size_t)nodes, 1);
    int32_t *before = calloc((size_t)(elements * corners), sizeof *before);
    double *points = calloc((size_t)(3 * nodes), sizeof *points);
    CHECK(has && before && points, "no memory");
    memcpy(before, mesh.vertex, (size_t)(elements * corners) * sizeof *before);
    memcpy(points, mesh.point, (size_t)(3 * nodes) * sizeof *points);
    for (int64_t e = 0; e < elements; e++)
        for (int c = 0; c < corners && mesh_corners(&mesh, e) == corners; c++)
            has[mesh.vertex[e * corners + c]] = 1;
    CHECK_OK(mesh_join_network(&mesh, &network, &report, &error), error);

    struct network_report want = {.least = INFINITY};
    int32_t link[400][2], own[LINES_MOST], tree[LINES_MOST];
    int links = 0;
    for (int32_t i = 0; i < lines.nodes; i++) {
        int degree = 0;
        double nearest = INFINITY;
        own[i] = -1;
        for (int64_t k = 0; k < 2 * lines.elements; k++)
            degree += lines.vertex[k] == i;
        tree[i] = degree ? i : -1; /* a node of no line is no tree */
        if (i == 0 || degree != 1 || !joins)
            continue;
        want.ends++;
        int32_t at = -1;
        for (int32_t n = 0; n < nodes; n++) {
            const double far = mesh_distance(lines.point + 3 * i, points + 3 * (int64_t)n);
            if (!has[n])
                continue;
            at = far < nearest ? n : at;
            nearest = fmin(nearest, far);
            if (!fused && far <= network.radius && links < 400) {
                link[links][0] = i;
                link[links++][1] = n;
            }
        }
        if (nearest > network.radius) {
            want.free++;
            want.farthest = fmax(want.farthest, nearest);
            continue;
        }
        want.least = fmin(want.least, nearest);
        want.most = fmax(want.most, nearest);
        if (fused) {
            own[i] = at;
            link[links][0] = i;
            link[links++][1] = at;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t e = 0; e < lines.elements; e++) {
            const int32_t a = lines.vertex[2 * e], b = lines.vertex[2 * e + 1],
                          least = tree[a] < tree[b] ? tree[a] : tree[b];
            changed = changed || tree[a] != tree[b];
            tree[a] = tree[b] = least;
        }
    }
    for (int32_t i = 0; i < lines.nodes; i++) {
        bool joined = false;
        for (int k = 0; k < links; k++)
            joined = joined || tree[link[k][0]] == i;
        want.trees += tree[i] == i;
        want.loose += tree[i] == i && !joined;
    }
    const int64_t junctions = fused ? 0 : links;
    CHECK(report.trees == want.trees && report.loose == want.loose, "%lld trees, %lld loose, want %lld, %lld",
          (long long)report.trees, (long long)report.loose, (long long)want.trees, (long long)want.loose);
    CHECK(report.ends == want.ends && report.free == want.free && report.junctions == junctions,
          "%lld ends, %lld free, %lld resistors", (long long)report.ends, (long long)report.free,
          (long long)report.junctions);
    CHECK(report.farthest == want.farthest && report.least == want.least && report.most == want.most,
          "distances %g, %g, %g, want %g, %g, %g", report.farthest, report.least, report.most, want.farthest,
          want.least, want.most);

    int32_t number = (int32_t)nodes;
    int64_t doubles = 0;
    for (int32_t i = 0; i < lines.nodes; i++) {
        if (own[i] >= 0)
            continue;
        own[i] = number++;
        CHECK(own[i] < mesh.nodes &&
                  !memcmp(mesh.point + 3 * (int64_t)own[i], lines.point + 3 * i, 3 * sizeof *mesh.point),
              "node %d is elsewhere", i);
    }
    CHECK(mesh.nodes == number && mesh.elements == elements + lines.elements + junctions,
          "%lld nodes, %lld elements", (long long)mesh.nodes, (long long)mesh.elements);
    CHECK(!memcmp(before, mesh.vertex, (size_t)(elements * corners) * sizeof *before) &&
              !memcmp(points, mesh.point, (size_t)(3 * nodes) * sizeof *points),
          "the tissue has changed");
    for (int64_t n = nodes; n < mesh.nodes; n++) { /* of two at one place the later one */
        bool twice = false;
        for (int64_t m = 0; m < n; m++)
            twice = twice || ((m >= nodes || !has[m]) &&
                              !memcmp(mesh.point + 3 * m, mesh.point + 3 * n, 3 * sizeof *mesh.point));
        doubles += twice;
    }
    CHECK(report.doubles == doubles, "%lld doubles, want %lld", (long long)report.doubles,
          (long long)doubles);
    for (int64_t e = elements; e < mesh.elements; e++) {
        const int64_t k = e - elements - lines.elements;
        const int32_t from = k < 0 ? own[lines.vertex[2 * (e - elements)]] : own[link[k][0]],
                      to = k < 0 ? own[lines.vertex[2 * (e - elements) + 1]] : link[k][1];
        for (int c = 0; c < corners; c++)
            CHECK(mesh.vertex[e * corners + c] == (c ? to : from), "element %lld: corner %d is %d",
                  (long long)e, c, mesh.vertex[e * corners + c]);
        CHECK(mesh.tag[e] == (k < 0 ? 11 : 12), "element %lld has tag %d", (long long)e, mesh.tag[e]);
    }
    const int64_t rows = at_nodes ? nodes : elements, all = at_nodes ? mesh.nodes : mesh.elements;
    for (int64_t k = 0; k < 3 * all; k++)
        CHECK(mesh.fiber[k] == (k < 3 * rows ? (double)(k + 1) : 0) && mesh.sheet[k] == -mesh.fiber[k],
              "direction %lld", (long long)k);
    free(has);
    free(before);
    free(points);
    struct mesh owned = lines;
    mesh_free(&owned);
    mesh_free(&mesh);
}

static void test_refused(void)
{
    struct error error = {0};
    struct network_report report;
    struct mesh mesh = make_tissue(3), sheet = make_tissue(2);
    const struct network network = {.lines = sheet, .tag = 1};
    CHECK(mesh_join_network(&mesh, &network, &report, &error) == STATUS_INPUT &&
              strstr(error.text, "this mesh has triangles"),
          "%s", error.text);
    const struct network solid = {.lines = mesh, .tag = 1};
    CHECK(mesh_join_network(&mesh, &solid, &report, &error) == STATUS_INPUT &&
              strstr(error.text, "tetrahedra"),
          "%s", error.text);
    mesh_free(&mesh);
    mesh_free(&sheet);
}

int main(void)
{
    for (int turn = 0; turn < 300; turn++)
        test_joined(1 + turn % 3);
    test_refused();
    return 0;
}
