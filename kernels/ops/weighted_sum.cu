/* weighted_sum.cu: weighted sums on the GPU, a range of nodes per block and a lane per thread. */
#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/ops/weighted_sum.h"
}

enum { LANES = WEIGHTED_SUM_LANES };

/* The block's sum, returned to its first thread */
static __device__ double sum_lanes(double of_lane)
{
    __shared__ double lane[LANES];
    lane[threadIdx.x] = of_lane;
    for (unsigned half = LANES / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            lane[threadIdx.x] += lane[threadIdx.x + half];
    }
    return lane[0];
}

/* Block (k, l) sums chunk k with weights l; adjacent threads read adjacent weights. */
static __global__ void __launch_bounds__(LANES) sum_shares(const struct weighted_sum sums)
{
    int64_t begin = (int64_t)blockIdx.x * WEIGHTED_SUM_SHARE, end = begin + WEIGHTED_SUM_SHARE;
    const double *weight = sums.weight + blockIdx.y * sums.nodes;
    double sum = 0;
    for (int64_t i = begin + threadIdx.x; i < end && i < sums.nodes; i += LANES)
        sum += weight[i] * sums.v[sums.row[i]];
    sum = sum_lanes(sum);
    if (threadIdx.x == 0)
        sums.share[(int64_t)blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

static __global__ void __launch_bounds__(LANES) sum_all(const struct weighted_sum sums, int64_t shares)
{
    double sum = 0;
    for (int64_t k = threadIdx.x; k < shares; k += LANES)
        sum += sums.share[blockIdx.x * shares + k];
    sum = sum_lanes(sum);
    if (threadIdx.x == 0)
        sums.sum[blockIdx.x] = sum;
}

extern "C" void weighted_sum_cuda(struct queue *queue, const struct weighted_sum *sums)
{
    int64_t shares = weighted_sum_shares(sums->nodes);
    const dim3 grid((unsigned)shares, (unsigned)sums->count);
    sum_shares<<<grid, LANES, 0, cuda(queue)->stream>>>(*sums);
    sum_all<<<(unsigned)sums->count, LANES, 0, cuda(queue)->stream>>>(*sums, shares);
    CUDA_LAUNCHED(queue);
}
