/* test_array.c: arrays of 0 items and arrays too large, on host and device, and the state after a failure. */
#include "kernels/base/array.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/device/queue.h"
#include "tests/support/check.h"

int main(void)
{
    struct error error = {0};
    enum status status = STATUS_OK;
    char *none = array_new(0, sizeof *none, "nothing", &status, &error);
    double *zero = array_zeroed(1000, sizeof *zero, "zeros", &status, &error);
    CHECK(!status && none && zero && zero[0] == 0 && zero[999] == 0, "%s", error.text);

    const int64_t unfit[] = {-1, INT64_MAX, INT64_MAX / 4, INT64_MAX / 8 + 1};
    for (size_t k = 0; k < sizeof unfit / sizeof *unfit; k++) {
        status = STATUS_OK;
        void *memory = array_new(unfit[k], 8, "the whole world", &status, &error);
        CHECK(!memory && status == STATUS_RUN && strstr(error.text, "the whole world"), "%s", error.text);
    }
    CHECK(!array_zeroed(1, 1, "what comes after", &status, &error) && strstr(error.text, "the whole world"),
          "a failure is to stick: %s", error.text);

    struct queue *queue;
    const struct backend *backend = backend_find("cpu", &error);
    CHECK(backend && !queue_new(&queue, backend, 1, &error), "%s", error.text);
    status = STATUS_OK;
    char *empty = device_array(queue, 0, 8, "nothing", &status, &error);
    CHECK(!status && empty, "%s", error.text);
    void *memory = device_array(queue, INT64_MAX, 8, "the vectors", &status, &error);
    CHECK(!memory && status == STATUS_RUN && strstr(error.text, "the vectors"), "%s", error.text);
    CHECK(!device_array(queue, 1, 8, "what comes after", &status, &error), "a failure is to stick");
    device_release(queue, empty);
    queue_free(queue);
    free(none);
    free(zero);
    return 0;
}
