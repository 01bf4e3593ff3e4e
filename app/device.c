/* device.c: opening a device. */
#include "app/device.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum status device_open(const char *name, int threads, const struct backend **backend, struct queue **queue,
                        struct error *error)
{
    char family[32];
    const char *colon = strchr(name, ':');
    size_t length = colon ? (size_t)(colon - name) : strlen(name);
    if (length >= sizeof family)
        length = sizeof family - 1;
    memcpy(family, name, length);
    family[length] = 0;
    *backend = backend_find(family, error);
    if (!*backend)
        return STATUS_INPUT;
    omp_set_num_threads(threads ? threads : omp_get_num_procs());
    int is_cpu = strncmp((*backend)->name, "cpu", 3) == 0;
    if (is_cpu && colon)
        return error_set(error, STATUS_INPUT,
                         "'%.40s': only GPUs have numbers; the CPU's threads are set by threads", name);
    return (*backend)->queue_new(queue, is_cpu ? threads : colon ? atoi(colon + 1) : 0, error);
}
