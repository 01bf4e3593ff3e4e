/* test_step_end.c: after an activation no other counts until V has fallen below the level that rearms. The
 * kernel equals a plain loop. At fast pacing the notch of tp06 falls below 0 mV after the upstroke, which is
 * still one beat, also if another backend continues in between. The end of a beat is recorded, the last slot
 * is the latest beat's, and rows may have their own levels. */
#include "kernels/ops/step_end.h"
#include "tests/support/case.h"

enum { ROWS = 137, STEPS = 300, BEATS = 7, PACED = 4 };

static const double cycle = 336; /* ms */

/* mV: a walk of each row that lingers around -20 .. 20 */
static double walk(int64_t row, int64_t step)
{
    double turn = 0.3 * (1 + bits_random((uint64_t)row)) * (double)step;
    return 45 * sin(turn) - 20 + 30 * bits_random((uint64_t)(row * 1000 + step));
}

/* The maps of `backend` for such walks -> map[BEATS][ROWS], and those of a plain loop -> want */
static void test_kernel(const struct backend *backend, double threshold, double rearm)
{
    static double v[2][ROWS], map[BEATS * ROWS], want[BEATS * ROWS];
    int32_t count[ROWS] = {0};
    bool armed[ROWS];
    struct error error = {0};
    struct queue *queue;
    queue = test_queue(backend, 2);
    for (int64_t k = 0; k < BEATS * ROWS; k++)
        map[k] = want[k] = NAN;
    double *device[3];
    for (int k = 0; k < 3; k++)
        CHECK(device[k] = queue->backend->alloc(queue, k < 2 ? sizeof v[0] : sizeof map), "no memory");
    struct step_end end = {.dt = 0.02,
                           .limit = 1000,
                           .observer = {.threshold = threshold,
                                        .rearm = rearm,
                                        .beats = BEATS,
                                        .time = device[2],
                                        .count = queue->backend->alloc(queue, sizeof count),
                                        .waits = queue->backend->alloc(queue, ROWS)},
                           .control = queue->backend->alloc(queue, sizeof *end.control)};
    struct control control = {.converged = 1};
    CHECK(end.observer.count && end.observer.waits && end.control, "no memory");
    CHECK_OK(device_upload(queue, end.observer.time, map, sizeof map, &error), error);
    for (int64_t i = 0; i < ROWS; i++)
        armed[i] = true, v[0][i] = walk(i, 0);
    for (int64_t n = 0; n < STEPS; n++) {
        const double *from = v[n % 2];
        double *to = v[(n + 1) % 2];
        for (int64_t i = 0; i < ROWS; i++) {
            to[i] = walk(i, n + 1);
            if (from[i] < threshold && to[i] >= threshold && armed[i] && count[i] < BEATS) {
                want[count[i]++ * ROWS + i] =
                    ((double)n + (threshold - from[i]) / (to[i] - from[i])) * end.dt;
                armed[i] = rearm == threshold; /* every crossing counts */
            }
            armed[i] = armed[i] || to[i] < rearm;
        }
        control.step = control.recorded = n;
        CHECK_OK(device_upload(queue, device[0], from, sizeof v[0], &error), error);
        CHECK_OK(device_upload(queue, device[1], to, sizeof v[0], &error), error);
        CHECK_OK(device_upload(queue, end.control, &control, sizeof control, &error), error);
        end.v = device[0];
        end.u = device[1];
        queue->backend->step_end(queue, ROWS, &end);
        CHECK_OK(queue->backend->wait(queue, &error), error);
    }
    CHECK_OK(device_download(queue, map, end.observer.time, sizeof map, &error), error);
    int64_t found = 0;
    for (int64_t k = 0; k < BEATS * ROWS; k++) {
        CHECK(isnan(map[k]) ? isnan(want[k]) : map[k] == want[k],
              "threshold %g, rearm %g: value %lld is %.17g, want %.17g", threshold, rearm, (long long)k,
              map[k], want[k]);
        found += !isnan(map[k]);
    }
    CHECK(found > 2 * ROWS, "%lld crossings are too few", (long long)found);
    for (int k = 0; k < 3; k++)
        device_release(queue, device[k]);
    device_release(queue, end.observer.count);
    device_release(queue, end.observer.waits);
    device_release(queue, end.control);
    queue_free(queue);
}

/* One row by a plain loop: all crossings of its walk with their ends; returns how many */
static int walk_beats(int64_t row, double threshold, double rearm, double dt, double *time, double *over)
{
    int count = 0;
    bool waits = false;
    for (int64_t n = 0; n < STEPS; n++) {
        double v = walk(row, n), u = walk(row, n + 1), at = ((double)n + (threshold - v) / (u - v)) * dt;
        if (v < threshold && u >= threshold) {
            if (!waits)
                time[count++] = at;
            over[count - 1] = NAN;
            waits = true;
        }
        if (v >= threshold && u < threshold && waits)
            over[count - 1] = at;
        waits = waits && !(v >= rearm && u < rearm);
    }
    return count;
}

