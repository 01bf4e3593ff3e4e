/* cell_restitution.c: simulate the last S1 beat, copy the cell at every S2 interval, then simulate each copy's beat. */
#include "app/commands/cell_restitution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/units.h"
#include "app/util/csv.h"
#include "app/util/json.h"
#include "app/util/watch.h"
#include "kernels/base/array.h"

enum { STEPS_MAX_EXPONENT = 40, RANGE_MOST = 10000 };

enum status times_read(double *value, const char *name, const char *text, double otherwise,
                       struct error *error)
{
    struct error fault = {0};
    *value = otherwise;
    if (!text)
        return STATUS_OK;
    if (units_read(value, text, QUANTITY_TIME, &fault))
        return error_set(error, STATUS_INPUT, "%s: %s", name, fault.text);
    if (*value < 0)
        return error_set(error, STATUS_INPUT, "%s: '%.60s' is negative", name, text);
    return STATUS_OK;
}

enum status times_steps(int64_t *steps, const char *name, double time, double step, struct error *error)
{
    double count = time / step, whole = nearbyint(count);
    if (!(whole <= ldexp(1, STEPS_MAX_EXPONENT)))
        return error_set(error, STATUS_INPUT, "%s: %g ms is too many steps of %g ms", name, time, step);
    if (fabs(count - whole) > 1e-6)
        return error_set(error, STATUS_INPUT,
                         "%s: %g ms is not a multiple of the step (%g ms); the nearest is %.12g ms", name,
                         time, step, whole * step);
    *steps = (int64_t)whole;
    return STATUS_OK;
}

int64_t times_range_count(const struct times_range *range)
{
    return llabs(range->first - range->last) / range->by + 1;
}

/* The k-th time of the range, in steps */
static int64_t get_time(const struct times_range *range, int64_t k)
{
    return range->first + (range->last < range->first ? -k : k) * range->by;
}

enum status times_range_read(struct times_range *range, const char *name, const char *text, double step,
                             double shortest, struct error *error)
{
    int64_t *to[] = {&range->first, &range->last, &range->by};
    const char *at = text;
    for (int k = 0; k < 3; k++) {
        char token[40];
        double time;
        size_t length = strcspn(at, ":");
        if (length >= sizeof token || (at[length] == ':') != (k < 2))
            return error_set(error, STATUS_INPUT, "%s: '%.60s' is not FROM:TO:BY, such as 500:250:10ms", name,
                             text);
        snprintf(token, sizeof token, "%.*s", (int)length, at);
        TRY(times_read(&time, name, token, 0, error));
        TRY(times_steps(to[k], name, time, step, error));
        at += length + 1;
    }
    double least = fmin((double)range->first, (double)range->last) * step;
    if (range->by < 1)
        return error_set(error, STATUS_INPUT, "%s: the increment must be at least one step, %g ms", name,
                         step);
    if (least < shortest)
        return error_set(error, STATUS_INPUT, "%s: %g ms is shorter than the stimulus (%g ms)", name, least,
                         shortest);
    if (times_range_count(range) > RANGE_MOST)
        return error_set(error, STATUS_INPUT, "%s: more than %d intervals", name, RANGE_MOST);
    return STATUS_OK;
}

static const double captured_share = 0.2;

/* A cell, and the beat that begins with step `first` */
struct path {
    struct single_cell *cell;
    struct beat_watch watch;
    struct beat beat;
    int64_t first;
};

/* The cell at one interval */
struct copy {
    double *value;
    struct action_potentials potentials;
};

/* path->beat <- the beat of one immediate stimulus, simulated for `steps` steps; copy[k] <- the cell at interval k,
 * unless NULL */
