/* velocity.c: sums over the elements at each node, in their order; a thread computes a slab of the mesh. */
#include "solver/heart/velocity.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/vec3.h"
#include "solver/matrix/simplex.h"

static const char what[] = "the velocities";

/* of[4] <- |e| {grad t, 1}, or 0 unless the wave reached all corners of the element; elements of lower
 * dimension have negligible weight next to others */
static void find_element(double of[4], const struct mesh *mesh, int64_t e, const double *time, int64_t stride)
{
    const int corners = mesh_corners(mesh, e);
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    double gradient[4][3], volume = simplex_gradients(mesh, e, gradient);
    volume *= corners <= mesh->dimension ? 1e-9 : 1;
    of[0] = of[1] = of[2] = 0;
    for (int a = 1; a < corners; a++) /* of differences, so that the gradient of equal times is exactly 0 */
        for (int x = 0; x < 3; x++)
            of[x] += volume * gradient[a][x] * (time[vertex[a] * stride] - time[vertex[0] * stride]);
    of[3] = volume;
    if (!isfinite(of[0] + of[1] + of[2]))
        memset(of, 0, 4 * sizeof *of);
}

/* Slabs of about equally many nodes across the mesh's longest axis. One thread adds to the nodes of a slab,
 * in the order of its elements, so results do not depend on the slabs. */
struct slabs {
    int count;
    uint16_t *of_node; /* [nodes] */
    /* [count][count + 1] for each slab: where each share of the mesh puts its elements, and their end */
    int64_t *first;
    int32_t *element; /* the elements with a node in each slab, in ascending order */
};

static void free_slabs(struct slabs *slabs)
{
    free(slabs->of_node);
    free(slabs->first);
    free(slabs->element);
}

/* of_node[] <- the slab of each node, by equal shares of a histogram along the longest axis */
static void cut_nodes(struct slabs *slabs, const struct mesh *mesh)
{
    enum { BINS = 4096 };
    int64_t nodes[BINS] = {0}, before = 0;
    uint16_t slab[BINS];
    double low = 0, extent = 0;
    int axis = 0;
    for (int x = 0; x < 3; x++) {
        double least = INFINITY, most = -INFINITY;
#pragma omp parallel for reduction(min : least) reduction(max : most)
        for (int64_t i = 0; i < mesh->nodes; i++) {
            least = fmin(least, mesh->point[3 * i + x]);
            most = fmax(most, mesh->point[3 * i + x]);
        }
        if (most - least > extent) {
            low = least;
            extent = most - least;
            axis = x;
        }
    }
    const double scale = extent > 0 ? BINS * (1 - 1e-9) / extent : 0;
#pragma omp parallel for reduction(+ : nodes)
    for (int64_t i = 0; i < mesh->nodes; i++)
        nodes[(int)(scale * (mesh->point[3 * i + axis] - low))]++;
    for (int k = 0; k < BINS; k++) {
        slab[k] = (uint16_t)(before * slabs->count / mesh->nodes);
        before += nodes[k];
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++)
        slabs->of_node[i] = slab[(int)(scale * (mesh->point[3 * i + axis] - low))];
}

/* slab[] <- the slabs of an element's nodes, each once. Returns their number. */
static int slabs_of_element(int slab[4], const struct slabs *slabs, const struct mesh *mesh, int64_t e)
{
    const int corners = mesh_corners(mesh, e);
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    int found = 1, differ = 0;
    for (int c = 0; c < corners; c++) {
        slab[c] = slabs->of_node[vertex[c]];
        differ |= slab[c] ^ slab[0];
    }
    for (int c = 1; c < corners && differ; c++) {
        int k = 0;
        while (k < found && slab[k] != slab[c])
            k++;
        slab[k] = slab[c];
        found += k == found;
    }
    return found;
}

/* For each element of one share of the mesh and each slab with one of its nodes: element[next[slab * (count +
 * 1)]++] <- the element, or only counts if element is NULL */
static void list_elements(int64_t *next, int32_t *element, const struct slabs *slabs, const struct mesh *mesh,
                          int share)
{
    const int64_t begin = mesh->elements * share / slabs->count;
    for (int64_t e = begin; e < mesh->elements * (share + 1) / slabs->count; e++) {
        int slab[4];
        for (int k = slabs_of_element(slab, slabs, mesh, e) - 1; k >= 0; k--) {
            const int64_t at = next[(int64_t)slab[k] * (slabs->count + 1)]++;
            if (element)
                element[at] = (int32_t)e;
        }
    }
}

