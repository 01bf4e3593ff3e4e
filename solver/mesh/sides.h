/* sides.h: which simplices are edges or faces of a mesh's elements. */
#ifndef CARDIAC_SOLVER_MESH_SIDES_H
#define CARDIAC_SOLVER_MESH_SIDES_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* on[count] <- 1 where all nodes of simplex side[corners] are nodes of one element, else 0. Of the mesh only
 * nodes, elements and vertex are used. STATUS_RUN without memory. */
enum status mesh_sides_find(uint8_t *on, const struct mesh *mesh, const int32_t *side, int corners,
                            int64_t count, struct error *error);

#endif
