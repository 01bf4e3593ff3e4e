/* test_observer.c: beats recorded step by step equal those found in V of all steps, to the last bit: for
 * random walks with peaks, notches and beats of every kind, in all rows and in single ones, and for a cable
 * paced every 250 to 400 ms. */
#include "kernels/ops/step_end.h"
#include "tests/support/case.h"

enum { ROWS = 137, STEPS = 400, PERCENTS = 3, POINTS = 4, VALUES = 5 + PERCENTS };

static const int percent[PERCENTS] = {90, 50, 20};
static const int32_t point_row[POINTS] = {ROWS - 1, -1, 7, 0}; /* -1: another rank has it */

/* What is noted of one beat */
struct beat {
    double activation, rest, peak, steepest, repolarized[PERCENTS], eads;
};

/* The row under test: V of every step, and how its beats are detected */
struct row {
    const double *v; /* [steps + 1] */
    int64_t steps;
    double dt, threshold, rearm, floor, rest;
};

static const double model_rest = -90; /* mV */

/* Rises by 5 mV that turn down within steps begin .. end, by turning points: a rise begins at the lowest V since
 * the fall before it and is over when V is 5 mV below its highest */
static double count_eads(const struct row *row, int64_t begin, int64_t end)
{
    const double *v = row->v;
    double eads = 0, peak = NAN, low = -INFINITY, high = -INFINITY;
    for (int64_t n = begin; n < end && n < row->steps; n++) {
        if (v[n + 1] > v[n] && v[n] < low)
            low = v[n], high = -INFINITY;
        if (!(v[n + 1] < v[n]))
            continue;
        high = fmax(high, v[n]);
        if (isfinite(high) && v[n] > high - 5 && v[n + 1] <= high - 5) {
            const double share = (peak - low) / (peak - row->rest);
            eads += high >= low + 5 && share >= 0.4 && share <= 0.9;
            low = high = INFINITY;
        }
        if (v[n] >= row->threshold)
            peak = fmax(peak, v[n]);
    }
    return eads;
}

/* mV/ms: the steepest rise at step k, and around the step before it: the top of the parabola whose means over the
 * last three steps are their quotients, where each is above the floor and at least half the largest, the middle
 * one */
static double rise_at(const struct row *row, int64_t k)
{
    const double *v = row->v, now = (v[k + 1] - v[k]) / row->dt;
    if (k < 2 || !(now > row->floor))
        return now;
    const double last = (v[k] - v[k - 1]) / row->dt, before = (v[k - 1] - v[k - 2]) / row->dt;
    const double least = fmin(before, now), bend = last - before + (last - now), lean = now - before;
    if (!(before > row->floor && last > row->floor) || least < last / 2 || last < fmax(before, now) ||
        bend == 0)
        return now;
    return fmax(now, last + bend / 24 + lean * lean / (8 * bend));
}

