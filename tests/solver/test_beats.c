/* test_beats.c: the arrays in which beats are recorded: which they are, how wide, and what they hold at first; counts
 * from stored times; records of single rows as they are read and set again. */
#include "solver/cells/beats.h"
#include "tests/support/case.h"

enum { ROWS = 37, POINTS = 5, BEHIND = 9 };

static const double guard = 12345.678;

static void download(struct queue *queue, void *host, const void *device, size_t bytes)
{
    struct error error = {0};
    CHECK_OK(device_download(queue, host, device, bytes, &error), error);
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* bits of `kind`: rest, peak, slope, percents, slots, levels of each row */
static struct monodomain_params params_of(int kind)
{
    struct monodomain_params params = monodomain_params_default();
    params.activation_threshold = -20;
    params.activation_rearm = -50;
    params.activation_beats = 3;
    params.step = 0.02;
    params.maps = (struct params_maps){kind & 1, kind & 2, kind & 4, kind & 8 ? 2 : 0, {50, 90}};
    params.activation_slots = kind & 16 ? 6 : 0;
    return params;
}

/* What a map holds before the first step */
static double empty_of(const char *name)
{
    return strcmp(name, "low") == 0 ? INFINITY : strcmp(name, "dvdt_before") == 0 ? 0 : NAN;
}

static int64_t width_of(const char *name, const struct monodomain_params *params)
{
    const int64_t beats = params->activation_beats, times = params_times(params);
    const struct {
        const char *name;
        int64_t width;
    } known[] = {{"activation_time", beats},
                 {"activation_after", times - beats},
                 {"activation_over", times},
                 {"low", 1},
                 {"rest", params->maps.rest ? beats : 1},
                 {"peak", params->maps.peak ? beats : 1},
                 {"dvdt_max", beats},
                 {"dvdt_before", 2},
                 {"level_50", 1},
                 {"level_90", 1},
                 {"repolarization_50", beats},
                 {"repolarization_90", beats},
                 {"trough", 1},
                 {"top", 1},
                 {"eads", beats},
                 {"activation_waits", 1}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].name, name) == 0)
            return known[k].width;
    CHECK(false, "map %s", name);
    return 0;
}

static void check_maps(const struct beats *beats, const struct monodomain_params *params, struct queue *queue)
{
    const bool whole = params_beats(params);
    const int64_t times = params_times(params);
    const int want = 1 + (times > params->activation_beats) + (params->activation_slots > 0) + 3 * whole +
                     2 * params->maps.slope + 2 * params->maps.percents + 3 * (params->maps.percents > 0) +
                     (times > 1);
    int64_t values = params->maps.percents > 0; /* the base, which is no map */
    double array[8 * ROWS];
    CHECK(beats->maps == want, "%d maps, want %d", beats->maps, want);
    CHECK(strcmp(beats->map[0].name, "activation_time") == 0, "%s is the first map", beats->map[0].name);
    for (int k = 0; k < beats->maps; k++) {
        const struct beats_map *map = &beats->map[k];
        const bool bytes = strcmp(map->name, "activation_waits") == 0;
        CHECK(map->width == width_of(map->name, params) && map->size == (bytes ? 1 : sizeof(double)),
              "map %s: width %lld, %zu bytes", map->name, (long long)map->width, map->size);
        CHECK(beats_are_times(map) ==
                  (strcmp(map->name, "activation_time") == 0 || strcmp(map->name, "activation_after") == 0),
              "whether %s holds times", map->name);
        for (int j = 0; j < k; j++)
            CHECK(strcmp(map->name, beats->map[j].name) != 0, "map %s twice", map->name);
        if (bytes)
            continue;
        values += map->width;
        download(queue, array, map->array, (size_t)(map->width * ROWS) * sizeof *array);
        for (int64_t i = 0; i < map->width * ROWS; i++)
            CHECK(same(array[i], empty_of(map->name)), "map %s: value %lld is %g", map->name, (long long)i,
                  array[i]);
    }
    CHECK(values == beats_values(params), "%lld values a node, forecast %lld", (long long)values,
          (long long)beats_values(params));
}

