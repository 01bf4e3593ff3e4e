/* test_queue.c: the CPU's queue: threads, memory, events and frames; names of devices; units of GPUs, from the peaks in their data sheets. */
#include "kernels/device/queue.h"

#include <malloc.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "kernels/base/clock.h"
#include "kernels/device/cpu.h"
#include "kernels/device/cuda_device.h"
#include "kernels/device/readback.h"
#include "tests/support/case.h"

/* Whole cache lines, and one more for loads beyond the end, all zeroed */
static void test_memory(struct queue *queue)
{
    struct error error = {0};
    for (int turn = 0; turn < 2; turn++)
        for (size_t bytes = 1; bytes < 200; bytes += bytes < 66 ? 1 : 13) {
            const size_t whole = (bytes / 64 + (bytes % 64 > 0) + 1) * 64;
            unsigned char *memory = queue->backend->alloc(queue, bytes);
            CHECK(memory && (uintptr_t)memory % 64 == 0, "%zu bytes at %p", bytes, (void *)memory);
            CHECK(malloc_usable_size(memory) >= whole && malloc_usable_size(memory) < whole + 64,
                  "room for %zu, want %zu", malloc_usable_size(memory), whole);
            for (size_t k = 0; k < whole; k++)
                CHECK(memory[k] == 0, "byte %zu of %zu is not zeroed", k, bytes);
            memset(memory, 0xff, whole); /* which is there when it is allocated again */
            queue->backend->release(queue, memory);
        }
    char device[8] = "abcdefg", host[8] = "1234567";
    CHECK_OK(device_upload(queue, device, host, 3, &error), error);
    CHECK(!strcmp(device, "123defg"), "%s", device);
    CHECK_OK(device_download(queue, host + 2, device, 4, &error), error);
    CHECK(!strcmp(host, "12123d7"), "%s", host);
    CHECK_OK(device_upload(queue, NULL, NULL, 0, &error), error);
    CHECK_OK(device_download(queue, NULL, NULL, 0, &error), error);
    double available, peak = 1;
    queue->backend->memory(queue, &available, &peak);
    CHECK(available == (double)INFINITY && peak == 0 && queue->backend->architecture(queue) == 0, "%g, %g",
          available, peak);
}

static void test_threads(const struct backend *backend)
{
    struct error error = {0};
    struct queue *queue;
    CHECK(cpu_queue_new(&queue, -1, &error) == STATUS_INPUT && !queue && strstr(error.text, "-1"), "%s",
          error.text);
    for (int threads = 0; threads < 4; threads++) {
        CHECK_OK(queue_new(&queue, backend, threads, &error), error);
        CHECK(cpu_threads(queue) == (threads ? threads : omp_get_num_procs()), "%d threads",
              cpu_threads(queue));
        CHECK(queue->backend == backend, "another backend");
        cpu_set_threads(queue, 7);
        CHECK(cpu_threads(queue) == 7, "%d threads", cpu_threads(queue));
        queue_free(queue);
    }
    queue_free(NULL);
}

/* Mark k + 1 less mark k, between the clock's times around them */
static void test_events(struct queue *queue)
{
    double before[BACKEND_EVENTS], after[BACKEND_EVENTS];
    for (int turn = 0; turn < 2; turn++)
        for (int k = BACKEND_EVENTS - 1; k >= 0; k--) {
            before[k] = clock_seconds();
            queue->backend->event_record(queue, k);
            after[k] = clock_seconds();
            while (clock_seconds() < after[k] + 2e-5)
                ;
        }
    for (int k = 0; k + 1 < BACKEND_EVENTS; k++) {
        const double elapsed = queue->backend->event_elapsed(queue, k);
        CHECK(elapsed >= before[k + 1] - after[k] && elapsed <= after[k + 1] - before[k], "mark %d: %g s", k,
              elapsed);
    }
}

static void test_frames(struct queue *queue)
{
    enum { BYTES = 48 };
    const struct backend *backend = queue->backend;
    for (int slots = 1; slots <= READBACK_MOST; slots += READBACK_MOST - 1) {
        struct readback *fetch;
        struct error error = {0};
        const void *host;
        CHECK_OK(backend->readback_new(queue, BYTES, slots, &fetch, &error), error);
        for (int slot = 0; slot < slots; slot++) {
            unsigned char from[BYTES];
            for (int k = 0; k < BYTES; k++)
                from[k] = (unsigned char)(slot + 3 * k);
            backend->readback_add(queue, fetch, slot, 32, from + 32, 16);
            backend->readback_add(queue, fetch, slot, 0, from, 32);
            backend->readback_add(queue, fetch, slot, 16, NULL, 0);
            CHECK_OK(backend->readback_send(queue, fetch, slot, &error), error);
        }
        for (int slot = 0; slot < slots; slot++) {
            CHECK_OK(backend->readback_arrive(fetch, slot, &host, &error), error);
            for (int k = 0; k < BYTES; k++)
                CHECK(((const unsigned char *)host)[k] == (unsigned char)(slot + 3 * k), "byte %d in slot %d",
                      k, slot);
        }
        backend->readback_free(queue, fetch);
    }
    backend->readback_free(queue, NULL);
}

