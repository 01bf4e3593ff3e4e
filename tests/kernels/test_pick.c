/* test_pick.c: picked elements are those of each type, and the largest V and the first node that has it are those of
 * a plain loop, for any order of the rows and number of threads. */
#include "kernels/ops/pick.h"
#include "tests/support/case.h"

enum { MOST = 70077, PICKED = 300 };

static void *upload(struct queue *queue, const void *host, size_t bytes)
{
    struct error error = {0};
    void *device = queue->backend->alloc(queue, bytes);
    CHECK(device, "no memory");
    CHECK_OK(device_upload(queue, device, host, bytes, &error), error);
    return device;
}

static void test_elements(const struct backend *backend, size_t size)
{
    static double real[MOST];
    static float single[MOST];
    static uint8_t byte[MOST];
    struct error error = {0};
    struct queue *queue = test_queue(backend, 1);
    int32_t element[PICKED];
    double got[PICKED] = {0};
    for (int64_t i = 0; i < MOST; i++) {
        real[i] = bits_random_signed((uint64_t)i);
        single[i] = (float)real[i];
        byte[i] = (uint8_t)(i % 251);
    }
    for (int k = 0; k < PICKED; k++)
        element[k] = (int32_t)((int64_t)k * 7919 % MOST);
    const void *from = size == 8 ? (const void *)real : size == 4 ? (const void *)single : byte;
    struct pick pick = {upload(queue, from, MOST * size), size, upload(queue, element, sizeof element),
                        PICKED, upload(queue, got, sizeof got)};
    queue->backend->pick(queue, &pick);
    CHECK_OK(device_download(queue, got, pick.value, sizeof got, &error), error);
    for (int k = 0; k < PICKED; k++) {
        const int32_t at = element[k];
        const double want = size == 8 ? real[at] : size == 4 ? (double)single[at] : byte[at];
        CHECK(got[k] == want, "element %d of %zu bytes: %.17g, want %.17g", k, size, got[k], want);
    }
    device_release(queue, pick.array);
    device_release(queue, pick.element);
    device_release(queue, pick.value);
    queue_free(queue);
}

/* values: how many different V there are, so that many rows share the largest; every fifth row has no node */
static void test_largest(const struct backend *backend, int threads, int64_t rows, int values, double below)
{
    static double v[MOST];
    static int32_t number[MOST];
    struct error error = {0};
    struct queue *queue = test_queue(backend, threads);
    uint64_t got[2] = {1, 2};
    int64_t first = -1;
    double most = NAN;
    for (int64_t r = 0; r < rows; r++) {
        number[r] = r % 5 == 2 ? -1 : (int32_t)(r * 7 % rows);
        v[r] = r % 5 == 2 ? 1000 : floor(values * bits_random((uint64_t)r)) - below;
        v[r] = r == 3 ? (double)NAN : v[r] == 0 && r % 2 ? -0.0 : v[r];
        if (number[r] < 0 || isnan(v[r]) || v[r] < most || (v[r] == most && number[r] > first))
            continue;
        most = v[r];
        first = number[r];
    }
    struct pick_largest pick = {rows, upload(queue, v, (size_t)rows * sizeof *v),
                                upload(queue, number, (size_t)rows * sizeof *number),
                                upload(queue, got, sizeof got)};
    for (int again = 0; again < 2; again++) { /* what it found before is forgotten */
        queue->backend->pick_largest(queue, &pick);
        CHECK_OK(device_download(queue, got, pick.largest, sizeof got, &error), error);
        CHECK(pick_number(got[0]) == most && (int64_t)~got[1] == first,
              "%lld rows: %.17g at node %lld, want %.17g at %lld", (long long)rows, pick_number(got[0]),
              (long long)~got[1], most, (long long)first);
    }
    for (int64_t r = 0; r < rows; r++)
        number[r] = -1;
    CHECK_OK(
        device_upload(queue, (void *)(uintptr_t)pick.node, number, (size_t)rows * sizeof *number, &error),
        error);
    queue->backend->pick_largest(queue, &pick);
    CHECK_OK(device_download(queue, got, pick.largest, sizeof got, &error), error);
    CHECK(got[0] == 0 && got[1] == 0, "without nodes: %llx, %llx", (unsigned long long)got[0],
          (unsigned long long)got[1]);
    device_release(queue, pick.v);
    device_release(queue, pick.node);
    device_release(queue, pick.largest);
    queue_free(queue);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    const int64_t rows[] = {1, 64, 2049, MOST};
    for (size_t size = 1; size <= 8; size += size == 1 ? 3 : 4)
        test_elements(backend, size);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int threads = 1; threads <= 3; threads++)
            for (int values = 2; values <= 200; values += 99) {
                test_largest(backend, threads, rows[k], values, 0);
                test_largest(backend, threads, rows[k], values, 300);
                test_largest(backend, threads, rows[k], values, values - 1);
            }
    printf("%d elements, and the largest of up to %d rows\n", PICKED, MOST);
    return 0;
}