/* Errors: STATUS_RUN if out of memory; the caller calls free_slabs in any case. */
static enum status make_slabs(struct slabs *slabs, const struct mesh *mesh, struct error *error)
{
    enum status status = STATUS_OK;
    const int64_t count = omp_get_max_threads(), sums = count * (count + 1);
    int64_t *first, before = 0;
    *slabs = (struct slabs){.count = (int)count};
    slabs->of_node = array_new(mesh->nodes, sizeof *slabs->of_node, what, &status, error);
    slabs->first = first = array_zeroed(sums, sizeof *first, what, &status, error);
    TRY(status);
    cut_nodes(slabs, mesh);
#pragma omp parallel for schedule(dynamic)
    for (int share = 0; share < count; share++)
        list_elements(first + share, NULL, slabs, mesh, share);
    for (int64_t k = 0; k < sums; k++) {
        const int64_t own = first[k];
        first[k] = before;
        before += own;
    }
    slabs->element = array_new(before, sizeof *slabs->element, what, &status, error);
    TRY(status);
#pragma omp parallel for schedule(dynamic)
    for (int share = 0; share < count; share++)
        list_elements(first + share, slabs->element, slabs, mesh, share);
    return STATUS_OK;
}

/* sum[node] += of[] (find_element) of each element at the nodes of a slab */
static void add_slab(double (*sum)[4], const struct slabs *slabs, int slab, const struct mesh *mesh,
                     const double *time, int64_t stride)
{
    const int64_t row = slabs->count + 1, *end = slabs->first + slab * row + slabs->count;
    for (int64_t k = slab > 0 ? *(end - row) : 0; k < *end; k++) {
        const int64_t e = slabs->element[k];
        const int corners = mesh_corners(mesh, e);
        const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
        double of[4];
        find_element(of, mesh, e, time, stride);
        for (int c = 0; c < corners; c++)
            if (slabs->of_node[vertex[c]] == slab)
                for (int x = 0; x < 4; x++)
                    sum[vertex[c]][x] += of[x];
    }
}

/* *gradient <- an array [nodes][4], which the caller frees: g_i in ms/mm and the sum of |e|, from the first
 * of every `stride` values in time[nodes * stride] (ms, NaN = never). g_i is NaN at nodes that the wave did
 * not reach, and at nodes without an element whose corners it all reached. Errors: STATUS_RUN if out of
 * memory. */
static enum status find_gradients(double (**gradient)[4], const struct mesh *mesh, const double *time,
                                  int64_t stride, struct error *error)
{
    enum status status = STATUS_OK;
    struct slabs slabs = {0};
    double(*sum)[4] = array_zeroed(mesh->nodes, sizeof *sum, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(make_slabs(&slabs, mesh, error));
#pragma omp parallel for schedule(dynamic)
    for (int slab = 0; slab < slabs.count; slab++)
        add_slab(sum, &slabs, slab, mesh, time, stride);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++)
        for (int x = 0; x < 3; x++)
            sum[i][x] = isnan(time[i * stride]) ? NAN : sum[i][x] / sum[i][3];
    *gradient = sum;
    sum = NULL;
done:
    free_slabs(&slabs);
    free(sum);
    return status;
}

static double speed_of(const double g[3])
{
    double slowness = vec3_length(g);
    return slowness > 0 ? 1 / slowness : NAN;
}

