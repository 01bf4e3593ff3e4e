/* cpu.c: the CPU's queue: threads and events; frames are copied at once, and graphs are not supported. */
#include "kernels/device/cpu.h"

#include <fenv.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/clock.h"
#include "kernels/device/graph.h"
#include "kernels/device/queue.h"
#include "kernels/device/readback.h"

struct cpu_queue {
    struct queue queue;
    int threads;
    double mark[BACKEND_EVENTS];
};

static struct cpu_queue *cpu(struct queue *queue)
{
    return (struct cpu_queue *)queue;
}

enum status cpu_queue_new(struct queue **out, int threads, struct error *error)
{
    *out = NULL;
    if (threads < 0)
        return error_set(error, STATUS_INPUT, "the number of threads cannot be %d", threads);
    struct cpu_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return error_memory(error, "the queue", sizeof *queue);
    queue->threads = threads ? threads : omp_get_num_procs();
    /* Rounding mode and treatment of subnormals affect bits: resets them in every thread, in case a
       library or a parent process has set them. */
#pragma omp parallel num_threads(queue->threads)
    fesetenv(FE_DFL_ENV);
    *out = &queue->queue;
    return STATUS_OK;
}

void cpu_queue_free(struct queue *queue)
{
    free(queue);
}

void cpu_event_record(struct queue *queue, int k)
{
    cpu(queue)->mark[k] = clock_seconds();
}

double cpu_event_elapsed(struct queue *queue, int k)
{
    return cpu(queue)->mark[k + 1] - cpu(queue)->mark[k];
}

int cpu_threads(const struct queue *queue)
{
    return ((const struct cpu_queue *)queue)->threads;
}

void cpu_set_threads(struct queue *queue, int threads)
{
    cpu(queue)->threads = threads;
}

bool graph_replay_cpu(struct queue *queue, const void *key, size_t bytes)
{
    (void)queue, (void)key, (void)bytes;
    return false;
}

void graph_begin_cpu(struct queue *queue, const void *key, size_t bytes)
{
    (void)queue, (void)key, (void)bytes;
}

void graph_end_cpu(struct queue *queue)
{
    (void)queue;
}

void graph_drop_cpu(struct queue *queue)
{
    (void)queue;
}

struct readback {
    char *host[READBACK_MOST];
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
    for (int slot = 0; fetch && slot < READBACK_MOST; slot++)
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
