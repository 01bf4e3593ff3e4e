/* extract.h: a part of a mesh, or its boundary, as a mesh. */
#ifndef CARDIAC_SOLVER_MESH_EXTRACT_H
#define CARDIAC_SOLVER_MESH_EXTRACT_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* *submesh <- the elements with keep[element] != 0, their nodes and the nodes with more[node] != 0 (NULL:
 * none), in their original order, with all arrays of the mesh and the marked faces of these elements.
 * STATUS_INPUT if nothing is selected, STATUS_RUN if out of memory. */
enum status mesh_extract(struct mesh *submesh, const struct mesh *mesh, const uint8_t *keep,
                         const uint8_t *more, struct error *error);

/* *skin <- the faces that belong to only one element, as elements of one dimension less, oriented
 * outwards. Their tags are the marks of faces, or 0. Arrays at nodes are copied. STATUS_INPUT for a mesh
 * of lines. */
enum status mesh_extract_surface(struct mesh *skin, const struct mesh *mesh, struct error *error);

#endif
