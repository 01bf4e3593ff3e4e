/* winding.h: orientation of a shell: which triangles are wound counter-clockwise seen from outside. */
#ifndef CARDIAC_SOLVER_MESH_WINDING_H
#define CARDIAC_SOLVER_MESH_WINDING_H

#include "solver/mesh/mesh.h"

/* side[elements] <- 1 if a triangle's nodes are counter-clockwise seen from outside, -1 if clockwise, 0
 * for elements of other dimensions. Outside is chosen for each set of triangles connected by edges: so
 * that the volume enclosed by them and their centre is positive, or, if they are flat, so that the first
 * triangle is counter-clockwise. STATUS_INPUT for a non-orientable set (a Moebius strip), STATUS_RUN if
 * out of memory. */
enum status winding_find(int8_t *side, const struct mesh *mesh, struct error *error);

#endif
