/* vendor.cu: calls libraries opened at run time: OpenBLAS on CPUs, cuSPARSE and cuBLAS on GPUs. */
#include "kernels/bench/terms.h"

BENCH_C_BEGIN
#include "kernels/bench/vendor.h"
BENCH_C_END

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifdef HOST_PART

void vendor_copy_cpu(struct queue *queue, size_t bytes, const void *from, void *to)
{
    (void)queue;
    memcpy(to, from, bytes);
}

/* The C interface of the reference BLAS: order, transpositions, sizes, alpha, A, B, beta, C */
typedef void sgemm_function(int order, int of_a, int of_b, int m, int n, int k, float alpha, const float *a,
                            int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void threads_function(int threads);

enum { ROW_MAJOR = 101, AS_IS = 111 };

struct vendor_blas {
    void *library;
    sgemm_function *sgemm;
};

/* POSIX allows an object pointer from dlsym to be used as a function. */
#define LOOK_UP(function, library, name)                                                                     \
    do {                                                                                                     \
        void *found = dlsym(library, name);                                                                  \
        memcpy(&(function), &found, sizeof found);                                                           \
    } while (0)

struct vendor_blas *vendor_blas_open_cpu(struct queue *queue)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};
    void *library = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names && !library; k++)
        library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    struct vendor_blas *blas = library ? calloc(1, sizeof *blas) : NULL;
    if (!blas)
        return NULL;
    threads_function *set_threads;
    blas->library = library;
    LOOK_UP(blas->sgemm, library, "cblas_sgemm");
    LOOK_UP(set_threads, library, "openblas_set_num_threads");
    if (set_threads)
        set_threads(cpu_threads(queue));
    if (!blas->sgemm) {
        vendor_blas_close_cpu(blas);
        return NULL;
    }
    return blas;
}

void vendor_blas_close_cpu(struct vendor_blas *blas)
{
    if (blas)
        dlclose(blas->library);
    free(blas);
}

void vendor_blas_gemm_cpu(struct vendor_blas *blas, const struct gemm *g)
{
    int m = (int)g->m, n = (int)g->n, k = (int)g->k;
    blas->sgemm(ROW_MAJOR, AS_IS, AS_IS, m, n, k, 1, g->a, k, g->b, n, 0, g->c, n);
}

#endif
#ifdef __CUDACC__