static void test_names(void)
{
    static const struct {
        const char *name;
        int ordinal;
    } table[] = {{"cuda", 0},       {"cuda:0", 0},  {"cuda:9", 9},   {"cuda:10", 10}, {"cuda:999", 999},
                 {"cuda:1000", -1}, {"cuda:", -1},  {"cuda:1x", -1}, {"cuda:+1", -1}, {"cuda:-1", -1},
                 {"cuda: 1", -1},   {"cuda:x", -1}, {"cuda:/", -1},  {"cuda::", -1}};
    struct backend other = {.name = "cuda"};
    struct error error = {0};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        CHECK(backend_ordinal(&other, table[k].name, 5) == table[k].ordinal, "%s is number %d", table[k].name,
              backend_ordinal(&other, table[k].name, 5));
    CHECK(backend_ordinal(backend_cpu(0), "cpu", 5) == 5, "threads of a CPU");
    size_t tables = 0;
    while (backend_cpu(tables))
        tables++;
    CHECK(tables > 0 && !backend_cpu(tables + 1), "%zu tables", tables);
    const char *last = backend_cpu(tables - 1)->name;
    CHECK(!strcmp(last, "cpu-plain") && backend_find(last, &error) == backend_cpu(tables - 1),
          "the last is %s", last);
    CHECK(backend_find("cpu", &error) && !strncmp(backend_find("cpu", &error)->name, "cpu-", 4), "no CPU");
    static const char *const wrong[] = {"gpu", "cudax", "cudx", "cudx:1", "cpu-", "cpu-plai", "", "CPU"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        CHECK(!backend_find(wrong[k], &error), "there is a %s", wrong[k]);
        CHECK(error.status == STATUS_INPUT && strstr(error.text, "have: auto, cpu, cuda, cpu-") &&
                  strstr(error.text, "cpu-plain"),
              "%s", error.text);
    }
    if (!cuda_devices()) {
        CHECK(!backend_find("cuda", &error) && strstr(error.text, "device 'cuda': "), "%s", error.text);
        CHECK(!backend_find("cuda:1", &error) && strstr(error.text, "device 'cuda:1': "), "%s", error.text);
        CHECK(backend_find("auto", &error) == backend_find("cpu", &error), "auto is no CPU");
    }
    const void *kernel = NULL;
    const char *const kernels[] = {"some"};
    CHECK(backend_cpu(0)->load(NULL, NULL, kernels, &kernel, 1, &error) == STATUS_INPUT, "a CPU loads");
}

/* The power of two nearest to a peak of multiply-adds, in T/s, per multiprocessor and clock, in GHz */
static int units(double peak, int multiprocessors, double clock)
{
    return (int)exp2(round(log2(peak * 1e3 / 2 / multiprocessors / clock)));
}

/* NVIDIA's data sheets and architecture papers: fp32, fp64, dense fp16 in tensor cores; and their number */
static void test_units(void)
{
    static const struct {
        const char *name;
        int major, minor, multiprocessors;
        double clock, fp32, fp64, fp16;
        int tensor_cores;
    } card[] = {{"Tesla P100", 6, 0, 56, 1.48, 10.6, 5.3, 0, 0},
                {"GTX 1080 Ti", 6, 1, 28, 1.582, 11.34, 0.354, 0, 0},
                {"V100", 7, 0, 80, 1.53, 15.7, 7.8, 125, 640},
                {"T4", 7, 5, 40, 1.59, 8.1, 0.254, 65, 320},
                {"A100", 8, 0, 108, 1.41, 19.5, 9.7, 312, 432},
                {"RTX 3090", 8, 6, 82, 1.695, 35.6, 0.556, 142, 328},
                {"RTX 4090", 8, 9, 128, 2.52, 82.6, 1.29, 330, 512},
                {"H100 SXM", 9, 0, 132, 1.98, 66.9, 33.5, 989, 528}};
    for (size_t k = 0; k < sizeof card / sizeof *card; k++) {
        struct cuda_device d = {.major = card[k].major, .minor = card[k].minor};
        device_cores(&d);
        const int n = card[k].multiprocessors;
        CHECK(d.cores32 == units(card[k].fp32, n, card[k].clock), "%s: %d in fp32", card[k].name, d.cores32);
        CHECK(d.cores64 == units(card[k].fp64, n, card[k].clock), "%s: %d in fp64", card[k].name, d.cores64);
        CHECK(d.tensor_rate == (card[k].fp16 > 0 ? units(card[k].fp16, n, card[k].clock) : 0),
              "%s: %d in fp16", card[k].name, d.tensor_rate);
        CHECK(d.tensor_cores * n == card[k].tensor_cores, "%s: %d tensor cores", card[k].name,
              d.tensor_cores);
    }
    static const int unknown[][2] = {{5, 2}, {6, 2}, {7, 2}, {8, 7}, {9, 9}, {10, 0}, {0, 0}};
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
        struct cuda_device d = {.major = unknown[k][0], .minor = unknown[k][1], .cores32 = 1, .cores64 = 2};
        device_cores(&d);
        CHECK(!d.cores32 && !d.cores64 && !d.tensor_cores && !d.tensor_rate, "%d.%d", d.major, d.minor);
    }
    struct error error = {0};
    struct cuda_device d;
    CHECK(cuda_devices() > 0 ||
              (cuda_device_describe(&d, 3, &error) == STATUS_RUN && strstr(error.text, "cuda:3")),
          "%s", error.text);
}

int main(void)
{
    const struct backend *backend = backend_cpu(0);
    while (strcmp(backend->name, "cpu-plain") != 0)
        backend++;
    test_threads(backend);
    struct queue *queue = test_queue(backend, 1);
    test_memory(queue);
    test_events(queue);
    test_frames(queue);
    queue_free(queue);
    test_names();
    test_units();
    return 0;
}
