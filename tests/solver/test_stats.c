/* test_stats.c: statistics, angles, edges, neighbours and elements near points of random meshes of tetrahedra, triangles and lines, and
 * rims and sides of shells, against plain loops over all of them. */
#include "solver/mesh/stats.h"

#include <string.h>

#include "kernels/base/compare.h"
#include "kernels/base/vec3.h"
#include "solver/mesh/check.h"
#include "solver/mesh/near.h"
#include "solver/mesh/neighbours.h"
#include "solver/mesh/openings.h"
#include "solver/mesh/winding.h"
#include "tests/support/dice.h"
#include "tests/support/mesh_sample.h"

/* A bent lattice of which some elements are left out, and some of a lower dimension */
static struct mesh make_mixed(int dimension)
{
    struct mesh mesh = mesh_sample_lattice(dimension, (const int[]){2 + below(3), 1 + below(3), 1 + below(2)},
                                           (const double[]){1, 0.5, 0.7});
    const int corners = dimension + 1;
    int64_t kept = 0;
    mesh_sample_bend(&mesh, 0.1, 3);
    for (int64_t e = 0; e < mesh.elements; e++) {
        int32_t *to = mesh.vertex + kept * corners;
        if (e > 0 && below(4) == 0)
            continue;
        memmove(to, mesh.vertex + e * corners, (size_t)corners * sizeof *to);
        mesh.tag[kept] = below(4) - 1;
        const int own = e == 0 || below(3) ? dimension : 1 + below(dimension);
        for (int c = own + 1; c < corners; c++)
            to[c] = to[own];
        kept++;
    }
    mesh.elements = kept;
    return mesh;
}

/* By Heron and, of tetrahedra, by the Cayley-Menger determinant of squared edges; the length of a line */
static double size_of(const struct mesh *mesh, int64_t e)
{
    double s[4][4];
    const int d = mesh_corners(mesh, e) - 1;
    for (int a = 0; a <= d; a++)
        for (int b = 0; b <= d; b++) {
            const double length =
                mesh_distance(mesh_sample_corner(mesh, e, a), mesh_sample_corner(mesh, e, b));
            s[a][b] = length * length;
        }
    if (d == 1)
        return sqrt(s[0][1]);
    if (d == 2) {
        const double x = s[0][1], y = s[0][2], z = s[1][2];
        return sqrt(fmax(0, 2 * (x * y + y * z + z * x) - x * x - y * y - z * z)) / 4;
    }
    double g[3][3]; /* of the edges from corner 0 */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            g[i][j] = (s[0][i + 1] + s[0][j + 1] - s[i + 1][j + 1]) / 2;
    return sqrt(fmax(0, g[0][0] * (g[1][1] * g[2][2] - g[1][2] * g[2][1]) -
                            g[0][1] * (g[1][0] * g[2][2] - g[1][2] * g[2][0]) +
                            g[0][2] * (g[1][0] * g[2][1] - g[1][1] * g[2][0]))) /
           6;
}

static double quality_of(const struct mesh *mesh, int64_t e)
{
    const int d = mesh_corners(mesh, e) - 1;
    double squares = 0;
    for (int a = 0; a <= d; a++)
        for (int b = 0; b < a; b++)
            squares += pow(mesh_distance(mesh_sample_corner(mesh, e, a), mesh_sample_corner(mesh, e, b)), 2);
    return d == 1   ? 1
           : d == 2 ? 4 * sqrt(3.0) * size_of(mesh, e) / squares
                    : 12 * pow(3 * size_of(mesh, e), 2.0 / 3) / squares;
}

