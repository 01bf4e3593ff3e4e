/* refine.h: regular refinement of a mesh, and fibres converted from nodes to elements.
 *
 * Every edge gets a node at its midpoint. A line becomes two lines, a triangle four similar ones; a
 * tetrahedron becomes four similar ones at its corners and four more from the octahedron between them,
 * around one of its three diagonals. The shortest diagonal is chosen, which keeps the shapes bounded
 * (Zhang 1995, "Successive subdivisions of tetrahedra and multigrid methods on tetrahedral meshes",
 * Houston J. Math. 21). Of diagonals of equal length, up to 1e-9, the one between the midpoints of edges
 * 01 and 23 is preferred to 02 and 13, that to 03 and 12. */
#ifndef CARDIAC_SOLVER_MESH_REFINE_H
#define CARDIAC_SOLVER_MESH_REFINE_H

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* *fine <- coarse refined once. Nodes: the old ones, then one per edge in the order of mesh_edges. The 2^d
 * children of an element are consecutive, in the order of their parents, and inherit its tag and, if
 * fibres are given by element, its fibres; the children of a face inherit its mark. A new node gets the
 * mean axis of its edge's ends as its fibre, and their mean as its value of a field. STATUS_INPUT if there
 * would be too many nodes, an element of lower dimension is not an edge or face of another, or the mesh
 * would exceed the machine's memory; STATUS_RUN if out of memory. coarse must have passed mesh_check. */
enum status mesh_refine(struct mesh *fine, const struct mesh *coarse, struct error *error);

/* Replaces directions at nodes by directions at elements, each the mean axis of its vertices */
enum status mesh_fibers_to_elements(struct mesh *mesh, struct error *error);

#endif
