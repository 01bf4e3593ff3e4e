/* stimulus.h: the stimuli of each row and their currents during a step.
 *
 * Every set of stimuli that some row receives is a class; class 0 is the empty set. A row stores its
 * class; a step needs one current per class. */
#ifndef CARDIAC_SOLVER_STIMULUS_H
#define CARDIAC_SOLVER_STIMULUS_H

#include <stdint.h>

#include "solver/params.h"

enum { STIMULUS_WEIGHTS = 256 }; /* weights are multiples of 1 / STIMULUS_WEIGHTS */

struct stimulus_class {
    int parent, last; /* parent: the class without its last stimulus; last: that stimulus and its following
                         phases */
    double delay, weight; /* of the last one: its delay, ms, and the factor of its current */
};

struct stimulus_plan {
    struct stimulus *stimulus; /* copies, without node lists; shapes are borrowed */
    int stimuli, classes;
    struct stimulus_class *class; /* [classes] */
};

/* class_of_node[nodes] <- the class of each mesh node. Errors: STATUS_INPUT if there are more than 65535
 * classes. */
enum status stimulus_plan(struct stimulus_plan *plan, const struct stimulus *stimulus, int stimuli,
                          int64_t nodes, uint16_t *class_of_node, struct error *error);
void stimulus_plan_free(struct stimulus_plan *plan);

/* The least weight of a node that counts as stimulated: 1/2, or the largest weight if all are less. Node k
 * counts if stimulus_weight(stimulus, k) is at least this. */
double stimulus_least_weight(const struct stimulus *stimulus);
static inline double stimulus_weight(const struct stimulus *stimulus, int64_t k)
{
    return stimulus->weight ? stimulus->weight[k] : 1;
}

/* The number of nodes that count as stimulated */
int64_t stimulus_nodes(const struct stimulus *stimulus);

/* Fraction of [t0, t1] during which the stimulus is on, 0 .. 1, or the mean of its shape there. Edges
 * of a pulse without a shape that are within 1e-9 (t1 - t0) of t0 or t1 are moved there. */
double stimulus_overlap(const struct stimulus *stimulus, double t0, double t1);

/* Start of pulse k, ms, without delays; and the end of the last pulse, with delays; infinite if count is 0 */
double stimulus_start(const struct stimulus *stimulus, int64_t k);
double stimulus_end(const struct stimulus *stimulus);
/* Duration of a pulse at a node, ms */
double stimulus_length(const struct stimulus *stimulus);

/* Its largest current, uA/uF; if none is positive, the most negative one */
double stimulus_peak(const struct stimulus *stimulus);

/* Estimate of the number of classes that a stimulus adds */
double stimulus_classes(const struct stimulus *stimulus, double step);

/* current[classes] <- mean current of each class over [t0, t1], uA/uF, stimuli added in their order */
void stimulus_currents(const struct stimulus_plan *plan, double t0, double t1, double *current);

#endif
