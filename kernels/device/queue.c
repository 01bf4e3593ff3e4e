/* queue.c: see queue.h. */
#include "kernels/device/queue.h"

#include "kernels/base/array.h"

enum status queue_new(struct queue **queue, const struct backend *backend, int ordinal, struct error *error)
{
    enum status status = backend->queue_new(queue, ordinal, error);
    if (!status)
        (*queue)->backend = backend;
    return status;
}

void queue_free(struct queue *queue)
{
    if (queue)
        queue->backend->queue_free(queue);
}

void *device_array(struct queue *queue, int64_t count, size_t size, const char *what, enum status *status,
                   struct error *error)
{
    if (*status)
        return NULL;
    size_t bytes = array_bytes(count, size);
    void *memory = bytes ? queue->backend->alloc(queue, bytes) : NULL;
    if (!memory)
        *status = error_memory(error, what, (double)count * (double)size);
    return memory;
}

void device_release(struct queue *queue, const void *memory)
{
    queue->backend->release(queue, (void *)(uintptr_t)memory);
}

enum status device_upload(struct queue *queue, void *device, const void *host, size_t bytes,
                          struct error *error)
{
    return queue->backend->upload(queue, device, host, bytes, error);
}

enum status device_download(struct queue *queue, void *host, const void *device, size_t bytes,
                            struct error *error)
{
    return queue->backend->download(queue, host, device, bytes, error);
}
