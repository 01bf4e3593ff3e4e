/* thread_tuner.c: windows of steps and trials with other numbers of threads. */
#include "solver/step/thread_tuner.h"

#include <math.h>

static const double window_seconds = 0.025; /* several time slices of the operating system */
static const double first_rest = 0.1; /* seconds, so that the first trial is a small part of a short run */
static const double hasty = 10, patient = 80; /* pause between trials, in units of a trial's length */
static const double slow = 1.5; /* steps this many times slower than the cheapest window: half of the
                                   threads may be faster */
static const double gain =
    0.2; /* smallest gain to adopt a trial, relative to the fraction of threads removed or added */
static const double behind = 1.1; /* cost relative to that with fewer threads */

void thread_tuner_start(struct thread_tuner *tuner, int threads)
{
    *tuner = (struct thread_tuner){.most = threads,
                                   .threads = threads,
                                   .least = INFINITY,
                                   .fewer = INFINITY,
                                   .rest = first_rest,
                                   .patience = hasty};
}

static void try_threads(struct thread_tuner *tuner, int threads, double cost)
{
    tuner->previous = tuner->threads;
    tuner->previous_cost = cost;
    tuner->threads = threads;
}

/* Starts the next trial downward or upward, if the number of threads allows one. */
static void try_fewer(struct thread_tuner *tuner, double cost)
{
    tuner->started = true;
    if (tuner->threads > 1)
        try_threads(tuner, tuner->threads / 2, cost);
}

static void try_more(struct thread_tuner *tuner, double cost)
{
    if (tuner->threads < tuner->most)
        try_threads(tuner, (tuner->threads + tuner->most + 1) / 2, cost);
}

/* Ends a trial. An adopted one is followed by the next in its direction. */
static void settle_trial(struct thread_tuner *tuner, double cost)
{
    int previous = tuner->previous;
    bool down = tuner->threads < previous;
    double ratio = down ? (double)tuner->threads / previous : (double)previous / tuner->threads;
    bool better = cost < (1 - gain * (1 - ratio)) * tuner->previous_cost;
    tuner->previous = tuner->windows = 0;
    tuner->patience = better ? hasty : fmin(2 * tuner->patience, patient);
    tuner->rest = tuner->patience * tuner->seconds;
    if (!better) {
        tuner->threads = previous;
        tuner->least = tuner->previous_cost;
        tuner->fewer = down ? cost : tuner->fewer;
        return;
    }
    tuner->changes++;
    tuner->from = previous;
    tuner->from_cost = tuner->previous_cost;
    tuner->changed_cost = tuner->least = cost;
    tuner->fewer = down ? INFINITY : tuner->previous_cost;
    if (down)
        try_fewer(tuner, cost);
    else
        try_more(tuner, cost);
}

static void begin_trial(struct thread_tuner *tuner, double window)
{
    tuner->recent[tuner->windows++ % THREAD_TUNER_RECENT] = window;
    tuner->least = fmin(tuner->least, window);
    tuner->rest -= tuner->seconds;
    if (tuner->rest > 0 || tuner->windows < THREAD_TUNER_RECENT)
        return;
    double cost = window;
    for (int k = 0; k < THREAD_TUNER_RECENT; k++)
        cost = fmin(cost, tuner->recent[k]);
    if (!tuner->started || cost > slow * tuner->least || cost > behind * tuner->fewer)
        try_fewer(tuner, cost);
    if (!tuner->previous)
        try_more(tuner, cost);
}

int thread_tuner_step(struct thread_tuner *tuner, double seconds)
{
    tuner->seconds += seconds;
    tuner->steps++;
    if (tuner->most < 2 || tuner->seconds < window_seconds || tuner->steps < 2)
        return tuner->threads;
    double cost = tuner->seconds / (double)tuner->steps;
    if (tuner->previous)
        settle_trial(tuner, cost);
    else
        begin_trial(tuner, cost);
    tuner->seconds = 0;
    tuner->steps = 0;
    return tuner->threads;
}
