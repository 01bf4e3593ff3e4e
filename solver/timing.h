/* timing.h: what the parts of a step cost.
 *
 * On a CPU every step is timed. On a GPU steps are replayed as graphs of many, between whose kernels nothing
 * can be asked; so one step now and then is a graph by itself, with marks between its parts, which changes no
 * bit. The marks keep kernels from starting while the last one ends; so what the timed steps tell is each
 * part's share in the time of all steps. */
#ifndef CARDIAC_SOLVER_TIMING_H
#define CARDIAC_SOLVER_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/device/backend.h"

enum part { PART_IONIC, PART_PRODUCT, PART_SWEEPS, PART_REST, PARTS };

struct timing {
    const struct backend *backend;
    struct queue *queue;
    bool on; /* the step that is being placed is timed */
    int marks;
    enum part part[BACKEND_EVENTS]; /* what ended at each mark */
    double last;                    /* seconds of the last timed step */
    double seconds[PARTS];          /* of the timed steps */
    int64_t steps;                  /* timed ones */
    double advancing;               /* seconds of all steps */
    double due;                     /* clock_seconds() from which on a step is timed by itself */
};

void timing_start(struct timing *timing, const struct backend *backend, struct queue *queue);

/* Around the parts of a step; they do nothing unless it is timed. */
void timing_begin(struct timing *timing);
void timing_end(struct timing *timing, enum part part);
/* After a wait for the timed step */
void timing_collect(struct timing *timing);

/* After a frame of steps that began at `began` (clock_seconds()) */
void timing_advanced(struct timing *timing, double began);
/* Whether one step is to be placed by itself now: every 20 ms on a GPU, but not in the first frame. */
bool timing_is_due(const struct timing *timing);

/* seconds[PARTS] of all steps so far; false while nothing has been timed. */
bool timing_split(const struct timing *timing, double *seconds);

#endif
