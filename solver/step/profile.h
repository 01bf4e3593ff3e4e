/* profile.h: what the parts of a step cost.
 *
 * On a CPU every step is timed. On a GPU steps are replayed as graphs of many, between whose kernels nothing
 * can be asked; so one step now and then is a graph by itself, with marks between its parts, which changes no
 * bit. The marks keep kernels from starting while the last one ends; so what the timed steps tell is each
 * part's share in the time of all steps. */
#ifndef CARDIAC_SOLVER_PROFILE_H
#define CARDIAC_SOLVER_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/device/queue.h"

enum profile_part { PROFILE_IONIC, PROFILE_RHS, PROFILE_SWEEPS, PROFILE_REST, PROFILE_PARTS };

struct profile {
    struct queue *queue;
    bool on; /* the step that is being placed is timed */
    int marks;
    enum profile_part part[BACKEND_EVENTS]; /* what ended at each mark */
    double last;                            /* seconds of the last timed step */
    double seconds[PROFILE_PARTS];          /* of the timed steps */
    int64_t steps;                          /* timed ones */
    double advancing;                       /* seconds of all steps */
    double due;                             /* clock_seconds() from which on a step is timed by itself */
};

void profile_start(struct profile *profile, struct queue *queue);

/* Around the parts of a step; they do nothing unless it is timed. */
void profile_begin(struct profile *profile);
void profile_end(struct profile *profile, enum profile_part part);
/* After a wait for the timed step */
void profile_collect(struct profile *profile);

/* After a frame of steps that began at `began` (clock_seconds()) */
void profile_advanced(struct profile *profile, double began);
/* Whether one step is to be placed by itself now: every 20 ms on a GPU, but not in the first frame. */
bool profile_is_due(const struct profile *profile);

/* seconds[PROFILE_PARTS] of all steps so far; false while nothing has been timed. */
bool profile_split(const struct profile *profile, double *seconds);

#endif