/* beat[most] <- those of a row by their definition; returns how many */
static int find_beats(const struct row *row, struct beat *beat, int most)
{
    const double *v = row->v;
    int found = 0;
    int64_t begin = 0, armed = 0; /* the first step of the last beat; that in which V fell below rearm */
    for (int64_t n = 0, ready = 1; n < row->steps; n++) {
        if (v[n] >= row->rearm && v[n + 1] < row->rearm)
            ready = 1, armed = n;
        if (!(ready && v[n] < row->threshold && v[n + 1] >= row->threshold))
            continue;
        if (found == most)
            break;
        struct beat *b = &beat[found++];
        *b = (struct beat){((double)n + (row->threshold - v[n]) / (v[n + 1] - v[n])) * row->dt,
                           INFINITY,
                           NAN,
                           NAN,
                           {NAN, NAN, NAN},
                           0};
        for (int64_t k = begin; k <= n; k++)
            b->rest = k + 1 <= row->steps && v[k] < v[k + 1] ? fmin(b->rest, v[k]) : b->rest;
        for (int64_t k = armed; k < row->steps; k++) {
            double slope = rise_at(row, k);
            if (k > n && v[k] >= row->rearm && v[k + 1] < row->rearm)
                break;
            if (slope > row->floor && !(slope <= b->steepest))
                b->steepest = slope;
        }
        ready = row->rearm == row->threshold;
        /* until the next beat, detected by the same rule */
        int64_t end = n + 1, top = -1;
        for (int64_t again = ready; end < row->steps; end++) {
            if (again && v[end] < row->threshold && v[end + 1] >= row->threshold)
                break;
            again = again || (v[end] >= row->rearm && v[end + 1] < row->rearm);
        }
        for (int64_t k = n + 1; k < row->steps && k <= end; k++)
            if (v[k + 1] < v[k] && v[k] >= row->threshold && (top < 0 || v[k] > v[top]))
                top = k;
        if (top >= 0)
            b->peak = v[top];
        for (int l = 0; l < PERCENTS && top >= 0; l++) {
            double fall_to = b->peak - percent[l] / 100.0 * (b->peak - b->rest);
            int64_t k = top;
            while (k < end && k < row->steps && !(v[k] > fall_to && v[k + 1] <= fall_to))
                k++;
            if (k < end && k < row->steps)
                b->repolarized[l] = ((double)k + (fall_to - v[k]) / (v[k + 1] - v[k])) * row->dt;
        }
        b->eads = count_eads(row, n + 1, end);
        begin = n + 1;
    }
    return found;
}

/* mV: a walk of each row that lingers around -20 .. 20 */
static double walk(int64_t row, int64_t step)
{
    double turn = 0.2 * (1 + bits_random((uint64_t)row)) * (double)step;
    return 45 * sin(turn) - 20 + 25 * bits_random((uint64_t)(row * 1000 + step));
}

static void compare(const char *what, double got, double want)
{
    CHECK(isnan(got) ? isnan(want) : got == want, "%s is %.17g, want %.17g", what, got, want);
}

/* Arrays on the device, filled */
static double *filled(struct queue *queue, int64_t count, double value)
{
    struct error error = {0};
    double *host = calloc((size_t)count, sizeof *host),
           *device = queue->backend->alloc(queue, (size_t)count * sizeof *host);
    CHECK(host && device, "no memory");
    for (int64_t k = 0; k < count; k++)
        host[k] = value;
    CHECK_OK(device_upload(queue, device, host, (size_t)count * sizeof *host, &error), error);
    free(host);
    return device;
}

static void fetch(struct queue *queue, double *host, const double *device, int64_t count)
{
    struct error error = {0};
    CHECK_OK(device_download(queue, host, device, (size_t)count * sizeof *host, &error), error);
}

/* Those rows by themselves, `kept` beats of each, and their arrays -> block on the device */
static struct observer_points follow_points(struct queue *queue, int kept, const struct observer *like)
{
    struct error error = {0};
    struct observer_points points = {.points = POINTS,
                                     .observer = {.threshold = like->threshold,
                                                  .rearm = like->rearm,
                                                  .beats = kept + 1,
                                                  .floor = like->floor,
                                                  .percents = PERCENTS}};
    const int64_t values = observer_values(kept + 1, PERCENTS, true);
    double *memory = filled(queue, values * POINTS, NAN),
           *empty = calloc((size_t)values, POINTS * sizeof *empty);
    int32_t *row = queue->backend->alloc(queue, sizeof point_row);
    points.observer.length = like->length;
    points.observer.count = queue->backend->alloc(queue, sizeof point_row);
    CHECK(empty && row && points.observer.count, "no memory");
    memcpy(points.observer.share, like->share, sizeof like->share);
    observer_lay(&points.observer, memory, POINTS, true);
    observer_clear(empty, values, POINTS);
    CHECK_OK(device_upload(queue, memory, empty, (size_t)values * POINTS * sizeof *empty, &error), error);
    CHECK_OK(device_upload(queue, row, point_row, sizeof point_row, &error), error);
    points.row = row;
    const int64_t rests = points.observer.base - memory;
    for (int p = 0; p < POINTS; p++)
        empty[rests + p] = model_rest;
    CHECK_OK(device_upload(queue, memory, empty, (size_t)values * POINTS * sizeof *empty, &error), error);
    free(empty);
    return points;
}

