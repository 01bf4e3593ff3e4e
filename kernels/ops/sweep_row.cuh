/* sweep_row.cuh: what a sweep does to one row, and the copy that may follow it; read by jacobi.cu,
 * vector_copy.cu and sweep_loop.cu. */
#ifndef CARDIAC_KERNELS_OPS_SWEEP_ROW_CUH
#define CARDIAC_KERNELS_OPS_SWEEP_ROW_CUH

#include "kernels/ops/row_sums.cuh"

extern "C" {
#include "kernels/base/bits.h"
#include "kernels/ops/jacobi.h"
#include "kernels/ops/vector_copy.h"
}

/* sum_j e_ij x_j of row i */
template <enum shape SHAPE>
static __device__ __forceinline__ double row_sum(const struct packed &matrix, const struct sweep &sweep,
                                                 const row_location &at, int i)
{
    if (!at.slice.fp32)
        return sum_row<SHAPE>(matrix, at, i, matrix.value + at.slice.value, times_double{sweep.x64, 0});
    const float *value = matrix.value32 + at.slice.value;
    return sweep.x32 ? sum_row<SHAPE>(matrix, at, i, value, times_single{sweep.x32, 0})
                     : sum_row<SHAPE>(matrix, at, i, value, times_cast{sweep.x64, 0});
}

/* Patterns of |r_i| / m_i and |y_i - x_i|, 0 without a test */
struct row_test {
    uint64_t residual, change;
};

/* y_i by sweep `number` of its step; *beyond <- 1 where it passes the bound */
template <enum shape SHAPE, bool TEST>
static __device__ __forceinline__ row_test sweep_row(const struct packed &matrix, const struct sweep &sweep,
                                                     const row_location &at, int i, int number,
                                                     uint32_t *beyond)
{
    row_test test = {0, 0};
    bool needs_x = TEST || sweep.kind != SWEEP_PLAIN;
    double sum = row_sum<SHAPE>(matrix, sweep, at, i);
    double b = sweep.b[i], inverse = sweep.inverse[i], x = needs_x ? sweep.x64[i] : 0;
    double z = (b - sum) * inverse, y = z;
    if (sweep.kind != SWEEP_PLAIN) {
        const double *coefficient = sweep.coefficient + 2 * number;
        y = x + coefficient[0] * (z - x);
        if (sweep.kind == SWEEP_MOMENTUM)
            y += coefficient[1] * (x - sweep.previous[i]);
    }
    if (TEST) {
        test.residual = bits_of(fabs(z - x) * (double)sweep.weight[i]);
        test.change = bits_of(fabs(y - x));
    }
    if (fabs(y) > sweep.bound)
        atomicOr(beyond, 1u);
    sweep.y64[i] = y;
    if (sweep.y32)
        sweep.y32[i] = (float)y;
    return test;
}

/* x64 is what the step ends with, so it is copied also when the step has just converged; what only the next
 * sweep would read is not. */
static __device__ __forceinline__ void vector_copy_row(const struct vector_copy &copy, int64_t i,
                                                       bool goes_on)
{
    double y = copy.y64[i];
    if (copy.previous && goes_on)
        copy.previous[i] = copy.x64[i];
    if (copy.x64)
        copy.x64[i] = y;
    if (copy.x32 && goes_on)
        copy.x32[i] = (float)y;
}

#endif