enum status velocity_of_times(const struct mesh *mesh, double *time, int64_t stride, struct error *error)
{
    double(*gradient)[4];
    TRY(find_gradients(&gradient, mesh, time, stride, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++)
        time[i * stride] = speed_of(gradient[i]);
    free(gradient);
    return STATUS_OK;
}

/* Bins of 0.1 % from the slowest to the fastest speed counted, mm/ms; approximate limit of counts in all
 * threads */
enum { BINS = 16000, MOST_COUNTS = 4000000 };
static const double slowest = 1e-4, bin = 1e-3;

static int bin_of(double speed)
{
    double k = log(speed / slowest) / bin;
    return k > 0 ? k < BINS ? (int)k : BINS - 1 : 0;
}

/* VELOCITY_ALONG, VELOCITY_ACROSS, or -1 for directions in between */
static int direction_of(const struct tensors *tensors, int64_t e, const double g[3])
{
    const double degree = acos(-1.0) / 180;
    double axis[3][3];
    if (tensors->mesh->dimension == 1 || tensor_axes(tensors, e, axis) == 0)
        return VELOCITY_ALONG;
    double along = fabs(vec3_dot(g, axis[0])) * speed_of(g);
    return along >= cos(15 * degree) ? VELOCITY_ALONG : along <= sin(10 * degree) ? VELOCITY_ACROSS : -1;
}

/* g[3] <- the gradient of time along a line element; averages over nodes would cut the corners of a path */
static void line_gradient(double g[3], const struct mesh *mesh, int64_t e, const double *time, int64_t stride)
{
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    double gradient[4][3];
    simplex_gradients(mesh, e, gradient);
    for (int x = 0; x < 3; x++)
        g[x] = gradient[1][x] * (time[vertex[1] * stride] - time[vertex[0] * stride]);
}

static void count_element(int64_t *count, const struct tensors *tensors, double (*gradient)[4],
                          const double *time, int64_t stride, int64_t e)
{
    const struct mesh *mesh = tensors->mesh;
    const int corners = mesh_corners(mesh, e);
    double g[3] = {0};
    if (corners == 2 && mesh->dimension > 1)
        line_gradient(g, mesh, e, time, stride);
    for (int c = 0; c < corners && !(corners == 2 && mesh->dimension > 1); c++)
        for (int x = 0; x < 3; x++)
            g[x] += gradient[mesh->vertex[e * (mesh->dimension + 1) + c]][x] / corners;
    double speed = speed_of(g);
    if (isnan(speed) || tensors->element_region[e] < 0 || tensor_is_resistor(tensors, e))
        return;
    int direction = direction_of(tensors, e, g);
    if (direction < 0)
        return;
#pragma omp atomic
    count[((int64_t)tensors->element_region[e] * VELOCITY_DIRECTIONS + direction) * BINS + bin_of(speed)]++;
}

/* The middle of the bin that contains the quantile `share` of the elements */
static double quantile(const int64_t *count, int64_t elements, double share)
{
    int64_t below = 0, rank = (int64_t)(share * (double)(elements - 1));
    int k = 0;
    while (k < BINS - 1 && (below += count[k]) <= rank)
        k++;
    return elements > 0 ? slowest * exp(bin * (k + 0.5)) : NAN;
}

enum status velocity_spreads(struct velocity_spread (*spread)[VELOCITY_DIRECTIONS],
                             const struct tensors *tensors, int regions, const double *time, int64_t stride,
                             struct error *error)
{
    const struct mesh *mesh = tensors->mesh;
    enum status status = STATUS_OK;
    double(*gradient)[4] = NULL;
    const int64_t counts = (int64_t)regions * VELOCITY_DIRECTIONS * BINS;
    const int64_t room = 1 + MOST_COUNTS / (counts + 1), threads = omp_get_max_threads();
    const int64_t copies = threads < room ? threads : room; /* so that threads rarely contend for a counter */
    int64_t *count = array_zeroed(copies * counts, sizeof *count, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(find_gradients(&gradient, mesh, time, stride, error));
#pragma omp parallel
    {
        int64_t *own = count + omp_get_thread_num() % copies * counts;
#pragma omp for schedule(static)
        for (int64_t e = 0; e < mesh->elements; e++)
            count_element(own, tensors, gradient, time, stride, e);
    }
    for (int64_t t = 1; t < copies; t++)
        for (int64_t k = 0; k < counts; k++)
            count[k] += count[t * counts + k];
    for (int k = 0; k < regions * VELOCITY_DIRECTIONS; k++) {
        const int64_t *of = count + (int64_t)k * BINS;
        int64_t elements = 0;
        for (int b = 0; b < BINS; b++)
            elements += of[b];
        spread[k / VELOCITY_DIRECTIONS][k % VELOCITY_DIRECTIONS] =
            (struct velocity_spread){elements, quantile(of, elements, 0.25), quantile(of, elements, 0.5),
                                     quantile(of, elements, 0.75)};
    }
done:
    free(gradient);
    free(count);
    return status;
}
