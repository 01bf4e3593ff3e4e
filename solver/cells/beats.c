/* beats.c: allocation, reading and setting of the maps that the params select. */
#include "solver/cells/beats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

static const char activations[] = "activation_time", after[] = "activation_after", over[] = "activation_over";

enum { MANY = 1 << 14 }; /* rows: with fewer, starting the threads takes longer than the loop */

/* The least slope of an upstroke, mV/ms: a tenth of the slowest one of models in common use */
static const double slope_floor = 5;

/* The arguments common to all maps */
struct map_maker {
    struct beats *beats;
    struct queue *queue;
    int64_t rows;
    double *staging; /* [rows] */
    struct error *error;
};

static void list_map(struct beats *beats, const char *name, int percent, void *array, size_t size,
                     int64_t width)
{
    struct beats_map *map = &beats->map[beats->maps++];
    *map = (struct beats_map){.array = array, .size = size, .width = width};
    snprintf(map->name, sizeof map->name, percent ? "%s_%d" : "%s", name, percent);
}

/* array[width][rows] on the device <- filling; returns NULL unless *status is STATUS_OK */
static double *new_map(const struct map_maker *maker, int64_t width, double filling, enum status *status)
{
    double *array = *status ? NULL
                            : device_array(maker->queue, width * maker->rows, sizeof *array, "the maps",
                                           status, maker->error);
    if (*status)
        return array;
#pragma omp parallel for schedule(static) if (maker->rows > MANY)
    for (int64_t i = 0; i < maker->rows; i++)
        maker->staging[i] = filling;
    for (int64_t k = 0; k < width && !*status; k++)
        *status = device_upload(maker->queue, array + k * maker->rows, maker->staging,
                                (size_t)maker->rows * sizeof *array, maker->error);
    return array;
}

static double *add_map(const struct map_maker *maker, const char *name, int percent, int64_t width,
                       double filling, enum status *status)
{
    double *array = new_map(maker, width, filling, status);
    if (array)
        list_map(maker->beats, name, percent, array, sizeof *array, width);
    return array;
}

/* Values of each beat if `all`, else of the latest one */
static struct observer_series add_series(const struct map_maker *maker, const char *name, bool all,
                                         int64_t beats, enum status *status)
{
    int64_t width = all ? beats : 1;
    return (struct observer_series){add_map(maker, name, 0, width, NAN, status), width};
}

/* Arrays of activation times: those of the maps and, under another name, the further ones; and the ends of
 * beats */
static void add_times(const struct map_maker *maker, const struct monodomain_params *params,
                      enum status *status)
{
    struct observer *o = &maker->beats->observer;
    const int64_t kept = params->activation_beats;
    o->beats = params_times(params);
    o->time = new_map(maker, o->beats, NAN, status);
    if (!o->time)
        return;
    list_map(maker->beats, activations, 0, o->time, sizeof *o->time, kept);
    if (o->beats > kept)
        list_map(maker->beats, after, 0, o->time + kept * maker->rows, sizeof *o->time, o->beats - kept);
    if (params->activation_slots > 0)
        o->over = add_map(maker, over, 0, o->beats, NAN, status);
}

/* Early afterdepolarisations, recorded if repolarization is */
static enum status add_eads(const struct map_maker *maker, int64_t beats, const double *rest)
{
    struct observer *o = &maker->beats->observer;
    enum status status = STATUS_OK;
    o->trough = add_map(maker, "trough", 0, 1, NAN, &status);
    o->top = add_map(maker, "top", 0, 1, NAN, &status);
    o->eads = add_map(maker, "eads", 0, beats, NAN, &status);
    o->base =
        status ? NULL
               : device_array(maker->queue, maker->rows, sizeof *o->base, "the maps", &status, maker->error);
    TRY(status);
    return device_upload(maker->queue, o->base, rest, (size_t)maker->rows * sizeof *rest, maker->error);
}