/* From the areas of faces and the volume: V = 2/3 A B sin(angle) / edge; whether it is sharp from the other side of the cosine's sign */
static double angle_of(const struct mesh *mesh, int64_t e)
{
    const int d = mesh_corners(mesh, e) - 1;
    double least = 180;
    if (d == 1)
        return 60;
    for (int a = 0; a <= d; a++)
        for (int b = 0; b <= d; b++) {
            double p[3], q[3], u[3], v[3], cosine;
            int others[2], at = 0;
            for (int c = 0; c <= d; c++)
                if (c != a && c != b && at < 2)
                    others[at++] = c;
            if (a == b || (d == 3 && b < a))
                continue;
            if (d == 2) { /* at a, between b and the other */
                vec3_between(p, mesh_sample_corner(mesh, e, a), mesh_sample_corner(mesh, e, b));
                vec3_between(q, mesh_sample_corner(mesh, e, a), mesh_sample_corner(mesh, e, others[0]));
                cosine = vec3_dot(p, q) / vec3_length(p) / vec3_length(q);
            } else { /* between the normals of the two faces at the edge */
                vec3_between(u, mesh_sample_corner(mesh, e, a), mesh_sample_corner(mesh, e, b));
                vec3_between(v, mesh_sample_corner(mesh, e, a), mesh_sample_corner(mesh, e, others[0]));
                vec3_cross(p, u, v);
                vec3_between(v, mesh_sample_corner(mesh, e, a), mesh_sample_corner(mesh, e, others[1]));
                vec3_cross(q, u, v);
                cosine = vec3_dot(p, q) / vec3_length(p) / vec3_length(q);
            }
            least = fmin(least, acos(fmax(-1, fmin(1, cosine))) * 45 / atan(1));
        }
    return least;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *value, int64_t count)
{
    qsort(value, (size_t)count, sizeof *value, by_size);
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

/* joined[a][b]: whether an element has both nodes */
static uint8_t *join_nodes(const struct mesh *mesh)
{
    uint8_t *joined = calloc((size_t)(mesh->nodes * mesh->nodes), 1);
    CHECK(joined, "no memory");
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int a = 0; a <= mesh->dimension; a++)
            for (int b = 0; b <= mesh->dimension; b++)
                joined[mesh->vertex[e * (mesh->dimension + 1) + a] * mesh->nodes +
                       mesh->vertex[e * (mesh->dimension + 1) + b]] = 1;
    for (int64_t i = 0; i < mesh->nodes; i++)
        joined[i * mesh->nodes + i] = 0;
    return joined;
}

