/* extract.h: a part of a mesh, or its boundary, as a mesh. */
#ifndef CARDIAC_SOLVER_MESH_EXTRACT_H
#define CARDIAC_SOLVER_MESH_EXTRACT_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* *part <- the elements with keep[element] != 0, their nodes and those with more[node] != 0 (NULL: none),
 * both in their former order, with all arrays of the mesh, and the marked faces of these elements.
 * STATUS_INPUT if nothing is selected, STATUS_RUN without memory. */
enum status mesh_extract(struct mesh *submesh, const struct mesh *mesh, const uint8_t *keep,
                         const uint8_t *more, struct error *error);

/* *skin <- the faces that belong to one element, as elements of one dimension less, turned outwards; their
 * tags are the marks of faces, 0 where there is none. Arrays at nodes are copied. STATUS_INPUT for a mesh
 * of lines. */
enum status mesh_extract_surface(struct mesh *skin, const struct mesh *mesh, struct error *error);

#endif
