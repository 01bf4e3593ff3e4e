/* row_sums.cuh: the sum over the entries of one row by one thread; used by rhs.cu, solve.cu and stages.cu.
 *
 * A row waits three times: for its slice, for values and columns, and for x. CUDA_GROUP entries of a row
 * are adjacent (kernels/ops/packed.h) and loaded at once, in fp64 with two loads; they are always added in
 * their order. */
#ifndef CARDIAC_KERNELS_OPS_ROW_SUMS_CUH
#define CARDIAC_KERNELS_OPS_ROW_SUMS_CUH

#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/device/cuda_device.h"
#include "kernels/ops/packed.h"
}

template <typename T, int G> struct __align__(sizeof(T) * G > 16 ? 16 : sizeof(T) * G) word
{
    T of[G];
};

/* sum + e x with a rounded x. Products of fp32 numbers are exact in fp64, so adding one with fma rounds as
 * on the CPU; products with a 32-bit integer are not exact. */
template <typename Value> static __device__ __forceinline__ double add_rounded(double sum, Value e, float x)
{
    return fma((double)e, (double)x, sum);
}

static __device__ __forceinline__ double add_rounded(double sum, int32_t e, float x)
{
    return sum + (double)e * (double)x;
}

/* What an entry is multiplied by, and how: x_j in fp64 or fp32, or x_j - x_i */
template <typename Value> struct times_double {
    const double *x;
    typedef double held;
    typedef Value value;
    __device__ void start(int)
    {
    }
    __device__ double read(int at) const
    {
        return x[at];
    }
    __device__ double add(double sum, Value e, double xj) const
    {
        return sum + (double)e * xj;
    }
};

template <typename Value> struct times_single {
    const float *x;
    typedef float held;
    typedef Value value;
    __device__ void start(int)
    {
    }
    __device__ float read(int at) const
    {
        return x[at];
    }
    __device__ double add(double sum, Value e, float xj) const
    {
        return add_rounded(sum, e, xj);
    }
};

template <typename Value> struct times_difference32 {
    const float *x;
    float own;
    typedef float held;
    typedef Value value;
    __device__ void start(int at)
    {
        own = x[at];
    }
    __device__ float read(int at) const
    {
        return x[at];
    }
    __device__ double add(double sum, Value e, float xj) const
    {
        return add_rounded(sum, e, xj - own);
    }
};

template <typename Value> struct times_difference {
    const double *x;
    double own;
    typedef double held;
    typedef Value value;
    __device__ void start(int at)
    {
        own = x[at];
    }
    __device__ double read(int at) const
    {
        return x[at];
    }
    __device__ double add(double sum, Value e, double xj) const
    {
        return sum + (double)e * (xj - own);
    }
};

/* Loads a word that a sweep reads once, bypassing L1 so that it does not displace x. */
template <typename W> static __device__ __forceinline__ W load_streaming(const W *from)
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

static_assert(CUDA_GROUP == 4, "what is over is a single entry, a pair, or both");

/* Entries per load */
template <typename Value> struct load_of {
    enum { ENTRIES = sizeof(Value) < 16 / CUDA_GROUP ? (int)CUDA_GROUP : (int)(16 / sizeof(Value)) };
};

/* CUDA_GROUP entries of a row */
template <typename Value>
static __device__ __forceinline__ void read_group(word<Value, CUDA_GROUP> *to, const Value *value, int)
{
    *to = load_streaming((const word<Value, CUDA_GROUP> *)value);
}

static __device__ __forceinline__ void read_group(word<double, CUDA_GROUP> *to, const double *value,
                                                  int height)
{
    for (int half = 0; half < 2; half++) {
        word<double, 2> pair = load_streaming((const word<double, 2> *)(value + 2 * half * height));
        to->of[2 * half] = pair.of[0];
        to->of[2 * half + 1] = pair.of[1];
    }
}

/* The entries of a row before the groups, if its width is not a multiple of a group, and the position of
 * the groups */
