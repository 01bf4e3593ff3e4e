/* faulty_device.c: the program with a device that fails: linked with it before queue_new (--wrap). The N-th
 * call that can fail of all the process's queues fails, by the environment: DEVICE_FAIL=N; of those that
 * fetch frames alone: FETCH_FAIL=N. With DEVICE_COUNT=FILE both numbers are written there in the end. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/device/queue.h"

static struct backend sound, faulty;
static atomic_long calls, fetches;

static bool is_next(atomic_long *count, const char *name)
{
    const char *at = getenv(name);
    long n = atomic_fetch_add(count, 1) + 1;
    return at && n == atol(at);
}

static bool fails(void)
{
    return is_next(&calls, "DEVICE_FAIL");
}

static bool fetch_fails(void)
{
    bool now = is_next(&fetches, "FETCH_FAIL");
    return fails() || now;
}

static enum status fail(const char *what, struct error *error)
{
    return error_set(error, STATUS_RUN, "the device fails: %s", what);
}

__attribute__((destructor)) static void count(void)
{
    const char *path = getenv("DEVICE_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld %ld\n", atomic_load(&calls), atomic_load(&fetches));
    fclose(file);
}

static enum status wait_faulty(struct queue *queue, struct error *error)
{
    return fails() ? fail("wait", error) : sound.wait(queue, error);
}

static void *alloc_faulty(struct queue *queue, size_t bytes)
{
    return fails() ? NULL : sound.alloc(queue, bytes);
}

static enum status upload_faulty(struct queue *queue, void *device, const void *host, size_t bytes,
                                 struct error *error)
{
    return fails() ? fail("upload", error) : sound.upload(queue, device, host, bytes, error);
}

static enum status download_faulty(struct queue *queue, void *host, const void *device, size_t bytes,
                                   struct error *error)
{
    return fails() ? fail("download", error) : sound.download(queue, host, device, bytes, error);
}

static enum status readback_new_faulty(struct queue *queue, size_t bytes, int slots,
                                       struct readback **readback, struct error *error)
{
    *readback = NULL;
    return fails() ? fail("readback_new", error) : sound.readback_new(queue, bytes, slots, readback, error);
}

static enum status readback_send_faulty(struct queue *queue, struct readback *readback, int slot,
                                        struct error *error)
{
    return fetch_fails() ? fail("readback_send", error) : sound.readback_send(queue, readback, slot, error);
}

static enum status readback_arrive_faulty(struct readback *readback, int slot, const void **host,
                                          struct error *error)
{
    return fetch_fails() ? fail("readback_arrive", error)
                         : sound.readback_arrive(readback, slot, host, error);
}

static enum status halo_open_faulty(struct queue *queue, struct halo *halo, double *x, struct error *error)
{
    enum status status = sound.halo_open(queue, halo, x, error);
    return fails() ? fail("halo_open", error) : status;
}

enum status __real_queue_new(struct queue **queue, const struct backend *backend, int ordinal,
                             struct error *error);
enum status __wrap_queue_new(struct queue **queue, const struct backend *backend, int ordinal,
                             struct error *error);

enum status __wrap_queue_new(struct queue **queue, const struct backend *backend, int ordinal,
                             struct error *error)
{
    enum status status = __real_queue_new(queue, backend, ordinal, error);
    if (status)
        return status;
    sound = faulty = *backend;
    faulty.wait = wait_faulty;
    faulty.alloc = alloc_faulty;
    faulty.upload = upload_faulty;
    faulty.download = download_faulty;
    faulty.readback_new = readback_new_faulty;
    faulty.readback_send = readback_send_faulty;
    faulty.readback_arrive = readback_arrive_faulty;
    faulty.halo_open = halo_open_faulty;
    (*queue)->backend = &faulty;
    return STATUS_OK;
}
