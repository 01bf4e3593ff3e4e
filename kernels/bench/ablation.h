/* ablation.h: a sweep of a simulation (kernels/ops/packed.h, kernels/ops/solve.h, SWEEP_PLAIN without a
 * test) with parts of its work omitted, to measure the cost of each part.
 *
 *   ABLATION_GATHER   x_j is the row's own x_i, read once; columns are still read
 *   ABLATION_VALUES   e_ij is the row's own number, b_i, read once
 *   ABLATION_COLUMNS  column of entry k is i + (k % 2 ? -(k + 1) / 2 : (k + 1) / 2), or i if outside the rows
 *   ABLATION_WRITES   y is summed instead, one number per block of rows, so nothing can be optimised away
 *
 * ablation_expected computes the result, to detect a kernel whose work the compiler has eliminated. */
#ifndef CARDIAC_KERNELS_BENCH_ABLATION_H
#define CARDIAC_KERNELS_BENCH_ABLATION_H

#include "kernels/base/host_device.h"
#include "kernels/bench/format.h"
#include "kernels/ops/packed.h"

enum {
    ABLATION_NOTHING = 0,
    ABLATION_GATHER = 1,
    ABLATION_VALUES = 2,
    ABLATION_COLUMNS = 4,
    ABLATION_WRITES = 8
};

/* Arrays on the device; ABLATION_WRITES writes y64[rows / ABLATION_BLOCK rounded up] only. */
struct ablation {
    unsigned what; /* an ABLATION_ value */
    const struct packed *matrix;
    const double *b, *inverse, *x64;
    const float *x32;
    double *y64;
    float *y32;
};

enum { ABLATION_BLOCK = 256 };

/* The column that ABLATION_COLUMNS uses for entry k of row i */
HOST_DEVICE int64_t ablation_column(int64_t i, int64_t k, int64_t rows)
{
    int64_t j = k % 2 ? i - (k + 1) / 2 : i + (k + 1) / 2;
    return j < 0 || j >= rows ? i : j;
}

CLONE_DECLARE(void, ablation_cpu, (struct queue * queue, const struct ablation *sweep));
void ablation_cuda(struct queue *queue, const struct ablation *sweep);

/* y[matrix rows] (host) <- the result of a sweep without `what`, from host copies of the matrix and the
 * vectors; for ABLATION_WRITES, y before the summation. */
void ablation_expected(double *y, unsigned what, const struct packed *matrix, const double *b,
                       const double *inverse, const double *x);

#endif
