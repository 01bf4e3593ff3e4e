/* backend.c: the tables of the backends, and which of them this machine can run. */
#include "kernels/backend.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/conjugate.h"
#include "kernels/control.h"
#include "kernels/ionic.h"
#include "kernels/jacobi.h"
#include "kernels/product.h"
#include "kernels/queue.h"
#include "kernels/record.h"
#include "kernels/refresh.h"

static enum status wait_cpu(struct queue *queue, struct error *error)
{
    (void)queue, (void)error;
    return STATUS_OK;
}

static void *alloc_cpu(struct queue *queue, size_t bytes)
{
    (void)queue;
    size_t rounded =
        (bytes + 63) / 64 * 64 + 64; /* whole cache lines, and room for a vector load past the end */
    void *memory = aligned_alloc(64, rounded);
    if (memory)
        memset(memory, 0, rounded);
    return memory;
}

static void release_cpu(struct queue *queue, void *memory)
{
    (void)queue;
    free(memory);
}

static enum status upload_cpu(struct queue *queue, void *device, const void *host, size_t bytes,
                              struct error *error)
{
    (void)queue, (void)error;
    if (bytes)
        memcpy(device, host, bytes);
    return STATUS_OK;
}

static enum status download_cpu(struct queue *queue, void *host, const void *device, size_t bytes,
                                struct error *error)
{
    (void)queue, (void)error;
    if (bytes)
        memcpy(host, device, bytes);
    return STATUS_OK;
}

static void repeat_cpu(struct queue *queue, const struct control *control, int times, void (*body)(void *),
                       void *argument)
{
    (void)queue;
    for (int k = 0; k < times && !control->converged && !control->failure; k++)
        body(argument);
}

#define CPU_TABLE(clone)                                                                                     \
    {                                                                                                        \
        .name = "cpu-" #clone, .slice_height = 8, .group = 1, .queue_new = cpu_queue_new,                    \
        .queue_free = cpu_queue_free, .wait = wait_cpu, .alloc = alloc_cpu, .release = release_cpu,          \
        .upload = upload_cpu, .download = download_cpu, .ionic_step = ionic_step_cpu_##clone,                \
        .ionic_current = ionic_current_cpu_##clone, .product = product_cpu_##clone,                          \
        .sweep = jacobi_sweep_cpu_##clone, .refresh = refresh_cpu, .conjugate = conjugate_cpu,               \
        .record = record_cpu_##clone, .repeat = repeat_cpu,                                                  \
    }

/* From the fastest to the one that runs everywhere. */
static const struct backend cpu_tables[] = {
#ifdef CARDIAC_CLONES_X86
    CPU_TABLE(avx512),
    CPU_TABLE(avx2),
#endif
    CPU_TABLE(plain),
};

static int runs_here(const struct backend *backend)
{
#ifdef CARDIAC_CLONES_X86
    if (strcmp(backend->name, "cpu-avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
    if (strcmp(backend->name, "cpu-avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    (void)backend;
    return 1;
}

const struct backend *backend_find(const char *name, struct error *error)
{
    char names[256] = "auto, cpu";
    int any = strcmp(name, "auto") == 0 || strcmp(name, "cpu") == 0;
    for (size_t k = 0; k < sizeof cpu_tables / sizeof *cpu_tables; k++) {
        if (!runs_here(&cpu_tables[k]))
            continue;
        if (any || strcmp(name, cpu_tables[k].name) == 0)
            return &cpu_tables[k];
        strcat(strcat(names, ", "), cpu_tables[k].name);
    }
    error_set(error, STATUS_INPUT, "no device '%s' here; this build and machine have: %s", name, names);
    return NULL;
}
