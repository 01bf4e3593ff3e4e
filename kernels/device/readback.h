/* readback.h: copies device arrays to the host while the queue continues.
 *
 * Arrays are copied into a frame in the state after all work queued before; work queued later may change
 * them. The frame is then transferred to one of a few host buffers, where another thread waits for it. On
 * a GPU it passes through device memory of a frame's size and a separate stream into pinned buffers, so
 * that the steps need not wait. */
#ifndef CARDIAC_KERNELS_DEVICE_READBACK_H
#define CARDIAC_KERNELS_DEVICE_READBACK_H

#include <stddef.h>

#include "kernels/base/error.h"

enum { READBACK_SLOTS = 4, READBACK_MOST = 32 }; /* slots for whole frames; maximum number of slots */

struct queue;
struct readback;

/* Frames of up to `bytes` in slots 0 .. slots - 1, at most READBACK_MOST. Errors: STATUS_RUN without memory. */
enum status readback_new_cpu(struct queue *queue, size_t bytes, int slots, struct readback **fetch,
                             struct error *error);
enum status readback_new_cuda(struct queue *queue, size_t bytes, int slots, struct readback **fetch,
                              struct error *error);

/* NULL is accepted. Call before its queue is freed, when no thread waits for a frame. */
void readback_free_cpu(struct queue *queue, struct readback *fetch);
void readback_free_cuda(struct queue *queue, struct readback *fetch);

/* Copies bytes from device to offset `at` (a multiple of 16) of the frame in `slot`, whose previous frame
 * must no longer be in use. */
void readback_add_cpu(struct queue *queue, struct readback *fetch, int slot, size_t at, const void *device,
                      size_t bytes);
void readback_add_cuda(struct queue *queue, struct readback *fetch, int slot, size_t at, const void *device,
                       size_t bytes);

/* Starts the transfer of a complete frame; returns at once. Errors: STATUS_RUN with the first error since the
 * last wait of the queue. */
enum status readback_send_cpu(struct queue *queue, struct readback *fetch, int slot, struct error *error);
enum status readback_send_cuda(struct queue *queue, struct readback *fetch, int slot, struct error *error);

/* *host <- the frame in `slot`, once it has arrived. One thread may call it while another one queues work.
 * Errors: STATUS_RUN if the device failed. */
enum status readback_arrive_cpu(struct readback *fetch, int slot, const void **host, struct error *error);
enum status readback_arrive_cuda(struct readback *fetch, int slot, const void **host, struct error *error);

#endif
