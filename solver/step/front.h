/* front.h: the speed of a plane front in one region, measured on a cable that the solver steps.
 *
 * Lengths in units of sqrt(D) leave V_t = D V_xx - Iion without D, so a front's speed is
 *   c = sqrt(D) g(h / sqrt(D)),
 * where the function g depends on the model, the time step and the scheme but not on the conductivity: mm/ms,
 * and the edge h of the cable's elements, over (mm^2/ms)^(1/2). As h -> 0, g tends to a number and c ~
 * sqrt(D). */
#ifndef CARDIAC_SOLVER_FRONT_H
#define CARDIAC_SOLVER_FRONT_H

#include "kernels/device/queue.h"
#include "solver/params.h"

enum { FRONT_START = 20 }; /* mV, V of the nodes that are excited */

struct front_speed {
    double fine, bend; /* g(0), 0: no front travels; g(edge) ~ fine (1 - bend edge^2) */
    double rest; /* g(0) of the model at rest, with the region's parameters, 0: its cells are passive. It is
                    `fine`, unless that is 0 in the state that the region begins in. */
};

/* Whether cells begin with V too high for a front, which cannot rise before V has fallen below that: so much
 * higher than the model at rest that fronts are not measured */
bool front_is_lifted(const struct region *region);

/* Whether fronts are stepped by stages: where the run's method may be rkl2, which is known before its matrix */
bool front_staged(const struct monodomain_params *params);

/* The edge, for D = 1, at which a front's speed is wrong by FRONT_TOLERANCE, the most without a warning */
#define FRONT_TOLERANCE 0.05
double front_enough(const struct front_speed *speed);

/* The cells of `region` (its diffusion is ignored), stepped by params but in fp64, on a queue of the CPU. */
struct front {
    const struct monodomain_params *params;
    const struct region *region;
    struct queue *queue;
    struct front_speed speed; /* set by front_fine */
};

/* The front's cells with this diffusion at all nodes; its params in fp64 for a tissue of one region, without
 * options for larger meshes */
struct region front_region(const struct front *front, const double diffusion[3]);
struct monodomain_params front_params(const struct front *front, const struct region *region,
                                      const int32_t *element_region);

/* front->speed <- extrapolation from edges of 1/5 and 2/5 of 1 / g, whose error is O(edge^2); where no front
 * travels in the region's initial state, also from rest. Errors: STATUS_RUN when a step fails. */
enum status front_fine(struct front *front, struct error *error);

#endif
