/* parts.h: which nodes of a mesh hang together through its elements. */
#ifndef CARDIAC_SOLVER_MESH_PARTS_H
#define CARDIAC_SOLVER_MESH_PARTS_H

#include "solver/mesh/mesh.h"

/* part[nodes] <- the lowest node that hangs together with each, -1 for a node of no element */
void mesh_parts(int32_t *part, const struct mesh *mesh);

#endif
