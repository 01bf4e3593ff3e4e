/* thread_tuner.c: windows of steps, and trials among them. */
#include "solver/step/thread_tuner.h"

#include <math.h>

static const double window_seconds = 0.025;   /* several time slices of the system */
static const double first_rest = 0.1;         /* so that the first trial is little of a short run */
static const double hasty = 10, patient = 80; /* between trials, in lengths of one */
static const double slow = 1.5;   /* times the cheapest window: half of the threads may be faster */
static const double gain = 0.2;   /* of the share of threads that a trial leaves out or adds, to be kept */
static const double behind = 1.1; /* times what fewer threads took */

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
    tuner->kept = tuner->threads;
    tuner->kept_cost = cost;
    tuner->threads = threads;
}

/* The next trial downward or upward, if there are such threads; else the steps go on as they are. */
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

/* A window of a trial has ended. One that is kept leads on to the next in its direction. */
static void settle_trial(struct thread_tuner *tuner, double cost)
{
    int kept = tuner->kept;
    bool down = tuner->threads < kept;
    double ratio = down ? (double)tuner->threads / kept : (double)kept / tuner->threads;
    bool better = cost < (1 - gain * (1 - ratio)) * tuner->kept_cost;
    tuner->kept = tuner->windows = 0;
    tuner->patience = better ? hasty : fmin(2 * tuner->patience, patient);
    tuner->rest = tuner->patience * tuner->seconds;
    if (!better) {
        tuner->threads = kept;
        tuner->least = tuner->kept_cost;
        tuner->fewer = down ? cost : tuner->fewer;
        return;
    }
    tuner->changes++;
    tuner->from = kept;
    tuner->from_cost = tuner->kept_cost;
    tuner->changed_cost = tuner->least = cost;
    tuner->fewer = down ? INFINITY : tuner->kept_cost;
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
    if (!tuner->kept)
        try_more(tuner, cost);
}

int thread_tuner_step(struct thread_tuner *tuner, double seconds)
{
    tuner->seconds += seconds;
    tuner->steps++;
    if (tuner->most < 2 || tuner->seconds < window_seconds || tuner->steps < 2)
        return tuner->threads;
    double cost = tuner->seconds / (double)tuner->steps;
    if (tuner->kept)
        settle_trial(tuner, cost);
    else
        begin_trial(tuner, cost);
    tuner->seconds = 0;
    tuner->steps = 0;
    return tuner->threads;
}
