/* profile.c: events on the queue and sums of the times between them. */
#include "solver/step/profile.h"

#include <assert.h>
#include <math.h>

#include "kernels/base/clock.h"

static const double pause = 0.02; /* seconds between timed steps on a GPU; one costs about 0.02 ms */

void profile_start(struct profile *profile, struct queue *queue)
{
    *profile = (struct profile){.queue = queue, .on = queue->backend->immediate, .due = INFINITY};
}

void profile_begin(struct profile *profile)
{
    profile->marks = 0;
    if (profile->on)
        profile->queue->backend->event_record(profile->queue, 0);
}

void profile_end(struct profile *profile, enum profile_phase phase)
{
    if (!profile->on)
        return;
    assert(profile->marks + 1 < BACKEND_EVENTS);
    profile->phase[++profile->marks] = phase;
    profile->queue->backend->event_record(profile->queue, profile->marks);
}

void profile_collect(struct profile *profile)
{
    profile->last = 0;
    for (int k = 1; k <= profile->marks; k++) {
        double seconds = profile->queue->backend->event_elapsed(profile->queue, k - 1);
        profile->seconds[profile->phase[k]] += seconds;
        profile->last += seconds;
    }
    profile->steps++;
    if (!profile->queue->backend->immediate)
        profile->due = clock_seconds() + pause;
}

void profile_advanced(struct profile *profile, double began)
{
    profile->advancing += clock_seconds() - began;
    if (isinf(profile->due))
        profile->due = 0;
}

bool profile_is_due(const struct profile *profile)
{
    return !profile->queue->backend->immediate && clock_seconds() >= profile->due;
}

bool profile_split(const struct profile *profile, double *seconds)
{
    double timed = 0;
    for (int k = 0; k < PROFILE_PHASES; k++)
        timed += profile->seconds[k];
    for (int k = 0; k < PROFILE_PHASES; k++)
        seconds[k] = profile->queue->backend->immediate ? profile->seconds[k]
                     : timed > 0                        ? profile->advancing * profile->seconds[k] / timed
                                                        : 0;
    if (profile->queue->backend->immediate)
        seconds[PROFILE_REST] += fmax(0, profile->advancing - timed);
    return profile->steps > 0;
}
