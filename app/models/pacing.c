/* pacing.c: stimuli by exact overlap with a step, counted from the beat's own beginning. */
#include "app/models/pacing.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "solver/cells/stimulus.h"

const double pacing_voltage_limit = 1e4;

static const double most_steps = 0x1p60; /* of a time that never comes */

enum status pacing_usual(struct pacing *pacing, const struct user_model *user, const double *parameter,
                         struct error *error)
{
    const struct cell *cell = user ? &user->cell : NULL;
    enum status status = STATUS_OK;
    *pacing =
        (struct pacing){.stimulus = {.current = 52, .start = 10, .duration = 1, .period = 1000, .count = 1}};
    if (!cell || cell->events == 0)
        return STATUS_OK;
    double *value =
        array_zeroed(cell->stimulus + 1 + cell->states, sizeof *value, "a model's stimulus", &status, error);
    if (status)
        return status;
    double *state = value + cell->stimulus + 1;
    for (int k = 0; k < cell->states; k++)
        state[k] = cell->state[k].initial;
    const struct expression_values at = {.v = cell->v_initial, .state = state, .parameter = parameter};
    expression_evaluate(&cell->graph, &at, cell->stimulus + 1, value);
    const struct cell_event *event = &cell->event[0];
    double current = event->level * value[cell->stimulus];
    free(value);
    if (current > 0)
        pacing->stimulus = (struct stimulus){.current = current,
                                             .start = event->start,
                                             .duration = event->duration,
                                             .period = event->period > 0 ? event->period : 1000,
                                             .count = 1};
    return STATUS_OK;
}

void pacing_set_period(struct pacing *pacing)
{
    double count = pacing->stimulus.period / pacing->step, whole = nearbyint(count);
    pacing->period = whole >= 1 && whole <= most_steps && fabs(count - whole) <= 1e-6 ? (int64_t)whole : 0;
}

int64_t pacing_beat(const struct pacing *pacing, int64_t n)
{
    const struct stimulus *stimulus = &pacing->stimulus;
    int64_t since = n - (int64_t)fmin(ceil(stimulus->start / pacing->step - 1e-6), most_steps);
    if (since < 0)
        return -1;
    if (pacing->period)
        return since / pacing->period;
    return stimulus->count == 1 ? 0 : (int64_t)floor((double)since * pacing->step / stimulus->period + 1e-9);
}

double pacing_current(const struct pacing *pacing, int64_t n)
{
    struct stimulus left = pacing->stimulus;
    int64_t beat = pacing->period ? pacing_beat(pacing, n) : 0;
    if (beat >= left.count)
        beat = left.count - 1;
    if (beat > 0) {
        n -= beat * pacing->period;
        left.count -= beat;
    }
    return left.current * stimulus_overlap(&left, (double)n * pacing->step, (double)(n + 1) * pacing->step);
}

enum status pacing_step(const struct pacing *pacing, struct single_cell *cell, int64_t n, struct error *error)
{
    single_cell_step(cell, pacing_current(pacing, n));
    if (fabs(cell->v) <= pacing_voltage_limit)
        return STATUS_OK;
    return error_set(error, STATUS_RUN, "%s: V is %g mV at %g ms; a smaller step may help",
                     cell->cells.model->name, cell->v, (double)(n + 1) * pacing->step);
}
