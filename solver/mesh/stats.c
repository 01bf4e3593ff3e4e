/* stats.c: sums, extremes and medians over edges and elements. */
#include "solver/mesh/stats.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "kernels/base/vec3.h"
#include "solver/mesh/check.h"
#include "solver/mesh/neighbours.h"

static double distance(const struct mesh *mesh, int64_t a, int64_t b)
{
    return mesh_distance(mesh->point + 3 * a, mesh->point + 3 * b);
}

static double element_measure(const struct mesh *mesh, int64_t e)
{
    const int dimension = mesh_corners(mesh, e) - 1;
    return fabs(mesh_measure(mesh, e)) / (dimension == 3 ? 6 : dimension);
}

double mesh_quality(const struct mesh *mesh, int64_t element)
{
    const int32_t *vertex = mesh->vertex + element * (mesh->dimension + 1);
    const int dimension = mesh_corners(mesh, element) - 1;
    if (dimension == 1)
        return 1;
    double squares = 0, measure = element_measure(mesh, element);
    for (int i = 0; i <= dimension; i++)
        for (int j = i + 1; j <= dimension; j++) {
            double length = distance(mesh, vertex[i], vertex[j]);
            squares += length * length;
        }
    double cube_root = cbrt(3 * measure);
    return (dimension == 2 ? 4 * sqrt(3.0) * measure : 12 * cube_root * cube_root) / squares;
}

/* The median of value[count], which is sorted */
static double median(double *value, int64_t count)
{
    qsort(value, (size_t)count, sizeof *value, compare_double);
    return count == 0 ? NAN : (value[(count - 1) / 2] + value[count / 2]) / 2;
}

static void measure_edges(struct mesh_stats *stats, const struct mesh *mesh, const struct mesh_edges *edges,
                          double *length)
{
    for (int64_t a = 0; a < mesh->nodes; a++)
        for (int64_t k = edges->first[a]; k < edges->first[a + 1]; k++)
            length[k] = distance(mesh, a, edges->other[k]);
    double least = HUGE_VAL;
    for (int64_t a = 0; a < mesh->nodes; a++)
        for (int64_t k = edges->first[a]; k < edges->first[a + 1]; k++)
            if (length[k] < least) {
                least = length[k];
                stats->shortest = (int32_t)a;
            }
    stats->edges = edges->count;
    stats->edge_median = median(length, edges->count);
    while (stats->short_edges < edges->count && length[stats->short_edges] < stats->edge_median / 10)
        stats->short_edges++;
    stats->edge_min = length[0];
    stats->edge_max = length[edges->count - 1];
}

static void measure_quality(struct mesh_stats *stats, const struct mesh *mesh, double *quality)
{
    for (int64_t e = 0; e < mesh->elements; e++)
        quality[e] = mesh_quality(mesh, e);
    stats->quality_median = median(quality, mesh->elements);
    stats->quality_min = quality[0];
}

/* Orders by tag, then by dimension */
static int64_t key_of(int32_t tag, int dimension)
{
    return 4 * (int64_t)tag + dimension;
}

static int64_t key_of_element(const struct mesh *mesh, int64_t e)
{
    return key_of(mesh->tag[e], mesh_corners(mesh, e) - 1);
}

