/* laplace.c: conjugate gradients for the free nodes, with products computed from differences, so that
 * constants stay exact. */
#include "solver/heart/laplace.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/cancel.h"
#include "solver/matrix/ordering.h"
#include "solver/mesh/mesh.h"
#include "solver/params.h"

enum { BLOCK = 4096, DELAY = 4, ITERATIONS = 2000 };
static const double ACCURACY = 1e-10; /* relative to the range of the boundary values */
static const double SOLVED = 1e-24;   /* relative to the initial r.z: rounding */
static const char what[] = "Laplace's equation";

struct vectors {
    const struct laplace *laplace;
    const double *load;                            /* [nodes] mesh order; NULL = 0 */
    double *value;                                 /* [rows] u */
    double *residual, *direction, *image, *turned; /* [rows] 0 at fixed nodes; turned = B residual */
    double *sum;                                   /* [blocks] */
    int64_t rows, blocks;
};

/* Sets k, node and row from the matrix in mesh order, such that neighbouring rows are near each other in
 * memory, whatever the mesh's numbering. Entries keep their order within a row, and so every sum its bits. */
static enum status place_rows(struct laplace *laplace, const struct csr *from, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t rows = from->rows, entries = from->start[rows];
    struct csr *to = &laplace->k;
    *to = (struct csr){.rows = rows, .columns = rows};
    laplace->node = array_new(rows, sizeof *laplace->node, what, &status, error);
    laplace->row = array_new(rows, sizeof *laplace->row, what, &status, error);
    to->start = array_zeroed(rows + 1, sizeof *to->start, what, &status, error);
    to->column = array_new(entries, sizeof *to->column, what, &status, error);
    to->value = array_new(entries, sizeof *to->value, what, &status, error);
    TRY(status);
    TRY(ordering_make(from, laplace->node, error));
    for (int64_t q = 0; q < rows; q++) {
        int64_t i = laplace->node[q];
        laplace->row[i] = (int32_t)q;
        to->start[q + 1] = to->start[q] + from->start[i + 1] - from->start[i];
    }
#pragma omp parallel for schedule(dynamic, BLOCK)
    for (int64_t q = 0; q < rows; q++)
        for (int64_t n = from->start[laplace->node[q]], at = to->start[q]; at < to->start[q + 1]; n++, at++) {
            to->column[at] = laplace->row[from->column[n]];
            to->value[at] = from->value[n];
        }
    return STATUS_OK;
}

enum status laplace_create_tensors(struct laplace *laplace, const struct tensors *tensors,
                                   struct error *error)
{
    enum status status = STATUS_OK;
    int64_t nodes = tensors->mesh->nodes;
    struct system system = {0};
    *laplace = (struct laplace){0};
    TRY_DONE(system_assemble(&system, tensors, false, NULL, error));
    laplace->component = array_new(nodes, sizeof *laplace->component, what, &status, error);
    laplace->lumped = array_new(nodes, sizeof *laplace->lumped, what, &status, error);
    TRY_DONE(status);
    mesh_components(laplace->component, tensors->mesh);
    memcpy(laplace->lumped, system.lumped, (size_t)nodes * sizeof *laplace->lumped);
    status = place_rows(laplace, &system.k, error);
done:
    system_free(&system);
    return status;
}

enum status laplace_create(struct laplace *laplace, const struct mesh *mesh, struct error *error)
{
    /* in a mixed mesh elements of lower dimension hardly affect the solution */
    const double thin[4] = {[1] = 1e-6, [2] = 1e-6};
    struct region one = {.isotropic = 1, .diffusion = {1, 1, 1}};
    if (mesh_is_mixed(mesh))
        for (int d = 1; d < mesh->dimension; d++)
            one.section[d] = thin[d];
    enum status status = STATUS_OK;
    *laplace = (struct laplace){0};
    int32_t *region = array_zeroed(mesh->elements, sizeof *region, what, &status, error);
    TRY(status);
    const struct tensors tensors = {mesh, &one, region, NULL};
    status = laplace_create_tensors(laplace, &tensors, error);
    free(region);
    return status;
}

