/* thread_tuner.h: how many threads step a tissue, judged by what its steps cost.
 *
 * Threads wait for the slowest of them several times a step. When another process takes one of their cores,
 * all of them wait for it, and fewer threads are faster. So once early on, and whenever steps become slow, a
 * window of steps is tried with half of the threads; while fewer are in use, now and then one with more. What
 * is clearly faster is kept. Trials that fail follow each other at ever longer intervals, at last eighty
 * times as long as they are. The number of threads changes no bit. */
#ifndef CARDIAC_SOLVER_THREAD_TUNER_H
#define CARDIAC_SOLVER_THREAD_TUNER_H

#include <stdbool.h>
#include <stdint.h>

enum { THREAD_TUNER_RECENT = 3 };

struct thread_tuner {
    int most;                           /* threads at most */
    int threads;                        /* in use */
    int kept;                           /* what a trial goes back to; 0 = there is none now */
    double kept_cost;                   /* seconds a step with them */
    double recent[THREAD_TUNER_RECENT]; /* seconds a step of the last windows; the cheapest counts, so that */
    int windows;                        /* one hiccup is no reason for anything; how many there were */
    double least;                       /* of all windows with `threads` */
    double fewer;                   /* seconds a step when fewer threads were last used, infinite = unknown */
    double rest;                    /* seconds until the next trial may begin */
    double patience;                /* that rest, in lengths of the trial before it */
    double seconds;                 /* of the window so far */
    int64_t steps;                  /* in it */
    bool started;                   /* fewer threads have been tried once */
    int changes;                    /* trials that were kept; the last one: */
    int from;                       /* threads before it */
    double from_cost, changed_cost; /* seconds a step before and in it */
};

void thread_tuner_start(struct thread_tuner *tuner, int threads);

/* A step took `seconds`; returns the threads for the next one. */
int thread_tuner_step(struct thread_tuner *tuner, double seconds);

#endif
