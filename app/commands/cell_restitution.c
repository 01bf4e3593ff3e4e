/* cell_restitution.c: the last S1 beat with a copy of the cell at every S2, then each copy's beat. */
#include "app/commands/cell_restitution.h"

#include <math.h>
#include <stdlib.h>

#include "app/util/json.h"
#include "kernels/base/array.h"

static const double captured_share = 0.2;

/* *beat <- one stimulus at once, followed for so many steps; copy[k] <- the cell at interval k, unless NULL
 */
static enum status follow(struct single_cell *cell, const struct cell_protocol *protocol, int64_t steps,
                          struct beat *beat, const struct times_range *intervals, double *copy,
                          struct error *error)
{
    struct pacing once = protocol->pacing;
    once.stimulus.start = 0;
    once.stimulus.count = 1;
    enum status status = STATUS_OK;
    for (int64_t n = 0; n <= steps && !status; n++) {
        int64_t k = copy ? llabs(n - intervals->first) : 1;
        if (copy && k % intervals->by == 0 && k / intervals->by < times_range_count(intervals) &&
            times_range_at(intervals, k / intervals->by) == n)
            single_cell_get(cell, copy + k / intervals->by * single_cell_values(protocol->model));
        double before = cell->v;
        if (n == steps)
            break;
        status = pacing_step(&once, cell, n, error);
        beat_follow(beat, cell, (double)n * cell->step, before, pacing_current(&once, n));
    }
    return status;
}

static struct restitution measure(const struct beat *s1, const struct beat *s2, double interval)
{
    bool captured = s2->own >= captured_share * s1->own && s2->own > 0;
    return (struct restitution){.interval = interval,
                                .rested = interval - (s1->slope_time + s1->apd[BEAT_APD90]),
                                .apd90 = captured ? s2->apd[BEAT_APD90] : (double)NAN,
                                .captured = captured};
}

enum status restitution_run(struct restitution *row, struct beat *s1, const struct cell_protocol *protocol,
                            const double *value, const struct times_range *intervals, struct error *error)
{
    const int64_t period = protocol->pacing.period, count = times_range_count(intervals);
    const int values = single_cell_values(protocol->model);
    int64_t longest = intervals->first > intervals->last ? intervals->first : intervals->last;
    struct single_cell cell;
    enum status status = cell_begin(&cell, protocol, error);
    double *copy = array_zeroed(count * values, sizeof *copy, "the cells before S2", &status, error);
    if (!status) {
        single_cell_set(&cell, value);
        *s1 = beat_begin(0, &cell);
        status = follow(&cell, protocol, longest > period ? longest : period, s1, intervals, copy, error);
    }
    for (int64_t k = 0; k < count && !status; k++) {
        single_cell_set(&cell, copy + k * values);
        struct beat s2 = beat_begin(0, &cell);
        s2.rest = s1->rest;
        status = follow(&cell, protocol, period, &s2, NULL, NULL, error);
        row[k] = measure(s1, &s2, (double)times_range_at(intervals, k) * cell.step);
    }
    free(copy);
    single_cell_free(&cell);
    return status;
}

static void print_number(FILE *file, double value)
{
    if (isnan(value))
        fputc(',', file);
    else
        fprintf(file, ",%.12g", value);
}

void restitution_print(FILE *file, const struct restitution *row, int64_t rows)
{
    fputs("S2 (ms),DI (ms),APD90 (ms),captured\n", file);
    for (int64_t k = 0; k < rows; k++) {
        fprintf(file, "%.12g", row[k].interval);
        print_number(file, row[k].rested);
        print_number(file, row[k].apd90);
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
