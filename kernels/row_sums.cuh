/* row_sums.cuh: the sum over the entries of one row by one thread; read by jacobi.cu, product.cu and
 * conjugate.cu.
 *
 * A row is a chain of waits: its slice, then values and columns, then x. CUDA_GROUP entries of a row stand
 * side by side (kernels/packed.h) and are one load; they are added in their order whatever was asked for at
 * once. */
#ifndef CARDIAC_KERNELS_ROW_SUMS_CUH
#define CARDIAC_KERNELS_ROW_SUMS_CUH

#include "kernels/cuda.cuh"

extern "C" {
#include "kernels/device.h"
#include "kernels/packed.h"
}

template <typename T, int G> struct __align__(sizeof(T) * G > 16 ? 16 : sizeof(T) * G) word
{
    T of[G];
};

/* What x_j an entry is multiplied with, and how. Products of fp32 numbers are exact in fp64, so that adding
 * one by fma rounds as the CPU does. */
struct times_double {
    const double *x;
    double own;
    typedef double held;
    typedef double value;
    __device__ double read(int at) const
    {
        return x[at];
    }
    __device__ double add(double sum, double e, double xj) const
    {
        return sum + e * xj;
    }
};

struct times_single {
    const float *x;
    double own;
    typedef float held;
    typedef float value;
    __device__ float read(int at) const
    {
        return x[at];
    }
    __device__ double add(double sum, float e, float xj) const
    {
        return fma((double)e, (double)xj, sum);
    }
};

struct times_cast {
    const double *x;
    double own;
    typedef double held;
    typedef float value;
    __device__ double read(int at) const
    {
        return x[at];
    }
    __device__ double add(double sum, float e, double xj) const
    {
        return fma((double)e, (double)(float)xj, sum);
    }
};

struct times_difference {
    const double *x;
    double own;
    typedef double held;
    typedef double value;
    __device__ double read(int at) const
    {
        return x[at];
    }
    __device__ double add(double sum, double e, double xj) const
    {
        return sum + e * (xj - own);
    }
};

/* A word that is read once in a sweep, so that it does not displace x in the first cache. */
template <typename W> static __device__ __forceinline__ W read_once(const W *from)
{
    static_assert(sizeof(W) == 2 || sizeof(W) == 4 || sizeof(W) == 8 || sizeof(W) % 16 == 0, "no such load");
    W word;
    if constexpr (sizeof(W) % 16 == 0) {
        unsigned long long *to = (unsigned long long *)&word;
#pragma unroll
        for (size_t k = 0; k < sizeof(W) / 16; k++)
            asm("ld.global.nc.L1::no_allocate.v2.u64 {%0, %1}, [%2];"
                : "=l"(to[2 * k]), "=l"(to[2 * k + 1])
                : "l"((const char *)from + 16 * k));
    } else if constexpr (sizeof(W) == 8) {
        asm("ld.global.nc.L1::no_allocate.u64 %0, [%1];" : "=l"(*(unsigned long long *)&word) : "l"(from));
    } else if constexpr (sizeof(W) == 4) {
        asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(*(unsigned *)&word) : "l"(from));
    } else {
        asm("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=h"(*(unsigned short *)&word) : "l"(from));
    }
    return word;
}

/* sum_j of a row whose first entries stand at value and index; `apart` elements lie between one group of the
 * row and the next. With many threads the next group is asked for while the present one waits for its x. */
template <typename Times, typename Index>
static __device__ __forceinline__ double sum_rolling(const typename Times::value *value, const Index *index,
                                                     int width, int apart, const Times &times)
{
    typedef word<typename Times::value, CUDA_GROUP> values;
    typedef word<Index, CUDA_GROUP> columns;
    double sum = 0;
    values e = {};
    columns column = {};
    if (width > 0) {
        e = read_once((const values *)value);
        column = read_once((const columns *)index);
    }
    for (int k = 0; k < width; k += CUDA_GROUP) {
        value += apart;
        index += apart;
        values e_next = {};
        columns column_next = {};
        if (k + CUDA_GROUP < width) {
            e_next = read_once((const values *)value);
            column_next = read_once((const columns *)index);
        }
        typename Times::held x[CUDA_GROUP];
#pragma unroll
        for (int g = 0; g < CUDA_GROUP; g++)
            x[g] = times.read(column.of[g]);
#pragma unroll
        for (int g = 0; g < CUDA_GROUP; g++)
            sum = times.add(sum, e.of[g], x[g]);
        e = e_next;
        column = column_next;
    }
    return sum;
}