static void forget(struct laplace *laplace)
{
    multigrid_free(&laplace->multigrid);
    free(laplace->matrix.diagonal);
    free(laplace->fixed);
    laplace->matrix.diagonal = NULL;
    laplace->fixed = NULL;
}

void laplace_free(struct laplace *laplace)
{
    forget(laplace);
    csr_free(&laplace->k);
    free(laplace->node);
    free(laplace->row);
    free(laplace->component);
    free(laplace->lumped);
    *laplace = (struct laplace){0};
}

/* diagonal[] <- k_ii in rows of free nodes in components with a fixed node; else 0. fixed NULL: all nodes
 * are free */
static enum status find_free(double *diagonal, const struct laplace *laplace, const uint8_t *fixed,
                             struct error *error)
{
    const struct csr *k = &laplace->k;
    const int32_t *component = laplace->component;
    enum status status = STATUS_OK;
    int64_t flat = k->rows;
    uint8_t *tied = array_zeroed(k->rows, sizeof *tied, what, &status, error);
    TRY(status);
    for (int64_t i = 0; i < k->rows; i++)
        if (fixed && fixed[i] && component[i] >= 0)
            tied[component[i]] = 1;
#pragma omp parallel for schedule(static) reduction(min : flat)
    for (int64_t q = 0; q < k->rows; q++) {
        int64_t i = laplace->node[q];
        double sum = 0;
        bool solved = fixed ? !fixed[i] && component[i] >= 0 && tied[component[i]] : true;
        for (int64_t j = k->start[q]; solved && j < k->start[q + 1]; j++)
            sum -= k->value[j];
        diagonal[q] = sum;
        if (solved && !(sum > 0 && isfinite(sum)) && i < flat)
            flat = i;
    }
    free(tied);
    return flat == k->rows
               ? STATUS_OK
               : error_set(error, STATUS_RUN, "Laplace's equation: the elements at node %lld are too flat",
                           (long long)flat);
}

/* Sets up for values at these nodes; fixed NULL: for loads */
static enum status prepare(struct laplace *laplace, const uint8_t *fixed, struct error *error)
{
    enum status status = STATUS_OK;
    const struct csr *k = &laplace->k;
    size_t bytes = (size_t)k->rows * sizeof *fixed;
    if (fixed ? laplace->fixed && memcmp(laplace->fixed, fixed, bytes) == 0
              : laplace->matrix.diagonal && laplace->matrix.floating)
        return STATUS_OK;
    forget(laplace);
    laplace->matrix.off = *k;
    laplace->matrix.order = laplace->row;
    laplace->matrix.floating = !fixed;
    laplace->matrix.diagonal = array_new(k->rows, sizeof *laplace->matrix.diagonal, what, &status, error);
    TRY(status);
    TRY(find_free(laplace->matrix.diagonal, laplace, fixed, error));
    TRY(multigrid_create(&laplace->multigrid, &laplace->matrix, error));
    if (!fixed)
        return STATUS_OK;
    laplace->fixed = array_new(k->rows, sizeof *laplace->fixed, what, &status, error);
    TRY(status);
    memcpy(laplace->fixed, fixed, bytes);
    return STATUS_OK;
}

/* (K x)_i = sum_j k_ij (x_j - x_i), 0 at fixed nodes */
static double product(const struct laplace *laplace, const double *x, int64_t i)
{
    const struct csr *a = &laplace->k;
    double sum = 0, own = x[i];
    for (int64_t k = a->start[i]; k < a->start[i + 1] && laplace->matrix.diagonal[i] > 0; k++)
        sum += a->value[k] * (x[a->column[k]] - own);
    return sum;
}

static double add_blocks(const struct vectors *v)
{
    double sum = 0;
    for (int64_t b = 0; b < v->blocks; b++)
        sum += v->sum[b];
    return sum;
}