/* Position of a key in the ascending list, or where to insert it */
static int index_of_tag(const struct mesh_stats *stats, int64_t key)
{
    int from = 0, to = stats->tags;
    while (from < to) {
        int middle = from + (to - from) / 2;
        if (key_of(stats->tag[middle].tag, stats->tag[middle].dimension) < key)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* The list of tags, each once. sorted[elements] is workspace. */
static enum status list_tags(struct mesh_stats *stats, const struct mesh *mesh, int64_t *sorted,
                             struct error *error)
{
    for (int64_t e = 0; e < mesh->elements; e++)
        sorted[e] = key_of_element(mesh, e);
    qsort(sorted, (size_t)mesh->elements, sizeof *sorted, compare_int64);
    int64_t tags = 0;
    for (int64_t e = 0; e < mesh->elements; e++)
        if (e == 0 || sorted[e] != sorted[e - 1])
            sorted[tags++] = sorted[e];
    enum status status = STATUS_OK;
    stats->tag = array_zeroed(tags, sizeof *stats->tag, "the regions of the mesh", &status, error);
    TRY(status);
    stats->tags = (int)tags;
    for (int64_t t = 0; t < tags; t++) {
        stats->tag[t].dimension = (int)(sorted[t] & 3);
        stats->tag[t].tag = (int32_t)((sorted[t] - stats->tag[t].dimension) / 4);
    }
    return STATUS_OK;
}

static void measure_tags(struct mesh_stats *stats, const struct mesh *mesh)
{
    for (int64_t e = 0; e < mesh->elements; e++) {
        struct tag_stats *tag = &stats->tag[index_of_tag(stats, key_of_element(mesh, e))];
        double measure = element_measure(mesh, e);
        tag->elements++;
        tag->measure += measure;
        if (mesh_corners(mesh, e) > mesh->dimension)
            stats->measure += measure;
    }
}

enum status mesh_stats_create(struct mesh_stats *stats, const struct mesh *mesh, struct error *error)
{
    struct mesh_edges edges = {0};
    *stats = (struct mesh_stats){0};
    TRY(mesh_edges_create(&edges, mesh, error));
    enum status status = STATUS_OK;
    int64_t most = edges.count > mesh->elements ? edges.count : mesh->elements;
    double *value = array_new(most, sizeof *value, "the statistics of the mesh", &status, error);
    TRY_DONE(status);
    mesh_box(stats->low, stats->high, mesh);
    measure_edges(stats, mesh, &edges, value);
    measure_quality(stats, mesh, value);
    TRY_DONE(list_tags(stats, mesh, (int64_t *)value, error));
    measure_tags(stats, mesh);
done:
    free(value);
    mesh_edges_free(&edges);
    return status;
}

enum status mesh_mean_edge(const struct mesh *mesh, double *mean, struct error *error)
{
    struct mesh_edges edges = {0};
    TRY(mesh_edges_create(&edges, mesh, error));
    double sum = 0;
    for (int64_t a = 0; a < mesh->nodes; a++)
        for (int64_t k = edges.first[a]; k < edges.first[a + 1]; k++)
            sum += distance(mesh, a, edges.other[k]);
    *mean = sum / (double)edges.count;
    mesh_edges_free(&edges);
    return STATUS_OK;
}

void mesh_stats_free(struct mesh_stats *stats)
{
    free(stats->tag);
    *stats = (struct mesh_stats){0};
}

const double mesh_shape_bound[MESH_SHAPE_BOUNDS] = {5, 10, 20, 30};

static const double *corner(const struct mesh *mesh, int64_t element, int c)
{
    return mesh->point + 3 * (int64_t)mesh->vertex[element * (mesh->dimension + 1) + c];
}

/* The cosine between two edges from a, to b and to c */
static double cosine(const double *a, const double *b, const double *c)
{
    double p[3], q[3];
    vec3_between(p, a, b);
    vec3_between(q, a, c);
    return vec3_dot(p, q) / sqrt(vec3_dot(p, p) * vec3_dot(q, q));
}

/* The cosine of the dihedral angle at the edge from a to b between the faces with c and e, computed from
 * the components of the edges to c and e normal to it */
static double edge_cosine(const double *a, const double *b, const double *c, const double *e)
{
    double axis[3], p[3], q[3];
    vec3_between(axis, a, b);
    vec3_between(p, a, c);
    vec3_between(q, a, e);
    const double along = vec3_dot(axis, axis), pc = vec3_dot(axis, p), pe = vec3_dot(axis, q);
    for (int d = 0; d < 3; d++) {
        p[d] -= pc / along * axis[d];
        q[d] -= pe / along * axis[d];
    }
    return vec3_dot(p, q) / sqrt(vec3_dot(p, p) * vec3_dot(q, q));
}

double mesh_smallest_angle(const struct mesh *mesh, int64_t element)
{
    static const int edges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                    {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    const double degrees = 57.29577951308232;
    const double *x[4] = {NULL};
    const int dimension = mesh_corners(mesh, element) - 1;
    double most = -1;
    for (int c = 0; c <= dimension; c++)
        x[c] = corner(mesh, element, c);
    if (dimension == 1)
        return 60;
    for (int k = 0; k < 3 && dimension == 2; k++)
        most = fmax(most, cosine(x[k], x[(k + 1) % 3], x[(k + 2) % 3]));
    for (int k = 0; k < 6 && dimension == 3; k++)
        most = fmax(most, edge_cosine(x[edges[k][0]], x[edges[k][1]], x[edges[k][2]], x[edges[k][3]]));
    return acos(fmin(most, 1)) * degrees;
}

enum status mesh_shape_create(struct mesh_shape *shape, const struct mesh *mesh, struct error *error)
{
    enum status status = STATUS_OK;
    struct ranked *angle = array_new(mesh->elements, sizeof *angle, "the angles of the mesh", &status, error);
    *shape = (struct mesh_shape){0};
    TRY(status);
    for (int64_t e = 0; e < mesh->elements; e++) {
        angle[e] = (struct ranked){mesh_smallest_angle(mesh, e), e};
        for (int k = 0; k < MESH_SHAPE_BOUNDS; k++)
            shape->under[k] += angle[e].key < mesh_shape_bound[k];
    }
    qsort(angle, (size_t)mesh->elements, sizeof *angle, compare_ranked);
    shape->least = angle[0].key;
    shape->percent = angle[mesh->elements / 100].key;
    shape->median = angle[mesh->elements / 2].key;
    for (; shape->worsts < MESH_SHAPE_WORST && shape->worsts < mesh->elements; shape->worsts++) {
        int k = shape->worsts;
        shape->worst[k].element = angle[k].index;
        shape->worst[k].degrees = angle[k].key;
        shape->worst[k].quality = mesh_quality(mesh, angle[k].index);
        mesh_centre(shape->worst[k].centre, mesh, angle[k].index);
    }
    free(angle);
    return STATUS_OK;
}