template <typename Times, typename Index> struct row_head {
    typedef typename Times::value Value;
    bool one, two;
    Value e_one;
    word<Value, 2> e_two;
    Index column_one;
    word<Index, 2> column_two;
    typename Times::held x[3];
    const Value *value;
    const Index *index;
    int width; /* entries in groups */

    /* Loads all of it, from the slice's first entries */
    __device__ __forceinline__ row_head(const Value *value_, const Index *index_, int width_, int lane,
                                        int height)
        : one(width_ & 1), two(width_ & 2), e_one(0), e_two(), column_one(0), column_two(), x(),
          value(value_), index(index_), width(width_ & ~3)
    {
        enum { WORD = load_of<Value>::ENTRIES };
        if (one) {
            e_one = load_streaming(value + lane);
            column_one = load_streaming(index + lane);
            value += height;
            index += height;
        }
        if (two) {
            e_two = load_streaming((const word<Value, 2> *)(value + 2 * lane));
            column_two = load_streaming((const word<Index, 2> *)(index + 2 * lane));
            value += 2 * height;
            index += 2 * height;
        }
        value += WORD * lane;
        index += CUDA_GROUP * lane;
    }

    __device__ __forceinline__ void prefetch_x(const Times &times)
    {
        if (one)
            x[0] = times.read(column_one);
        if (two) {
            x[1] = times.read(column_two.of[0]);
            x[2] = times.read(column_two.of[1]);
        }
    }

    __device__ __forceinline__ double sum(const Times &times) const
    {
        double sum = 0;
        if (one)
            sum = times.add(sum, e_one, x[0]);
        if (two) {
            sum = times.add(sum, e_two.of[0], x[1]);
            sum = times.add(sum, e_two.of[1], x[2]);
        }
        return sum;
    }
};

/* Sum over j for row `lane` of a slice whose first entries are at value and index. With many threads
 * nothing is loaded ahead: other warps hide the waits, and the number of registers determines how many
 * warps run at once. */
template <typename Times, typename Index>
static __device__ __forceinline__ double sum_many(const typename Times::value *value, const Index *index,
                                                  int width, int lane, int height, Times &times, int own)
{
    times.start(own);
    enum { WORD = load_of<typename Times::value>::ENTRIES };
    row_head<Times, Index> head(value, index, width, lane, height);
    word<Index, CUDA_GROUP> column = {};
    word<typename Times::value, WORD> e = {};
    int left = head.width;
    value = head.value;
    index = head.index;
    if (left > 0) {
        column = load_streaming((const word<Index, CUDA_GROUP> *)index);
        e = load_streaming((const word<typename Times::value, WORD> *)value);
    }
    head.prefetch_x(times);
    double sum = head.sum(times);
#pragma unroll 1
    while (left > 0) {
#pragma unroll
        for (int first = 0; first < CUDA_GROUP; first += WORD) {
            typename Times::held x[WORD];
            if (first > 0)
                e = load_streaming((const word<typename Times::value, WORD> *)value);
#pragma unroll
            for (int g = 0; g < WORD; g++)
                x[g] = times.read(column.of[first + g]);
#pragma unroll
            for (int g = 0; g < WORD; g++)
                sum = times.add(sum, e.of[g], x[g]);
            value += WORD * height;
        }
        index += CUDA_GROUP * height;
        left -= CUDA_GROUP;
        if (left > 0) {
            column = load_streaming((const word<Index, CUDA_GROUP> *)index);
            e = load_streaming((const word<typename Times::value, WORD> *)value);
        }
    }
    return sum;
}

/* With few threads: loads a whole chunk of entries at once, then all its x. Most rows have no more than 12
 * entries after the three before the groups; inside a loop over rows, which needs registers itself, 8 fit. */
template <int CHUNK, typename Times, typename Index, typename Ready>
static __device__ __forceinline__ double sum_few(const typename Times::value *value, const Index *index,
                                                 int width, int lane, int height, Times &times, int own,
                                                 const Ready &ready)
{
    enum { GROUPS = CHUNK / CUDA_GROUP };
    row_head<Times, Index> head(value, index, width, lane, height);
    word<typename Times::value, CUDA_GROUP> e[GROUPS];
    word<Index, CUDA_GROUP> column[GROUPS];
    typename Times::held x[CHUNK];
    double sum = 0;
    int first = 0, apart = CUDA_GROUP * height;
    do {
#pragma unroll
        for (int u = 0; u < GROUPS; u++)
            if (first + u * CUDA_GROUP < head.width) {
                column[u] = load_streaming((const word<Index, CUDA_GROUP> *)(head.index + u * apart));
                read_group(&e[u], head.value + u * apart, height);
            }
        if (first == 0) {
            if (!ready())
                return 0;
            times.start(own);
            head.prefetch_x(times);
        }
#pragma unroll
        for (int u = 0; u < CHUNK; u++)
            if (first + u / CUDA_GROUP * CUDA_GROUP < head.width)
                x[u] = times.read(column[u / CUDA_GROUP].of[u % CUDA_GROUP]);
        if (first == 0)
            sum = head.sum(times);
#pragma unroll
        for (int u = 0; u < CHUNK; u++)
            if (first + u / CUDA_GROUP * CUDA_GROUP < head.width)
                sum = times.add(sum, e[u / CUDA_GROUP].of[u % CUDA_GROUP], x[u]);
        head.value += GROUPS * apart;
        head.index += GROUPS * apart;
        first += CHUNK;
    } while (first < head.width);
    return sum;
}

