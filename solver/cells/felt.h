/* felt.h: the pulses of a run's stimuli as nodes feel them, each with its delay.
 *
 * A node is one of a stimulus if its weight is no less than the train's least (solver/cells/waves.h). */
#ifndef CARDIAC_SOLVER_CELLS_FELT_H
#define CARDIAC_SOLVER_CELLS_FELT_H

#include "solver/cells/waves.h"

/* A pulse at a node */
struct felt {
    int32_t stimulus; /* -1 = none */
    int64_t pulse, index;
    double start, end; /* ms, with the node's delay */
};

static const struct felt felt_none = {-1, -1, -1, -HUGE_VAL, -HUGE_VAL};

/* The index of the node in the list of stimulus s, -1 = it is not stimulated */
int64_t felt_index(const struct waves *waves, int32_t s, int32_t node);
/* The last pulse that begins up to `time`, -1 = none */
int64_t felt_pulse_at(const struct stimulus *stimulus, double time);
/* *felt <- the pulse after it of those with a positive current that begin at the node up to `time` and end at
 * `since` or later: of each stimulus the last one first. At first it is felt_none. */
bool felt_next(struct felt *felt, const struct waves *waves, int32_t node, double time, double since);
/* Of those pulses the last one begun, whenever it ended */
struct felt felt_last(const struct waves *waves, int32_t node, double time);
/* ms, the end of the last pulse of a train that began up to `time`, at all nodes; -infinite = none */
double felt_last_end(const struct waves *waves, int32_t s, double time);
/* mm between a node and the box of a train's nodes */
double felt_distance(const struct waves_train *train, const double point[3]);

#endif
