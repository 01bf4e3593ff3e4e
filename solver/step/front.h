/* front.h: the velocity of a plane front in one region, measured by simulating a cable.
 *
 * With lengths in units of sqrt(D), V_t = D V_xx - Iion no longer contains D, so a front's velocity is
 *   c = sqrt(D) g(h / sqrt(D)),
 * where h is the edge length of the cable and the function g depends on the model, the time step and the
 * scheme but not on the conductivity. Units: c in mm/ms, h in mm, D in mm^2/ms. As h -> 0, g tends to a
 * constant and c ~ sqrt(D). */
#ifndef CARDIAC_SOLVER_FRONT_H
#define CARDIAC_SOLVER_FRONT_H

#include "kernels/device/queue.h"
#include "solver/params.h"

enum { FRONT_START = 20 }; /* mV, V of the excited nodes at the start */

struct front_speed {
    double fine, bend; /* fine: g(0), 0 = no front propagates; g(edge) ~ fine (1 - bend edge^2) */
    double rest; /* g(0) of the model at rest with the region's parameters, 0 = passive cells; equals fine,
                    unless fine is 0 because of the region's initial state */
};

/* Whether the cells' initial V is so much higher than the model's resting potential that no front can
 * propagate until it has fallen; fronts are then not measured */
bool front_is_lifted(const struct region *region);

/* Whether fronts are computed with stages: if the run's method may be rkl2, which is known before its
 * matrix */
bool front_staged(const struct monodomain_params *params);

/* The edge, for D = 1, at which a front's velocity has the relative error FRONT_TOLERANCE, the largest
 * without a warning */
#define FRONT_TOLERANCE 0.05
double front_enough(const struct front_speed *speed);

/* The cells of `region` (its diffusion is ignored), stepped with params, but in fp64, on a CPU queue */
struct front {
    const struct monodomain_params *params;
    const struct region *region;
    struct queue *queue;
    struct front_speed speed; /* set by front_fine */
};

/* A region with the front's cells and this diffusion; and the params, in fp64, of a tissue with one
 * region, without options for larger meshes */
struct region front_region(const struct front *front, const double diffusion[3]);
struct monodomain_params front_params(const struct front *front, const struct region *region,
                                      const int32_t *element_region);

/* front->speed <- extrapolated from edges of 1/5 and 2/5 of 1 / g, with an error of O(edge^2). If no front
 * propagates from the region's initial state, it is also measured from rest. Errors: STATUS_RUN if a step
 * fails. */
enum status front_fine(struct front *front, struct error *error);

#endif
