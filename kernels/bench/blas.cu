/* blas.cu: cuBLAS, where it is installed. */
#include "kernels/device/cuda.cuh"

#include <stdlib.h>

extern "C" {
#include "kernels/bench/blas.h"
}

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>

#include "kernels/bench/library.cuh"

struct blas {
    void *library;
    cublasHandle_t handle;
    decltype(&cublasCreate_v2) create;
    decltype(&cublasDestroy_v2) destroy;
    decltype(&cublasSetStream_v2) set_stream;
    decltype(&cublasSgemm_v2) sgemm;
};

extern "C" struct blas *blas_open_cuda(struct queue *queue)
{
    struct blas *blas = (struct blas *)calloc(1, sizeof *blas);
    void *library = blas ? library_open("libcublas") : NULL;
    bool usable = library && LIBRARY_FUNCTION(blas->create, library, cublasCreate_v2) &&
                  LIBRARY_FUNCTION(blas->destroy, library, cublasDestroy_v2) &&
                  LIBRARY_FUNCTION(blas->set_stream, library, cublasSetStream_v2) &&
                  LIBRARY_FUNCTION(blas->sgemm, library, cublasSgemm_v2);
    if (usable && blas->create(&blas->handle) == CUBLAS_STATUS_SUCCESS &&
        blas->set_stream(blas->handle, cuda(queue)->stream) == CUBLAS_STATUS_SUCCESS)
        return blas; /* the library stays open: it holds on to the device */
    free(blas);
    return NULL;
}

extern "C" void blas_close_cuda(struct blas *blas)
{
    if (blas)
        blas->destroy(blas->handle);
    free(blas);
}

/* The library counts by columns: C' = B' A' */
extern "C" void blas_gemm_cuda(struct blas *blas, const struct gemm *g)
{
    const float one = 1, zero = 0;
    int m = (int)g->m, n = (int)g->n, k = (int)g->k;
    blas->sgemm(blas->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, g->b, n, g->a, k, &zero, g->c, n);
}

#else
extern "C" struct blas *blas_open_cuda(struct queue *)
{
    return NULL;
}
extern "C" void blas_close_cuda(struct blas *)
{
}
extern "C" void blas_gemm_cuda(struct blas *, const struct gemm *)
{
}
#endif
