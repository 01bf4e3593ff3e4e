/* readback.c: frames of the CPU: the copy is there when it was asked for. */
#include "kernels/device/readback.h"

#include <stdlib.h>
#include <string.h>

struct fetch {
    char *host[FETCH_SLOTS];
};

enum status fetch_new_cpu(struct queue *queue, size_t bytes, struct fetch **out, struct error *error)
{
    struct fetch *fetch = calloc(1, sizeof *fetch);
    *out = NULL;
    if (!fetch)
        return error_memory(error, "the frames", sizeof *fetch);
    for (int slot = 0; slot < FETCH_SLOTS; slot++)
        if (!(fetch->host[slot] = malloc(bytes + 1))) {
            fetch_free_cpu(queue, fetch);
            return error_memory(error, "the frames", FETCH_SLOTS * (double)bytes);
        }
    *out = fetch;
    return STATUS_OK;
}

void fetch_free_cpu(struct queue *queue, struct fetch *fetch)
{
    (void)queue;
    for (int slot = 0; fetch && slot < FETCH_SLOTS; slot++)
        free(fetch->host[slot]);
    free(fetch);
}

void fetch_add_cpu(struct queue *queue, struct fetch *fetch, int slot, size_t at, const void *device,
                   size_t bytes)
{
    (void)queue;
    if (bytes)
        memcpy(fetch->host[slot] + at, device, bytes);
}

enum status fetch_send_cpu(struct queue *queue, struct fetch *fetch, int slot, struct error *error)
{
    (void)queue, (void)fetch, (void)slot, (void)error;
    return STATUS_OK;
}

enum status fetch_arrive_cpu(struct fetch *fetch, int slot, const void **host, struct error *error)
{
    (void)error;
    *host = fetch->host[slot];
    return STATUS_OK;
}
