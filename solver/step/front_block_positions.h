/* front_block_positions.h: chooses where a region's blocks are cut: around small, medium and large
 * elements, and around a flat one.
 *
 * Elements are ranked by mean edge and by quality. Near each of the ranks rank[] in the .c file, the one
 * of five elements with the most elements around it is chosen; ties are broken by element number. If all
 * elements have one size and quality, as in a lattice, the middle one suffices. */
#ifndef CARDIAC_SOLVER_FRONT_BLOCK_POSITIONS_H
#define CARDIAC_SOLVER_FRONT_BLOCK_POSITIONS_H

#include "solver/matrix/tensor.h"
#include "solver/step/front_block.h"

enum { FRONT_BLOCK_POSITIONS = 8, FRONT_BLOCK_POSITIONS_AXES = 3 };

/* position[FRONT_BLOCK_POSITIONS][3] <- the positions for fronts along fibre, sheet and normal in region
 * r; width[3] are the front widths in these directions (2 D / c, mm). there[] <- which of the three
 * directions the mesh has at a position. Without fibres the axes are normal to the walls of a box, or
 * elsewhere the principal axes of the mesh around the position, the one across the wall last but one.
 * Errors: STATUS_RUN if out of memory. */
enum status front_block_positions_choose(struct front_block_position position[FRONT_BLOCK_POSITIONS][3],
                                         uint8_t there[FRONT_BLOCK_POSITIONS][3],
                                         const struct tensors *tensors, int r, const double width[3],
                                         struct error *error);

#endif
