/* action_potential.c: an observer of one row that keeps only the last two beats, so that it never overflows. */
#include "app/models/action_potential.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/ops/observer.h"

enum { KEPT = 3 }; /* slots: when the third is used, the first is dropped */

/* The observer for steps of dt ms */
static struct observer observer_of(const struct action_potentials *potentials, double dt)
{
    struct observer o = {.threshold = potentials->threshold,
                         .rearm = potentials->rearm,
                         .beats = KEPT + 1,
                         .count = (int32_t *)&potentials->count,
                         .percents = ACTION_POTENTIAL_PERCENTS,
                         .share = {0.3, 0.5, 0.9},
                         .length = dt};
    observer_lay(&o, (double *)(uintptr_t)potentials->memory, 1, true);
    return o;
}

void action_potentials_start(struct action_potentials *potentials, double threshold, double rearm,
                             double rest)
{
    const int64_t values = observer_values(KEPT + 1, ACTION_POTENTIAL_PERCENTS, true);
    assert((size_t)values <= sizeof potentials->memory / sizeof *potentials->memory);
    *potentials = (struct action_potentials){.threshold = threshold, .rearm = rearm};
    observer_clear(potentials->memory, values, 1);
    *observer_of(potentials, 0).base = rest;
}

static void drop_first(double *value, size_t count)
{
    memmove(value, value + 1, (count - 1) * sizeof *value);
    value[count - 1] = NAN;
}

bool action_potentials_follow(struct action_potentials *potentials, int64_t n, double dt, double v, double u)
{
    const int32_t before = potentials->count;
    const struct observer o = observer_of(potentials, dt);
    observer_note(&o, 1, 0, n, dt, v, u);
    bool begins = potentials->count > before;
    if (potentials->count < KEPT)
        return begins;
    double *const series[] = {
        o.rest.value,     o.peak.value, o.steepest.value, o.repolarized[0], o.repolarized[1],
        o.repolarized[2], o.eads};
    drop_first(o.time, KEPT + 1);
    for (size_t k = 0; k < sizeof series / sizeof *series; k++)
        drop_first(series[k], KEPT);
    potentials->count--;
    return begins;
}

struct action_potential action_potentials_latest(const struct action_potentials *potentials)
{
    const struct observer o = observer_of(potentials, 0);
    const int32_t at = potentials->count - 1;
    if (at < 0)
        return (struct action_potential){NAN, NAN, NAN, NAN, {NAN, NAN, NAN}, NAN, NAN};
    struct action_potential latest = {.activation = o.time[at],
                                      .rest = o.rest.value[at],
                                      .peak = o.peak.value[at],
                                      .slope = o.steepest.value[at],
                                      .eads = o.eads[at],
                                      .rested = NAN};
    for (int k = 0; k < ACTION_POTENTIAL_PERCENTS; k++)
        latest.apd[k] = o.repolarized[k][at] - o.time[at];
    if (at > 0)
        latest.rested = o.time[at] - o.repolarized[ACTION_POTENTIAL_90][at - 1];
    return latest;
}