static int64_t block_end(const struct vectors *v, int64_t b)
{
    return (b + 1) * BLOCK < v->rows ? (b + 1) * BLOCK : v->rows;
}

/* x.y, summed in blocks in the order of the nodes; y NULL = 1 */
static double dot(const struct vectors *v, const double *x, const double *y)
{
#pragma omp parallel for schedule(dynamic)
    for (int64_t b = 0; b < v->blocks; b++) {
        v->sum[b] = 0;
        for (int64_t i = b * BLOCK; i < block_end(v, b); i++)
            v->sum[b] += x[v->laplace->row[i]] * (y ? y[v->laplace->row[i]] : 1);
    }
    return add_blocks(v);
}

/* r -= mean(r): rounding leaves a constant part, for which there is no solution */
static void centre_residual(const struct vectors *v)
{
    double mean = dot(v, v->residual, NULL) / (double)v->rows;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < v->rows; i++)
        v->residual[i] -= mean;
}

/* r = b - K u at free nodes, p = 0 */
static void start(const struct vectors *v)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < v->rows; i++) {
        double load = v->load ? v->load[v->laplace->node[i]] : 0;
        v->residual[i] = load - product(v->laplace, v->value, i);
        v->direction[i] = 0;
    }
    if (v->load)
        centre_residual(v);
}

/* z = B r; returns r.z */
static double precondition(const struct vectors *v)
{
    multigrid_apply(&v->laplace->multigrid, v->residual, v->turned);
    return dot(v, v->residual, v->turned);
}

/* p = z + beta p */
static void update_direction(const struct vectors *v, double beta)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < v->rows; i++)
        v->direction[i] = v->turned[i] + beta * v->direction[i];
}

/* q = K p at free nodes; returns p.q */
static double apply(const struct vectors *v)
{
#pragma omp parallel for schedule(dynamic, BLOCK / 16)
    for (int64_t i = 0; i < v->rows; i++)
        v->image[i] = product(v->laplace, v->direction, i);
    return dot(v, v->direction, v->image);
}

/* u += alpha p, r -= alpha q */
static void advance(const struct vectors *v, double alpha)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < v->rows; i++) {
        v->value[i] += alpha * v->direction[i];
        v->residual[i] -= alpha * v->image[i];
    }
    if (v->load)
        centre_residual(v);
}

/* *low, *high <- the range of the fixed values */
static void range(const double *u, const uint8_t *fixed, int64_t rows, double *low, double *high)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most)
    for (int64_t i = 0; i < rows; i++)
        if (fixed[i]) {
            least = fmin(least, u[i]);
            most = fmax(most, u[i]);
        }
    *low = least;
    *high = most;
}

/* The bound on the sum of DELAY terms alpha r.z at which to stop: (range ACCURACY)^2 min k_ii / 4, with a
 * margin of 10 in the norm for the later terms */
static double tolerance(const struct vectors *v, const double *u, const uint8_t *fixed)
{
    double low, high, least = HUGE_VAL;
    range(u, fixed, v->rows, &low, &high);
#pragma omp parallel for schedule(static) reduction(min : least)
    for (int64_t i = 0; i < v->rows; i++)
        if (v->laplace->matrix.diagonal[i] > 0)
            least = fmin(least, v->laplace->matrix.diagonal[i]);
    double bound = (high - low) * ACCURACY / 10;
    return high > low && isfinite(least) ? bound * bound * least / 4 : 0;
}

/* stop: bound for the sum of the last terms alpha r.z, or, with a load, for its ratio to the sum of all,
 * |u|_K^2 */
