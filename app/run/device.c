/* device.c: open a device by name. */
#include "app/run/device.h"

#include <stdio.h>
#include <string.h>

#include "app/util/cores.h"
#include "kernels/device/cuda_device.h"

enum status device_open(const char *name, int threads, struct queue **queue, struct error *error)
{
    if (strncmp(name, "cpu:", 4) == 0)
        return error_set(error, STATUS_INPUT,
                         "'%.40s': only GPUs are numbered; set the number of CPU threads by threads", name);
    const struct backend *backend = backend_find(name, error);
    if (!backend)
        return STATUS_INPUT;
    threads = cores_threads(threads, INT64_MAX);
    cores_limit(threads);
    return queue_new(queue, backend, backend_ordinal(backend, name, threads), error);
}

/* Opens the device of one rank: the GPU with its local rank's number among those visible to it (ranks may see
 * different GPUs) */
static enum status open_own(const char *name, int threads, const struct comm *comm, struct queue **queue,
                            struct error *error)
{
    const struct backend *backend = comm->size > 1 ? backend_find(name, NULL) : NULL;
    char own[32];
    if (!backend || backend->immediate || comm->local_size == 1)
        return device_open(name, threads, queue, error);
    if (strchr(name, ':'))
        return error_set(error, STATUS_INPUT,
                         "device '%s' is one GPU, which %d ranks of this machine would share; device: cuda "
                         "gives each rank its own",
                         name, comm->local_size);
    snprintf(own, sizeof own, "cuda:%d", comm->local_rank % cuda_devices());
    return device_open(own, threads, queue, error);
}

/* Collective: refuses a GPU that two ranks would share. */
static enum status refuse_shared(const struct comm *comm, struct error *error)
{
    struct cuda_device own = {0};
    int sharing = 0;
    enum status status = cuda_device_describe(&own, comm->local_rank % cuda_devices(), error);
    for (int r = 0; r < comm->size; r++) {
        char id[sizeof own.id];
        memcpy(id, own.id, sizeof id);
        comm->engine->broadcast(comm, COMM_STEPS, r, id, sizeof id);
        sharing += memcmp(id, own.id, sizeof id) == 0;
    }
    if (!status && sharing > 1)
        status =
            error_set(error, STATUS_INPUT,
                      "%d ranks were started on this machine, but only %d GPUs are visible here: start fewer "
                      "ranks, or use --device cpu",
                      comm->local_size, cuda_devices());
    return comm_agree(comm, COMM_STEPS, status, error);
}

/* First each rank opens its own device, then all together the links between their GPUs. */
enum status device_open_rank(const char *name, int threads, struct comm *comm, struct queue **queue,
                             struct error *error)
{
    enum status status = open_own(name, threads, comm, queue, error);
    status = comm_agree(comm, COMM_STEPS, status, error);
    if (status || comm->size == 1)
        return status;
    uint64_t gpus = !(*queue)->backend->immediate, kinds[] = {gpus, !gpus};
    comm->engine->largest(comm, COMM_STEPS, kinds, 2);
    if (kinds[0] == kinds[1])
        return error_set(error, STATUS_INPUT, "device '%s' is a GPU on some ranks and the CPU on others",
                         name);
    if (!gpus)
        return STATUS_OK;
    status = refuse_shared(comm, error);
    if (status)
        return status;
    if (!comm->engine->device_open)
        return error_set(error, STATUS_INPUT,
                         "this build has no NCCL, which GPUs need to exchange rows; use --device cpu, or "
                         "rebuild with NCCL (docs/user/large-runs.md)");
    const char *failure = comm->engine->device_open(comm);
    return failure ? error_set(error, STATUS_RUN, "NCCL: %s", failure) : STATUS_OK;
}

/* Creates and frees a queue; the context that this creates remains. */
static void *wake_device(void *argument)
{
    const char *name = ((const struct device_waking *)argument)->name;
    const struct backend *backend = backend_find(name, NULL);
    struct queue *queue = NULL;
    if (backend && !backend->immediate &&
        !queue_new(&queue, backend, backend_ordinal(backend, name, 1), NULL))
        queue_free(queue);
    return NULL;
}

void device_wake(struct device_waking *waking, const char *name)
{
    waking->name = name;
    waking->running =
        strncmp(name, "cpu", 3) != 0 && pthread_create(&waking->thread, NULL, wake_device, waking) == 0;
}

void device_awake(struct device_waking *waking)
{
    if (waking->running)
        pthread_join(waking->thread, NULL);
    waking->running = false;
}
