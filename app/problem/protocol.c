/* protocol.c: the times of a protocol's trains, and waveforms from files. */
#include "app/problem/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/text_file.h"
#include "kernels/base/array.h"
#include "solver/cells/stimulus.h"

enum { POINTS_MOST = 100000 };

int protocol_trains(const struct config_stimulus *stimulus)
{
    return stimulus->phases ? stimulus->phases : 1;
}

/* Start, period and count of one train; it begins `after` ms (default: one period) after the previous train's
 * last pulse */
static void set_start(struct stimulus *train, const struct config_phase *phase, bool first, double last)
{
    bool alone = !first && isnan(phase->after);
    int64_t intervals = phase->count - !alone;
    train->count = phase->count;
    train->period = isnan(phase->period) ? 0 : phase->period;
    if (!isnan(phase->to))
        train->change = (phase->to - phase->period) / (double)(intervals - 1);
    if (!first)
        train->start = last + (alone ? phase->period : phase->after);
    if (alone)
        train->period += train->change;
}

void protocol_times(struct stimulus *train, const struct config_stimulus *stimulus)
{
    double last = stimulus->start;
    for (int k = 0; k < protocol_trains(stimulus); k++) {
        train[k] = (struct stimulus){.current = stimulus->current,
                                     .start = stimulus->start,
                                     .duration = stimulus->duration,
                                     .period = stimulus->count == 1 ? 0 : stimulus->period,
                                     .count = stimulus->count,
                                     .phase = k > 0};
        if (stimulus->phases)
            set_start(&train[k], &stimulus->phase[k], k == 0, last);
        if (train[k].count > 0)
            last = stimulus_start(&train[k], train[k].count - 1);
    }
}

static enum status read_pulse_point(struct text_file *text, double (*shape)[2], int points, double at[2],
                                    struct error *error)
{
    TRY(text_number(text, 0, &at[0], "a time in ms", error));
    TRY(text_number(text, 0, &at[1], "a fraction of the current", error));
    TRY(text_end_of_line(text, error));
    if (!(isfinite(at[0]) && isfinite(at[1]) && at[0] >= 0))
        return text_error(text, error, "expected a time of at least 0 ms and a finite fraction");
    if (points > 0 && at[0] < shape[points - 1][0])
        return text_error(text, error, "times must increase: %g ms follows %g ms", at[0],
                          shape[points - 1][0]);
    if (points == POINTS_MOST)
        return text_error(text, error, "more than %d points", POINTS_MOST);
    return STATUS_OK;
}

enum status protocol_pulse(double (**shape)[2], int *points, const char *path, struct inputs *inputs,
                           struct error *error)
{
    struct text_file text = {0};
    bool more = true;
    double at[2] = {0};
    int64_t room = 0;
    enum status status = STATUS_OK;
    *shape = NULL;
    *points = 0;
    TRY_DONE(text_open(&text, path, inputs, error));
    TRY_DONE(text_content(&text, &more, error));
    while (more) {
        TRY_DONE(read_pulse_point(&text, *shape, *points, at, error));
        TRY_DONE(array_grow((void **)shape, &room, *points, sizeof **shape, "a pulse", error));
        memcpy((*shape)[(*points)++], at, sizeof at);
        TRY_DONE(text_content(&text, &more, error));
    }
    if (*points < 2 || !((*shape)[*points - 1][0] > 0))
        status = error_set(error, STATUS_INPUT,
                           "%s: a pulse requires at least two lines and an end after 0 ms", path);
done:
    text_close(&text);
    return status;
}

enum status protocol_duration(double *duration, const struct config_stimulus *stimulus, struct inputs *inputs,
                              struct error *error)
{
    double(*shape)[2] = NULL;
    int points;
    *duration = stimulus->duration;
    if (!stimulus->pulse)
        return STATUS_OK;
    enum status status = protocol_pulse(&shape, &points, stimulus->pulse, inputs, error);
    if (!status)
        *duration = shape[points - 1][0];
    free(shape);
    return status;
}