static void test_edges(struct mesh *mesh)
{
    struct error error = {0};
    struct mesh_edges edges;
    struct mesh_stats stats;
    uint8_t *joined = join_nodes(mesh);
    double *length = calloc((size_t)(mesh->nodes * mesh->nodes), sizeof *length), sum = 0, least = INFINITY,
           mean;
    int64_t count = 0, shorter = 0, shortest = -1;
    CHECK(length, "no memory");
    CHECK_OK(mesh_edges_create(&edges, mesh, &error), error);
    for (int32_t a = 0; a < mesh->nodes; a++) {
        CHECK(edges.first[a] == count, "the edges of node %d begin with %lld", a, (long long)edges.first[a]);
        for (int32_t b = 0; b < mesh->nodes; b++) {
            const bool there = joined[a * mesh->nodes + b];
            const int64_t found = mesh_edges_find(&edges, a, b);
            CHECK((found >= 0) == there && found < edges.count, "nodes %d and %d: edge %lld", a, b,
                  (long long)found);
            if (!there || b < a)
                continue;
            CHECK(found == count && edges.other[count] == b, "edge %lld is number %lld", (long long)count,
                  (long long)found);
            length[count] = mesh_distance(mesh->point + 3 * (int64_t)a, mesh->point + 3 * (int64_t)b);
            if (length[count] < least) {
                least = length[count];
                shortest = a;
            }
            count++;
        }
    }
    CHECK(edges.count == count && edges.first[mesh->nodes] == count, "%lld edges, want %lld",
          (long long)edges.count, (long long)count);
    for (int64_t k = 0; k < count; k++)
        sum += length[k];
    CHECK_OK(mesh_mean_edge(mesh, &mean, &error), error);
    CHECK_CLOSE(mean, sum / (double)count, 1e-13);
    CHECK_OK(mesh_stats_create(&stats, mesh, &error), error);
    const double median = median_of(length, count);
    for (int64_t k = 0; k < count; k++)
        shorter += length[k] < median / 10;
    CHECK(stats.edges == count && stats.edge_min == length[0] && stats.edge_max == length[count - 1],
          "%lld edges from %g to %g", (long long)stats.edges, stats.edge_min, stats.edge_max);
    CHECK_CLOSE(stats.edge_median, median, 1e-15);
    CHECK(stats.short_edges == shorter && stats.shortest == shortest,
          "%lld short ones, the shortest at %d, want %lld at %lld", (long long)stats.short_edges,
          stats.shortest, (long long)shorter, (long long)shortest);
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < mesh->nodes; i++) {
            low = fmin(low, mesh->point[3 * i + d]);
            high = fmax(high, mesh->point[3 * i + d]);
        }
        CHECK(stats.low[d] == low && stats.high[d] == high, "from %g to %g", stats.low[d], stats.high[d]);
    }
    double whole = 0, *quality = calloc((size_t)mesh->elements, sizeof *quality);
    int64_t counted = 0;
    CHECK(quality, "no memory");
    for (int64_t e = 0; e < mesh->elements; e++) {
        quality[e] = quality_of(mesh, e);
        CHECK_CLOSE(mesh_quality(mesh, e), quality[e], 1e-9);
        whole += mesh_corners(mesh, e) == mesh->dimension + 1 ? size_of(mesh, e) : 0;
    }
    CHECK_CLOSE(stats.quality_median, median_of(quality, mesh->elements), 1e-9);
    CHECK_CLOSE(stats.quality_min, quality[0], 1e-9);
    CHECK_CLOSE(stats.measure, whole, 1e-9);
    for (int t = 0; t < stats.tags; t++) {
        const struct tag_stats *tag = &stats.tag[t];
        int64_t elements = 0;
        double measure = 0;
        for (int64_t e = 0; e < mesh->elements; e++)
            if (mesh->tag[e] == tag->tag && mesh_corners(mesh, e) - 1 == tag->dimension) {
                elements++;
                measure += size_of(mesh, e);
            }
        CHECK(tag->elements == elements && elements > 0, "tag %d: %lld elements", tag->tag,
              (long long)tag->elements);
        CHECK_CLOSE(tag->measure, measure, 1e-9);
        CHECK(t == 0 || tag->tag > tag[-1].tag ||
                  (tag->tag == tag[-1].tag && tag->dimension > tag[-1].dimension),
              "the order of tags");
        counted += elements;
    }
    CHECK(counted == mesh->elements, "%lld elements of %d tags", (long long)counted, stats.tags);
    mesh_stats_free(&stats);
    CHECK(!stats.tag && !stats.edges, "freed");
    mesh_edges_free(&edges);
    free(quality);
    free(length);
    free(joined);
}

static void test_angles(const struct mesh *mesh)
{
    struct error error = {0};
    struct mesh_shape shape;
    struct ranked *angle = calloc((size_t)mesh->elements, sizeof *angle);
    const int64_t count = mesh->elements;
    CHECK(angle, "no memory");
    CHECK_OK(mesh_shape_create(&shape, mesh, &error), error);
    for (int64_t e = 0; e < count; e++) {
        angle[e] = (struct ranked){mesh_smallest_angle(mesh, e), e};
        CHECK(fabs(angle[e].key - angle_of(mesh, e)) < 1e-5, "element %lld has %g degrees, want %g",
              (long long)e, angle[e].key, angle_of(mesh, e));
    }
    for (int k = 0; k < MESH_SHAPE_BOUNDS; k++) {
        int64_t under = 0;
        for (int64_t e = 0; e < count; e++)
            under += angle[e].key < (const double[]){5, 10, 20, 30}[k];
        CHECK(shape.under[k] == under, "%lld under %g degrees, want %lld", (long long)shape.under[k],
              mesh_shape_bound[k], (long long)under);
    }
    qsort(angle, (size_t)count, sizeof *angle, compare_ranked);
    CHECK(shape.least == angle[0].key && shape.percent == angle[count / 100].key &&
              shape.median == angle[count / 2].key,
          "%g, %g, %g degrees", shape.least, shape.percent, shape.median);
    CHECK(shape.worsts == (count < 3 ? count : 3), "%d of the worst", shape.worsts);
    for (int k = 0; k < shape.worsts; k++) {
        double centre[3];
        mesh_centre(centre, mesh, angle[k].index);
        CHECK(shape.worst[k].element == angle[k].index && shape.worst[k].degrees == angle[k].key &&
                  shape.worst[k].quality == mesh_quality(mesh, angle[k].index) &&
                  !memcmp(shape.worst[k].centre, centre, sizeof centre),
              "the worst but %d is element %lld", k, (long long)shape.worst[k].element);
    }
    free(angle);
}