/* What is noted at the points is want[POINTS][kept] */
static void check_points(struct queue *queue, int kept, struct observer_points *points,
                         struct beat (*want)[STEPS])
{
    const int64_t values = observer_values(kept + 1, PERCENTS, true);
    double *memory = points->observer.low, *got = calloc((size_t)values, POINTS * sizeof *got);
    struct observer o = points->observer;
    CHECK(got, "no memory");
    fetch(queue, got, memory, values * POINTS);
    observer_lay(&o, got, POINTS, true);
    for (int64_t k = 0; k < POINTS * kept; k++) {
        const struct beat *beat = &want[k % POINTS][k / POINTS];
        compare("activation at a point", o.time[k], beat->activation);
        compare("rest at a point", o.rest.value[k], beat->rest);
        compare("peak at a point", o.peak.value[k], beat->peak);
        compare("EADs at a point", o.eads[k], beat->eads);
        if (!isnan(beat->activation))
            compare("dvdt_max at a point", o.steepest.value[k], beat->steepest);
        for (int l = 0; l < PERCENTS; l++)
            compare("repolarization at a point", o.repolarized[l][k], beat->repolarized[l]);
    }
    free(got);
    device_release(queue, memory);
    device_release(queue, points->row);
    device_release(queue, points->observer.count);
}

