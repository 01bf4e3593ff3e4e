/* terms.cuh: what the GPU's formats share: the kinds of numbers, the ways of reading x, and the end of a row.
 */
#ifndef CARDIAC_KERNELS_BENCH_TERMS_CUH
#define CARDIAC_KERNELS_BENCH_TERMS_CUH

#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/bench/bench.h"
}

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

/* e x, x rounded first where that is asked for */
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

/* x_j; READS_SHARED is the formats' own business */
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

#endif
