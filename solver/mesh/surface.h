/* surface.h: boundary faces of a mesh, the smooth patches that they form, and which given simplices are
 * edges or faces of elements. */
#ifndef CARDIAC_SOLVER_MESH_SURFACE_H
#define CARDIAC_SOLVER_MESH_SURFACE_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* A face or edge of a simplex: its nodes in ascending order, then -1 */
struct mesh_face {
    int32_t node[3];
    int64_t from; /* set by the caller: the element that it belongs to */
};

/* The face of all corners except `left_out`; of all corners if left_out is not one of them */
struct mesh_face mesh_face_of(const int32_t *vertex, int corners, int left_out, int64_t from);
/* Compares faces by their nodes, for qsort and bsearch */
int mesh_face_compare(const void *a, const void *b);

struct mesh_surface {
    int64_t faces;
    int32_t *face; /* [faces][dimension of the mesh] nodes; triangles are counter-clockwise seen from
                      outside */
    int patches;
    int32_t *patch; /* [faces] 0 .. patches - 1, numbered by the patch's first face; -1 = none
                       (mesh_surface_split) */
};

/* *surface <- the boundary faces of the elements of the highest dimension, in ascending order of their
 * nodes, as one patch; only faces whose nodes all have among[node] != 0 (NULL = all faces). STATUS_RUN if
 * out of memory. */
enum status mesh_surface_create(struct mesh_surface *surface, const struct mesh *mesh, const uint8_t *among,
                                struct error *error);
void mesh_surface_free(struct mesh_surface *surface);

/* Overlapping tetrahedra: the number of faces with more than two tetrahedra, or two on one side, and two
 * tetrahedra of the first such face */
struct mesh_overlaps {
    int64_t faces, element, other; /* -1: none */
};

/* All tetrahedra must be positively oriented. STATUS_RUN if out of memory. */
enum status mesh_overlaps_find(struct mesh_overlaps *overlaps, const struct mesh *mesh, struct error *error);

/* Splits a surface of triangles into patches: two that share an edge belong to one patch if the angle
 * between their normals is less than the angle whose cosine is given. Faces with skip[face] (NULL = none)
 * get patch -1. */
enum status mesh_surface_split(struct mesh_surface *surface, const struct mesh *mesh, double cosine,
                               const uint8_t *skip, struct error *error);

/* normal <- outward normal of a triangle; its length is twice the area */
void mesh_surface_normal(const struct mesh_surface *surface, const struct mesh *mesh, int64_t face,
                         double normal[3]);

/* on[count] <- 1 if an element contains all nodes of simplex side[corners], else 0. Uses only nodes,
 * elements and vertex of the mesh. STATUS_RUN if out of memory. */
enum status mesh_sides_find(uint8_t *on, const struct mesh *mesh, const int32_t *side, int corners,
                            int64_t count, struct error *error);

#endif
