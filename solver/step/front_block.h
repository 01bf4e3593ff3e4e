/* front_block.h: the velocity of a plane front through a block cut out of a mesh, with uniform fibre axes.
 *
 * A block is FRONT_BLOCK_LENGTH scales long and at most FRONT_BLOCK_WIDTH wide, the scale being the width
 * of a front or the local edge, whichever is longer. If the mesh ends before that, the block is continued
 * by reflection: a copy of its elements shares the nodes of the end face. The diffusion tensor is diagonal
 * in the axes, so a mirrored element has the stiffness of the original and the copy can use the original's
 * coordinates.
 *
 * The front starts from the first 2 scales. Its velocity is the slope of position over activation time in
 * the core, the nodes between 5 and 11.5 scales and away from the sides, by least squares with one
 * intercept per copy. */
#ifndef CARDIAC_SOLVER_FRONT_BLOCK_H
#define CARDIAC_SOLVER_FRONT_BLOCK_H

#include "solver/mesh/mesh.h"
#include "solver/step/front.h"

enum { FRONT_BLOCK_LENGTH = 14, FRONT_BLOCK_WIDTH = 6 };

/* Where a block is cut, and for which front */
struct front_block_position {
    int64_t element;   /* element of the mesh at its centre */
    double axis[3][3]; /* orthonormal: the front's direction, tangential to the mesh, and two across it */
    double fiber[3], sheet[3];
    double edge, scale; /* mm */
};

enum front_block_zone { FRONT_BLOCK_MARGIN, FRONT_BLOCK_EXCITED, FRONT_BLOCK_CORE };

struct front_block {
    struct mesh mesh; /* all copies, with the axes at the elements */
    double edge, scale;
    double *along;   /* [nodes] mm along the axis */
    int32_t *copy;   /* [nodes] copy of each node; odd copies are mirrored */
    uint8_t *zone;   /* [nodes] enum front_block_zone */
    int copies;      /* 1 = no reflection */
    double share[3]; /* squared components of the front's direction along fibre, sheet and normal; 1 if
                        parallel to one of them */
    int64_t core;    /* number of nodes in the core */
};

/* *block[count] <- for each position the part of the mesh around it that is connected to its element.
 * Errors: STATUS_RUN if out of memory. */
enum status front_blocks_cut(struct front_block *const block[], const struct mesh *mesh,
                             const struct front_block_position *const position[], int count,
                             struct error *error);
void front_block_free(struct front_block *block);

/* *speed <- velocity of a front of these cells, mm/ms, with diffusion[3] along fibre, sheet and normal;
 * `along` is that along the front's direction. 0: the front blocks, i.e. it reaches less than 4/5 of the
 * core, having waited for the next node ten times as long as it takes on a fine mesh. Errors: STATUS_RUN
 * if a step fails. */
enum status front_block_speed(double *speed, const struct front_block *block, const struct front *front,
                              const double diffusion[3], double along, struct error *error);

/* Node steps that a front with this velocity needs through the block, or 0 if its edges block it at once */
double front_block_work(const struct front_block *block, double speed, double along, double step);

/* Velocity along axis k divided by that along u, the direction to which the mesh restricts a front where
 * fibres are oblique in a cable or sheet: sqrt(D_k / u.D u), 1 if u is that axis */
double front_block_tilt(const struct front_block *block, const double diffusion[3], int k);

#endif
