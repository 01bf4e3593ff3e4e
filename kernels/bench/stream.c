/* stream.c: ceilings of the CPU. */
#include "kernels/bench/stream.h"

#include <math.h>
#include <string.h>

#include "kernels/bench/terms.h"

/* Eight chains in vectors of 64 bytes, which hide the latency of a fused multiply-add; on a machine without
 * it fma() would be a slow call, and multiply and add stand in its place (both are exact here). */
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

/* Part t of 64 that a reading or copying loop takes */
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
