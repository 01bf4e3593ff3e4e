/* front_block.h: the speed of a plane front through a block cut out of a mesh, with one fibre frame.
 *
 * A block is FRONT_BLOCK_LENGTH scales long and at most FRONT_BLOCK_WIDTH wide, the scale being the width of
 * a front or the local edge, whichever is longer. Where the mesh ends sooner, reflection continues it: a copy
 * of its elements shares the nodes of the end face. The diffusion tensor is diagonal in the frame, so a
 * mirrored element has the stiffness of the original and the copy can have the original's coordinates.
 *
 * The front starts from the first 2 scales. Its speed is the slope of position over activation time in the
 * core, by least squares with one intercept for each copy: the nodes 5 to 11.5 scales on, away from the
 * sides.
 */
#ifndef CARDIAC_SOLVER_FRONT_BLOCK_H
#define CARDIAC_SOLVER_FRONT_BLOCK_H

#include "solver/mesh/mesh.h"
#include "solver/step/front.h"

enum { FRONT_BLOCK_LENGTH = 14, FRONT_BLOCK_WIDTH = 6 };

/* Where a block is cut, and for which front */
struct front_block_position {
    int64_t element;   /* of the mesh, in the middle */
    double axis[3][3]; /* orthonormal: the front's direction, tangential to the mesh, and two across it */
    double fiber[3], sheet[3];
    double edge, scale; /* mm */
};

enum front_block_zone { FRONT_BLOCK_MARGIN, FRONT_BLOCK_EXCITED, FRONT_BLOCK_CORE };

struct front_block {
    struct mesh mesh; /* all copies, with the frame at the elements */
    double edge, scale;
    double *along;   /* [nodes] mm along the axis */
    int32_t *copy;   /* [nodes] the odd ones are mirrored */
    uint8_t *zone;   /* [nodes] enum front_block_zone */
    int copies;      /* 1 = not reflected */
    double share[3]; /* of the axis in fibre, sheet and normal, squared; 1 along one of them */
    int64_t core;    /* nodes measured */
};

/* *block[count] <- of each position the part of the mesh around it that is connected with its element.
 * Errors: STATUS_RUN without memory. */
enum status front_blocks_cut(struct front_block *const block[], const struct mesh *mesh,
                             const struct front_block_position *const position[], int count,
                             struct error *error);
void front_block_free(struct front_block *block);

/* *speed <- of a front of these cells, mm/ms, with diffusion[3] along fibre, sheet and normal, of which
 * `along` is the one along the front. 0: it blocks: it reaches fewer than four fifths of the core, having
 * waited for the next node ten times as long as it takes on a fine mesh. Errors: STATUS_RUN when a step
 * fails. */
enum status front_block_speed(double *speed, const struct front_block *block, const struct front *front,
                              const double diffusion[3], double along, struct error *error);

/* Steps of a node that a front of that speed takes through the block, or 0 where its edges block it at once */
double front_block_work(const struct front_block *block, double speed, double along, double step);

/* Speed along frame axis k, of a front along u, to which the mesh limits it where fibres lie askew in a cable
 * or sheet: sqrt(D_k / u.D u), 1 if u is that axis */
double front_block_tilt(const struct front_block *block, const double diffusion[3], int k);

#endif
