/* edges.h: every edge of a mesh once, in ascending order of its lower and then its higher node. */
#ifndef CARDIAC_SOLVER_MESH_EDGES_H
#define CARDIAC_SOLVER_MESH_EDGES_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

struct mesh_edges {
    int64_t count;
    int64_t *first; /* [nodes + 1] edges first[a] .. first[a + 1] - 1 have a as their lower node */
    int32_t *other; /* [count] the higher node, ascending for each lower one */
};

/* STATUS_RUN without memory; an element of d + 1 vertices gives d (d + 1) / 2 edges before duplicates are
 * removed. Indices of the mesh must be in range. */
enum status mesh_edges_create(struct mesh_edges *edges, const struct mesh *mesh, struct error *error);
void mesh_edges_free(struct mesh_edges *edges);
/* The number of the edge between two nodes; -1 if there is none. */
int64_t mesh_edges_find(const struct mesh_edges *edges, int32_t a, int32_t b);

#endif