/* Rows of all nodes, and of those of one owner */
static void test_neighbours(const struct mesh *mesh)
{
    struct error error = {0};
    uint8_t *joined = join_nodes(mesh);
    int32_t *owner = calloc((size_t)mesh->nodes, sizeof *owner);
    CHECK(owner, "no memory");
    for (int64_t i = 0; i < mesh->nodes; i++)
        owner[i] = below(3);
    for (int owned = 0; owned < 2; owned++) {
        struct csr rows;
        int64_t at = 0;
        CHECK_OK(mesh_neighbours_create(&rows, mesh, owned ? owner : NULL, 1, &error), error);
        CHECK(rows.rows == mesh->nodes && rows.columns == mesh->nodes && rows.start[0] == 0, "%lld rows",
              (long long)rows.rows);
        for (int64_t i = 0; i < mesh->nodes; i++) {
            for (int64_t j = 0; j < mesh->nodes && (!owned || owner[i] == 1); j++)
                if (joined[i * mesh->nodes + j])
                    CHECK(rows.column[at++] == j, "row %lld has no column %lld", (long long)i, (long long)j);
            CHECK(rows.start[i + 1] == at, "row %lld ends at %lld, want %lld", (long long)i,
                  (long long)rows.start[i + 1], (long long)at);
        }
        csr_free(&rows);
    }
    free(owner);
    free(joined);
}

static void test_near(const struct mesh *mesh)
{
    struct error error = {0};
    struct near near[5] = {0};
    double extent = 0;
    for (int k = 0; k < 5; k++) {
        memcpy(near[k].centre, mesh->point + 3 * (int64_t)below((int)mesh->nodes), sizeof near[k].centre);
        near[k].radius = k == 0 ? -1 : k == 1 ? 0 : 0.9 * bits_random(dice++);
    }
    near[4].centre[0] -= near[4].radius; /* a node lies just on it, or nearly so */
    CHECK_OK(near_find(near, 5, mesh, &error), error);
    for (int k = 0; k < 5; k++) {
        int64_t at = 0;
        for (int64_t e = 0; e < mesh->elements; e++)
            if (mesh_distance(mesh_sample_corner(mesh, e, 0), near[k].centre) <= near[k].radius)
                CHECK(at < near[k].elements && near[k].element[at++] == e, "element %lld is near",
                      (long long)e);
        CHECK(near[k].elements == at, "%lld are near, want %lld", (long long)near[k].elements, (long long)at);
    }
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int c = 0; c < mesh_corners(mesh, e); c++)
            extent =
                fmax(extent, mesh_distance(mesh_sample_corner(mesh, e, 0), mesh_sample_corner(mesh, e, c)));
    CHECK(near_extent(mesh) == extent, "an extent of %g, want %g", near_extent(mesh), extent);
    near_free(near, 5);
}

