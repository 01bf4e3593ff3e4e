/* vendor.h: copies by the driver and products by cuSPARSE, cuBLAS and OpenBLAS, for comparison with ours.
 *
 * Libraries are opened at run time, not linked. A sweep is cuSPARSE's product into y followed by a kernel y
 * <- (b - y) inverse, since cuSPARSE cannot fuse the two. */
#ifndef CARDIAC_KERNELS_BENCH_VENDOR_H
#define CARDIAC_KERNELS_BENCH_VENDOR_H

#include "kernels/bench/format.h"
#include "kernels/bench/gemm.h"

struct vendor;
struct vendor_blas;

/* Makes a cuSPARSE matrix in CSR or sliced ELLPACK without grouping. numbers: NUMBERS_DOUBLE, NUMBERS_CAST
 * (fp32 values with fp64 vectors) or NUMBERS_SINGLE. prepared: let the library analyse the matrix beforehand.
 * NULL if the library is missing or does not support this. */
struct vendor *vendor_new_cuda(struct queue *queue, const struct stored *matrix, int64_t columns,
                               enum numbers numbers, bool prepared);
void vendor_run_cuda(struct queue *queue, struct vendor *rival, const struct operands *operands);
void vendor_free_cuda(struct vendor *rival); /* NULL is accepted */

/* to <- from, copied by the driver or the C library */
void vendor_copy_cuda(struct queue *queue, size_t bytes, const void *from, void *to);
void vendor_copy_cpu(struct queue *queue, size_t bytes, const void *from, void *to);

/* Opens OpenBLAS, or cuBLAS in full fp32, for C = A B. NULL if the library is missing. */
struct vendor_blas *vendor_blas_open_cpu(struct queue *queue);
struct vendor_blas *vendor_blas_open_cuda(struct queue *queue);
void vendor_blas_close_cpu(struct vendor_blas *blas); /* NULL is accepted */
void vendor_blas_close_cuda(struct vendor_blas *blas);
void vendor_blas_gemm_cpu(struct vendor_blas *blas, const struct gemm *gemm);
void vendor_blas_gemm_cuda(struct vendor_blas *blas, const struct gemm *gemm);

#endif
