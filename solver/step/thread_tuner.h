/* thread_tuner.h: the number of threads that step a tissue, chosen by timing its steps.
 *
 * Several times a step, threads wait for the slowest of them. If another process occupies one of their
 * cores, fewer threads are faster. So once early in a run, and whenever steps become slow, a window of
 * steps is run with half of the threads; while fewer are in use, a window is occasionally run with more. A
 * clearly faster number is adopted. After a failed trial the interval to the next one doubles, up to 80
 * times its length. The number of threads changes no bit. */
#ifndef CARDIAC_SOLVER_THREAD_TUNER_H
#define CARDIAC_SOLVER_THREAD_TUNER_H

#include <stdbool.h>
#include <stdint.h>

enum { THREAD_TUNER_RECENT = 3 };

struct thread_tuner {
    int most;             /* threads at most */
    int threads;          /* in use */
    int previous;         /* threads before the trial in progress; 0 = no trial */
    double previous_cost; /* seconds a step with them */
    double
        recent[THREAD_TUNER_RECENT]; /* seconds per step in the last windows; the minimum is used, to exclude
                                        outliers */
    int windows;                     /* since the last trial */
    double least;                    /* minimum of all windows with `threads` */
    double fewer;                   /* seconds a step when fewer threads were last used, infinite = unknown */
    double rest;                    /* seconds until the next trial may begin */
    double patience;                /* that pause in units of the previous trial's length */
    double seconds;                 /* of the current window */
    int64_t steps;                  /* steps in the current window */
    bool started;                   /* fewer threads have been tried once */
    int changes;                    /* trials that were adopted; the last one: */
    int from;                       /* threads before it */
    double from_cost, changed_cost; /* seconds a step before and in it */
};

void thread_tuner_start(struct thread_tuner *tuner, int threads);

/* Call after a step that took `seconds`; returns the number of threads for the next one */
int thread_tuner_step(struct thread_tuner *tuner, double seconds);

#endif