/* The observer's levels of rows or of points: the highest threshold, the lowest rearm, and each, if they differ */
static void check_levels(const struct observer *o, int64_t rows, const double *threshold, const double *rearm,
                         struct queue *queue)
{
    double high = -INFINITY, low = INFINITY, levels[2 * ROWS];
    for (int64_t i = 0; i < rows; i++) {
        high = fmax(high, threshold[i]);
        low = fmin(low, rearm[i]);
    }
    CHECK(o->threshold == high && o->rearm == low, "levels %g and %g, want %g and %g", o->threshold, o->rearm,
          high, low);
    CHECK(o->by_row, "the levels of each row are lost");
    download(queue, levels, o->by_row, (size_t)(2 * rows) * sizeof *levels);
    for (int64_t i = 0; i < rows; i++)
        CHECK(levels[i] == threshold[i] && levels[rows + i] == rearm[i], "levels of row %lld", (long long)i);
}

/* Times of so many beats; of some rows the first NaN has its sign bit, which says that they wait */
static void test_count(struct beats *beats, struct queue *queue)
{
    const struct observer *o = &beats->observer;
    double time[8 * ROWS], staging[ROWS];
    int32_t count[ROWS];
    uint8_t waits[ROWS];
    struct error error = {0};
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t b = 0; b < o->beats; b++)
            time[b * ROWS + i] = b < i % (o->beats + 1)                  ? 10.0 * (double)b + (double)i
                                 : b == i % (o->beats + 1) && i % 2 == 1 ? -(double)NAN
                                                                         : (double)NAN;
    CHECK_OK(device_upload(queue, o->time, time, (size_t)(o->beats * ROWS) * sizeof *time, &error), error);
    CHECK_OK(beats_count(beats, ROWS, staging, queue, &error), error);
    download(queue, count, o->count, sizeof count);
    download(queue, waits, o->waits, sizeof waits);
    for (int64_t i = 0; i < ROWS; i++) {
        const bool signs = i % (o->beats + 1) < o->beats && i % 2 == 1;
        CHECK(count[i] == i % (o->beats + 1) && waits[i] == (signs ? OBSERVER_WAITS : 0),
              "row %lld: %d beats, waits %d", (long long)i, count[i], waits[i]);
    }
    download(queue, time, o->time, (size_t)(o->beats * ROWS) * sizeof *time);
    for (int64_t k = 0; k < o->beats * ROWS; k++)
        CHECK(!isnan(time[k]) || !signbit(time[k]), "a sign is left");
}

static void test_points(struct beats *beats, const struct monodomain_params *params, bool alone,
                        const double *by_row, const double *rest, struct queue *queue)
{
    const int32_t row[POINTS] = {12, alone ? 3 : -1, 36, 0, 12};
    const int64_t times = 4, values = beats_values_at_point(times), all = values * POINTS;
    struct error error = {0};
    double *value = calloc((size_t)(all + BEHIND * all), sizeof *value), threshold[POINTS], rearm[POINTS];
    double *want = calloc((size_t)all, sizeof *want);
    int32_t count[POINTS];
    CHECK(value && want, "no memory");
    CHECK_OK(beats_follow(beats, params, times, row, POINTS, rest, queue, &error), error);
    CHECK(beats_points_bytes(beats) == (size_t)all * sizeof *value, "%zu bytes", beats_points_bytes(beats));
    const struct observer of = beats_at_points(params, times, want, POINTS);
    CHECK(of.percents == 1 && of.share[0] == 0.9 && of.beats == times, "other records");
    for (int set = 0; set < 2; set++) {
        if (set == 0)
            observer_clear(want, values, POINTS);
        for (int p = 0; p < POINTS; p++)
            of.base[p] = row[p] < 0 ? 0 : rest[row[p]];
        for (int64_t k = 0; k < all && set == 1; k++) {
            want[k] = k % 3 == 0 ? (double)NAN : 100 * bits_random_signed((uint64_t)k);
            if (k >= all - POINTS)
                want[k] = (double)(k % 2);
        }
        if (set == 1)
            CHECK_OK(beats_set_points(beats, want, queue, &error), error);
        for (int64_t k = 0; k < all + BEHIND * all; k++)
            value[k] = guard;
        CHECK_OK(beats_get_points(beats, value, queue, &error), error);
        for (int64_t k = 0; k < all + BEHIND * all; k++)
            CHECK(same(value[k], k >= all              ? guard
                                 : row[k % POINTS] < 0 ? 0
                                                       : want[k]),
                  "value %lld of point %lld is %g, want %g", (long long)(k / POINTS), (long long)(k % POINTS),
                  value[k], want[k]);
        download(queue, count, beats->points.observer.count, sizeof count);
        for (int p = 0; p < POINTS; p++) {
            int found = 0;
            for (int64_t b = 0; b < times; b++)
                found += !isnan(of.time[b * POINTS + p]);
            CHECK(count[p] == found, "point %d: %d beats, want %d", p, count[p], found);
        }
    }
    for (int p = 0; p < POINTS; p++) {
        threshold[p] = by_row ? by_row[row[p] < 0 ? 0 : row[p]] : params->activation_threshold;
        rearm[p] = by_row ? by_row[ROWS + (row[p] < 0 ? 0 : row[p])] : params->activation_rearm;
    }
    if (by_row)
        check_levels(&beats->points.observer, POINTS, threshold, rearm, queue);
    else
        CHECK(!beats->points.observer.by_row && beats->points.observer.threshold == threshold[0] &&
                  beats->points.observer.rearm == rearm[0],
              "levels of the points");
    free(value);
    free(want);
}

