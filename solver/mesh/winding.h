/* winding.h: one side of a shell: which of its triangles are wound clockwise seen from there. */
#ifndef CARDIAC_SOLVER_MESH_WINDING_H
#define CARDIAC_SOLVER_MESH_WINDING_H

#include "solver/mesh/mesh.h"

/* side[elements] <- 1 where a triangle's nodes turn counter-clockwise seen from outside, else -1: equal for neighbours
 * that wind alike. Outside of a part joined by edges is where the volume that it encloses with its centre is positive; of
 * a flat part, where its first triangle turns counter-clockwise. 0 for elements of other dimensions. STATUS_INPUT for a part
 * with one side only (a Moebius strip), STATUS_RUN without memory. */
enum status winding_find(int8_t *side, const struct mesh *mesh, struct error *error);

#endif
