/* cuda_device.h: GPUs: which there are, their queue and their memory. */
#ifndef CARDIAC_KERNELS_DEVICE_CUDA_DEVICE_H
#define CARDIAC_KERNELS_DEVICE_CUDA_DEVICE_H

#include <stddef.h>

#include "kernels/base/error.h"

struct queue;

/* The layout of the matrix that the kernels read */
enum { CUDA_HEIGHT = 32, CUDA_GROUP = 4 };

/* Usable GPUs here; 0 without a driver. */
int cuda_devices(void);

/* Properties of GPU number k for display. */
struct cuda_device {
    char name[256];
    char id[16];      /* that no other GPU of any machine has */
    int major, minor; /* compute capability */
    int multiprocessors, warp;
    double memory;               /* bytes */
    double second_cache;         /* bytes of L2 */
    double clock, mem_rate;      /* Hz of the cores; bytes/s of the memory */
    int threads, blocks;         /* most of them on a multiprocessor */
    int block_threads;           /* most in a block */
    double shared, shared_block; /* bytes of a multiprocessor, and the most that a block may ask for */
    double constant;             /* bytes */
    int registers;               /* 32-bit ones of a multiprocessor */
    /* Units of a multiprocessor, by its compute capability; 0 where that is not known here */
    int units32, units64, tensor_units; /* fused multiply-adds a clock in fp32, fp64; tensor cores */
    int tensor_rate;                    /* fp16 multiply-adds a clock of all its tensor cores, dense */
};
enum status cuda_device_describe(struct cuda_device *device, int k, struct error *error);
/* The units of its compute capability (cuda_units.c) */
void device_units(struct cuda_device *device);

/* A stream on GPU number `place`. Errors: STATUS_INPUT if there is no such GPU, STATUS_RUN if it cannot be
 * used. */
enum status cuda_queue_new(struct queue **queue, int place, struct error *error);
void cuda_queue_free(struct queue *queue); /* NULL is accepted */

/* Waits for all that was placed. Errors: STATUS_RUN with the first thing that went wrong since the last wait,
 * a launch or a transfer included. */
enum status cuda_wait(struct queue *queue, struct error *error);

void *cuda_alloc(struct queue *queue, size_t bytes); /* zeroed; NULL when there is none left */
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