/* Opens the library "libNAME.so.12", in the toolkit's version or an older one; NULL if there is none */
static inline void *library_open(const char *stem)
{
    char name[64];
    for (int version = CUDART_VERSION / 1000 + 1; version >= 10; version--) {
        snprintf(name, sizeof name, "%s.so.%d", stem, version);
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    snprintf(name, sizeof name, "%s.so", stem);
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

/* target <- the function with this name, or NULL */
#define LIBRARY_FUNCTION(target, library, name) ((target) = (decltype(&name))dlsym(library, #name))

extern "C" void vendor_copy_cuda(struct queue *queue, size_t bytes, const void *from, void *to)
{
    queue_note(queue, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cuda(queue)->stream),
               "copying");
}

#if __has_include(<cusparse.h>) && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include <cusparse.h>

struct vendor {
    int64_t rows;
    enum numbers numbers;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
    int32_t *slice_start; /* 32-bit, as the library requires */
    void *room;
    double *placeholder; /* descriptors point to it until the first run */
    decltype(&cusparseCreate) create;
    decltype(&cusparseDestroy) destroy;
    decltype(&cusparseSetStream) set_stream;
    decltype(&cusparseCreateCsr) create_csr;
    decltype(&cusparseCreateSlicedEll) create_sliced;
    decltype(&cusparseDestroySpMat) destroy_matrix;
    decltype(&cusparseCreateDnVec) create_vector;
    decltype(&cusparseDestroyDnVec) destroy_vector;
    decltype(&cusparseDnVecSetValues) set_values;
    decltype(&cusparseSpMV_bufferSize) room_for;
    decltype(&cusparseSpMV) product;
    decltype(&cusparseSpMV_preprocess) prepare;
};

static bool find_functions(struct vendor *r)
{
    void *library = library_open("libcusparse");
    if (library)
        LIBRARY_FUNCTION(r->prepare, library, cusparseSpMV_preprocess);
    return library && LIBRARY_FUNCTION(r->create, library, cusparseCreate) &&
           LIBRARY_FUNCTION(r->destroy, library, cusparseDestroy) &&
           LIBRARY_FUNCTION(r->set_stream, library, cusparseSetStream) &&
           LIBRARY_FUNCTION(r->create_csr, library, cusparseCreateCsr) &&
           LIBRARY_FUNCTION(r->create_sliced, library, cusparseCreateSlicedEll) &&
           LIBRARY_FUNCTION(r->destroy_matrix, library, cusparseDestroySpMat) &&
           LIBRARY_FUNCTION(r->create_vector, library, cusparseCreateDnVec) &&
           LIBRARY_FUNCTION(r->destroy_vector, library, cusparseDestroyDnVec) &&
           LIBRARY_FUNCTION(r->set_values, library, cusparseDnVecSetValues) &&
           LIBRARY_FUNCTION(r->room_for, library, cusparseSpMV_bufferSize) &&
           LIBRARY_FUNCTION(r->product, library, cusparseSpMV);
}

static cudaDataType vector_type(enum numbers numbers)
{
    return numbers == NUMBERS_SINGLE ? CUDA_R_32F : CUDA_R_64F;
}

static __global__ void narrow_starts(int64_t count, const int64_t *from, int32_t *to)
{
    int64_t k = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (k < count)
        to[k] = (int32_t)from[k];
}

/* Sliced ELL requires 32-bit starts, and column -1 for padding; as padding has value 0 here, any column
 * works. */
static bool make_matrix(struct vendor *r, struct queue *queue, const struct stored *m, int64_t columns)
{
    bool wide = r->numbers == NUMBERS_DOUBLE;
    cudaDataType type = wide ? CUDA_R_64F : CUDA_R_32F;
    if (!m->slice)
        return r->create_csr(&r->matrix, m->rows, columns, m->entries, m->start, m->column,
                             wide ? (void *)m->value : (void *)m->single, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type) == CUSPARSE_STATUS_SUCCESS;
    if (m->shape.group != 1 || m->padded > INT32_MAX ||
        cudaMalloc((void **)&r->slice_start, 4 * (size_t)(m->slices + 1)) != cudaSuccess)
        return false;
    narrow_starts<<<blocks_for(m->slices + 1, BLOCK_THREADS), BLOCK_THREADS, 0, cuda(queue)->stream>>>(
        m->slices + 1, m->slice, r->slice_start);
    return r->create_sliced(&r->matrix, m->rows, columns, m->entries, m->padded, m->height, r->slice_start,
                            m->column, wide ? (void *)m->value : (void *)m->single, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type) == CUSPARSE_STATUS_SUCCESS;
}

/* Calls the product, or the library's preparation for it, which has the same arguments */
static cusparseStatus_t call_product(struct vendor *r, decltype(&cusparseSpMV) product)
{
    const double one64 = 1, zero64 = 0;
    const float one32 = 1, zero32 = 0;
    bool narrow = r->numbers == NUMBERS_SINGLE;
    return product(r->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, narrow ? (const void *)&one32 : &one64,
                   r->matrix, r->x, narrow ? (const void *)&zero32 : &zero64, r->y, vector_type(r->numbers),
                   CUSPARSE_SPMV_ALG_DEFAULT, r->room);
}

/* Allocates vectors and the library's workspace; false if the library does not support this */
static bool make_room(struct vendor *r, struct queue *queue, int64_t columns, bool prepared)
{
    const double one64 = 1, zero64 = 0;
    const float one32 = 1, zero32 = 0;
    bool narrow = r->numbers == NUMBERS_SINGLE;
    size_t bytes = 0;
    cudaDataType type = vector_type(r->numbers);
    int64_t longer = columns > r->rows ? columns : r->rows;
    if (cudaMalloc((void **)&r->placeholder, 16 * (size_t)(longer + 1)) != cudaSuccess ||
        cudaMemsetAsync(r->placeholder, 0, 16 * (size_t)(longer + 1), cuda(queue)->stream) != cudaSuccess)
        return false;
    if (r->create_vector(&r->x, columns, r->placeholder, type) != CUSPARSE_STATUS_SUCCESS ||
        r->create_vector(&r->y, r->rows, r->placeholder + longer, type) != CUSPARSE_STATUS_SUCCESS)
        return false;
    if (r->room_for(r->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, narrow ? (const void *)&one32 : &one64,
                    r->matrix, r->x, narrow ? (const void *)&zero32 : &zero64, r->y, type,
                    CUSPARSE_SPMV_ALG_DEFAULT, &bytes) != CUSPARSE_STATUS_SUCCESS)
        return false;
    return cudaMalloc(&r->room, bytes + 16) == cudaSuccess &&
           (!prepared || (r->prepare && call_product(r, r->prepare) == CUSPARSE_STATUS_SUCCESS)) &&
           call_product(r, r->product) == CUSPARSE_STATUS_SUCCESS;
}

extern "C" struct vendor *vendor_new_cuda(struct queue *queue, const struct stored *m, int64_t columns,
                                          enum numbers numbers, bool prepared)
{
    struct vendor *r = (struct vendor *)calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->rows = m->rows;
    r->numbers = numbers;
    bool usable = find_functions(r) && r->create(&r->handle) == CUSPARSE_STATUS_SUCCESS &&
                  r->set_stream(r->handle, cuda(queue)->stream) == CUSPARSE_STATUS_SUCCESS &&
                  make_matrix(r, queue, m, columns) && make_room(r, queue, columns, prepared);
    cudaGetLastError();
    if (usable)
        return r;
    vendor_free_cuda(r);
    return NULL;
}

/* y <- (b - y) inverse */
static __global__ void update_wide(int64_t count, double *y, const double *b, const double *inverse)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < count)
        y[i] = (b[i] - y[i]) * inverse[i];
}