/* Slots for `slots` of them: the first ones, and in the last slot the last one */
static void test_ends(const struct backend *backend, int slots)
{
    static const double thresholds[2][2] = {{0, -15}, {10, -40}};
    static double v[ROWS], u[ROWS], by_row[2 * ROWS], map[2][STEPS * ROWS];
    static uint8_t waits[ROWS];
    struct error error = {0};
    struct queue *queue = test_queue(backend, 2);
    double *device[2];
    struct step_end end = {.dt = 0.02,
                           .limit = 1000,
                           .observer = {.threshold = 10, .rearm = -40, .beats = slots},
                           .control = queue->backend->alloc(queue, sizeof *end.control)};
    struct observer *o = &end.observer;
    for (int64_t i = 0; i < ROWS; i++)
        for (int k = 0; k < 2; k++)
            by_row[k * ROWS + i] = thresholds[i % 2][k];
    for (int64_t k = 0; k < slots * ROWS; k++)
        map[0][k] = NAN;
    for (int k = 0; k < 2; k++)
        CHECK(device[k] = queue->backend->alloc(queue, sizeof v), "no memory");
    double *levels = queue->backend->alloc(queue, sizeof by_row);
    size_t bytes = (size_t)(slots * ROWS) * sizeof **map;
    o->time = queue->backend->alloc(queue, bytes);
    o->over = queue->backend->alloc(queue, bytes);
    o->count = queue->backend->alloc(queue, ROWS * sizeof *o->count);
    o->waits = queue->backend->alloc(queue, ROWS);
    CHECK(o->time && o->over && o->count && o->waits && levels && end.control, "no memory");
    CHECK_OK(device_upload(queue, levels, by_row, sizeof by_row, &error), error);
    CHECK_OK(device_upload(queue, o->time, map[0], bytes, &error), error);
    CHECK_OK(device_upload(queue, o->over, map[0], bytes, &error), error);
    o->by_row = levels;
    end.v = device[0];
    end.u = device[1];
    for (int64_t n = 0; n < STEPS; n++) {
        struct control control = {.converged = 1, .step = n, .recorded = n};
        for (int64_t i = 0; i < ROWS; i++) {
            v[i] = walk(i, n);
            u[i] = walk(i, n + 1);
        }
        CHECK_OK(device_upload(queue, device[0], v, sizeof v, &error), error);
        CHECK_OK(device_upload(queue, device[1], u, sizeof u, &error), error);
        CHECK_OK(device_upload(queue, end.control, &control, sizeof control, &error), error);
        queue->backend->step_end(queue, ROWS, &end);
        CHECK_OK(queue->backend->wait(queue, &error), error);
    }
    CHECK_OK(device_download(queue, map[0], o->time, bytes, &error), error);
    CHECK_OK(device_download(queue, map[1], o->over, bytes, &error), error);
    CHECK_OK(device_download(queue, waits, o->waits, sizeof waits, &error), error);
    int64_t dropped = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        double want[2][STEPS];
        int count = walk_beats(i, thresholds[i % 2][0], thresholds[i % 2][1], end.dt, want[0], want[1]);
        for (int b = 0; b < slots; b++)
            for (int k = 0; k < 2; k++) {
                int from = b == slots - 1 && count > slots ? count - 1 : b;
                double got = map[k][b * ROWS + i], expected = from < count ? want[k][from] : NAN;
                CHECK(isnan(got) ? isnan(expected) : got == expected,
                      "row %lld, %s %d of %d: %.17g, want %.17g", (long long)i, k ? "end" : "time", b, count,
                      got, expected);
            }
        CHECK(((waits[i] & OBSERVER_DROPPED) != 0) == (count > slots), "row %lld: waits %d", (long long)i,
              waits[i]);
        dropped += count > slots;
    }
    CHECK(dropped > ROWS / 4, "%lld rows with too many beats are too few", (long long)dropped);
    double *arrays[] = {o->time, o->over, levels, device[0], device[1]};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        device_release(queue, arrays[k]);
    device_release(queue, o->count);
    device_release(queue, o->waits);
    device_release(queue, end.control);
    queue_free(queue);
}

static struct monodomain *start(const struct test_case *c, const struct backend *backend,
                                struct queue **queue)
{
    struct error error = {0};
    struct monodomain *sim;
    *queue = test_queue(backend, 1);
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, *queue, &error), error);
    return sim;
}

static void get_map(struct monodomain *sim, double *map)
{
    struct error error = {0};
    int k = monodomain_find(sim, "activation_time");
    CHECK_OK(monodomain_get(sim, k, map, &error), error);
}

/* How many nodes have noted `beats` activations or more */
static int64_t nodes_with(const double *map, int64_t nodes, int beats)
{
    int64_t found = 0;
    for (int64_t i = 0; i < nodes; i++)
        found += !isnan(map[i * BEATS + beats - 1]);
    return found;
}

