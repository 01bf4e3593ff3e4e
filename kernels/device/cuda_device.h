/* cuda_device.h: the GPUs of this machine: their properties, queues and memory. */
#ifndef CARDIAC_KERNELS_DEVICE_CUDA_DEVICE_H
#define CARDIAC_KERNELS_DEVICE_CUDA_DEVICE_H

#include <stddef.h>

#include "kernels/base/error.h"

struct queue;

/* Height of slices, and adjacent entries of a row, in the matrix that the kernels read */
enum { CUDA_HEIGHT = 32, CUDA_GROUP = 4 };

/* The number of usable GPUs; 0 without a driver. */
int cuda_devices(void);

/* Properties of a GPU, for display. */
struct cuda_device {
    char name[256];
    char id[16];      /* unique among all GPUs */
    int major, minor; /* compute capability */
    int multiprocessors, warp;
    double memory;               /* bytes */
    double second_cache;         /* bytes of L2 */
    double clock, mem_rate;      /* Hz of the cores; bytes/s of the memory */
    int threads, blocks;         /* maximum per multiprocessor */
    int block_threads;           /* maximum threads per block */
    double shared, shared_block; /* bytes per multiprocessor; maximum per block */
    double constant;             /* bytes */
    int registers;               /* 32-bit registers per multiprocessor */
    /* Units per multiprocessor, from its compute capability; 0 = unknown */
    int cores32, cores64, tensor_cores; /* fused multiply-adds per clock in fp32, fp64; number of tensor
                                           cores */
    int tensor_rate;                    /* dense fp16 multiply-adds per clock of all its tensor cores */
};
enum status cuda_device_describe(struct cuda_device *device, int k, struct error *error);
/* Sets the cores for the compute capability (cuda_cores.c) */
void device_cores(struct cuda_device *device);

/* A stream on GPU number `ordinal`. Errors: STATUS_INPUT if there is no such GPU, STATUS_RUN if it cannot be
 * used. */
enum status cuda_queue_new(struct queue **queue, int ordinal, struct error *error);
void cuda_queue_free(struct queue *queue); /* NULL is accepted */

/* Waits for all queued work. Errors: STATUS_RUN with the first error since the last wait, including those
 * of launches and transfers. */
enum status cuda_wait(struct queue *queue, struct error *error);

void *cuda_alloc(struct queue *queue, size_t bytes); /* zeroed; NULL if there is not enough */
void cuda_release(struct queue *queue, void *memory);
enum status cuda_upload(struct queue *queue, void *device, const void *host, size_t bytes,
                        struct error *error);
enum status cuda_download(struct queue *queue, void *host, const void *device, size_t bytes,
                          struct error *error);
void cuda_event_record(struct queue *queue, int k);
double cuda_event_elapsed(struct queue *queue, int k);
int cuda_architecture(struct queue *queue);
enum status cuda_load(struct queue *queue, const void *image, const char *const *name, const void **kernel,
                      int count, struct error *error);
void cuda_memory(struct queue *queue, double *available, double *peak);

#endif
