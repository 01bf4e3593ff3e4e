/* ablation.h: a sweep as a run's (kernels/ops/packed.h, kernels/ops/solve.h, SWEEP_PLAIN without a test)
 * with parts of its work left out, to see what each part costs.
 *
 *   ABLATION_GATHER   x_j is the row's own x_i, read once; columns are still read
 *   ABLATION_VALUES   e_ij is the row's own number, b_i, read once
 *   ABLATION_COLUMNS  column of entry k is i + (k % 2 ? -(k + 1) / 2 : (k + 1) / 2), kept within the rows
 *   ABLATION_WRITES   y is added up instead, one number for each block of rows, so that nothing can be
 * dropped
 *
 * ablation_expected computes its result, so that a kernel which the compiler has hollowed out is
 * found. */
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
    unsigned what; /* one of the above */
    const struct packed *matrix;
    const double *b, *inverse, *x64;
    const float *x32;
    double *y64;
    float *y32;
};

enum { ABLATION_BLOCK = 256 };

/* The column that ABLATION_COLUMNS reads instead of entry k of row i */
HOST_DEVICE int64_t ablation_column(int64_t i, int64_t k, int64_t rows)
{
    int64_t j = k % 2 ? i - (k + 1) / 2 : i + (k + 1) / 2;
    return j < 0 || j >= rows ? i : j;
}

CLONE_DECLARE(void, ablation_cpu, (struct queue * queue, const struct ablation *sweep));
void ablation_cuda(struct queue *queue, const struct ablation *sweep);

/* y[matrix rows] (host) <- what a sweep without `what` gives, from host copies of the matrix and the vectors;
 * ABLATION_WRITES gives y itself. */
void ablation_expected(double *y, unsigned what, const struct packed *matrix, const double *b,
                       const double *inverse, const double *x);

#endif
