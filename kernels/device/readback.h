/* readback.h: device arrays copied to the host while the queue continues.
 *
 * An array is copied beside the others of its frame as it is when all that was placed before is done; work
 * that is placed later may change it. The frame then travels to one of a few buffers of the host,
 * where another thread waits for it. On a GPU it goes through a frame's worth of device memory and a stream
 * of its own into pinned buffers, so that the steps never stand still; the price is that memory. */
#ifndef CARDIAC_KERNELS_DEVICE_READBACK_H
#define CARDIAC_KERNELS_DEVICE_READBACK_H

#include <stddef.h>

#include "kernels/base/error.h"

enum { READBACK_SLOTS = 4 };

struct queue;
struct readback;

/* Frames of up to `bytes` in slots 0 .. slots - 1, at most READBACK_SLOTS. Errors: STATUS_RUN without memory.
 */
enum status readback_new_cpu(struct queue *queue, size_t bytes, int slots, struct readback **fetch,
                             struct error *error);
enum status readback_new_cuda(struct queue *queue, size_t bytes, int slots, struct readback **fetch,
                              struct error *error);

/* NULL is accepted; before its queue is freed, when nobody waits any more. */
void readback_free_cpu(struct queue *queue, struct readback *fetch);
void readback_free_cuda(struct queue *queue, struct readback *fetch);

/* bytes of device -> place `at` (a multiple of 16) of the frame in `slot`, whose last frame nobody reads any
 * more. */
void readback_add_cpu(struct queue *queue, struct readback *fetch, int slot, size_t at, const void *device,
                      size_t bytes);
void readback_add_cuda(struct queue *queue, struct readback *fetch, int slot, size_t at, const void *device,
                       size_t bytes);

/* The frame is complete and goes on its way; returns at once. Errors: STATUS_RUN with what went wrong since
 * the last wait of the queue. */
enum status readback_send_cpu(struct queue *queue, struct readback *fetch, int slot, struct error *error);
enum status readback_send_cuda(struct queue *queue, struct readback *fetch, int slot, struct error *error);

/* *host <- the frame in `slot`, once it is there. Any one thread may call it, beside the one that places
 * work. Errors: STATUS_RUN when the device failed. */
enum status readback_arrive_cpu(struct readback *fetch, int slot, const void **host, struct error *error);
enum status readback_arrive_cuda(struct readback *fetch, int slot, const void **host, struct error *error);

#endif
