/* vectors.c: whole vectors and the clock on the CPU. */
#include "kernels/bench/vectors.h"

#include "kernels/base/clock.h"
#include "kernels/device/cpu.h"

void vectors_copy_cpu(struct queue *queue, int64_t count, const double *in, double *out64, float *out32)
{
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (int64_t i = 0; i < count; i++) {
        if (out64)
            out64[i] = in[i];
        if (out32)
            out32[i] = (float)in[i];
    }
}

void vectors_gather_cpu(struct queue *queue, int64_t count, const int32_t *order, const double *in,
                        double *out)
{
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (int64_t i = 0; i < count; i++)
        out[i] = in[order[i]];
}

uint64_t vectors_texture_cpu(struct queue *queue, const void *memory, int64_t count, int size)
{
    (void)queue, (void)memory, (void)count, (void)size;
    return 0;
}

void vectors_texture_free_cpu(struct queue *queue, uint64_t texture)
{
    (void)queue, (void)texture;
}

double vectors_time_cpu(struct queue *queue, void (*body)(void *), void *argument, int runs)
{
    (void)queue;
    double begin = clock_seconds();
    for (int k = 0; k < runs; k++)
        body(argument);
    return (clock_seconds() - begin) / runs;
}
