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

/* The cells of `region` (its diffusion is ignored), stepped by params but in fp64, on a queue of the CPU.
 * *left: node steps that remain for cables; NULL = unlimited. */
struct front {
    const struct monodomain_params *params;
    const struct region *region;
    struct queue *queue;
    double *left;
    double fine, bend; /* g(0); g(edge) ~ fine (1 - bend edge^2): set by front_fine */
};

/* Edges longer than this times D / c block, without a measurement: no front in resting cells was observed on
 * edges of more than 24 D / c */
#define FRONT_BLOCKS 32.0

/* front->fine and bend <- extrapolation from edges of 1/5 and 2/5 of 1 / g, whose error is O(edge^2). fine is
 * 0 where no front travels, NaN where *left does not suffice. Errors: STATUS_RUN when a step fails. */
enum status front_fine(struct front *front, struct error *error);

/* *speed <- g(edge), edge > 0; 0: the front blocks, that is, needs ten times as long as on fine edges to the
 * next node or over a length of 4 / g; NaN as above */
enum status front_speed(const struct front *front, double edge, double *speed, struct error *error);

/* *diffusion <- D, mm^2/ms, of speed c on edges of h mm, to 0.1 % of c; h = 0: in the limit h -> 0. Errors:
 * STATUS_INPUT where no front travels; STATUS_RUN where no front on these edges is so slow, or D is not found
 * in 40 fronts or in *left. */
enum status front_diffusion(const struct front *front, double c, double h, double *diffusion,
                            struct error *error);

#endif
