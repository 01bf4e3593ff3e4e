/* terms.h: shared by the loops of the formats: the kinds of numbers, the ways of reading x and the end of a
 * row.
 *
 * On a CPU BENCH_TERMS(define) instantiates define(name, value type, x type, type to which x is rounded, sum
 * type) for each kind of numbers; on a GPU they are template parameters. */
#ifndef CARDIAC_KERNELS_BENCH_TERMS_H
#define CARDIAC_KERNELS_BENCH_TERMS_H

#ifdef __CUDACC__

#include "kernels/device/cuda.cuh"

#define BENCH_C_BEGIN extern "C" {
#define BENCH_C_END }

BENCH_C_BEGIN
#include "kernels/bench/format.h"
BENCH_C_END

/* Types of each kind of numbers */
template <int NUMBERS> struct kind {
    typedef float value;
    typedef float x;
    typedef double sum;
};
template <> struct kind<NUMBERS_DOUBLE> {
    typedef double value;
    typedef double x;
    typedef double sum;
};
template <> struct kind<NUMBERS_CAST> {
    typedef float value;
    typedef double x;
    typedef double sum;
};
template <> struct kind<NUMBERS_SINGLE> {
    typedef float value;
    typedef float x;
    typedef float sum;
};

/* e x; for NUMBERS_CAST x is rounded first */
template <int NUMBERS>
static __device__ __forceinline__ typename kind<NUMBERS>::sum term(typename kind<NUMBERS>::value e,
                                                                   typename kind<NUMBERS>::x x)
{
    typedef typename kind<NUMBERS>::sum sum;
    return NUMBERS == NUMBERS_CAST ? (sum)e * (sum)(float)x : (sum)e * (sum)x;
}

template <int NUMBERS>
static __device__ __forceinline__ const typename kind<NUMBERS>::x *x_of(const operands &o);
template <> __device__ __forceinline__ const double *x_of<NUMBERS_DOUBLE>(const operands &o)
{
    return o.x64;
}
template <> __device__ __forceinline__ const float *x_of<NUMBERS_MIXED>(const operands &o)
{
    return o.x32;
}
template <> __device__ __forceinline__ const double *x_of<NUMBERS_CAST>(const operands &o)
{
    return o.x64;
}
template <> __device__ __forceinline__ const float *x_of<NUMBERS_SINGLE>(const operands &o)
{
    return o.x32;
}

/* Values of a matrix that has both kinds */
template <int NUMBERS, typename Matrix>
static __device__ __forceinline__ const typename kind<NUMBERS>::value *values_of(const Matrix &matrix)
{
    if constexpr (NUMBERS == NUMBERS_DOUBLE)
        return matrix.value;
    else
        return matrix.single;
}

static __device__ __forceinline__ double from_texture(const double *, uint64_t texture, int64_t j)
{
    int2 halves = tex1Dfetch<int2>((cudaTextureObject_t)texture, (int)j);
    return __hiloint2double(halves.y, halves.x);
}
static __device__ __forceinline__ float from_texture(const float *, uint64_t texture, int64_t j)
{
    return tex1Dfetch<float>((cudaTextureObject_t)texture, (int)j);
}

/* x_j; not for READS_SHARED */
template <int READS, typename T>
static __device__ __forceinline__ T read_x(const T *x, uint64_t texture, int64_t j)
{
    if (READS == READS_CACHED)
        return __ldg(x + j);
    if (READS == READS_TEXTURE)
        return from_texture(x, texture, j);
    return x[j];
}

/* y_i from its row's sum */
template <int NUMBERS>
static __device__ __forceinline__ void finish(const operands &o, int64_t i, typename kind<NUMBERS>::sum sum)
{
    if constexpr (NUMBERS == NUMBERS_SINGLE) {
        o.y32[i] = o.b32 ? (o.b32[i] - sum) * o.inverse32[i] : sum;
    } else {
        double y = o.b ? (o.b[i] - sum) * o.inverse[i] : sum;
        o.y64[i] = y;
        if (o.y32)
            o.y32[i] = (float)y;
    }
}

/* *total <- the sum of y over the threads of a block */
static __device__ __forceinline__ void write_block_sum(double *total, double y)
{
    __shared__ double of_thread[BLOCK_THREADS];
    of_thread[threadIdx.x] = y;
    __syncthreads();
    for (int half = BLOCK_THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *total = of_thread[0];
}

/* As in a run (kernels/ops/row_sums.cuh): G adjacent entries of a row of a slice are one load, and all
 * entries of a chunk are loaded before the first x. */
enum { AT_ONCE = 8 };

template <typename T, int G> struct __align__(sizeof(T) * G > 16 ? 16 : sizeof(T) * G) entries_of
{
    T of[G];
};

/* launch<NUMBERS>(...) with NUMBERS a compile-time constant */
#define LAUNCH_BY_NUMBERS(launch, numbers, ...)                                                              \
    if ((numbers) == NUMBERS_DOUBLE)                                                                         \
        launch<NUMBERS_DOUBLE>(__VA_ARGS__);                                                                 \
    else if ((numbers) == NUMBERS_MIXED)                                                                     \
        launch<NUMBERS_MIXED>(__VA_ARGS__);                                                                  \
    else if ((numbers) == NUMBERS_CAST)                                                                      \
        launch<NUMBERS_CAST>(__VA_ARGS__);                                                                   \
    else                                                                                                     \
        launch<NUMBERS_SINGLE>(__VA_ARGS__);

#else

#include "kernels/bench/format.h"
#include "kernels/device/cpu.h"

#define BENCH_C_BEGIN
#define BENCH_C_END

#ifndef CLONE
#define HOST_PART /* compiled once: layout, reference and rows of the bench */
#endif

#define TERM_FN static inline __attribute__((always_inline, unused))

#define BENCH_TERMS(define)                                                                                  \
    define(double, double, double, double, double) define(mixed, float, float, float, double)                \
        define(cast, float, double, float, double) define(single, float, float, float, float)

#define BENCH_PARALLEL _Pragma("omp parallel for num_threads(cpu_threads(queue)) schedule(static)")
#define BENCH_SIMD _Pragma("omp simd")

/* x of each kind, values of each kind, by name */
#define X_double(operands) (operands)->x64
#define X_mixed(operands) (operands)->x32
#define X_cast(operands) (operands)->x64
#define X_single(operands) (operands)->x32
#define VALUE_double(matrix) (matrix)->value
#define VALUE_mixed(matrix) (matrix)->single
#define VALUE_cast(matrix) (matrix)->single
#define VALUE_single(matrix) (matrix)->single

TERM_FN void finish_wide(const struct operands *o, int64_t i, double sum)
{
    double y = o->b ? (o->b[i] - sum) * o->inverse[i] : sum;
    o->y64[i] = y;
    if (o->y32)
        o->y32[i] = (float)y;
}

TERM_FN void finish_narrow(const struct operands *o, int64_t i, float sum)
{
    o->y32[i] = o->b32 ? (o->b32[i] - sum) * o->inverse32[i] : sum;
}

#define FINISH_double finish_wide
#define FINISH_mixed finish_wide
#define FINISH_cast finish_wide
#define FINISH_single finish_narrow

#endif
#endif
