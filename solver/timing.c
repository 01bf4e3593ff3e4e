/* timing.c: marks on the queue, and sums of the times between them. */
#include "solver/timing.h"

#include <assert.h>
#include <math.h>

#include "kernels/base/clock.h"

static const double pause =
    0.02; /* seconds between steps that are timed by themselves: they cost about 0.02 ms */

void timing_start(struct timing *timing, const struct backend *backend, struct queue *queue)
{
    *timing = (struct timing){.backend = backend, .queue = queue, .on = backend->immediate, .due = INFINITY};
}

void timing_begin(struct timing *timing)
{
    timing->marks = 0;
    if (timing->on)
        timing->backend->event_record(timing->queue, 0);
}

void timing_end(struct timing *timing, enum part part)
{
    if (!timing->on)
        return;
    assert(timing->marks + 1 < BACKEND_EVENTS);
    timing->part[++timing->marks] = part;
    timing->backend->event_record(timing->queue, timing->marks);
}

void timing_collect(struct timing *timing)
{
    timing->last = 0;
    for (int k = 1; k <= timing->marks; k++) {
        double seconds = timing->backend->event_elapsed(timing->queue, k - 1);
        timing->seconds[timing->part[k]] += seconds;
        timing->last += seconds;
    }
    timing->steps++;
    if (!timing->backend->immediate)
        timing->due = clock_seconds() + pause;
}

void timing_advanced(struct timing *timing, double began)
{
    timing->advancing += clock_seconds() - began;
    if (isinf(timing->due))
        timing->due = 0;
}

bool timing_is_due(const struct timing *timing)
{
    return !timing->backend->immediate && clock_seconds() >= timing->due;
}

bool timing_split(const struct timing *timing, double *seconds)
{
    double timed = 0;
    for (int k = 0; k < PARTS; k++)
        timed += timing->seconds[k];
    for (int k = 0; k < PARTS; k++)
        seconds[k] = timing->backend->immediate ? timing->seconds[k]
                     : timed > 0                ? timing->advancing * timing->seconds[k] / timed
                                                : 0;
    if (timing->backend->immediate)
        seconds[PART_REST] += fmax(0, timing->advancing - timed);
    return timing->steps > 0;
}
