/* queue.h: the handle of a device: its backend, its memory and its stream of work.
 *
 * Its operations are called as queue->backend->solve(queue, ...). */
#ifndef CARDIAC_KERNELS_DEVICE_QUEUE_H
#define CARDIAC_KERNELS_DEVICE_QUEUE_H

#include "kernels/device/backend.h"

/* Each backend extends this struct: kernels/device/cpu.c, cuda.cuh */
struct queue {
    const struct backend *backend;
};

/* ordinal: threads of a CPU (0 = all), number of a GPU. Errors: STATUS_INPUT if there is no such ordinal,
 * STATUS_RUN if it cannot be used. */
enum status queue_new(struct queue **queue, const struct backend *backend, int ordinal, struct error *error);
void queue_free(struct queue *queue); /* NULL is accepted */

/* Zeroed device memory for count items; errors as array_new (kernels/base/array.h). */
void *device_array(struct queue *queue, int64_t count, size_t size, const char *what, enum status *status,
                   struct error *error);
void device_release(struct queue *queue, const void *memory); /* NULL is accepted */

enum status device_upload(struct queue *queue, void *device, const void *host, size_t bytes,
                          struct error *error);
enum status device_download(struct queue *queue, void *host, const void *device, size_t bytes,
                            struct error *error);

#endif
