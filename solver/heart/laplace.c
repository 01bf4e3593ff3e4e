/* laplace.c: conjugate gradients for the free nodes, in the difference form that keeps constants. */
#include "solver/heart/laplace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/params.h"

enum { BLOCK = 4096, DELAY = 16, ITERATIONS = 100000 };
static const double ACCURACY = 1e-10; /* of the boundary's difference */

struct vectors {
    const struct system *system;
    const double *diagonal;
    const uint8_t *fixed;
    double *residual, *direction, *image; /* [rows], 0 where fixed */
    double *sum;                          /* [blocks] */
    int64_t rows, blocks;
};

enum status laplace_create(struct laplace *laplace, const struct mesh *mesh, struct error *error)
{
    const struct region one = {.isotropic = 1, .diffusion = {1, 1, 1}};
    enum status status = STATUS_OK;
    *laplace = (struct laplace){0};
    int32_t *region = array_zeroed(mesh->elements, sizeof *region, "Laplace's equation", &status, error);
    const struct tensors tensors = {mesh, &one, region, NULL};
    TRY(system_assemble(&laplace->system, mesh, &tensors, 0, error));
    free(region);
    laplace->diagonal =
        array_new(mesh->nodes, sizeof *laplace->diagonal, "Laplace's equation", &status, error);
    if (status) {
        laplace_free(laplace);
        return status;
    }
    const struct system *system = &laplace->system;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        laplace->diagonal[i] = 0;
        for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++)
            laplace->diagonal[i] -= system->k.value[k];
    }
    return STATUS_OK;
}

void laplace_free(struct laplace *laplace)
{
    system_free(&laplace->system);
    free(laplace->diagonal);
    laplace->diagonal = NULL;
}

/* (K x)_i = sum_j k_ij (x_j - x_i) */
static double product(const struct system *system, const double *x, int64_t i)
{
    double sum = 0, own = x[i];
    for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++)
        sum += system->k.value[k] * (x[system->k.column[k]] - own);
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

/* r = -K u at the free nodes, p = 0; returns r.D^-1 r */
static double start(const struct vectors *v, const double *u)
{
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < v->blocks; b++) {
        double sum = 0;
        for (int64_t i = b * BLOCK; i < block_end(v, b); i++) {
            v->residual[i] = v->fixed[i] ? 0 : -product(v->system, u, i);
            v->direction[i] = 0;
            sum += v->residual[i] * v->residual[i] / v->diagonal[i];
        }
        v->sum[b] = sum;
    }
    return add_blocks(v);
}

/* p = D^-1 r + beta p */
static void turn(const struct vectors *v, double beta)
{
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < v->blocks; b++)
        for (int64_t i = b * BLOCK; i < block_end(v, b); i++)
            v->direction[i] = v->residual[i] / v->diagonal[i] + beta * v->direction[i];
}

/* q = K p at the free nodes; returns p.q */
static double apply(const struct vectors *v)
{
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < v->blocks; b++) {
        double sum = 0;
        for (int64_t i = b * BLOCK; i < block_end(v, b); i++) {
            v->image[i] = v->fixed[i] ? 0 : product(v->system, v->direction, i);
            sum += v->direction[i] * v->image[i];
        }
        v->sum[b] = sum;
    }
    return add_blocks(v);
}

/* u += alpha p, r -= alpha q; returns r.D^-1 r */
static double advance(const struct vectors *v, double *u, double alpha)
{
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < v->blocks; b++) {
        double sum = 0;
        for (int64_t i = b * BLOCK; i < block_end(v, b); i++) {
            u[i] += alpha * v->direction[i];
            v->residual[i] -= alpha * v->image[i];
            sum += v->residual[i] * v->residual[i] / v->diagonal[i];
        }
        v->sum[b] = sum;
    }
    return add_blocks(v);
}

/* *low, *high <- the range of the values that are given */
static void range(const double *u, const uint8_t *fixed, int64_t rows, double *low, double *high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (int64_t i = 0; i < rows; i++)
        if (fixed[i]) {
            *low = fmin(*low, u[i]);
            *high = fmax(*high, u[i]);
        }
}

/* The largest sum of DELAY terms alpha r.z at which to stop: (difference ACCURACY)^2 min k_ii / 4, and a
 * margin of 10 in the norm for what the later terms would add */
static double goal(const struct vectors *v, const double *u)
{
    double low, high, least = HUGE_VAL;
    range(u, v->fixed, v->rows, &low, &high);
    for (int64_t i = 0; i < v->rows; i++)
        if (!v->fixed[i])
            least = fmin(least, v->diagonal[i]);
    double bound = (high - low) * ACCURACY / 10;
    return high > low && isfinite(least) ? bound * bound * least / 4 : 0;
}

static enum status iterate(const struct vectors *v, double *u, struct error *error)
{
    double last[DELAY] = {0}, stop = goal(v, u), rho = start(v, u), beta = 0;
    for (int k = 0; k < ITERATIONS; k++) {
        turn(v, beta);
        double curvature = apply(v);
        if (!(rho > 0 && curvature > 0)) /* solved to the last bit */
            return isfinite(rho) ? STATUS_OK
                                 : error_set(error, STATUS_RUN, "Laplace's equation: the mesh is too flat");
        double alpha = rho / curvature, next = advance(v, u, alpha), sum = 0;
        last[k % DELAY] = alpha * rho;
        beta = next / rho;
        rho = next;
        for (int d = 0; d < DELAY; d++)
            sum += last[d];
        if (k >= DELAY && sum <= stop)
            return STATUS_OK;
    }
    return error_set(error, STATUS_RUN, "Laplace's equation was not solved within %d iterations", ITERATIONS);
}

enum status laplace_solve(const struct laplace *laplace, double *u, const uint8_t *fixed, struct error *error)
{
    const char *what = "Laplace's equation";
    enum status status = STATUS_OK;
    int64_t n = laplace->system.k.rows;
    double low, high;
    range(u, fixed, n, &low, &high);
    struct vectors v = {.system = &laplace->system,
                        .diagonal = laplace->diagonal,
                        .fixed = fixed,
                        .rows = n,
                        .blocks = (n + BLOCK - 1) / BLOCK};
    v.residual = array_new(n, sizeof *v.residual, what, &status, error);
    v.direction = array_new(n, sizeof *v.direction, what, &status, error);
    v.image = array_new(n, sizeof *v.image, what, &status, error);
    v.sum = array_new(v.blocks, sizeof *v.sum, what, &status, error);
    for (int64_t i = 0; i < n && !status; i++)
        if (!fixed[i])
            u[i] = low <= high ? low : 0;
    TRY(iterate(&v, u, error));
    free(v.residual);
    free(v.direction);
    free(v.image);
    free(v.sum);
    return status;
}
