/* stream.cu: copying, reading, writing, multiply-adds and an empty launch, on CPUs and GPUs. */
#include "kernels/bench/terms.h"

BENCH_C_BEGIN
#include "kernels/bench/stream.h"
BENCH_C_END

#ifdef HOST_PART

#include <math.h>

double stream_fma_expected(int start, int rounds, bool narrow)
{
    double sum = 0;
    for (int c = 0; c < STREAM_CHAINS; c++) {
        double x = (double)(start + c);
        for (int k = 0; k < rounds; k++)
            x = narrow ? (double)fmaf((float)x, 0.5f, 1.0f) : fma(x, 0.5, 1.0);
        sum += x;
    }
    return sum;
}

#endif
#ifdef CLONE

#include <math.h>
#include <string.h>

/* Eight chains in vectors of 64 bytes hide the latency of a fused multiply-add. On a machine without FMA,
 * where fma() would be a slow call, multiplies and adds instead (both are exact here). */
#ifdef __FMA__
#define MULTIPLY_ADD64(x) fma((x), 0.5, 1.0)
#define MULTIPLY_ADD32(x) fmaf((x), 0.5f, 1.0f)
#else
#define MULTIPLY_ADD64(x) ((x)*0.5 + 1.0)
#define MULTIPLY_ADD32(x) ((x)*0.5f + 1.0f)
#endif

#define DEFINE_FMA(name, real, lanes, multiply_add)                                                          \
    static void name(struct queue *queue, const struct stream *stream)                                       \
    {                                                                                                        \
        BENCH_PARALLEL for (int64_t first = 0; first < stream->count; first += lanes)                        \
        {                                                                                                    \
            real x[STREAM_CHAINS][lanes];                                                                    \
            for (int c = 0; c < STREAM_CHAINS; c++)                                                          \
                for (int l = 0; l < lanes; l++)                                                              \
                    x[c][l] = (real)((first + l) % STREAM_STARTS + c);                                       \
            for (int k = 0; k < stream->rounds; k++)                                                         \
                for (int c = 0; c < STREAM_CHAINS; c++)                                                      \
                    BENCH_SIMD for (int l = 0; l < lanes; l++) x[c][l] = multiply_add(x[c][l]);              \
            for (int l = 0; l < lanes && first + l < stream->count; l++) {                                   \
                real sum = 0;                                                                                \
                for (int c = 0; c < STREAM_CHAINS; c++)                                                      \
                    sum += x[c][l];                                                                          \
                stream->to[first + l] = (double)sum;                                                         \
            }                                                                                                \
        }                                                                                                    \
    }
DEFINE_FMA(fma_wide, double, 8, MULTIPLY_ADD64)
DEFINE_FMA(fma_narrow, float, 16, MULTIPLY_ADD32)

/* [*begin, *end) <- part t of 64 of a reading or copying loop */
static void part_of(int64_t count, int t, int64_t *begin, int64_t *end)
{
    *begin = count * t / 64;
    *end = count * (t + 1) / 64;
}

static void read_all(struct queue *queue, const struct stream *stream)
{
    BENCH_PARALLEL for (int t = 0; t < 64; t++)
    {
        int64_t begin, end;
        double sum[8] = {0};
        part_of(stream->count, t, &begin, &end);
        for (int64_t i = begin; i + 8 <= end; i += 8)
            BENCH_SIMD for (int l = 0; l < 8; l++) sum[l] += stream->from[i + l];
        for (int64_t i = end - (end - begin) % 8; i < end; i++)
            sum[0] += stream->from[i];
        stream->to[t] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    }
}

static void copy_all(struct queue *queue, const struct stream *stream)
{
    BENCH_PARALLEL for (int t = 0; t < 64; t++)
    {
        int64_t begin, end;
        part_of(stream->count, t, &begin, &end);
        memcpy(stream->to + begin, stream->from + begin, (size_t)(end - begin) * sizeof *stream->to);
    }
}

static void write_all(struct queue *queue, const struct stream *stream)
{
    double value = stream->value;
    BENCH_PARALLEL for (int64_t i = 0; i < stream->count; i++) stream->to[i] = value;
}

static void do_nothing(struct queue *queue, const struct stream *stream)
{
    (void)stream;
#pragma omp parallel num_threads(cpu_threads(queue))
    {
    }
}

void CLONE_NAME(stream_cpu)(struct queue *queue, const struct stream *stream)
{
    static void (*const kernel[])(struct queue *, const struct stream *) = {
        [STREAM_COPY] = copy_all,  [STREAM_READ] = read_all,    [STREAM_WRITE] = write_all,
        [STREAM_FMA64] = fma_wide, [STREAM_FMA32] = fma_narrow, [STREAM_EMPTY] = do_nothing};
    kernel[stream->kind](queue, stream);
}

#endif
#ifdef __CUDACC__

enum { PARTS = 2048 };

static __global__ void copy_all(double2 *to, const double2 *from, int64_t pairs)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < pairs)
        to[i] = from[i];
}

static __global__ void write_all(double2 *to, double value, int64_t pairs)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < pairs)
        to[i] = make_double2(value, value);
}

/* to[block] <- the sum of the words that the block reads */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    read_all(double *to, const double2 *from, int64_t pairs)
{
    int64_t step = (int64_t)gridDim.x * BLOCK_THREADS;
    double sum[4] = {0, 0, 0, 0};
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
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
    write_block_sum(to + blockIdx.x, (sum[0] + sum[1]) + (sum[2] + sum[3]));
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
static __global__ void __launch_bounds__(BLOCK_THREADS) chains(double *to, int64_t count, int rounds)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
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
    unsigned for_pairs = blocks_for(pairs, BLOCK_THREADS), for_all = blocks_for(s->count, BLOCK_THREADS);
    unsigned parts = for_pairs < PARTS ? for_pairs : (unsigned)PARTS;
    cudaStream_t stream = cuda(queue)->stream;
    if (s->kind == STREAM_COPY)
        copy_all<<<for_pairs, BLOCK_THREADS, 0, stream>>>((double2 *)s->to, (const double2 *)s->from, pairs);
    else if (s->kind == STREAM_READ)
        read_all<<<parts, BLOCK_THREADS, 0, stream>>>(s->to, (const double2 *)s->from, pairs);
    else if (s->kind == STREAM_WRITE)
        write_all<<<for_pairs, BLOCK_THREADS, 0, stream>>>((double2 *)s->to, s->value, pairs);
    else if (s->kind == STREAM_FMA64)
        chains<double><<<for_all, BLOCK_THREADS, 0, stream>>>(s->to, s->count, s->rounds);
    else if (s->kind == STREAM_FMA32)
        chains<float><<<for_all, BLOCK_THREADS, 0, stream>>>(s->to, s->count, s->rounds);
    else
        nothing<<<1, 32, 0, stream>>>();
    CUDA_LAUNCHED(queue);
}

#endif