/* The slice of row i, and the row's position in it */
struct row_location {
    struct slice slice;
    int lane;
    float quantum; /* of the row, if loaded; see quantum_of */
};

/* The number of rows for which a kernel is compiled: more than the device has threads, so that threads
 * with few registers hide each other's waits; or so few that each thread loads ahead with many registers,
 * for one row or in a loop over rows. */
enum shape { MANY_ROWS, FEW_ROWS, FEW_LOOPED };

enum { FEW = 1 << 17 };

/* All warps of a multiprocessor with 32 registers per thread; or a quarter of them with 128 */
#define ROW_BOUNDS(shape) __launch_bounds__(BLOCK_THREADS, (shape) == MANY_ROWS ? BLOCKS_AT_ONCE : 2)

static inline enum shape shape_of(const struct packed *matrix)
{
    return matrix->rows > FEW ? MANY_ROWS : FEW_ROWS;
}

/* counts: entries are integers, as for K V and stages, so the quantum is loaded early */
template <enum shape SHAPE>
static __device__ __forceinline__ row_location locate_row(const struct packed &matrix, int i,
                                                          bool counts = false)
{
    row_location at;
    at.quantum = 1;
    if (SHAPE != MANY_ROWS && matrix.quantum)
        at.quantum = matrix.quantum[i];
    else if (counts && matrix.quantum)
        prefetch(matrix.quantum + i);
    at.slice = matrix.slice[(unsigned)i / CUDA_HEIGHT];
    at.lane = (int)((unsigned)i % CUDA_HEIGHT);
    return at;
}

/* With many threads the quantum is loaded when needed, and its address computed no earlier. */
template <enum shape SHAPE>
static __device__ __forceinline__ float quantum_of(const struct packed &matrix, const row_location &at, int i)
{
    if (SHAPE != MANY_ROWS)
        return at.quantum;
    asm volatile("" : "+r"(i));
    return matrix.quantum[i];
}

/* own: index of x_i relative to times.x. Few rows call ready() after loading their entries, and get 0 if
 * it returns false; with many rows it is not called. */
template <enum shape SHAPE, typename Times, typename Index, typename Ready>
static __device__ __forceinline__ double sum_entries(const typename Times::value *value, const Index *index,
                                                     const row_location &at, Times &times, int own,
                                                     const Ready &ready)
{
    if constexpr (SHAPE == FEW_ROWS)
        return sum_few<12>(value, index, at.slice.width, at.lane, CUDA_HEIGHT, times, own, ready);
    else if constexpr (SHAPE == FEW_LOOPED)
        return sum_few<8>(value, index, at.slice.width, at.lane, CUDA_HEIGHT, times, own, ready);
    else
        return sum_many(value, index, at.slice.width, at.lane, CUDA_HEIGHT, times, own);
}

/* A `ready` that does not wait */
struct at_once {
    __device__ bool operator()() const
    {
        return true;
    }
};

/* The sum of row i at `at`, with the slice's values */
template <enum shape SHAPE, typename Times, typename Ready = at_once>
static __device__ __forceinline__ double sum_row(const struct packed &matrix, const row_location &at, int i,
                                                 const typename Times::value *value, Times times,
                                                 const Ready &ready = {})
{
    if (at.slice.index32)
        return sum_entries<SHAPE>(value, matrix.column + at.slice.index, at, times, i, ready);
    times.x += i;
    return sum_entries<SHAPE>(value, matrix.offset + at.slice.index, at, times, 0, ready);
}

/* sum_j r_ij (v_j - v_i) of row i, r in fp64 or 32 bits and v in fp64 */
template <enum shape SHAPE, typename Ready>
static __device__ __forceinline__ double row_product(const struct packed &matrix, const double *v,
                                                     const row_location &at, int i, const Ready &ready)
{
    if (at.slice.whole32) {
        double sum = sum_row<SHAPE>(matrix, at, i, matrix.whole32 + at.slice.product,
                                    times_difference<int32_t>{v}, ready);
        return packed_quantum32(quantum_of<SHAPE>(matrix, at, i)) * sum;
    }
    return sum_row<SHAPE>(matrix, at, i, matrix.product + at.slice.product, times_difference<double>{v},
                          ready);
}

/* The row of a thread, computed again so that it occupies no register during the sum */
static __device__ __forceinline__ int thread_row(void)
{
    unsigned block, thread;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return (int)(block * BLOCK_THREADS + thread);
}

#endif
