/* test_rewind.c: copies, the largest changes and what cells are given of a long step, of random numbers, against a plain loop over the
 * formulas of rewind.h. `test_rewind [BACKEND]` */
#include "kernels/ops/rewind.h"
#include "tests/support/case.h"

enum { ROWS = 137, MOST = 200000 };

enum { V, BEFORE, AFTER, X, B, INVERSE, FIELD, ARRAYS };

static double host[ARRAYS][ROWS];
static double *device[ARRAYS];

static void *upload(struct queue *queue, const void *from, size_t bytes)
{
    struct error error = {0};
    void *to = queue->backend->alloc(queue, bytes);
    CHECK(to, "no memory");
    CHECK_OK(device_upload(queue, to, from, bytes, &error), error);
    return to;
}

/* Nothing has changed: 0, to the last bit */
static void test_same(struct queue *queue)
{
    float weight[ROWS];
    uint64_t largest[2] = {7, 7};
    struct error error = {0};
    for (int64_t i = 0; i < ROWS; i++)
        weight[i] = 1;
    const struct rewind_change change = {.rows = ROWS,
                                         .before = device[BEFORE],
                                         .after = device[BEFORE],
                                         .weight = upload(queue, weight, sizeof weight),
                                         .largest = upload(queue, largest, sizeof largest)};
    queue->backend->change(queue, &change);
    CHECK_OK(device_download(queue, largest, change.largest, sizeof largest, &error), error);
    CHECK(largest[0] == 0 && largest[1] == 0, "%g and %g mV", bits_to_real(largest[0]),
          bits_to_real(largest[1]));
    device_release(queue, (void *)(uintptr_t)change.weight);
    device_release(queue, change.largest);
}

/* NaN of one row exceeds all numbers; rows of padding count for nothing, whatever they hold */
static void test_change(struct queue *queue, double share, bool increment, int64_t nan_at)
{
    float weight[ROWS];
    uint64_t largest[2] = {7, 7};
    double want[2] = {0};
    struct error error = {0};
    for (int64_t i = 0; i < ROWS; i++) {
        double x = increment ? host[X][i] : 0;
        weight[i] = i % 5 == 3 ? 0 : 0.25f;
        if (share != 0)
            x += share * (host[B][i] * host[INVERSE][i]);
        if (weight[i] > 0) {
            want[0] = fmax(want[0], fabs(host[AFTER][i] - host[BEFORE][i]));
            want[1] = fmax(want[1], fabs(x));
        }
    }
    double kept = host[AFTER][nan_at];
    host[AFTER][nan_at] = NAN;
    CHECK_OK(device_upload(queue, device[AFTER], host[AFTER], sizeof host[AFTER], &error), error);
    float *weights = upload(queue, weight, sizeof weight);
    const struct rewind_change change = {
        ROWS,      device[BEFORE],  device[AFTER], increment ? device[X] : NULL,          share,
        device[B], device[INVERSE], weights,       upload(queue, largest, sizeof largest)};
    queue->backend->change(queue, &change);
    CHECK_OK(device_download(queue, largest, change.largest, sizeof largest, &error), error);
    if (weight[nan_at] > 0)
        CHECK(isnan(bits_to_real(largest[0])), "NaN at %lld is lost: %g", (long long)nan_at,
              bits_to_real(largest[0]));
    else
        CHECK(bits_to_real(largest[0]) == want[0], "%.17g, want %.17g", bits_to_real(largest[0]), want[0]);
    CHECK(bits_to_real(largest[1]) == want[1], "share %g: %.17g, want %.17g", share, bits_to_real(largest[1]),
          want[1]);
    host[AFTER][nan_at] = kept;
    device_release(queue, weights);
    device_release(queue, change.largest);
}