/* The other values of whole beats */
static enum status add_beats(const struct map_maker *maker, const struct monodomain_params *params,
                             const double *rest)
{
    struct observer *o = &maker->beats->observer;
    const struct params_maps *maps = &params->maps;
    int64_t beats = params->activation_beats;
    enum status status = STATUS_OK;
    o->operation = OBSERVER_BEATS;
    o->kept = beats;
    o->floor = slope_floor;
    o->low = add_map(maker, "low", 0, 1, INFINITY, &status);
    o->rest = add_series(maker, "rest", maps->rest, beats, &status);
    o->peak = add_series(maker, "peak", maps->peak, beats, &status);
    if (maps->slope) {
        o->steepest = add_series(maker, "dvdt_max", true, beats, &status);
        o->rise = add_map(maker, "dvdt_before", 0, 2, 0, &status);
        o->length = params->step;
    }
    for (int k = 0; k < maps->percents; k++) {
        o->share[k] = maps->percent[k] / 100.0;
        o->fall_to[k] = add_map(maker, "level", maps->percent[k], 1, NAN, &status);
        o->repolarized[k] = add_map(maker, "repolarization", maps->percent[k], beats, NAN, &status);
        o->percents = k + 1;
    }
    TRY(status);
    return maps->percents > 0 ? add_eads(maker, beats, rest) : STATUS_OK;
}

/* The observer's threshold <- the highest of all rows, rearm <- the lowest; by_row <- a device copy,
 * unless all rows are equal */
static enum status set_thresholds(struct observer *o, const double *by_row, int64_t rows, struct queue *queue,
                                  struct error *error)
{
    enum status status = STATUS_OK;
    bool equal = true;
    double threshold = -INFINITY, rearm = INFINITY;
#pragma omp parallel for schedule(static) if (rows > MANY)                                                   \
    reduction(max : threshold) reduction(min : rearm) reduction(&& : equal)
    for (int64_t i = 0; i < rows; i++) {
        threshold = fmax(threshold, by_row[i]);
        rearm = fmin(rearm, by_row[rows + i]);
        equal = equal && by_row[i] == by_row[0] && by_row[rows + i] == by_row[rows];
    }
    o->threshold = threshold;
    o->rearm = rearm;
    if (equal)
        return STATUS_OK;
    double *array = device_array(queue, 2 * rows, sizeof *array, "the thresholds", &status, error);
    o->by_row = array;
    TRY(status);
    return device_upload(queue, array, by_row, (size_t)(2 * rows) * sizeof *array, error);
}

enum status beats_create(struct beats *beats, const struct monodomain_params *params, int64_t rows,
                         const double *by_row, const double *rest, struct queue *queue, struct error *error)
{
    enum status status = STATUS_OK;
    struct observer *o = &beats->observer;
    const struct map_maker maker = {beats, queue, rows,
                                    array_new(rows, sizeof(double), "the maps", &status, error), error};
    *beats = (struct beats){
        .rows = rows,
        .observer = {
            .operation = OBSERVER_CROSSINGS,
            .threshold = params->activation_threshold,
            .rearm = params->activation_rearm,
            .count = device_array(queue, rows, sizeof(int32_t), "the maps", &status, error),
            .waits = device_array(queue, rows, sizeof(uint8_t), "the maps", &status, error),
            .due = device_array(queue, observer_words(rows), sizeof(uint32_t), "the maps", &status, error)}};
    TRY_DONE(status);
    if (by_row)
        TRY_DONE(set_thresholds(o, by_row, rows, queue, error));
    add_times(&maker, params, &status);
    TRY_DONE(status);
    if (params_beats(params))
        TRY_DONE(add_beats(&maker, params, rest));
    if (o->beats > 1)
        list_map(beats, "activation_waits", 0, o->waits, sizeof *o->waits, 1);
done:
    free(maker.staging);
    return status;
}