/* The kernel of `backend` on walks, `kept` beats of each, rest and peak of all or of the latest alone */
static void test_walks(const struct backend *backend, int kept, bool all, double threshold, double rearm)
{
    static double v[STEPS + 1][ROWS], trace[STEPS + 1];
    struct error error = {0};
    struct queue *queue = test_queue(backend, 2);
    int64_t series = all ? kept : 1, found = 0, over = 0, eads = 0;
    struct observer o = {.operation = OBSERVER_BEATS,
                         .threshold = threshold,
                         .rearm = rearm,
                         .beats = kept + 1,
                         .kept = kept,
                         .floor = 900,
                         .percents = PERCENTS,
                         .time = filled(queue, (kept + 1) * ROWS, NAN),
                         .count = queue->backend->alloc(queue, ROWS * sizeof *o.count),
                         .waits = queue->backend->alloc(queue, ROWS),
                         .due = queue->backend->alloc(queue, (size_t)observer_words(ROWS) * sizeof *o.due),
                         .low = filled(queue, ROWS, INFINITY),
                         .rest = {filled(queue, series * ROWS, NAN), series},
                         .peak = {filled(queue, series * ROWS, NAN), series},
                         .steepest = {filled(queue, kept * ROWS, NAN), kept},
                         .rise = filled(queue, 2 * ROWS, 0),
                         .length = 0.02,
                         .base = filled(queue, ROWS, model_rest),
                         .trough = filled(queue, ROWS, NAN),
                         .top = filled(queue, ROWS, NAN),
                         .eads = filled(queue, kept * ROWS, NAN)};
    for (int l = 0; l < PERCENTS; l++) {
        o.share[l] = percent[l] / 100.0;
        o.fall_to[l] = filled(queue, ROWS, NAN);
        o.repolarized[l] = filled(queue, kept * ROWS, NAN);
    }
    struct step_end end = {
        .dt = 0.02, .limit = 1000, .control = queue->backend->alloc(queue, sizeof *end.control)};
    double *from = filled(queue, ROWS, 0), *to = filled(queue, ROWS, 0);
    CHECK(o.count && o.waits && o.due && end.control, "no memory");
    for (int64_t n = 0; n <= STEPS; n++)
        for (int64_t i = 0; i < ROWS; i++)
            v[n][i] = walk(i, n);
    struct observer_points points = follow_points(queue, kept, &o);
    struct beat none = {NAN, NAN, NAN, NAN, {NAN, NAN, NAN}, NAN}, at_point[POINTS][STEPS];
    for (int k = 0; k < POINTS * STEPS; k++)
        at_point[k / STEPS][k % STEPS] = none;
    end.observer = o;
    end.points = all ? &points : NULL;
    end.v = from;
    end.u = to;
    for (int64_t n = 0; n < STEPS; n++) {
        struct control control = {.converged = 1, .step = n, .recorded = n};
        CHECK_OK(device_upload(queue, from, v[n], sizeof v[n], &error), error);
        CHECK_OK(device_upload(queue, to, v[n + 1], sizeof v[n], &error), error);
        CHECK_OK(device_upload(queue, end.control, &control, sizeof control, &error), error);
        queue->backend->step_end(queue, ROWS, &end);
        if (!all) { /* the points by themselves */
            struct step_end alone = end;
            alone.observer.count = NULL;
            alone.points = &points;
            CHECK_OK(device_upload(queue, end.control, &control, sizeof control, &error), error);
            queue->backend->step_end(queue, ROWS, &alone);
        }
    }
    CHECK_OK(queue->backend->wait(queue, &error), error);
    double *got = calloc((size_t)(VALUES) * (size_t)(kept + 1) * ROWS, sizeof *got);
    double *at[VALUES];
    CHECK(got, "no memory");
    for (int k = 0; k < VALUES; k++)
        at[k] = got + (int64_t)k * (kept + 1) * ROWS;
    fetch(queue, at[0], o.time, kept * ROWS);
    fetch(queue, at[1], o.rest.value, series * ROWS);
    fetch(queue, at[2], o.peak.value, series * ROWS);
    fetch(queue, at[3], o.steepest.value, kept * ROWS);
    fetch(queue, at[4], o.eads, kept * ROWS);
    for (int l = 0; l < PERCENTS; l++)
        fetch(queue, at[5 + l], o.repolarized[l], kept * ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        struct beat beat[STEPS];
        for (int64_t n = 0; n <= STEPS; n++)
            trace[n] = v[n][i];
        int beats = find_beats(&(struct row){trace, STEPS, end.dt, threshold, rearm, o.floor, model_rest},
                               beat, kept);
        for (int p = 0; p < POINTS; p++)
            if (i == point_row[p])
                memcpy(at_point[p], beat, (size_t)beats * sizeof *beat);
        for (int b = 0; b < kept; b++) {
            const struct beat *want = b < beats ? &beat[b] : &none;
            compare("activation", at[0][b * ROWS + i], want->activation);
            if (all || b == beats - 1) {
                compare("rest", at[1][(all ? b : 0) * ROWS + i], want->rest);
                compare("peak", at[2][(all ? b : 0) * ROWS + i], want->peak);
            }
            if (b < beats)
                compare("dvdt_max", at[3][b * ROWS + i], want->steepest);
            compare("EADs", at[4][b * ROWS + i], want->eads);
            eads += b < beats ? (int64_t)want->eads : 0;
            for (int l = 0; l < PERCENTS; l++) {
                compare("repolarization", at[5 + l][b * ROWS + i], want->repolarized[l]);
                over += !isnan(want->repolarized[l]);
            }
            found += b < beats;
        }
    }
    CHECK(found > ROWS * kept / 2 && over > found / 2, "%lld beats, %lld of them over, are too few",
          (long long)found, (long long)over);
    CHECK(eads > ROWS / 4, "%lld EADs are too few", (long long)eads);
    free(got);
    check_points(queue, kept, &points, at_point);
    double *arrays[] = {o.time, o.low,  o.rest.value, o.peak.value, o.steepest.value,
                        o.rise, o.base, o.trough,     o.top,        o.eads,
                        from,   to};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        device_release(queue, arrays[k]);
    for (int l = 0; l < PERCENTS; l++) {
        device_release(queue, o.fall_to[l]);
        device_release(queue, o.repolarized[l]);
    }
    device_release(queue, o.count);
    device_release(queue, o.waits);
    device_release(queue, o.due);
    device_release(queue, end.control);
    queue_free(queue);
}

