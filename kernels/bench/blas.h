/* blas.h: the ceilings of the matrix product, from libraries that are there or are not: opened while running,
 * never linked. */
#ifndef CARDIAC_KERNELS_BENCH_BLAS_H
#define CARDIAC_KERNELS_BENCH_BLAS_H

#include "kernels/bench/gemm.h"

struct blas;

/* NULL where there is no such library. CPU: OpenBLAS; GPU: cuBLAS, in full fp32. */
struct blas *blas_open_cpu(struct queue *queue);
struct blas *blas_open_cuda(struct queue *queue);
void blas_close_cpu(struct blas *blas); /* NULL is accepted */
void blas_close_cuda(struct blas *blas);

/* C = A B */
void blas_gemm_cpu(struct blas *blas, const struct gemm *gemm);
void blas_gemm_cuda(struct blas *blas, const struct gemm *gemm);

#endif