static __global__ void update_narrow(int64_t count, float *y, const float *b, const float *inverse)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < count)
        y[i] = (b[i] - y[i]) * inverse[i];
}

extern "C" void vendor_run_cuda(struct queue *queue, struct vendor *r, const struct operands *o)
{
    bool narrow = r->numbers == NUMBERS_SINGLE;
    r->set_values(r->x, narrow ? (void *)(uintptr_t)o->x32 : (void *)(uintptr_t)o->x64);
    r->set_values(r->y, narrow ? (void *)o->y32 : (void *)o->y64);
    if (call_product(r, r->product) != CUSPARSE_STATUS_SUCCESS)
        queue_note(queue, cudaErrorUnknown, "cuSPARSE");
    if (narrow && o->b32)
        update_narrow<<<blocks_for(r->rows, BLOCK_THREADS), BLOCK_THREADS, 0, cuda(queue)->stream>>>(
            r->rows, o->y32, o->b32, o->inverse32);
    else if (!narrow && o->b)
        update_wide<<<blocks_for(r->rows, BLOCK_THREADS), BLOCK_THREADS, 0, cuda(queue)->stream>>>(
            r->rows, o->y64, o->b, o->inverse);
    CUDA_LAUNCHED(queue);
}

extern "C" void vendor_free_cuda(struct vendor *r)
{
    if (!r)
        return;
    if (r->x)
        r->destroy_vector(r->x);
    if (r->y)
        r->destroy_vector(r->y);
    if (r->matrix)
        r->destroy_matrix(r->matrix);
    if (r->handle)
        r->destroy(r->handle);
    cudaFree(r->slice_start);
    cudaFree(r->room);
    cudaFree(r->placeholder);
    free(r);
}

struct vendor_blas {
    void *library;
    cublasHandle_t handle;
    decltype(&cublasCreate_v2) create;
    decltype(&cublasDestroy_v2) destroy;
    decltype(&cublasSetStream_v2) set_stream;
    decltype(&cublasSgemm_v2) sgemm;
};

extern "C" struct vendor_blas *vendor_blas_open_cuda(struct queue *queue)
{
    struct vendor_blas *blas = (struct vendor_blas *)calloc(1, sizeof *blas);
    void *library = blas ? library_open("libcublas") : NULL;
    bool usable = library && LIBRARY_FUNCTION(blas->create, library, cublasCreate_v2) &&
                  LIBRARY_FUNCTION(blas->destroy, library, cublasDestroy_v2) &&
                  LIBRARY_FUNCTION(blas->set_stream, library, cublasSetStream_v2) &&
                  LIBRARY_FUNCTION(blas->sgemm, library, cublasSgemm_v2);
    if (usable && blas->create(&blas->handle) == CUBLAS_STATUS_SUCCESS &&
        blas->set_stream(blas->handle, cuda(queue)->stream) == CUBLAS_STATUS_SUCCESS)
        return blas; /* the library stays open, as it holds device resources */
    free(blas);
    return NULL;
}

extern "C" void vendor_blas_close_cuda(struct vendor_blas *blas)
{
    if (blas)
        blas->destroy(blas->handle);
    free(blas);
}

/* cuBLAS is column-major: C' = B' A' */
extern "C" void vendor_blas_gemm_cuda(struct vendor_blas *blas, const struct gemm *g)
{
    const float one = 1, zero = 0;
    int m = (int)g->m, n = (int)g->n, k = (int)g->k;
    blas->sgemm(blas->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, g->b, n, g->a, k, &zero, g->c, n);
}

#else
extern "C" struct vendor *vendor_new_cuda(struct queue *, const struct stored *, int64_t, enum numbers, bool)
{
    return NULL;
}
extern "C" void vendor_run_cuda(struct queue *, struct vendor *, const struct operands *)
{
}
extern "C" void vendor_free_cuda(struct vendor *)
{
}
extern "C" struct vendor_blas *vendor_blas_open_cuda(struct queue *)
{
    return NULL;
}
extern "C" void vendor_blas_close_cuda(struct vendor_blas *)
{
}
extern "C" void vendor_blas_gemm_cuda(struct vendor_blas *, const struct gemm *)
{
}
#endif
#endif