/* The largest error of the steepest rise of all rows, mV/ms, in steps of h ms: V = 50 tanh(t / 0.2 ms) mV, whose
 * middle falls anywhere in a step, or (rate > 0) V rises at a fifth of that rate and, from a whole step on, at that rate */
static double rise_error(const struct backend *backend, double h, double rate)
{
    enum { ALL = 80, BEATS = 1 };
    static double v[ROWS];
    struct error error = {0};
    struct queue *queue = test_queue(backend, 2);
    struct observer o = {.operation = OBSERVER_BEATS,
                         .rearm = -40,
                         .beats = BEATS + 1,
                         .kept = BEATS,
                         .floor = 5,
                         .length = h,
                         .time = filled(queue, (BEATS + 1) * ROWS, NAN),
                         .count = queue->backend->alloc(queue, ROWS * sizeof *o.count),
                         .waits = queue->backend->alloc(queue, ROWS),
                         .due = queue->backend->alloc(queue, (size_t)observer_words(ROWS) * sizeof *o.due),
                         .low = filled(queue, ROWS, INFINITY),
                         .rest = {filled(queue, ROWS, NAN), BEATS},
                         .peak = {filled(queue, ROWS, NAN), BEATS},
                         .steepest = {filled(queue, ROWS, NAN), BEATS},
                         .rise = filled(queue, 2 * ROWS, 0)};
    struct step_end end = {
        .dt = h, .limit = 1000, .control = queue->backend->alloc(queue, sizeof *end.control), .observer = o};
    double *from = filled(queue, ROWS, -50), *to = filled(queue, ROWS, -50), most = 0, got[ROWS];
    for (int64_t n = 0; n < ALL; n++) {
        struct control control = {.converged = 1, .step = n, .recorded = n};
        for (int64_t i = 0; i < ROWS; i++) {
            double k = (double)(n + 1) - ALL / 2, t = (k + (double)i / ROWS) * h;
            v[i] =
                rate > 0 ? -50 + rate * h * (fmax(0, fmin(k + 10, 10)) / 5 + fmax(0, k)) : 50 * tanh(t / 0.2);
        }
        CHECK_OK(device_upload(queue, to, v, sizeof v, &error), error);
        CHECK_OK(device_upload(queue, end.control, &control, sizeof control, &error), error);
        end.v = from, end.u = to;
        queue->backend->step_end(queue, ROWS, &end);
        double *swap = from;
        from = to, to = swap;
    }
    CHECK_OK(queue->backend->wait(queue, &error), error);
    fetch(queue, got, o.steepest.value, ROWS);
    for (int64_t i = 0; i < ROWS; i++)
        most = fmax(most, fabs(got[i] - (rate > 0 ? rate : 250)));
    void *arrays[] = {o.time,       o.count,          o.waits, o.due,       o.low, o.rest.value,
                      o.peak.value, o.steepest.value, o.rise,  end.control, from,  to};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        device_release(queue, arrays[k]);
    queue_free(queue);
    return most;
}

/* The steepest rise of a smooth upstroke is of fourth order in the step, and that of a straight rise is its
 * own, without an overshoot where it begins */
static void test_rise(const struct backend *backend)
{
    const double coarse = rise_error(backend, 0.05, 0), fine = rise_error(backend, 0.025, 0);
    const double straight = rise_error(backend, 0.05, 50);
    printf("steepest rise: off by %.3g of 250 mV/ms in steps of 0.05 ms, by %.3g in 0.025 ms\n", coarse,
           fine);
    CHECK(coarse < 250 * 2e-3 && fine < coarse / 14, "off by %g and %g mV/ms", coarse, fine);
    CHECK(straight < 1e-9, "a straight rise is off by %g mV/ms", straight);
}

static int variable(const struct monodomain *sim, const char *name)
{
    int k = monodomain_find(sim, name);
    CHECK(k >= 0, "no %s", name);
    return k;
}