/* With few threads: a whole chunk of entries is asked for at once, then all its x. */
template <typename Times, typename Index>
static __device__ __forceinline__ double sum_chunks(const typename Times::value *value, const Index *index,
                                                    int width, int apart, const Times &times)
{
    enum { CHUNK = 16 };
    word<typename Times::value, CUDA_GROUP> e[CHUNK / CUDA_GROUP];
    word<Index, CUDA_GROUP> column[CHUNK / CUDA_GROUP];
    typename Times::held x[CHUNK];
    double sum = 0;
    for (int first = 0; first < width; first += CHUNK) {
#pragma unroll
        for (int u = 0; u < CHUNK / CUDA_GROUP; u++)
            if (first + u * CUDA_GROUP < width) {
                column[u] = read_once((const word<Index, CUDA_GROUP> *)(index + u * apart));
                e[u] = read_once((const word<typename Times::value, CUDA_GROUP> *)(value + u * apart));
            }
#pragma unroll
        for (int u = 0; u < CHUNK; u++)
            if (first + u / CUDA_GROUP * CUDA_GROUP < width)
                x[u] = times.read(column[u / CUDA_GROUP].of[u % CUDA_GROUP]);
#pragma unroll
        for (int u = 0; u < CHUNK; u++)
            if (first + u / CUDA_GROUP * CUDA_GROUP < width)
                sum = times.add(sum, e[u / CUDA_GROUP].of[u % CUDA_GROUP], x[u]);
        value += CHUNK / CUDA_GROUP * apart;
        index += CHUNK / CUDA_GROUP * apart;
    }
    return sum;
}

/* The slice of row i, and its place in it */
struct row_place {
    struct slice slice;
    int start; /* of its entries within the slice's */
    int apart; /* elements from one group of the row to the next */
};

/* What a kernel over rows is made for: slices of any height; of CUDA_HEIGHT with more rows than the device
 * has threads, which then wait for memory beside each other, with few registers each; or with so few rows
 * that each must do its own waiting at once. */
enum shape { ANY_HEIGHT, MANY_ROWS, FEW_ROWS };

enum { FEW = 1 << 17 };

/* All warps of a multiprocessor at once with 32 registers a thread; or a quarter of them with 128 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define ROWS_AT_ONCE                                                                                         \
    4 /* a multiprocessor of compute capability 7.5 holds 1024 threads, one of 8.6 holds 1536 */
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 860
#define ROWS_AT_ONCE 6
#else
#define ROWS_AT_ONCE 8
#endif
#define ROW_BOUNDS(shape) __launch_bounds__(BLOCK, (shape) == MANY_ROWS ? ROWS_AT_ONCE : 2)

static inline enum shape shape_of(const struct packed *matrix)
{
    return matrix->height != CUDA_HEIGHT ? ANY_HEIGHT : matrix->rows > FEW ? MANY_ROWS : FEW_ROWS;
}

template <enum shape SHAPE>
static __device__ __forceinline__ row_place place_row(const struct packed &matrix, int i)
{
    int height = SHAPE != ANY_HEIGHT ? (int)CUDA_HEIGHT : matrix.height;
    row_place place;
    place.slice = matrix.slice[i >> (31 - __clz(height))];
    place.start = (i & (height - 1)) * CUDA_GROUP;
    place.apart = height * CUDA_GROUP;
    return place;
}

template <enum shape SHAPE, typename Times, typename Index>
static __device__ __forceinline__ double sum_entries(const typename Times::value *value, const Index *index,
                                                     int width, int apart, const Times &times)
{
    return SHAPE == FEW_ROWS ? sum_chunks(value, index, width, apart, times)
                             : sum_rolling(value, index, width, apart, times);
}

/* The sum of row i at its place */
template <enum shape SHAPE, typename Times>
static __device__ __forceinline__ double sum_row(const struct packed &matrix, const row_place &place, int i,
                                                 const typename Times::value *value, Times times)
{
    const struct slice &slice = place.slice;
    int apart = SHAPE != ANY_HEIGHT ? CUDA_HEIGHT * CUDA_GROUP : place.apart; /* a constant where it can be */
    value += place.start;
    if (slice.wide)
        return sum_entries<SHAPE>(value, matrix.column + slice.index + place.start, slice.width, apart,
                                  times);
    times.x += i;
    return sum_entries<SHAPE>(value, matrix.offset + slice.index + place.start, slice.width, apart, times);
}

#endif
