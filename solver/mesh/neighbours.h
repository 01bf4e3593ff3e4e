/* neighbours.h: the neighbours of each node, i.e. the other nodes of its elements (the pattern of every
 * matrix of a mesh), and the edges. */
#ifndef CARDIAC_SOLVER_MESH_NEIGHBOURS_H
#define CARDIAC_SOLVER_MESH_NEIGHBOURS_H

#include <stdint.h>

#include "kernels/base/csr.h"
#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* *neighbours <- for each node its neighbours in ascending order, without the node itself. owner[nodes]:
 * rows of nodes whose owner is not `rank` are empty; NULL = all rows. STATUS_RUN if out of memory;
 * *neighbours is then empty. */
enum status mesh_neighbours_create(struct csr *neighbours, const struct mesh *mesh, const int32_t *owner,
                                   int32_t rank, struct error *error);
/* Computes the neighbours of all nodes and stores them in the mesh, whose elements must not change
 * afterwards. Errors: as above; nothing is stored then. */
enum status mesh_neighbours_keep(struct mesh *mesh, struct error *error);
/* *neighbours <- the neighbours of all nodes: borrowed if the mesh stores them (valid as long as the mesh,
 * read-only), else created. Errors: as above. */
enum status mesh_neighbours_use(struct csr *neighbours, const struct mesh *mesh, struct error *error);

/* Every edge once, in ascending order of its lower and then its higher node */
struct mesh_edges {
    int64_t count;
    int64_t *first; /* [nodes + 1] edges first[a] .. first[a + 1] - 1 have a as their lower node */
    int32_t *other; /* [count] the higher node, ascending for each lower one */
};

/* STATUS_RUN if out of memory. Indices of the mesh must be in range. */
enum status mesh_edges_create(struct mesh_edges *edges, const struct mesh *mesh, struct error *error);
void mesh_edges_free(struct mesh_edges *edges);
/* The number of the edge between two nodes; -1 if there is none. */
int64_t mesh_edges_find(const struct mesh_edges *edges, int32_t a, int32_t b);

#endif
