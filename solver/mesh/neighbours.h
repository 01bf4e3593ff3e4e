/* neighbours.h: the other nodes of each node's elements: the pattern of every matrix of a mesh. */
#ifndef CARDIAC_SOLVER_MESH_NEIGHBOURS_H
#define CARDIAC_SOLVER_MESH_NEIGHBOURS_H

#include <stdint.h>

#include "kernels/base/csr.h"
#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* Rows of ascending columns without the node itself. owner[nodes]: rows of nodes whose owner is not `rank`
 * are empty; NULL = all. STATUS_RUN without memory, and *neighbours is empty. */
enum status mesh_neighbours_create(struct csr *neighbours, const struct mesh *mesh, const int32_t *owner,
                                   int32_t rank, struct error *error);
/* Those of all nodes are found once and stay with the mesh, whose elements must not change from here on. Errors:
 * the same, and nothing is kept. */
enum status mesh_neighbours_keep(struct mesh *mesh, struct error *error);

#endif
