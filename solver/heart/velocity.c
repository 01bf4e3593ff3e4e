/* velocity.c: sums over the elements at each node, in their order. */
#include "solver/heart/velocity.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/vec3.h"
#include "solver/matrix/simplex.h"
#include "solver/mesh/deal.h"

static const char what[] = "the velocities";

/* of[4] <- |e| {grad t, 1}, 0 unless its corners were all reached; elements of lower dimension hardly count
 * next to others */
static void find_element(double of[4], const struct mesh *mesh, int64_t e, const double *time, int64_t stride)
{
    const int corners = mesh_corners(mesh, e);
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    double gradient[4][3], volume = simplex_gradients(mesh, e, gradient);
    volume *= corners <= mesh->dimension ? 1e-9 : 1;
    of[0] = of[1] = of[2] = 0;
    for (int a = 1; a < corners; a++) /* differences: of equal times the gradient is 0 to the last bit */
        for (int x = 0; x < 3; x++)
            of[x] += volume * gradient[a][x] * (time[vertex[a] * stride] - time[vertex[0] * stride]);
    of[3] = volume;
    if (!isfinite(of[0] + of[1] + of[2]))
        memset(of, 0, 4 * sizeof *of);
}

enum { BLOCK = 1 << 16 }; /* elements whose gradients are found before they are added */

/* sum[4 * node] += of[4] of the elements of this block that the node is a corner of, for the thread's own nodes */
static void add_elements(double *sum, const double *of, const struct mesh *mesh, int64_t first,
                         const struct deal *deal)
{
    const int corners = mesh->dimension + 1;
    const int32_t *vertex = mesh->vertex + first * corners;
    for (int part = 0; part < deal_parts(deal); part++)
        for (int64_t k = deal_part(deal, part)[0]; k < deal_part(deal, part)[1]; k++) {
            const int32_t e = deal->item[k] / corners, own = deal->item[k] % corners;
            double *at = sum + 4 * (int64_t)vertex[deal->item[k]];
            for (int x = 0; x < 4 && own < mesh_corners(mesh, first + e); x++)
                at[x] += of[4 * e + x];
        }
}

/* gradient[nodes * 3] <- g_i in ms/mm of time[nodes * stride] (ms, NaN = never), the first of every `stride`.
 * NaN at nodes that the wave did not reach, and at those without an element whose corners it all reached.
 * Errors: STATUS_RUN without memory. */
static enum status find_gradients(double *gradient, const struct mesh *mesh, const double *time,
                                  int64_t stride, struct error *error)
{
    enum status status = STATUS_OK;
    const int corners = mesh->dimension + 1;
    struct deal deal;
    double *sum = array_zeroed(4 * mesh->nodes, sizeof *sum, what, &status, error);
    double *of = array_new(4 * (int64_t)BLOCK, sizeof *of, what, &status, error);
    const enum status dealt = deal_create(&deal, (int64_t)BLOCK * corners, what, error);
    TRY_DONE(status ? status : dealt);
#pragma omp parallel
    {
        for (int64_t first = 0; first < mesh->elements; first += BLOCK) {
            const int64_t elements = mesh->elements - first < BLOCK ? mesh->elements - first : BLOCK;
            deal_keys(&deal, mesh->vertex + first * corners, elements * corners);
#pragma omp for schedule(static)
            for (int64_t e = 0; e < elements; e++)
                find_element(of + 4 * e, mesh, first + e, time, stride);
            add_elements(sum, of, mesh, first, &deal); /* a node's sum in the order of elements */
#pragma omp barrier
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            for (int x = 0; x < 3; x++)
                gradient[3 * i + x] = isnan(time[i * stride]) ? NAN : sum[4 * i + x] / sum[4 * i + 3];
    }
done:
    deal_free(&deal);
    free(sum);
    free(of);
    return status;
}

static double speed_of(const double g[3])
{
    double slowness = vec3_length(g);
    return slowness > 0 ? 1 / slowness : NAN;
}

enum status velocity_of_times(const struct mesh *mesh, double *time, int64_t stride, struct error *error)
{
    enum status status = STATUS_OK;
    double *gradient = array_new(3 * mesh->nodes, sizeof *gradient, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(find_gradients(gradient, mesh, time, stride, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++)
        time[i * stride] = speed_of(gradient + 3 * i);
done:
    free(gradient);
    return status;
}

/* Bins of 0.1 % from the slowest to the fastest speed that is counted, mm/ms; counts of all threads, about */
enum { BINS = 16000, MOST_COUNTS = 4000000 };
static const double slowest = 1e-4, bin = 1e-3;

static int bin_of(double speed)
{
    double k = log(speed / slowest) / bin;
    return k > 0 ? k < BINS ? (int)k : BINS - 1 : 0;
}

/* VELOCITY_ALONG, VELOCITY_ACROSS, or -1: between them */
static int direction_of(const struct tensors *tensors, int64_t e, const double g[3])
{
    const double degree = acos(-1.0) / 180;
    double axis[3][3];
    if (tensors->mesh->dimension == 1 || tensor_axes(tensors, e, axis) == 0)
        return VELOCITY_ALONG;
    double along = fabs(vec3_dot(g, axis[0])) * speed_of(g);
    return along >= cos(15 * degree) ? VELOCITY_ALONG : along <= sin(10 * degree) ? VELOCITY_ACROSS : -1;
}

/* g[3] <- gradient of the times along a line; averages over nodes would cut the corners of a path */
static void line_gradient(double g[3], const struct mesh *mesh, int64_t e, const double *time, int64_t stride)
{
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    double gradient[4][3];
    simplex_gradients(mesh, e, gradient);
    for (int x = 0; x < 3; x++)
        g[x] = gradient[1][x] * (time[vertex[1] * stride] - time[vertex[0] * stride]);
}

static void count_element(int64_t *count, const struct tensors *tensors, const double *gradient,
                          const double *time, int64_t stride, int64_t e)
{
    const struct mesh *mesh = tensors->mesh;
    const int corners = mesh_corners(mesh, e);
    double g[3] = {0};
    if (corners == 2 && mesh->dimension > 1)
        line_gradient(g, mesh, e, time, stride);
    for (int c = 0; c < corners && !(corners == 2 && mesh->dimension > 1); c++)
        for (int x = 0; x < 3; x++)
            g[x] += gradient[3 * (int64_t)mesh->vertex[e * (mesh->dimension + 1) + c] + x] / corners;
    double speed = speed_of(g);
    if (isnan(speed) || tensors->element_region[e] < 0 || tensor_is_resistor(tensors, e))
        return;
    int direction = direction_of(tensors, e, g);
    if (direction < 0)
        return;
#pragma omp atomic
    count[((int64_t)tensors->element_region[e] * VELOCITY_DIRECTIONS + direction) * BINS + bin_of(speed)]++;
}

/* The middle of the bin in which a share of the elements is reached */
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
    double *gradient = array_new(3 * mesh->nodes, sizeof *gradient, what, &status, error);
    const int64_t counts = (int64_t)regions * VELOCITY_DIRECTIONS * BINS;
    const int64_t room = 1 + MOST_COUNTS / (counts + 1), threads = omp_get_max_threads();
    const int64_t copies = threads < room ? threads : room; /* so that threads rarely count in one place */
    int64_t *count = array_zeroed(copies * counts, sizeof *count, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(find_gradients(gradient, mesh, time, stride, error));
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