/* Before the cells and then; nothing after a failure, and without a solution the failure alone */
static void test_hold(struct queue *queue, bool first, double share, struct control control)
{
    double field[ROWS], x[ROWS];
    struct error error = {0};
    struct control after;
    bool sweeps = !first && !control.converged && !control.failure, none = sweeps || control.failure;
    CHECK_OK(device_upload(queue, device[FIELD], host[FIELD], sizeof field, &error), error);
    CHECK_OK(device_upload(queue, device[X], host[X], sizeof x, &error), error);
    const struct rewind_hold hold = {.rows = ROWS,
                                     .field = device[FIELD],
                                     .v = device[V],
                                     .before = device[BEFORE],
                                     .ratio = 1.75,
                                     .x = first ? NULL : device[X],
                                     .rate = 12.5,
                                     .share = share,
                                     .b = device[B],
                                     .inverse = device[INVERSE],
                                     .control = upload(queue, &control, sizeof control)};
    queue->backend->hold(queue, &hold);
    CHECK_OK(device_download(queue, &after, hold.control, sizeof after, &error), error);
    CHECK_OK(device_download(queue, field, device[FIELD], sizeof field, &error), error);
    CHECK_OK(device_download(queue, x, device[X], sizeof x, &error), error);
    CHECK(after.failure == (sweeps ? FAILURE_SWEEPS : control.failure), "failure %d", after.failure);
    for (int64_t i = 0; i < ROWS; i++) {
        double want_field = host[FIELD][i], want_x = host[X][i];
        if (!none && first)
            want_field = host[V][i] + 1.75 * (host[FIELD][i] - host[BEFORE][i]);
        if (!none && !first) {
            want_field = 12.5 * host[X][i];
            want_x = share != 0 ? host[X][i] - share * (host[B][i] * host[INVERSE][i]) : host[X][i];
        }
        CHECK(field[i] == want_field, "row %lld: field %.17g, want %.17g", (long long)i, field[i],
              want_field);
        CHECK(x[i] == want_x, "row %lld: x %.17g, want %.17g", (long long)i, x[i], want_x);
    }
    device_release(queue, hold.control);
}

/* And not a byte beyond */
static void test_copy(struct queue *queue, size_t bytes)
{
    static unsigned char from[MOST], to[MOST];
    struct error error = {0};
    for (size_t k = 0; k < MOST; k++) {
        from[k] = (unsigned char)(256 * bits_random(k));
        to[k] = 77;
    }
    unsigned char *source = upload(queue, from, MOST), *target = upload(queue, to, MOST);
    queue->backend->copy(queue, target, source, bytes);
    CHECK_OK(device_download(queue, to, target, MOST, &error), error);
    for (size_t k = 0; k < MOST; k++)
        CHECK(to[k] == (k < bytes ? from[k] : 77), "byte %zu of %zu: %d", k, bytes, to[k]);
    device_release(queue, source);
    device_release(queue, target);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 131072, MOST - 1};
    for (int threads = 1; threads <= 3; threads++) {
        struct queue *queue = test_queue(backend, threads);
        for (int a = 0; a < ARRAYS; a++) {
            for (int64_t i = 0; i < ROWS; i++)
                host[a][i] = (a == INVERSE ? 0 : -40) + 80 * bits_random((uint64_t)(a * ROWS + i));
            device[a] = upload(queue, host[a], sizeof host[a]);
        }
        for (int64_t nan_at = 0; nan_at < 5; nan_at++)
            test_change(queue, nan_at % 2 ? 0.25 : 0, nan_at != 1, nan_at);
        test_change(queue, 0, false, 3);
        test_same(queue);
        test_hold(queue, true, 0, (struct control){0});
        test_hold(queue, true, 0, (struct control){.failure = FAILURE_VOLTAGE});
        for (int share = 0; share < 2; share++) {
            test_hold(queue, false, 0.25 * share, (struct control){.converged = 1});
            test_hold(queue, false, 0.25 * share, (struct control){0});
            test_hold(queue, false, 0.25 * share,
                      (struct control){.converged = 1, .failure = FAILURE_VOLTAGE});
        }
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            test_copy(queue, sizes[k]);
        for (int a = 0; a < ARRAYS; a++)
            device_release(queue, device[a]);
        queue_free(queue);
    }
    printf("changes, parts and copies of up to %d bytes\n", MOST);
    return 0;
}
