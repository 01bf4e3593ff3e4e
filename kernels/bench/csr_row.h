/* csr_row.h: sums one compressed row with `lanes` partial sums (csr.cu, csr_classes.cu, csr_split.cu). */
#ifndef CARDIAC_KERNELS_BENCH_CSR_ROW_H
#define CARDIAC_KERNELS_BENCH_CSR_ROW_H

#include "kernels/bench/terms.h"

#ifdef __CUDACC__

/* The partial sum of lane `lane` over entries [from, to) */
template <int NUMBERS, int LANES, int READS>
static __device__ __forceinline__ typename kind<NUMBERS>::sum
csr_row(const typename kind<NUMBERS>::value *value, const int32_t *column, int from, int to, int lane,
        const typename kind<NUMBERS>::x *x, uint64_t texture)
{
    typename kind<NUMBERS>::sum sum = 0;
    for (int k = from + lane; k < to; k += LANES)
        sum += term<NUMBERS>(value[k], read_x<READS>(x, texture, column[k]));
    return sum;
}

/* Returns the sum over a row's lanes in its first lane. All 32 lanes of the warp must call it. */
template <int LANES, typename T> static __device__ __forceinline__ T add_lanes(T sum)
{
#pragma unroll
    for (int half = LANES / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, half, LANES);
    return sum;
}

/* The row and the lane of this thread; the row may be past the last one */
template <int LANES> static __device__ __forceinline__ int64_t my_row(int *lane)
{
    int64_t thread = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    *lane = (int)(thread % LANES);
    return thread / LANES;
}

#define CSR_CALL(launch, lanes, ...) launch<lanes>(__VA_ARGS__)

#else

/* sum over entries [k, end) of e x */
#define DEFINE_ROW(name, value_t, x_t, rounded_t, sum_t)                                                     \
    TERM_FN sum_t csr_row_##name(const value_t *value, const int32_t *column, int64_t k, int64_t end,        \
                                 const x_t *x, const int lanes)                                              \
    {                                                                                                        \
        sum_t partial[32] = {0};                                                                             \
        for (; k + lanes <= end; k += lanes)                                                                 \
            BENCH_SIMD for (int l = 0; l < lanes; l++) partial[l] +=                                         \
                (sum_t)value[k + l] * (sum_t)(rounded_t)x[column[k + l]];                                    \
        for (int l = 0; k < end; k++, l++)                                                                   \
            partial[l] += (sum_t)value[k] * (sum_t)(rounded_t)x[column[k]];                                  \
        for (int half = lanes / 2; half > 0; half /= 2)                                                      \
            for (int l = 0; l < half; l++)                                                                   \
                partial[l] += partial[l + half];                                                             \
        return partial[0];                                                                                   \
    }
BENCH_TERMS(DEFINE_ROW)

#define CSR_CALL(kernel, lanes, ...) kernel(__VA_ARGS__, lanes)

#endif

#define CSR_CASE(call, lanes, ...)                                                                           \
    case lanes:                                                                                              \
        CSR_CALL(call, lanes, __VA_ARGS__);                                                                  \
        break;

/* launch<lanes>(...) or kernel(..., lanes), with lanes a compile-time constant */
#define CSR_BY_LANES(call, lanes, ...)                                                                       \
    switch (lanes) {                                                                                         \
        CSR_CASE(call, 2, __VA_ARGS__)                                                                       \
        CSR_CASE(call, 4, __VA_ARGS__)                                                                       \
        CSR_CASE(call, 8, __VA_ARGS__)                                                                       \
        CSR_CASE(call, 16, __VA_ARGS__)                                                                      \
        CSR_CASE(call, 32, __VA_ARGS__)                                                                      \
    default:                                                                                                 \
        CSR_CALL(call, 1, __VA_ARGS__);                                                                      \
    }

#endif