/* The first step in which a node crosses again within 50 ms */
static int64_t second_crossing(const struct test_case *c, const double *map)
{
    double first = INFINITY;
    for (int64_t k = 1; k < c->mesh.nodes * BEATS; k++)
        if (k % BEATS && map[k] - map[k - 1] < 50)
            first = fmin(first, map[k]);
    return (int64_t)(first / c->params.step);
}

static void hand_over(const struct test_case *c, struct monodomain *from, struct monodomain *to)
{
    struct error error = {0};
    double *value = calloc((size_t)c->mesh.nodes * BEATS, sizeof *value);
    CHECK(value, "no memory");
    for (int k = 0; k < monodomain_variables(from); k++) {
        CHECK_OK(monodomain_get(from, k, value, &error), error);
        CHECK_OK(monodomain_set(to, k, value, &error), error);
    }
    CHECK_OK(monodomain_restart(to, monodomain_step(from), monodomain_history(from), &error), error);
    free(value);
}

/* One run, and from shortly before step `notch` two that take over from each other */
static void test_hand_over(const struct test_case *c, const struct backend *other, int64_t notch,
                           int64_t steps, double *map)
{
    struct error error = {0};
    struct queue *queue[3];
    struct monodomain *sim[3];
    const struct backend *cpu = backend_find("cpu", NULL);
    int64_t length, nodes = c->mesh.nodes;
    for (int k = 0; k < 3; k++)
        sim[k] = start(c, k < 2 ? cpu : other, &queue[k]);
    CHECK_OK(monodomain_advance(sim[0], notch - 100, &error), error);
    hand_over(c, sim[0], sim[1]);
    for (int k = 0; k < 20; k++) {
        CHECK_OK(monodomain_advance(sim[1 + k % 2], 11, &error), error);
        hand_over(c, sim[1 + k % 2], sim[2 - k % 2]);
    }
    CHECK_OK(monodomain_advance(sim[0], 220, &error), error);
    double *want = case_state(sim[0], nodes, &length);
    for (int k = 1; k < 3; k++) {
        double *got = case_state(sim[k], nodes, &length);
        int64_t at = first_difference(want, got, length);
        CHECK(at < 0, "taken over: value %lld is %.17g, want %.17g", (long long)at, got[at], want[at]);
        free(got);
    }
    free(want);
    CHECK_OK(monodomain_advance(sim[0], steps - monodomain_step(sim[0]), &error), error);
    get_map(sim[0], map);
    for (int k = 0; k < 3; k++) {
        monodomain_free(sim[k]);
        queue_free(queue[k]);
    }
}

int main(int argc, char **argv)
{
    const struct backend *other = test_backend(argc, argv);
    const double levels[][2] = {{0, 0}, {0, -15}, {10, -40}, {-5, -5.5}, {0, -30}};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        test_kernel(other, levels[k][0], levels[k][1]);
    for (int slots = 1; slots < 12; slots += 3)
        test_ends(other, slots);
    if (argc > 1 && other->immediate)
        return 0; /* equal kernels make equal runs: test_reproducible */

    struct test_case c;
    struct error error = {0};
    struct queue *queue;
    case_make(&c, 1, "tp06-epi", 0);
    int64_t nodes = c.mesh.nodes, steps = (int64_t)(PACED * cycle / c.params.step);
    for (int64_t i = 0; i < nodes; i++)
        memcpy(c.mesh.point + 3 * i, (double[]){0.2 * (double)i, 0, 0}, 3 * sizeof(double));
    c.region[1] = c.region[0];
    c.params.stimuli = 1;
    c.stimulus[0].period = cycle;
    c.stimulus[0].count = 0;
    c.params.activation_beats = BEATS;
    double *map = calloc((size_t)nodes * BEATS, sizeof *map);
    CHECK(map, "no memory");

    struct monodomain *sim = start(&c, backend_find("cpu", NULL), &queue);
    CHECK_OK(monodomain_advance(sim, steps, &error), error);
    get_map(sim, map);
    monodomain_free(sim);
    queue_free(queue);
    int64_t twice = nodes_with(map, nodes, PACED + 1);
    CHECK(twice > 5, "%lld nodes cross twice in a beat", (long long)twice);

    c.params.activation_rearm = -40;
    c.params.maps = (struct params_maps){true, false, true, 2, {90, 20}};
    test_hand_over(&c, other, second_crossing(&c, map), steps, map);
    CHECK(nodes_with(map, nodes, PACED) == nodes && nodes_with(map, nodes, PACED + 1) == 0,
          "%lld and %lld of %lld nodes have %d and more beats", (long long)nodes_with(map, nodes, PACED),
          (long long)nodes_with(map, nodes, PACED + 1), (long long)nodes, PACED);
    printf("%lld of %lld nodes cross twice in a beat and count once\n", (long long)twice, (long long)nodes);
    free(map);
    case_free(&c);
    return 0;
}