void beats_free(struct beats *beats, struct queue *queue)
{
    for (int k = 0; k < beats->maps; k++)
        if (beats->map[k].array != beats->observer.waits && strcmp(beats->map[k].name, after) != 0)
            device_release(queue, beats->map[k].array);
    device_release(queue, (void *)(uintptr_t)beats->observer.by_row);
    device_release(queue, (void *)(uintptr_t)beats->points.observer.by_row);
    device_release(queue, beats->observer.base);
    device_release(queue, beats->observer.waits);
    device_release(queue, beats->observer.count);
    device_release(queue, beats->observer.due);
    device_release(queue, beats->points.row);
    device_release(queue, beats->points.observer.count);
    device_release(queue, beats->points.observer.low);
    free(beats->here);
}

int64_t beats_values_at_point(int64_t times)
{
    return observer_values(times, 1, false);
}

struct observer beats_at_points(const struct monodomain_params *params, int64_t times, double *value,
                                int64_t points)
{
    struct observer o = {.threshold = params->activation_threshold,
                         .beats = times,
                         .percents = 1,
                         .share = {BEATS_PERCENT / 100.0}};
    observer_lay(&o, value, points, false);
    return o;
}

/* The points' thresholds <- those of their rows */
static enum status pick_thresholds(struct beats *beats, struct queue *queue, struct error *error)
{
    const struct observer *all = &beats->observer;
    struct observer_points *to = &beats->points;
    const int64_t rows = beats->rows, points = to->points;
    enum status status = STATUS_OK;
    double *by_row = array_new(2 * rows, sizeof *by_row, "the thresholds", &status, error);
    double *picked = array_new(2 * points, sizeof *picked, "the thresholds", &status, error);
    TRY_DONE(status);
    TRY_DONE(device_download(queue, by_row, all->by_row, (size_t)(2 * rows) * sizeof *by_row, error));
    for (int64_t p = 0; p < points; p++) {
        int64_t row = beats->here[p] < 0 ? 0 : beats->here[p];
        picked[p] = by_row[row];
        picked[points + p] = by_row[rows + row];
    }
    status = set_thresholds(&to->observer, picked, points, queue, error);
done:
    free(by_row);
    free(picked);
    return status;
}

enum status beats_follow(struct beats *beats, const struct monodomain_params *params, int64_t times,
                         const int32_t *row, int64_t points, const double *rest, struct queue *queue,
                         struct error *error)
{
    static const char what[] = "the probes";
    enum status status = STATUS_OK;
    int64_t values = beats_values_at_point(times);
    int32_t *rows = device_array(queue, points, sizeof *rows, what, &status, error);
    int32_t *count = device_array(queue, points, sizeof *count, what, &status, error);
    double *memory = device_array(queue, values * points, sizeof *memory, what, &status, error);
    double *empty = array_new(values * points, sizeof *empty, what, &status, error);
    beats->points = (struct observer_points){.row = rows, .observer = {.low = memory, .count = count}};
    beats->here = array_new(points, sizeof *beats->here, what, &status, error);
    TRY_DONE(status);
    beats->points = (struct observer_points){points, rows, beats_at_points(params, times, memory, points)};
    beats->points.observer.threshold = beats->observer.threshold;
    beats->points.observer.rearm = beats->observer.rearm;
    beats->points.observer.count = count;
    memcpy(beats->here, row, (size_t)points * sizeof *row);
    if (beats->observer.by_row)
        TRY_DONE(pick_thresholds(beats, queue, error));
    observer_clear(empty, values, points);
    for (int64_t p = 0; p < points; p++)
        empty[beats->points.observer.base - memory + p] = row[p] < 0 ? 0 : rest[row[p]];
    TRY_DONE(device_upload(queue, rows, row, (size_t)points * sizeof *row, error));
    status = beats_set_points(beats, empty, queue, error);
done:
    free(empty);
    return status;
}

size_t beats_points_bytes(const struct beats *beats)
{
    const struct observer *o = &beats->points.observer;
    return (size_t)(observer_values(o->beats, o->percents, false) * beats->points.points) * sizeof(double);
}