static void test_kind(const struct backend *backend, int kind)
{
    const struct monodomain_params params = params_of(kind);
    struct queue *queue = test_queue(backend, 2);
    struct error error = {0};
    struct beats beats;
    double rest[ROWS], by_row[2 * ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        rest[i] = -80 + bits_random((uint64_t)i);
        by_row[i] = -20 + 30 * bits_random((uint64_t)(ROWS + i));
        by_row[ROWS + i] = by_row[i] - 40 * bits_random((uint64_t)(2 * ROWS + i));
    }
    CHECK_OK(beats_create(&beats, &params, ROWS, kind & 32 ? by_row : NULL, rest, queue, &error), error);
    const struct observer *o = &beats.observer;
    check_maps(&beats, &params, queue);
    if (kind & 32)
        check_levels(o, ROWS, by_row, by_row + ROWS, queue);
    else
        CHECK(!o->by_row && o->threshold == -20 && o->rearm == -50, "levels %g, %g", o->threshold, o->rearm);
    CHECK(o->beats == params_times(&params) && o->percents == params.maps.percents, "%lld times",
          (long long)o->beats);
    CHECK(!params_beats(&params) ||
              (o->kept == 3 && o->floor == 5 && o->rest.beats == (params.maps.rest ? 3 : 1) &&
               o->peak.beats == (params.maps.peak ? 3 : 1) && (!(kind & 4) || o->length == 0.02) &&
               (!(kind & 8) || (o->share[0] == 0.5 && o->share[1] == 0.9))),
          "other beats");
    if (o->base) {
        double base[ROWS];
        download(queue, base, o->base, sizeof base);
        CHECK(memcmp(base, rest, sizeof rest) == 0, "other values at rest");
    }
    CHECK(!o->base == !(kind & 8), "values at rest");
    test_count(&beats, queue);
    test_points(&beats, &params, kind % 3 == 0, kind & 32 ? by_row : NULL, rest, queue);
    beats_free(&beats, queue);
    queue_free(queue);
}

/* Equal levels of all rows need no array. */
static void test_equal(const struct backend *backend)
{
    const struct monodomain_params params = params_of(0);
    struct queue *queue = test_queue(backend, 1);
    struct error error = {0};
    struct beats beats;
    double rest[ROWS] = {0}, by_row[2 * ROWS];
    for (int i = 0; i < 2 * ROWS; i++)
        by_row[i] = i < ROWS ? 7 : -9;
    for (int last = 0; last < 2; last++) { /* but for the last one */
        by_row[2 * ROWS - 1] = last ? -10 : -9;
        CHECK_OK(beats_create(&beats, &params, ROWS, by_row, rest, queue, &error), error);
        CHECK(!beats.observer.by_row == !last && beats.observer.threshold == 7 &&
                  beats.observer.rearm == (last ? -10 : -9),
              "levels %g, %g", beats.observer.threshold, beats.observer.rearm);
        beats_free(&beats, queue);
    }
    queue_free(queue);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    for (int kind = 0; kind < 64; kind++)
        test_kind(backend, kind);
    test_equal(backend);
    return 0;
}