/* Rims of what is left of a sheet: nodes joined by edges of one triangle alone, by passing on the lowest number */
static void test_rims(const struct mesh *mesh)
{
    struct error error = {0};
    struct openings openings;
    const int64_t n = mesh->nodes;
    uint8_t *times = calloc((size_t)(n * n), 1);
    int32_t *lowest = calloc((size_t)n, sizeof *lowest);
    int rims = 0, closed = 0;
    CHECK(times && lowest, "no memory");
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int c = 0; c < 3 && mesh_corners(mesh, e) == 3; c++) {
            const int32_t a = mesh->vertex[3 * e + c], b = mesh->vertex[3 * e + (c + 1) % 3];
            times[a * n + b]++;
            times[b * n + a]++;
        }
    for (int32_t i = 0; i < n; i++) {
        lowest[i] = -1;
        for (int64_t j = 0; j < n; j++)
            lowest[i] = times[i * n + j] == 1 ? i : lowest[i];
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                if (times[i * n + j] == 1 && lowest[j] < lowest[i]) {
                    lowest[i] = lowest[j];
                    changed = true;
                }
    }
    CHECK_OK(openings_find(&openings, mesh, &error), error);
    for (int64_t i = 0; i < n; i++) {
        CHECK((openings.of[i] < 0) == (lowest[i] < 0), "node %lld is on rim %d", (long long)i,
              openings.of[i]);
        CHECK(lowest[i] < 0 || openings.item[openings.of[i]].first == lowest[i],
              "node %lld is on the rim of %d, want %d", (long long)i, openings.item[openings.of[i]].first,
              lowest[i]);
        rims += lowest[i] == i;
    }
    CHECK(openings.all == rims, "%d rims, want %d", openings.all, rims);
    for (int r = 0; r < rims; r++) {
        const struct opening *rim = &openings.item[r];
        double perimeter = 0, centre[3] = {0};
        int64_t nodes = 0;
        bool whole = true;
        for (int64_t i = 0; i < n; i++) {
            int edges = 0;
            nodes += lowest[i] == rim->first;
            for (int64_t j = 0; j < n && lowest[i] == rim->first; j++) {
                if (times[i * n + j] != 1)
                    continue;
                edges++;
                const double length =
                    mesh_distance(mesh->point + 3 * i, mesh->point + 3 * j) / 2; /* each is met twice */
                perimeter += length;
                for (int d = 0; d < 3; d++)
                    centre[d] += length * (mesh->point[3 * i + d] + mesh->point[3 * j + d]) / 2;
            }
            whole = whole && (lowest[i] != rim->first || edges == 2);
        }
        CHECK_CLOSE(rim->perimeter, perimeter, 1e-12);
        CHECK(rim->nodes == nodes && rim->closed == whole, "%lld nodes, %d", (long long)rim->nodes,
              rim->closed);
        for (int d = 0; d < 3; d++)
            CHECK_CLOSE(rim->centre[d], centre[d] / perimeter, 1e-12);
        CHECK(r == 0 || rim[-1].closed > rim->closed ||
                  (rim[-1].closed == rim->closed && rim[-1].perimeter >= rim->perimeter),
              "their order");
        closed += whole;
    }
    CHECK(openings.closed == closed, "%d closed rims, want %d", openings.closed, closed);
    for (int turn = 0; turn < 4 && rims > 0;
         turn++) { /* the nearest centre, if it is of a closed rim; the rank-th longest */
        const double at[3] = {3 * bits_random(dice++), bits_random(dice++), 0};
        int nearest = 0, found;
        for (int r = 1; r < rims; r++)
            nearest =
                mesh_distance(at, openings.item[r].centre) < mesh_distance(at, openings.item[nearest].centre)
                    ? r
                    : nearest;
        const enum status got = openings_nearest(&found, &openings, at, &error);
        CHECK(found == nearest && (got == STATUS_OK) == openings.item[nearest].closed,
              "rim %d is the nearest, want %d", found, nearest);
        const enum status ranked = openings_ranked(&found, &openings, turn, &error);
        CHECK((ranked == STATUS_OK) == (turn >= 1 && turn <= closed) && found == turn - 1, "rank %d: rim %d",
              turn, found);
    }
    openings_free(&openings);
    free(times);
    free(lowest);
}

/* Pieces of a bent shell whose triangles are wound anyhow: by their sides all of a piece traverse each common edge in opposite directions,
 * and enclose a volume with its centre that is not negative */