enum status beats_get_points(const struct beats *beats, double *value, struct queue *queue,
                             struct error *error)
{
    int64_t points = beats->points.points;
    size_t bytes = beats_points_bytes(beats);
    enum status status = device_download(queue, value, beats->points.observer.low, bytes, error);
    double *last_row = value + bytes / sizeof *value - points;
    const uint8_t *waits = (const uint8_t *)last_row;
    for (int64_t p = points - 1; p >= 0; p--) /* bytes -> doubles, from the end since they overlap in
                                                 memory */
        last_row[p] = waits[p];
    for (size_t k = 0; k < bytes / sizeof *value; k++)
        if (beats->here[(int64_t)k % points] < 0)
            value[k] = 0;
    return status;
}

enum status beats_set_points(struct beats *beats, const double *value, struct queue *queue,
                             struct error *error)
{
    const struct observer *on = &beats->points.observer;
    struct observer o = *on;
    int64_t points = beats->points.points;
    size_t bytes = beats_points_bytes(beats), values = bytes / sizeof *value;
    enum status status = STATUS_OK;
    int32_t *count = array_zeroed(points, sizeof *count, "the probes", &status, error);
    double *packed = array_new((int64_t)values, sizeof *packed, "the probes", &status, error);
    TRY_DONE(status);
    memcpy(packed, value, bytes);
    observer_lay(&o, packed, points, false);
    const double *waits = value + values - points; /* doubles, which become bytes */
    for (int64_t p = 0; p < points; p++)
        o.waits[p] = waits[p] != 0;
    for (int64_t k = 0; k < o.beats * points; k++)
        count[k % points] += !isnan(o.time[k]);
    TRY_DONE(device_upload(queue, on->low, packed, bytes, error));
    status = device_upload(queue, on->count, count, (size_t)points * sizeof *count, error);
done:
    free(count);
    free(packed);
    return status;
}

int64_t beats_values(const struct monodomain_params *params)
{
    const struct params_maps *maps = &params->maps;
    int64_t beats = params->activation_beats, times = params_times(params);
    times += params->activation_slots > 0 ? times : 0;
    if (!params_beats(params))
        return times;
    return times + 1 + (maps->rest ? beats : 1) + (maps->peak ? beats : 1) + (maps->slope ? beats + 2 : 0) +
           maps->percents * (beats + 1) + (maps->percents > 0 ? 3 + beats : 0);
}

bool beats_are_times(const struct beats_map *map)
{
    return strcmp(map->name, activations) == 0 || strcmp(map->name, after) == 0;
}

enum status beats_count(struct beats *beats, int64_t rows, double *staging, struct queue *queue,
                        struct error *error)
{
    enum status status = STATUS_OK;
    const struct observer *o = &beats->observer;
    int32_t *count = array_zeroed(rows, sizeof *count, "the maps", &status, error);
    uint8_t *waits = array_new(rows, sizeof *waits, "the maps", &status, error);
    TRY_DONE(status);
    TRY_DONE(device_download(queue, waits, o->waits, (size_t)rows * sizeof *waits, error));
    for (int64_t beat = 0; beat < o->beats; beat++) {
        size_t bytes = (size_t)rows * sizeof *staging;
        TRY_DONE(device_download(queue, staging, o->time + beat * rows, bytes, error));
        for (int64_t i = 0; i < rows; i++) {
            count[i] += !isnan(staging[i]);
            waits[i] |= isnan(staging[i]) && signbit(staging[i]) ? OBSERVER_WAITS : 0;
            staging[i] = isnan(staging[i]) ? NAN : staging[i];
        }
        TRY_DONE(device_upload(queue, o->time + beat * rows, staging, bytes, error));
    }
    TRY_DONE(device_upload(queue, o->count, count, (size_t)rows * sizeof *count, error));
    status = device_upload(queue, o->waits, waits, (size_t)rows * sizeof *waits, error);
done:
    free(count);
    free(waits);
    return status;
}
