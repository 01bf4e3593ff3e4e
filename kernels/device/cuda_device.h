/* cuda_device.h: the GPUs of this machine, their queue and their memory. */
#ifndef CARDIAC_KERNELS_DEVICE_CUDA_DEVICE_H
#define CARDIAC_KERNELS_DEVICE_CUDA_DEVICE_H

#include <stddef.h>

#include "kernels/base/error.h"

struct queue;

/* Height of slices and entries of a group in the matrix that the kernels read */
enum { CUDA_HEIGHT = 32, CUDA_GROUP = 4 };

/* Usable GPUs here; 0 without a driver. */
int cuda_devices(void);

/* Properties of GPU number k for display. */
struct cuda_device {
    char name[256];
    char id[16];      /* unique among all GPUs */
    int major, minor; /* compute capability */
    int multiprocessors, warp;
    double memory;               /* bytes */
    double second_cache;         /* bytes of L2 */
    double clock, mem_rate;      /* Hz of the cores; bytes/s of the memory */
    int threads, blocks;         /* most threads on a multiprocessor */
    int block_threads;           /* most in a block */
    double shared, shared_block; /* bytes of a multiprocessor, and the most for one block */
    double constant;             /* bytes */
    int registers;               /* 32-bit ones of a multiprocessor */
    /* Units of a multiprocessor, by its compute capability; 0 = unknown */
    int cores32, cores64, tensor_cores; /* fused multiply-adds a clock in fp32, fp64; tensor cores */
    int tensor_rate;                    /* fp16 multiply-adds a clock of all its tensor cores, dense */
};
enum status cuda_device_describe(struct cuda_device *device, int k, struct error *error);
/* The cores of its compute capability (cuda_cores.c) */
void device_cores(struct cuda_device *device);

/* A stream on GPU number `ordinal`. Errors: STATUS_INPUT if there is no such GPU, STATUS_RUN if it cannot be
 * used. */
enum status cuda_queue_new(struct queue **queue, int ordinal, struct error *error);
void cuda_queue_free(struct queue *queue); /* NULL is accepted */

/* Waits for all queued work. Errors: STATUS_RUN with the first error since the last wait, also of launches
 * and transfers. */
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
