/* profile.h: the time of each phase of a step.
 *
 * On a CPU every step is timed. On a GPU many steps are replayed as one graph, whose kernels cannot be
 * timed individually; so every 20 ms a single step is made a graph with events between its phases, which
 * changes no bit. Events keep kernels from overlapping, so the timed steps give only each phase's fraction
 * of the time of all steps. */
#ifndef CARDIAC_SOLVER_PROFILE_H
#define CARDIAC_SOLVER_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/device/queue.h"

enum profile_phase { PROFILE_IONIC, PROFILE_RHS, PROFILE_SWEEPS, PROFILE_REST, PROFILE_PHASES };

struct profile {
    struct queue *queue;
    bool on; /* the step being enqueued is timed */
    int marks;
    enum profile_phase phase[BACKEND_EVENTS]; /* phase that ended at each mark */
    double last;                              /* seconds of the last timed step */
    double seconds[PROFILE_PHASES];           /* of the timed steps */
    int64_t steps;                            /* number of timed steps */
    double advancing;                         /* seconds of all steps */
    double due;                               /* clock_seconds() at which the next step is timed */
};

void profile_start(struct profile *profile, struct queue *queue);

/* Before a step and after each of its phases; no effect unless the step is timed. */
void profile_begin(struct profile *profile);
void profile_end(struct profile *profile, enum profile_phase phase);
/* After a wait for the timed step */
void profile_collect(struct profile *profile);

/* After a frame of steps that began at `began` (clock_seconds()) */
void profile_advanced(struct profile *profile, double began);
/* Whether to time one step now: every 20 ms on a GPU, but not in the first frame. */
bool profile_is_due(const struct profile *profile);

/* seconds[PROFILE_PHASES] of all steps so far; false while nothing has been timed. */
bool profile_split(const struct profile *profile, double *seconds);

#endif
