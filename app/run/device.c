/* device.c: opening a device. */
#include "app/run/device.h"

#include <omp.h>
#include <string.h>

#include "app/util/cores.h"

enum status device_open(const char *name, int threads, struct queue **queue, struct error *error)
{
    if (strncmp(name, "cpu:", 4) == 0)
        return error_set(error, STATUS_INPUT,
                         "'%.40s': only GPUs have numbers; the CPU's threads are set by threads", name);
    const struct backend *backend = backend_find(name, error);
    if (!backend)
        return STATUS_INPUT;
    threads = cores_threads(threads, INT64_MAX);
    omp_set_num_threads(threads);
    return queue_new(queue, backend, backend_ordinal(backend, name, threads), error);
}
