/* surface.h: boundary faces of a mesh, the smooth patches that they form, and which given simplices are
 * edges or faces of elements. */
#ifndef CARDIAC_SOLVER_MESH_SURFACE_H
#define CARDIAC_SOLVER_MESH_SURFACE_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* A face, or an edge, of a simplex of four, three or two corners: its nodes in ascending order, then -1 */
struct mesh_face {
    int32_t node[3];
    int64_t from; /* the caller's: what it is a face of */
};

/* That of all corners but `left_out`; of none where that is no corner */
struct mesh_face mesh_face_of(const int32_t *vertex, int corners, int left_out, int64_t from);
/* By their nodes, for qsort and bsearch */
int mesh_face_compare(const void *a, const void *b);

struct mesh_surface {
    int64_t faces;
    int32_t *face; /* [faces][dimension of the mesh] nodes; triangles are turned about the outward normal */
    int patches;
    int32_t *patch; /* [faces] 0 .. patches - 1, in the order of each patch's first face; see below */
};

/* The boundary faces of the elements of the highest dimension, in ascending order of their nodes, as one
 * patch; only those whose nodes are all among[nodes] (NULL = all). STATUS_RUN without memory. */
enum status mesh_surface_create(struct mesh_surface *surface, const struct mesh *mesh, const uint8_t *among,
                                struct error *error);
void mesh_surface_free(struct mesh_surface *surface);

/* Overlapping tetrahedra: faces that more than two have, or two on the same side; and the elements of the
 * first */
struct mesh_overlaps {
    int64_t faces, element, other; /* -1: none */
};

/* Of a mesh whose tetrahedra are positive. STATUS_RUN without memory. */
enum status mesh_overlaps_find(struct mesh_overlaps *overlaps, const struct mesh *mesh, struct error *error);

/* Patches of a surface of triangles: two that share an edge belong to one patch if their normals differ by
 * less than this angle, given by its cosine; faces with skip[face] (NULL = none) belong to no patch: -1. */
enum status mesh_surface_split(struct mesh_surface *surface, const struct mesh *mesh, double cosine,
                               const uint8_t *skip, struct error *error);

/* normal <- outward, its length twice the triangle's area */
void mesh_surface_normal(const struct mesh_surface *surface, const struct mesh *mesh, int64_t face,
                         double normal[3]);

/* on[count] <- 1 if all nodes of simplex side[corners] are nodes of one element, else 0. Uses only nodes,
 * elements and vertex of the mesh. STATUS_RUN without memory. */
enum status mesh_sides_find(uint8_t *on, const struct mesh *mesh, const int32_t *side, int corners,
                            int64_t count, struct error *error);

#endif