static enum status follow(struct path *path, const struct cell_protocol *protocol, int64_t steps,
                          const struct times_range *intervals, struct copy *copy, struct error *error)
{
    struct pacing once = protocol->pacing;
    struct single_cell *cell = path->cell;
    once.stimulus.start = 0;
    once.stimulus.count = 1;
    path->beat = beat_begin((double)path->first * cell->step, cell);
    for (int64_t n = 0; n <= steps; n++) {
        int64_t k = copy ? llabs(n - intervals->first) : 1;
        if (copy && k % intervals->by == 0 && k / intervals->by < times_range_count(intervals) &&
            get_time(intervals, k / intervals->by) == n) {
            single_cell_get(cell, copy[k / intervals->by].value);
            copy[k / intervals->by].potentials = path->watch.potentials;
        }
        double before = cell->v;
        if (n == steps)
            break;
        TRY(pacing_step(&once, cell, n, error));
        beat_follow(&path->watch, &path->beat, cell, path->first + n, before, pacing_current(&once, n));
    }
    return STATUS_OK;
}

static struct restitution measure(const struct beat *s1, const struct beat *s2, double interval)
{
    bool captured = !isnan(s2->potential.activation) && s2->own >= captured_share * s1->own && s2->own > 0;
    return (struct restitution){.interval = interval,
                                .rested = captured ? s2->potential.rested : (double)NAN,
                                .apd90 = captured ? s2->potential.apd[ACTION_POTENTIAL_90] : (double)NAN,
                                .captured = captured};
}

enum status restitution_run(struct restitution *row, struct beat *s1, const struct cell_protocol *protocol,
                            const struct cell_outcome *outcome, const struct times_range *intervals,
                            struct error *error)
{
    const int64_t period = protocol->pacing.period, count = times_range_count(intervals);
    const int values = single_cell_values(protocol->model);
    int64_t longest = intervals->first > intervals->last ? intervals->first : intervals->last;
    struct single_cell cell;
    struct path path = {
        .cell = &cell, .watch = outcome->watch, .first = llround(outcome->time / protocol->pacing.step)};
    enum status status = cell_begin(&cell, protocol, error);
    double *value = array_zeroed(count * values, sizeof *value, "the cells before S2", &status, error);
    struct copy *copy = array_zeroed(count, sizeof *copy, "the cells before S2", &status, error);
    for (int64_t k = 0; k < count && !status; k++)
        copy[k].value = value + k * values;
    if (!status) {
        single_cell_set(&cell, outcome->value);
        status = follow(&path, protocol, longest > period ? longest : period, intervals, copy, error);
        *s1 = path.beat;
    }
    for (int64_t k = 0; k < count && !status; k++) {
        int64_t interval = get_time(intervals, k);
        watch_now("interval %lld of %lld", (long long)k + 1, (long long)count);
        struct path s2 = {.cell = &cell, .watch = {copy[k].potentials, NULL}, .first = path.first + interval};
        single_cell_set(&cell, copy[k].value);
        status = follow(&s2, protocol, period, NULL, NULL, error);
        row[k] = measure(s1, &s2.beat, (double)interval * cell.step);
    }
    free(copy);
    free(value);
    single_cell_free(&cell);
    return status;
}

void restitution_print(FILE *file, const struct restitution *row, int64_t rows)
{
    fputs("S2 (ms),DI (ms),APD90 (ms),captured\n", file);
    for (int64_t k = 0; k < rows; k++) {
        fprintf(file, "%.12g", row[k].interval);
        csv_put_number(file, row[k].rested);
        csv_put_number(file, row[k].apd90);
        fprintf(file, ",%s\n", row[k].captured ? "yes" : "no");
    }
}

void restitution_json(FILE *file, const struct restitution *row, int64_t rows)
{
    for (int64_t k = 0; k < rows; k++) {
        struct json json = json_line(file);
        json_open(&json, NULL, '{');
        json_number(&json, "s2", row[k].interval);
        json_number(&json, "di", row[k].rested);
        json_number(&json, "apd90", row[k].apd90);
        json_flag(&json, "captured", row[k].captured);
        json_close(&json);
    }
}
