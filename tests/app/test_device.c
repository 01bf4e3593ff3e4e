/* test_device.c: a device that is too small, is lost in the middle of a run, or computes faster than the disk
 * writes. The functions of app/run/device.h are this file's own: they give a table of the CPU with one of its
 * functions replaced, so that the program's own way through setup, steps, frames and closing is what is
 * tried. */
#include "app/run/device.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/io/store/h5.h"
#include "app/util/command.h"
#include "kernels/device/readback.h"
#include "tests/support/check.h"

enum plant { PLANT_NONE, PLANT_SMALL, PLANT_LOST, PLANT_LOST_FRAME, PLANT_SLOW };

static struct plan {
    enum plant plant;
    struct backend table;
    const struct backend *cpu;
    int left;         /* steps or frames until the device is lost */
    atomic_int steps; /* taken so far */
    double capacity;  /* bytes of a small one */
} plan;

static const char loss[] = "the GPU cuda:0 failed in running the steps: unspecified launch failure "
                           "(cudaErrorLaunchFailure)";

static enum status lost(struct error *error)
{
    return error_set(error, STATUS_RUN, "%s", loss);
}

static void planted_end(struct queue *queue, int64_t rows, const struct step_end *end)
{
    plan.left -= plan.plant == PLANT_LOST;
    atomic_fetch_add(&plan.steps, 1);
    plan.cpu->step_end(queue, rows, end);
}

static enum status planted_download(struct queue *queue, void *host, const void *device, size_t bytes,
                                    struct error *error)
{
    if (plan.plant == PLANT_LOST && plan.left < 0)
        return lost(error);
    return plan.cpu->download(queue, host, device, bytes, error);
}

static enum status planted_arrive(struct readback *fetch, int slot, const void **host, struct error *error)
{
    const struct timespec pause = {0, 20000000};
    if (plan.plant == PLANT_LOST_FRAME && plan.left-- <= 0)
        return lost(error);
    for (int before = -1; plan.plant == PLANT_SLOW && before != atomic_load(&plan.steps);) {
        before = atomic_load(&plan.steps); /* slower than any steps: it waits until none are taken */
        nanosleep(&pause, NULL);
    }
    return plan.cpu->readback_arrive(fetch, slot, host, error);
}

static void planted_memory(struct queue *queue, double *available, double *peak)
{
    plan.cpu->memory(queue, available, peak);
    if (plan.plant == PLANT_SMALL)
        *available = plan.capacity;
    *peak = 12.5e6;
}

enum status device_open(const char *name, int threads, struct queue **queue, struct error *error)
{
    (void)name;
    omp_set_num_threads(threads ? threads : 1);
    plan.cpu = backend_find("cpu", error);
    plan.table = *plan.cpu;
    plan.table.step_end = planted_end;
    plan.table.download = planted_download;
    plan.table.readback_arrive = planted_arrive;
    plan.table.memory = planted_memory;
    return queue_new(queue, &plan.table, threads ? threads : 1, error);
}

void device_wake(struct device_waking *waking, const char *name)
{
    *waking = (struct device_waking){.name = name};
}

void device_awake(struct device_waking *waking)
{
    waking->running = false;
}

enum status device_open_rank(const char *name, int threads, struct comm *comm, struct queue **queue,
                             struct error *error)
{
    (void)comm;
    return device_open(name, threads, queue, error);
}

static const char path[] = "test_device.yaml", directory[] = "test_device.out";

static void write_config(void)
{
    FILE *file = fopen(path, "w");
    CHECK(file, "%s", path);
    fprintf(
        file,
        "version: 1\n"
        "mesh: {slab: {size: [4 mm, 2.2 mm, 1 mm], spacing: 0.2 mm}}\n"
        "tissue:\n"
        "  surface_to_volume: 1400 /cm\n"
        "  capacitance: 1 uF/cm^2\n"
        "  regions:\n"
        "    - {tags: all, model: mitchell-schaeffer, conductivity: 0.1 S/m}\n"
        "stimuli:\n"
        "  - {name: S1, box: {min: [0 mm, 0 mm, 0 mm], max: [1 mm, 1 mm, 1 mm]}, duration: 1 ms, current: 50 "
        "uA/uF}\n"
        "time: {end: 4 ms, step: 0.02 ms}\n"
        "output: {directory: %s, every: 0.1 ms, fields: [V]}\n"
        "checkpoint: {every: 1 ms}\n",
        directory);
    CHECK(fclose(file) == 0, "%s", path);
}

