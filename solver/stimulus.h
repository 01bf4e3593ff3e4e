/* stimulus.h: which rows feel which current, and how strong it is during a step.
 *
 * Every set of stimuli that some row feels is a class; class 0 feels nothing. A row stores its class, a step
 * needs one current per class. */
#ifndef CARDIAC_SOLVER_STIMULUS_H
#define CARDIAC_SOLVER_STIMULUS_H

#include <stdint.h>

#include "solver/params.h"

struct stimulus_plan {
    struct stimulus *stimulus; /* copies, without their node lists */
    int stimuli;
    int classes;
    int *parent; /* [classes] the class without its last stimulus */
    int *last;   /* [classes] its last stimulus */
};

/* class_of_node[nodes] <- the class of each mesh node. Errors: STATUS_INPUT if there are more than 65535
 * classes. */
enum status stimulus_plan(struct stimulus_plan *plan, const struct stimulus *stimulus, int stimuli,
                          int64_t nodes, uint16_t *class_of_node, struct error *error);
void stimulus_plan_free(struct stimulus_plan *plan);

/* Part of [t0, t1] during which the stimulus is on, 0 .. 1. Edges within 1e-9 of the interval's ends count as
 * on them. */
double stimulus_overlap(const struct stimulus *stimulus, double t0, double t1);

/* current[classes] <- mean current of each class over [t0, t1], uA/uF; stimuli are added in their order */
void stimulus_currents(const struct stimulus_plan *plan, double t0, double t1, double *current);

#endif
