/* vendor.h: copies by the driver and products by cuSPARSE, cuBLAS and OpenBLAS, for comparison with ours.
 *
 * Libraries are opened at run time, not linked. A sweep is cuSPARSE's product into y and then a kernel y <-
 * (b - y) inverse, since cuSPARSE cannot do both at once. */
#ifndef CARDIAC_KERNELS_BENCH_VENDOR_H
#define CARDIAC_KERNELS_BENCH_VENDOR_H

#include "kernels/bench/format.h"
#include "kernels/bench/gemm.h"

struct vendor;
struct vendor_blas;

/* The matrix as compressed rows or as slices of one entry side by side. NUMBERS_DOUBLE; NUMBERS_CAST: fp32
 * values with fp64 vectors; NUMBERS_SINGLE. prepared: the library may analyse the matrix beforehand. NULL if
 * it is missing or cannot do this. */
struct vendor *vendor_new_cuda(struct queue *queue, const struct stored *matrix, int64_t columns,
                               enum numbers numbers, bool prepared);
void vendor_run_cuda(struct queue *queue, struct vendor *rival, const struct operands *operands);
void vendor_free_cuda(struct vendor *rival); /* NULL is accepted */

/* to <- from, as the driver or the C library copies */
void vendor_copy_cuda(struct queue *queue, size_t bytes, const void *from, void *to);
void vendor_copy_cpu(struct queue *queue, size_t bytes, const void *from, void *to);

/* C = A B by OpenBLAS, or by cuBLAS in full fp32. NULL if there is no such library. */
struct vendor_blas *vendor_blas_open_cpu(struct queue *queue);
struct vendor_blas *vendor_blas_open_cuda(struct queue *queue);
void vendor_blas_close_cpu(struct vendor_blas *blas); /* NULL is accepted */
void vendor_blas_close_cuda(struct vendor_blas *blas);
void vendor_blas_gemm_cpu(struct vendor_blas *blas, const struct gemm *gemm);
void vendor_blas_gemm_cuda(struct vendor_blas *blas, const struct gemm *gemm);

#endif
