/* bench_reference.h: what bench_kernels measures a GPU's kernels against. */
#ifndef CARDIAC_TESTS_BENCH_REFERENCE_H
#define CARDIAC_TESTS_BENCH_REFERENCE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes read and written per second by the driver's own copy inside the device's memory; 0 on failure. */
double reference_copy(double bytes);

/* Seconds of one Jacobi sweep made of cuSPARSE's product with a CSR matrix (fp64, or fp32 values and x with
 * fp32 sums) and a kernel y = (b - A x) / d; 0 on failure. start[rows + 1], column and value [start[rows]].
 */
double reference_sweep(int64_t rows, const int64_t *start, const int32_t *column, const double *value,
                       int single);

#ifdef __cplusplus
}
#endif
#endif
