/* row_sums.cuh: the sum over the entries of one row by one thread; read by jacobi.cu, product.cu and
 * conjugate.cu.
 *
 * A row is a latency: values and columns must arrive before x can be asked for. So the entries of a chunk are
 * all asked for before the first is used, then all x, then they are added in order. G entries of a row stand
 * side by side (kernels/packed.h) and are one load. */
#ifndef CARDIAC_KERNELS_ROW_SUMS_CUH
#define CARDIAC_KERNELS_ROW_SUMS_CUH

#include "kernels/cuda.cuh"

extern "C" {
#include "kernels/packed.h"
}

enum { CHUNK = 8 };

template <typename T, int G> struct __align__(sizeof(T) * G > 16 ? 16 : sizeof(T) * G) word
{
    T of[G];
};

/* What x_j an entry is multiplied with, and how: products of fp32 numbers are exact in fp64. */
struct times_double {
    const double *x;
    double own;
    typedef double held;
    typedef double value;
    __device__ double read(int64_t at) const
    {
        return x[at];
    }
    __device__ double term(double e, double xj) const
    {
        return e * xj;
    }
};

struct times_single {
    const float *x;
    double own;
    typedef float held;
    typedef float value;
    __device__ float read(int64_t at) const
    {
        return x[at];
    }
    __device__ double term(float e, float xj) const
    {
        return (double)e * (double)xj;
    }
};

struct times_cast {
    const double *x;
    double own;
    typedef double held;
    typedef float value;
    __device__ double read(int64_t at) const
    {
        return x[at];
    }
    __device__ double term(float e, double xj) const
    {
        return (double)e * (double)(float)xj;
    }
};

struct times_difference {
    const double *x;
    double own;
    typedef double held;
    typedef double value;
    __device__ double read(int64_t at) const
    {
        return x[at];
    }
    __device__ double term(double e, double xj) const
    {
        return e * (xj - own);
    }
};

/* sum_j of a row whose first entries stand at value and index; `apart` elements lie between one group of the
 * row and the next; columns count from `base` */
template <int G, typename Times, typename Index>
static __device__ __forceinline__ double sum_entries(const typename Times::value *value, const Index *index,
                                                     int width, int apart, int64_t base, Times times)
{
    double sum = 0;
    for (int first = 0; first < width; first += CHUNK) {
        word<typename Times::value, G> e[CHUNK / G];
        word<Index, G> column[CHUNK / G];
#pragma unroll
        for (int u = 0; u < CHUNK / G; u++)
            if (first + u * G < width) {
                column[u] = *(const word<Index, G> *)(index + u * apart);
                e[u] = *(const word<typename Times::value, G> *)(value + u * apart);
            }
        typename Times::held x[CHUNK];
#pragma unroll
        for (int u = 0; u < CHUNK; u++)
            if (first + u / G * G < width)
                x[u] = times.read(base + column[u / G].of[u % G]);
#pragma unroll
        for (int u = 0; u < CHUNK; u++)
            if (first + u / G * G < width)
                sum += times.term(e[u / G].of[u % G], x[u]);
        value += CHUNK / G * apart;
        index += CHUNK / G * apart;
    }
    return sum;
}

/* Where row i lies */
struct row_place {
    struct slice slice;
    int64_t start; /* of its entries within the slice's */
    int apart;
};

template <int G> static __device__ __forceinline__ row_place place_row(const struct packed &matrix, int64_t i)
{
    int height = matrix.height, shift = 31 - __clz(height);
    row_place place;
    place.slice = matrix.slice[i >> shift];
    place.start = (i & (height - 1)) * G;
    place.apart = height * G;
    return place;
}

template <int G, typename Times>
static __device__ __forceinline__ double sum_row(const struct packed &matrix, const row_place &place,
                                                 int64_t i, const typename Times::value *value, Times times)
{
    const struct slice &slice = place.slice;
    if (slice.wide)
        return sum_entries<G>(value + place.start, matrix.column + slice.index + place.start, slice.width,
                              place.apart, 0, times);
    return sum_entries<G>(value + place.start, matrix.offset + slice.index + place.start, slice.width,
                          place.apart, i, times);
}

#endif