static enum status iterate(const struct vectors *v, double stop, int *iterations, struct error *error)
{
    double last[DELAY] = {0}, before = 1, first = 0, energy = 0;
    start(v);
    for (int k = 0; k < ITERATIONS; k++) {
        TRY(cancel_check(error));
        double rho = precondition(v);
        update_direction(v, k ? rho / before : 0);
        double curvature = apply(v), sum = 0;
        *iterations = k;
        first = k ? first : rho;
        if (!(rho > 0 && curvature > 0)) /* solved to the last bit, or not a Laplacian matrix */
            return fabs(rho) <= SOLVED * first
                       ? STATUS_OK
                       : error_set(error, STATUS_RUN, "Laplace's equation: the mesh is too flat");
        before = rho;
        last[k % DELAY] = rho * (rho / curvature);
        energy += last[k % DELAY];
        advance(v, rho / curvature);
        for (int d = 0; d < DELAY; d++)
            sum += last[d];
        if (k >= DELAY && sum <= (v->load ? stop * energy : stop))
            return STATUS_OK;
    }
    return error_set(error, STATUS_RUN, "Laplace's equation was not solved within %d iterations", ITERATIONS);
}

static enum status vectors_create(struct vectors *v, const struct laplace *laplace, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t n = laplace->k.rows;
    *v = (struct vectors){.laplace = laplace, .rows = n, .blocks = (n + BLOCK - 1) / BLOCK};
    v->value = array_zeroed(n, sizeof *v->value, what, &status, error);
    v->residual = array_new(n, sizeof *v->residual, what, &status, error);
    v->direction = array_new(n, sizeof *v->direction, what, &status, error);
    v->image = array_new(n, sizeof *v->image, what, &status, error);
    v->turned = array_new(n, sizeof *v->turned, what, &status, error);
    v->sum = array_new(v->blocks, sizeof *v->sum, what, &status, error);
    return status;
}

static void vectors_free(struct vectors *v)
{
    free(v->value);
    free(v->residual);
    free(v->direction);
    free(v->image);
    free(v->turned);
    free(v->sum);
}

enum status laplace_solve(struct laplace *laplace, double *u, const uint8_t *fixed, struct error *error)
{
    TRY(prepare(laplace, fixed, error));
    enum status status;
    int64_t n = laplace->k.rows;
    double low, high;
    struct vectors v;
    range(u, fixed, n, &low, &high);
    TRY_DONE(vectors_create(&v, laplace, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        v.value[laplace->row[i]] = fixed[i] ? u[i] : low <= high ? low : 0;
    TRY_DONE(iterate(&v, tolerance(&v, u, fixed), &laplace->iterations, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        u[i] = v.value[laplace->row[i]];
done:
    vectors_free(&v);
    return status;
}

/* u[nodes] <- the solution minus its mean by lumped masses */
static void centre_values(double *u, const struct vectors *v)
{
    const struct laplace *laplace = v->laplace;
    double *mass = v->image;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < v->rows; i++)
        mass[laplace->row[i]] = laplace->lumped[i];
    double mean = dot(v, mass, v->value) / dot(v, mass, NULL);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < v->rows; i++)
        u[i] = v->value[laplace->row[i]] - mean;
}

enum status laplace_solve_load(struct laplace *laplace, double *u, const double *load, struct error *error)
{
    enum status status;
    double sum = 0, size = 0;
    struct vectors v;
    for (int64_t i = 0; i < laplace->k.rows; i++) {
        if (laplace->component[i] != laplace->component[0])
            return error_set(error, STATUS_INPUT,
                             "the mesh has parts that no element joins: node %lld is not connected to node 0",
                             (long long)i);
        sum += load[i];
        size += fabs(load[i]);
    }
    if (!(fabs(sum) <= 1e-9 * size))
        return error_set(error, STATUS_RUN, "the load adds up to %g of %g instead of 0", sum, size);
    TRY(prepare(laplace, NULL, error));
    TRY_DONE(vectors_create(&v, laplace, error));
    v.load = load;
    TRY_DONE(iterate(&v, size > 0 ? ACCURACY * ACCURACY / 100 : 1, &laplace->iterations, error));
    centre_values(u, &v);
done:
    vectors_free(&v);
    return status;
}
