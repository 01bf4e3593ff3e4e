/* readback.c: frames of the CPU, copied at once. */
#include "kernels/device/readback.h"

#include <stdlib.h>
#include <string.h>

struct readback {
    char *host[READBACK_SLOTS];
};

enum status readback_new_cpu(struct queue *queue, size_t bytes, int slots, struct readback **out,
                             struct error *error)
{
    struct readback *fetch = calloc(1, sizeof *fetch);
    *out = NULL;
    if (!fetch)
        return error_memory(error, "the frames", sizeof *fetch);
    for (int slot = 0; slot < slots; slot++)
        if (!(fetch->host[slot] = malloc(bytes + 1))) {
            readback_free_cpu(queue, fetch);
            return error_memory(error, "the frames", slots * (double)bytes);
        }
    *out = fetch;
    return STATUS_OK;
}

void readback_free_cpu(struct queue *queue, struct readback *fetch)
{
    (void)queue;
    for (int slot = 0; fetch && slot < READBACK_SLOTS; slot++)
        free(fetch->host[slot]);
    free(fetch);
}

void readback_add_cpu(struct queue *queue, struct readback *fetch, int slot, size_t at, const void *device,
                      size_t bytes)
{
    (void)queue;
    if (bytes)
        memcpy(fetch->host[slot] + at, device, bytes);
}

enum status readback_send_cpu(struct queue *queue, struct readback *fetch, int slot, struct error *error)
{
    (void)queue, (void)fetch, (void)slot, (void)error;
    return STATUS_OK;
}

enum status readback_arrive_cpu(struct readback *fetch, int slot, const void **host, struct error *error)
{
    (void)error;
    *host = fetch->host[slot];
    return STATUS_OK;
}