/* Beats of tp06 on a cable, one every `cycle` ms, from V of every step */
static void test_paced(const struct backend *backend, double cycle)
{
    enum { KEPT = 3, EVERY = 7 };
    struct test_case c;
    struct error error = {0};
    struct monodomain *sim;
    struct queue *queue = test_queue(backend, 1);
    case_make_small(&c, 1, 21, "tp06-epi", 0);
    c.params.step = 0.05;
    c.params.stimuli = 1;
    c.stimulus[0].period = cycle;
    c.stimulus[0].count = 0;
    c.params.activation_beats = KEPT;
    c.params.activation_rearm = -40;
    c.params.maps = (struct params_maps){true, true, true, PERCENTS, {90, 50, 20}};
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    int64_t nodes = c.mesh.nodes, steps = (int64_t)(4 * cycle / c.params.step);
    double *v = calloc((size_t)(steps + 1) * (size_t)nodes, sizeof *v),
           *row = calloc((size_t)steps + 1, sizeof *row);
    CHECK(v && row, "no memory");
    for (int64_t n = 0; n <= steps; n++) {
        if (n > 0)
            CHECK_OK(monodomain_advance(sim, 1, &error), error);
        CHECK_OK(monodomain_voltage(sim, v + n * nodes, &error), error);
    }
    static const char *const names[VALUES] = {
        "activation_time",  "rest", "peak", "dvdt_max", "eads", "repolarization_90", "repolarization_50",
        "repolarization_20"};
    double *map[VALUES], shortest = INFINITY, longest = 0;
    for (int k = 0; k < VALUES; k++) {
        map[k] = calloc((size_t)nodes * KEPT, sizeof **map);
        CHECK(map[k], "no memory");
        CHECK_OK(monodomain_get(sim, variable(sim, names[k]), map[k], &error), error);
    }
    for (int64_t i = 0; i < nodes; i += EVERY) {
        struct beat beat[KEPT];
        for (int64_t n = 0; n <= steps; n++)
            row[n] = v[n * nodes + i];
        int beats = find_beats(&(struct row){row, steps, c.params.step, c.params.activation_threshold, -40, 5,
                                             ionic_find("tp06-epi")->v_initial},
                               beat, KEPT);
        CHECK(beats >= 2, "cycle %g ms: %d beats", cycle, beats);
        for (int b = 0; b < beats; b++) {
            compare(names[0], map[0][i * KEPT + b], beat[b].activation);
            compare(names[1], map[1][i * KEPT + b], beat[b].rest);
            compare(names[2], map[2][i * KEPT + b], beat[b].peak);
            compare(names[3], map[3][i * KEPT + b], beat[b].steepest);
            compare(names[4], map[4][i * KEPT + b], beat[b].eads);
            for (int l = 0; l < PERCENTS; l++)
                compare(names[5 + l], map[5 + l][i * KEPT + b], beat[b].repolarized[l]);
            if (!isnan(beat[b].repolarized[0])) {
                shortest = fmin(shortest, beat[b].repolarized[0] - beat[b].activation);
                longest = fmax(longest, beat[b].repolarized[0] - beat[b].activation);
            }
        }
    }
    CHECK(shortest > 100 && longest < 2 * cycle, "cycle %g ms: APD90 %g to %g ms", cycle, shortest, longest);
    printf("a beat every %g ms: APD90 %.1f to %.1f ms\n", cycle, shortest, longest);
    for (int k = 0; k < VALUES; k++)
        free(map[k]);
    free(v);
    free(row);
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    const double levels[][2] = {{0, 0}, {0, -15}, {10, -40}, {-5, -5.5}, {0, -30}};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        for (int kept = 1; kept <= 5; kept += 2)
            for (int all = 0; all <= 1; all++)
                test_walks(backend, kept, all, levels[k][0], levels[k][1]);
    test_rise(backend);
    if (argc > 1 && backend->immediate)
        return 0; /* equal kernels make equal runs */
    const double cycles[] = {250, 300, 400};
    for (int k = 0; k < 3; k++)
        test_paced(backend, cycles[k]);
    return 0;
}
