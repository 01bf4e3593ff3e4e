/* stream.cu: ceilings of the GPU. */
#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/bench/stream.h"
}

enum { PARTS = 2048 };

static __global__ void copy_all(double2 *to, const double2 *from, int64_t pairs)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < pairs)
        to[i] = from[i];
}

static __global__ void write_all(double2 *to, double value, int64_t pairs)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < pairs)
        to[i] = make_double2(value, value);
}

/* to[block] <- the sum of what the block read */
static __global__ void __launch_bounds__(BLOCK) read_all(double *to, const double2 *from, int64_t pairs)
{
    __shared__ double of_thread[BLOCK];
    int64_t step = (int64_t)gridDim.x * BLOCK;
    double sum[4] = {0, 0, 0, 0};
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    for (; i + 3 * step < pairs; i += 4 * step) {
        double2 held[4];
#pragma unroll
        for (int u = 0; u < 4; u++)
            held[u] = from[i + u * step];
#pragma unroll
        for (int u = 0; u < 4; u++)
            sum[u] += held[u].x + held[u].y;
    }
    for (; i < pairs; i += step)
        sum[0] += from[i].x + from[i].y;
    of_thread[threadIdx.x] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        to[blockIdx.x] = of_thread[0];
}

static __device__ __forceinline__ double multiply_add(double x)
{
    return fma(x, 0.5, 1.0);
}
static __device__ __forceinline__ float multiply_add(float x)
{
    return fmaf(x, 0.5f, 1.0f);
}

template <typename T>
static __global__ void __launch_bounds__(BLOCK) chains(double *to, int64_t count, int rounds)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count)
        return;
    T x[STREAM_CHAINS], sum = 0;
#pragma unroll
    for (int c = 0; c < STREAM_CHAINS; c++)
        x[c] = (T)(i % STREAM_STARTS + c);
#pragma unroll 8
    for (int k = 0; k < rounds; k++)
#pragma unroll
        for (int c = 0; c < STREAM_CHAINS; c++)
            x[c] = multiply_add(x[c]);
#pragma unroll
    for (int c = 0; c < STREAM_CHAINS; c++)
        sum += x[c];
    to[i] = (double)sum;
}

static __global__ void nothing()
{
}

extern "C" void stream_cuda(struct queue *queue, const struct stream *s)
{
    int64_t pairs = s->count / 2; /* counts are even */
    unsigned for_pairs = blocks_for(pairs, BLOCK), for_all = blocks_for(s->count, BLOCK);
    unsigned parts = for_pairs < PARTS ? for_pairs : (unsigned)PARTS;
    cudaStream_t stream = cuda(queue)->stream;
    if (s->kind == STREAM_COPY)
        copy_all<<<for_pairs, BLOCK, 0, stream>>>((double2 *)s->to, (const double2 *)s->from, pairs);
    else if (s->kind == STREAM_READ)
        read_all<<<parts, BLOCK, 0, stream>>>(s->to, (const double2 *)s->from, pairs);
    else if (s->kind == STREAM_WRITE)
        write_all<<<for_pairs, BLOCK, 0, stream>>>((double2 *)s->to, s->value, pairs);
    else if (s->kind == STREAM_FMA64)
        chains<double><<<for_all, BLOCK, 0, stream>>>(s->to, s->count, s->rounds);
    else if (s->kind == STREAM_FMA32)
        chains<float><<<for_all, BLOCK, 0, stream>>>(s->to, s->count, s->rounds);
    else
        nothing<<<1, 32, 0, stream>>>();
    CUDA_LAUNCHED(queue);
}
