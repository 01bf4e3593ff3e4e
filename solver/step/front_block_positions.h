/* front_block_positions.h: where a region's blocks are cut: around its small, middling and large elements,
 * and around a flat one.
 *
 * Elements are ranked by their mean edge and by quality; those at the ranks of front_block_positions_rank are
 * taken, of five near such a rank the one with the most elements around it. Ties go by the element's number.
 * Where all elements have one size and quality, as in a lattice, the middle one is enough. */
#ifndef CARDIAC_SOLVER_FRONT_BLOCK_POSITIONS_H
#define CARDIAC_SOLVER_FRONT_BLOCK_POSITIONS_H

#include "solver/matrix/tensor.h"
#include "solver/step/front_block.h"

enum { FRONT_BLOCK_POSITIONS = 8, FRONT_BLOCK_POSITIONS_AXES = 3 };

/* position[FRONT_BLOCK_POSITIONS][3] <- of fronts along fibre, sheet and normal of region r, diffusion and
 * speed of which give the widths of fronts (2 D / c, mm); there[] <- which of the three the mesh has at a
 * position. Without fibres the axes are normal to the walls of a box; elsewhere those
 * of the mesh around, across the wall last but one. Errors: STATUS_RUN without memory. */
enum status front_block_positions_choose(struct front_block_position position[FRONT_BLOCK_POSITIONS][3],
                                         uint8_t there[FRONT_BLOCK_POSITIONS][3],
                                         const struct tensors *tensors, int r, const double width[3],
                                         struct error *error);

#endif
