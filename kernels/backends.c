/* backends.c: the tables of the backends, and the choice of one that this machine supports. */
#include "kernels/base/printed.h"
#include "kernels/device/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device/cpu.h"
#include "kernels/device/graph.h"
#include "kernels/device/queue.h"
#include "kernels/device/readback.h"
#include "kernels/ionic/ionic.h"
#include "kernels/ops/control.h"
#include "kernels/ops/gather_trial.h"
#include "kernels/ops/halo.h"
#include "kernels/ops/pick.h"
#include "kernels/ops/rewind.h"
#include "kernels/ops/rhs.h"
#include "kernels/ops/solve.h"
#include "kernels/ops/step_end.h"
#include "kernels/ops/weighted_sum.h"

static enum status wait_cpu(struct queue *queue, struct error *error)
{
    (void)queue, (void)error;
    return STATUS_OK;
}

static void *alloc_cpu(struct queue *queue, size_t bytes)
{
    (void)queue;
    size_t rounded =
        (bytes + 63) / 64 * 64 + 64; /* whole cache lines, plus space for a vector load past the end */
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

static int architecture_cpu(struct queue *queue)
{
    (void)queue;
    return 0;
}

static enum status load_cpu(struct queue *queue, const void *image, const char *const *name,
                            const void **kernel, int count, struct error *error)
{
    (void)queue, (void)image, (void)kernel, (void)count;
    return error_set(error, STATUS_INPUT, "%s: a CPU has no such kernels", name[0]);
}

static void memory_cpu(struct queue *queue, double *available, double *peak)
{
    (void)queue;
    *available = INFINITY;
    *peak = 0;
}

/* cells, rows: the clones used for the loops over cells and over rows */
#define CPU_TABLE(title, cells, rows)                                                                        \
    {                                                                                                        \
        .name = title, .slice_height = 8, .group = 1, .immediate = 1, .queue_new = cpu_queue_new,            \
        .queue_free = cpu_queue_free, .wait = wait_cpu, .memory = memory_cpu, .alloc = alloc_cpu,            \
        .release = release_cpu, .upload = upload_cpu, .download = download_cpu,                              \
        .readback_new = readback_new_cpu, .readback_free = readback_free_cpu,                                \
        .readback_add = readback_add_cpu, .readback_send = readback_send_cpu,                                \
        .readback_arrive = readback_arrive_cpu, .ionic_step = ionic_step_cpu_##cells,                        \
        .ionic_current = ionic_current_cpu_##cells, .architecture = architecture_cpu, .load = load_cpu,      \
        .rhs = rhs_cpu_##rows, .solve = solve_cpu_##rows, .step_end = step_end_cpu_##cells,                  \
        .halo_open = halo_open_cpu, .halo_close = halo_close_cpu, .exchange = halo_exchange_cpu,             \
        .weighted_sum = weighted_sum_cpu, .pick = pick_cpu, .pick_largest = pick_largest_cpu,                \
        .hold = rewind_hold_cpu, .change = rewind_change_cpu, .copy = rewind_copy_cpu,                       \
        .event_record = cpu_event_record, .event_elapsed = cpu_event_elapsed,                                \
        .graph_replay = graph_replay_cpu, .graph_begin = graph_begin_cpu, .graph_end = graph_end_cpu,        \
        .graph_drop = graph_drop_cpu,                                                                        \
    }

/* Fastest first; the last one runs on every machine */
static const struct backend cpu_tables[] = {
#ifdef CARDIAC_CLONES_AVX512
    CPU_TABLE("cpu-avx512", avx512, avx512),
    CPU_TABLE("cpu-avx512-loads", avx512, avx512_loads),
#endif
#ifdef CARDIAC_CLONES_X86
    CPU_TABLE("cpu-avx2", avx2, avx2),
#endif
    CPU_TABLE("cpu-plain", plain, plain),
};

#ifdef CARDIAC_CUDA
#include "kernels/device/cuda_device.h"

static const struct backend cuda_table = {
    .name = "cuda",
    .slice_height = CUDA_HEIGHT,
    .group = CUDA_GROUP,
    .queue_new = cuda_queue_new,
    .queue_free = cuda_queue_free,
    .wait = cuda_wait,
    .memory = cuda_memory,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .upload = cuda_upload,
    .download = cuda_download,
    .readback_new = readback_new_cuda,
    .readback_free = readback_free_cuda,
    .readback_add = readback_add_cuda,
    .readback_send = readback_send_cuda,
    .readback_arrive = readback_arrive_cuda,
    .ionic_step = ionic_step_cuda,
    .ionic_current = ionic_current_cuda,
    .architecture = cuda_architecture,
    .load = cuda_load,
    .rhs = rhs_cuda,
    .solve = solve_cuda,
    .step_end = step_end_cuda,
    .halo_open = halo_open_cuda,
    .halo_close = halo_close_cuda,
    .exchange = halo_exchange_cuda,
    .weighted_sum = weighted_sum_cuda,
    .pick = pick_cuda,
    .pick_largest = pick_largest_cuda,
    .hold = rewind_hold_cuda,
    .change = rewind_change_cuda,
    .copy = rewind_copy_cuda,
    .event_record = cuda_event_record,
    .event_elapsed = cuda_event_elapsed,
    .graph_replay = graph_replay_cuda,
    .graph_begin = graph_begin_cuda,
    .graph_end = graph_end_cuda,
    .graph_drop = graph_drop_cuda,
};

static const struct backend *find_cuda(const char *name, struct error *error)
{
    int devices = cuda_devices(), ordinal = backend_ordinal(&cuda_table, name, 0);
    if (ordinal >= 0 && ordinal < devices)
        return &cuda_table;
    if (devices == 0)
        error_set(error, STATUS_INPUT,
                  "device '%s': no usable NVIDIA GPU here (nvidia-smi shows what the driver sees); use cpu",
                  name);
    else if (ordinal < 0)
        error_set(error, STATUS_INPUT, "device '%s' is not 'cuda' or 'cuda:N', N a number from 0 to %d", name,
                  devices - 1);
    else
        error_set(error, STATUS_INPUT, "there is no device '%s': this machine has %d, cuda:0 to cuda:%d",
                  name, devices, devices - 1);
    return NULL;
}

static const struct backend *any_cuda(void)
{
    return cuda_devices() > 0 ? &cuda_table : NULL;
}
#else
static const struct backend *find_cuda(const char *name, struct error *error)
{
    error_set(
        error, STATUS_INPUT,
        "device '%s': this program was built without CUDA; install the CUDA Toolkit (12.4 or later), put "
        "nvcc on the PATH and build again (docs/user/large-runs.md), or use cpu",
        name);
    return NULL;
}

static const struct backend *any_cuda(void)
{
    return NULL;
}
#endif

static int runs_here(const struct backend *backend)
{
#ifdef CARDIAC_CLONES_X86
    if (strncmp(backend->name, "cpu-avx512", 10) == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
    if (strcmp(backend->name, "cpu-avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    (void)backend;
    return 1;
}

/* Whether the next table is faster: AVX-512 on a processor with slow gathers */
static int is_outrun(const struct backend *backend)
{
#ifdef CARDIAC_CLONES_AVX512
    return strcmp(backend->name, "cpu-avx512") == 0 && gather_trial_avx512_loads() < gather_trial_avx512();
#else
    return (void)backend, 0;
#endif
}

int backend_ordinal(const struct backend *backend, const char *name, int threads)
{
    if (backend->immediate)
        return threads;
    if (strncmp(name, "cuda:", 5) != 0)
        return 0;
    char *end;
    long ordinal = strtol(name + 5, &end, 10);
    return name[5] >= '0' && name[5] <= '9' && !*end && ordinal < 1000 ? (int)ordinal : -1;
}

const struct backend *backend_cpu(size_t k)
{
    return k < sizeof cpu_tables / sizeof *cpu_tables ? &cpu_tables[k] : NULL;
}

const struct backend *backend_find(const char *name, struct error *error)
{
    char names[256] = "auto, cpu, cuda";
    int any = strcmp(name, "auto") == 0 || strcmp(name, "cpu") == 0;
    if (strncmp(name, "cuda", 4) == 0 && (name[4] == ':' || !name[4]))
        return find_cuda(name, error);
    if (strcmp(name, "auto") == 0 && any_cuda())
        return any_cuda();
    for (size_t k = 0; backend_cpu(k); k++) {
        if (!runs_here(&cpu_tables[k]))
            continue;
        if (any ? !is_outrun(&cpu_tables[k]) : strcmp(name, cpu_tables[k].name) == 0)
            return &cpu_tables[k];
        printed_item(names, sizeof names, "%s", cpu_tables[k].name);
    }
    error_set(error, STATUS_INPUT, "no device '%s' here; this build and machine have: %s", name, names);
    return NULL;
}
