/* refine.h: a finer mesh of the same shape, and fibres moved from nodes to elements.
 *
 * Regular refinement: every edge gets a node in its middle; a line becomes two, a triangle four similar ones,
 * a tetrahedron four similar ones at its corners and the octahedron between them four more around one of its
 * three diagonals. The shortest diagonal is taken, which keeps the shapes bounded (Zhang 1995, "Successive
 * subdivisions of tetrahedra and multigrid methods on tetrahedral meshes", Houston J. Math. 21); of equal
 * ones, up to 1e-9 of their length, that between the middles of vertices 01 and 23 comes before 02 and 13,
 * before 03 and 12. */
#ifndef CARDIAC_SOLVER_MESH_REFINE_H
#define CARDIAC_SOLVER_MESH_REFINE_H

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* *fine <- coarse refined once. Nodes: the old ones, then one per edge in the order of mesh_edges. The 2^d
 * children of an element are consecutive, in the order of their parents, with its tag, and its fibres if
 * these are given by element; those of a face have its mark. A new node's fibre is the mean axis of its
 * edge's ends, its value of a field their mean. STATUS_INPUT if there would be too many nodes, an element
 * of lower dimension is no side of another, or the mesh would not fit the machine; STATUS_RUN without
 * memory. coarse must have passed mesh_check. */
enum status mesh_refine(struct mesh *fine, const struct mesh *coarse, struct error *error);

/* Replaces directions at nodes by directions of elements, the mean axis of their vertices */
enum status mesh_fibers_to_elements(struct mesh *mesh, struct error *error);

#endif
