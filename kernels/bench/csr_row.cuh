/* csr_row.cuh: the sum of one compressed row by LANES threads side by side; read by csr.cu, csr_classes.cu
 * and csr_split.cu. */
#ifndef CARDIAC_KERNELS_BENCH_CSR_ROW_CUH
#define CARDIAC_KERNELS_BENCH_CSR_ROW_CUH

#include "kernels/bench/terms.cuh"

/* What lane `lane` of the row's lanes adds up over entries [from, to) */
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

/* The sum over a row's lanes, in the first of them. All 32 lanes of a warp must arrive. */
template <int LANES, typename T> static __device__ __forceinline__ T add_lanes(T sum)
{
#pragma unroll
    for (int half = LANES / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, half, LANES);
    return sum;
}

/* The row and the lane of this thread; the row may lie beyond the last */
template <int LANES> static __device__ __forceinline__ int64_t my_row(int *lane)
{
    int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    *lane = (int)(thread % LANES);
    return thread / LANES;
}

/* kernel<..., lanes><<<enough blocks>>>(arguments) with lanes a constant */
#define CSR_LAUNCH(launch, lanes, ...)                                                                       \
    switch (lanes) {                                                                                         \
    case 2:                                                                                                  \
        launch<2>(__VA_ARGS__);                                                                              \
        break;                                                                                               \
    case 4:                                                                                                  \
        launch<4>(__VA_ARGS__);                                                                              \
        break;                                                                                               \
    case 8:                                                                                                  \
        launch<8>(__VA_ARGS__);                                                                              \
        break;                                                                                               \
    case 16:                                                                                                 \
        launch<16>(__VA_ARGS__);                                                                             \
        break;                                                                                               \
    case 32:                                                                                                 \
        launch<32>(__VA_ARGS__);                                                                             \
        break;                                                                                               \
    default:                                                                                                 \
        launch<1>(__VA_ARGS__);                                                                              \
    }

#endif
