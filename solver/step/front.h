/* front.h: the speed of a plane front in tissue of one region, on a cable that the solver itself steps.
 *
 * Lengths in units of sqrt(D) leave V_t = D V_xx - Iion without D, so a front's speed is
 *   c = sqrt(D) g(h / sqrt(D)),
 * with one function g of the model, the time step and the scheme for all conductivities: mm/ms and the edge h
 * of the cable's elements over (mm^2/ms)^(1/2). As h -> 0, g is a number, and c goes as sqrt(D). */
#ifndef CARDIAC_SOLVER_FRONT_H
#define CARDIAC_SOLVER_FRONT_H

#include "kernels/device/queue.h"
#include "solver/params.h"

/* What is asked: the cells of `region` (its diffusion says nothing), stepped as params says but in fp64, on a
 * queue of the CPU. *left: node steps that cables may still take; NULL = any. */
struct front {
    const struct monodomain_params *params;
    const struct region *region;
    struct queue *queue;
    double *left;
    double fine, bend; /* g(0), and g(edge) is about fine (1 - bend edge^2): by front_fine */
};

/* Edges of so many D / c are known to block without a cable: no front of cells that rest was seen to travel
 * on edges of more than 24 */
#define FRONT_BLOCKS 32.0

/* front->fine and bend <- from edges of a fifth and two fifths of 1 / g, their error taken as their square's;
 * fine is 0 where no front travels, NaN where *left does not suffice. STATUS_RUN when a step fails. */
enum status front_fine(struct front *front, struct error *error);

/* *speed <- g(edge), edge > 0; 0: the front blocks, that is, takes ten times as long to the next
 * node, or a length of 4 / g, as it would on fine edges; NaN as above */
enum status front_speed(const struct front *front, double edge, double *speed, struct error *error);

/* *diffusion <- D, mm^2/ms, of speed c on edges of h mm, to 0.1 % of c; h = 0: on fine ones. STATUS_INPUT
 * where no front travels; STATUS_RUN where none is as slow on these edges, or it is not found in 40 fronts or
 * in *left. */
enum status front_diffusion(const struct front *front, double c, double h, double *diffusion,
                            struct error *error);

#endif
