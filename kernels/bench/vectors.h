/* vectors.h: what the schemes do with whole vectors between sweeps, and the clock. Contracts in bench.h. */
#ifndef CARDIAC_KERNELS_BENCH_VECTORS_H
#define CARDIAC_KERNELS_BENCH_VECTORS_H

#include "kernels/bench/bench.h"

void vectors_copy_cpu(struct queue *queue, int64_t count, const double *in, double *out64, float *out32);
void vectors_gather_cpu(struct queue *queue, int64_t count, const int32_t *order, const double *in,
                        double *out);
uint64_t vectors_texture_cpu(struct queue *queue, const void *memory, int64_t count, int size);
void vectors_texture_free_cpu(struct queue *queue, uint64_t texture);
double vectors_time_cpu(struct queue *queue, void (*body)(void *), void *argument, int runs);

void vectors_copy_cuda(struct queue *queue, int64_t count, const double *in, double *out64, float *out32);
void vectors_gather_cuda(struct queue *queue, int64_t count, const int32_t *order, const double *in,
                         double *out);
uint64_t vectors_texture_cuda(struct queue *queue, const void *memory, int64_t count, int size);
void vectors_texture_free_cuda(struct queue *queue, uint64_t texture);
double vectors_time_cuda(struct queue *queue, void (*body)(void *), void *argument, int runs);
void vectors_kernel_takes_cuda(const void *kernel, int *registers, int *spilled);

#endif
