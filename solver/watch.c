/* watch.c: windows of steps, and trials among them. */
#include "solver/watch.h"

#include <math.h>

static const double window_seconds = 0.025;   /* several time slices of the system */
static const double first_rest = 0.1;         /* so that the first trial is little of a short run */
static const double hasty = 10, patient = 80; /* between trials, in lengths of one */
static const double slow = 1.5;   /* times the cheapest window: half of the threads may be faster */
static const double gain = 0.2;   /* of the share of threads that a trial leaves out or adds, to be kept */
static const double behind = 1.1; /* times what fewer threads took */

void watch_start(struct watch *watch, int threads)
{
    *watch = (struct watch){.most = threads,
                            .threads = threads,
                            .least = INFINITY,
                            .fewer = INFINITY,
                            .rest = first_rest,
                            .patience = hasty};
}

static void try(struct watch *watch, int threads, double cost)
{
    watch->kept = watch->threads;
    watch->kept_cost = cost;
    watch->threads = threads;
}

/* The next trial downward or upward, if there are such threads; else the steps go on as they are. */
static void try_fewer(struct watch *watch, double cost)
{
    watch->started = true;
    if (watch->threads > 1)
        try(watch, watch->threads / 2, cost);
}

static void try_more(struct watch *watch, double cost)
{
    if (watch->threads < watch->most)
        try(watch, (watch->threads + watch->most + 1) / 2, cost);
}

/* A window of a trial has ended. One that is kept leads on to the next in its direction. */
static void judge(struct watch *watch, double cost)
{
    int kept = watch->kept;
    bool down = watch->threads < kept;
    double ratio = down ? (double)watch->threads / kept : (double)kept / watch->threads;
    bool better = cost < (1 - gain * (1 - ratio)) * watch->kept_cost;
    watch->kept = watch->windows = 0;
    watch->patience = better ? hasty : fmin(2 * watch->patience, patient);
    watch->rest = watch->patience * watch->seconds;
    if (!better) {
        watch->threads = kept;
        watch->least = watch->kept_cost;
        watch->fewer = down ? cost : watch->fewer;
        return;
    }
    watch->changes++;
    watch->from = kept;
    watch->from_cost = watch->kept_cost;
    watch->changed_cost = watch->least = cost;
    watch->fewer = down ? INFINITY : watch->kept_cost;
    if (down)
        try_fewer(watch, cost);
    else
        try_more(watch, cost);
}

static void look(struct watch *watch, double window)
{
    watch->recent[watch->windows++ % WATCH_RECENT] = window;
    watch->least = fmin(watch->least, window);
    watch->rest -= watch->seconds;
    if (watch->rest > 0 || watch->windows < WATCH_RECENT)
        return;
    double cost = window;
    for (int k = 0; k < WATCH_RECENT; k++)
        cost = fmin(cost, watch->recent[k]);
    if (!watch->started || cost > slow * watch->least || cost > behind * watch->fewer)
        try_fewer(watch, cost);
    if (!watch->kept)
        try_more(watch, cost);
}

int watch_step(struct watch *watch, double seconds)
{
    watch->seconds += seconds;
    watch->steps++;
    if (watch->most < 2 || watch->seconds < window_seconds || watch->steps < 2)
        return watch->threads;
    double cost = watch->seconds / (double)watch->steps;
    if (watch->kept)
        judge(watch, cost);
    else
        look(watch, cost);
    watch->seconds = 0;
    watch->steps = 0;
    return watch->threads;
}
