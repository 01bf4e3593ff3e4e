/* felt.h: the stimulus pulses that each node receives, including its delay.
 *
 * A node belongs to a stimulus if its weight is at least the train's `least` (solver/cells/waves.h). */
#ifndef CARDIAC_SOLVER_CELLS_FELT_H
#define CARDIAC_SOLVER_CELLS_FELT_H

#include "solver/cells/waves.h"

/* A pulse at a node */
struct felt {
    int32_t stimulus; /* -1 = none */
    int64_t pulse, index;
    double start, end; /* ms, including the node's delay */
};

static const struct felt felt_none = {-1, -1, -1, -HUGE_VAL, -HUGE_VAL};

/* The index of the node in the node list of stimulus s, -1 = not stimulated */
int64_t felt_index(const struct waves *waves, int32_t s, int32_t node);
/* The last pulse that begins at or before `time`, without delays; -1 = none */
int64_t felt_pulse_at(const struct stimulus *stimulus, double time);
/* *felt <- the next pulse, in the order last pulse first within each stimulus, among those with a positive
 * current that begin at the node at or before `time` and end at or after `since`; false if there is none.
 * Start from felt_none. */
bool felt_next(struct felt *felt, const struct waves *waves, int32_t node, double time, double since);
/* The last begun of the pulses with a positive current that begin at the node at or before `time` */
struct felt felt_last(const struct waves *waves, int32_t node, double time);
/* ms, the end, with the longest delay, of the train's last pulse that begins at or before `time`;
 * -infinite = none */
double felt_last_end(const struct waves *waves, int32_t s, double time);
/* Distance from a point to the bounding box of a train's nodes, mm */
double felt_distance(const struct waves_train *train, const double point[3]);

#endif