static void test_sides(void)
{
    struct error error = {0};
    struct mesh mesh = mesh_sample_lattice(2, (const int[]){7, 4, 0}, (const double[]){0.5, 1, 0});
    int8_t *side = calloc((size_t)mesh.elements, 1);
    int32_t *piece = calloc((size_t)mesh.elements, sizeof *piece);
    int64_t kept = 0;
    CHECK(side && piece, "no memory");
    for (int64_t i = 0; i < mesh.nodes;
         i++) { /* some of a cylinder away from the origin, its axis moved along */
        const double a = mesh.point[3 * i], y = mesh.point[3 * i + 1];
        mesh.point[3 * i] = 5 + 2 * cos(a) + 0.3 * y + 0.1 * bits_random(dice++);
        mesh.point[3 * i + 1] = -3 + 2 * sin(a) + 0.1 * bits_random(dice++);
        mesh.point[3 * i + 2] = y;
    }
    for (int64_t e = 0; e < mesh.elements; e++) {
        int32_t *to = mesh.vertex + 3 * kept;
        if (below(5) == 0)
            continue;
        memmove(to, mesh.vertex + 3 * e, 3 * sizeof *to);
        for (int turns = below(2); turns > 0; turns--) {
            const int32_t held = to[1];
            to[1] = to[2];
            to[2] = held;
        }
        kept++;
    }
    mesh.elements = kept;
    CHECK_OK(winding_find(side, &mesh, &error), error);
    for (int64_t e = 0; e < kept; e++)
        piece[e] = (int32_t)e;
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t e = 0; e < kept; e++)
            for (int64_t o = 0; o < kept; o++)
                for (int a = 0; a < 9; a++) {
                    const int32_t *p = mesh.vertex + 3 * e, *q = mesh.vertex + 3 * o;
                    const int32_t from = p[a / 3], to = p[(a / 3 + 1) % 3];
                    const bool with = q[a % 3] == from && q[(a % 3 + 1) % 3] == to,
                               against = q[a % 3] == to && q[(a % 3 + 1) % 3] == from;
                    if (e == o || (!with && !against))
                        continue;
                    CHECK(side[e] * side[o] == (with ? -1 : 1), "triangles %lld and %lld are wound apart",
                          (long long)e, (long long)o);
                    changed = changed || piece[o] > piece[e];
                    piece[o] = piece[o] > piece[e] ? piece[e] : piece[o];
                }
    }
    for (int64_t first = 0; first < kept; first++) {
        double centre[3] = {0}, area = 0, volume = 0, normal[3], x[3], u[3], v[3];
        for (int pass = 0; pass < 2; pass++)
            for (int64_t e = 0; e < kept; e++) {
                if (piece[e] != first)
                    continue;
                mesh_centre(x, &mesh, e);
                vec3_between(u, mesh_sample_corner(&mesh, e, 0), mesh_sample_corner(&mesh, e, 1));
                vec3_between(v, mesh_sample_corner(&mesh, e, 0), mesh_sample_corner(&mesh, e, 2));
                vec3_cross(normal, u, v);
                const double size = vec3_length(normal);
                for (int d = 0; d < 3; d++) {
                    centre[d] += pass ? 0 : size * x[d];
                    volume += pass ? side[e] * normal[d] * (x[d] - centre[d] / area) : 0;
                }
                area += pass ? 0 : size;
            }
        CHECK(volume >= -1e-8 * pow(area, 1.5), "the piece of triangle %lld encloses %g mm^3",
              (long long)first, volume);
    }
    free(side);
    free(piece);
    mesh_free(&mesh);
}

int main(void)
{
    for (int turn = 0; turn < 40; turn++)
        test_sides();
    for (int turn = 0; turn < 90; turn++) {
        struct mesh mesh = make_mixed(1 + turn % 3);
        test_edges(&mesh);
        test_angles(&mesh);
        test_neighbours(&mesh);
        test_near(&mesh);
        if (mesh.dimension == 2)
            test_rims(&mesh);
        mesh_free(&mesh);
    }
    return 0;
}