static enum status run(enum plant plant, int left, const char *device, struct error *error)
{
    char set[64];
    snprintf(set, sizeof set, "device=%s", device);
    char *argv[] = {"run", (char *)(uintptr_t)path, "--overwrite", "--quiet", "--set", set, NULL};
    plan.plant = plant;
    plan.left = left;
    plan.capacity = 100e3;
    return command_run(6, argv, error);
}

/* Frames of the result, which opens and whose last is whole */
static int frames(void)
{
    struct error error = {0};
    struct h5_file file;
    struct h5_array times;
    CHECK_OK(h5_open(&file, "test_device.out/run.vtkhdf", false, &error), error);
    CHECK_OK(h5_array_open(&times, &file, "/VTKHDF/Steps/Values", true, 1, &error), error);
    int count = (int)times.values;
    double *time = calloc((size_t)count + 1, sizeof *time);
    CHECK_OK(h5_array_read(&times, &file, "Values", H5T_NATIVE_DOUBLE, time, &error), error);
    for (int k = 0; k < count; k++)
        CHECK(fabs(time[k] - 0.1 * k) < 1e-12, "frame %d is at %g ms", k, time[k]);
    free(time);
    h5_array_close(&times);
    h5_close(&file, NULL);
    return count;
}

static bool log_says(const char *text)
{
    char line[1024];
    bool found = false;
    FILE *file = fopen("test_device.out/run.log", "r");
    CHECK(file, "no log");
    while (fgets(line, sizeof line, file))
        found = found || strstr(line, text);
    fclose(file);
    return found;
}

/* After 137 steps: two beyond the frame at 2.7 ms */
static void test_lost(void)
{
    struct error error = {0};
    CHECK(run(PLANT_LOST, 137, "cpu", &error) == STATUS_RUN, "a lost device went unseen");
    CHECK(strstr(error.text, "cudaErrorLaunchFailure"), "%s", error.text);
    CHECK(strstr(error.text, "the last good checkpoint is checkpoint-100.h5"), "%s", error.text);
    CHECK(!strstr(error.text, "mm)"), "a node is blamed: %s", error.text);
    CHECK(frames() == 28, "%d frames, want 28", frames());
    CHECK(log_says("cudaErrorLaunchFailure"), "the log does not say it");
}

/* Each frame arrives in two parts, its fields and its largest V; after 13 of them and a checkpoint */
static void test_lost_frame(void)
{
    struct error error = {0};
    CHECK(run(PLANT_LOST_FRAME, 2 * 13 + 1, "cpu", &error) == STATUS_RUN, "a lost frame went unseen");
    CHECK(strstr(error.text, "cudaErrorLaunchFailure"), "%s", error.text);
    CHECK(strstr(error.text, "the last good checkpoint is checkpoint-50.h5"), "%s", error.text);
    CHECK(frames() == 13, "%d frames, want 13 beside a checkpoint", frames());
}

static void test_small(void)
{
    struct error error = {0};
    char *check[] = {"check", (char *)(uintptr_t)path, "--set", "device=cuda", NULL};
    CHECK(run(PLANT_SMALL, 0, "cuda", &error) == STATUS_INPUT, "too small a device: %s", error.text);
    for (int k = 0; k < 2; k++) {
        CHECK(strstr(error.text, "1512 nodes need up to"), "%s", error.text);
        CHECK(strstr(error.text, "device cuda has 0.1 MB free"), "%s", error.text);
        CHECK(strstr(error.text, "ionic.state: mixed"), "what would help is not said: %s", error.text);
        if (k == 0)
            CHECK(command_check(4, check, &error) == STATUS_INPUT, "check: %s", error.text);
    }
}

static void test_slow(void)
{
    struct error error = {0};
    CHECK_OK(run(PLANT_NONE, 0, "cpu", &error), error);
    CHECK(frames() == 41, "%d frames, want 41", frames());
    CHECK(log_says("device memory: 12.5 MB at the most"), "the device's peak is not said");
    CHECK_OK(run(PLANT_SLOW, 0, "cpu", &error), error);
    CHECK(frames() == 41, "%d frames, want 41", frames());
    CHECK(log_says("output was the limit for"), "a full queue is not said");
}

int main(void)
{
    write_config();
    test_lost();
    test_lost_frame();
    test_slow();
    test_small();
    fprintf(stderr, "test_device: passed\n");
    return 0;
}
