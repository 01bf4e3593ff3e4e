/* fibers.h: fibre and sheet directions by a rule: fibres that rotate through the wall, as in the
 * ventricles (Streeter et al., Circ. Res. 24:339, 1969). */
#ifndef CARDIAC_SOLVER_MESH_FIBERS_H
#define CARDIAC_SOLVER_MESH_FIBERS_H

#include "solver/mesh/mesh.h"

/* Directions at elements, in place of any that the mesh has. With axes a = `across`, b and c the next two in
 * the circle x y z, and h from 0 to 1 the place of an element's centre in the mesh's extent along a:
 *   fibre = b cos t + c sin t, t = degrees[0] + h (degrees[1] - degrees[0]);   sheet = a.
 * Errors: STATUS_INPUT if the mesh has no extent along a, STATUS_RUN without memory. */
enum status mesh_turn_fibers(struct mesh *mesh, int across, const double degrees[2], struct error *error);

/* Copies to every node or element whose fibre is zero the directions of the nearest that has one
 * (elements: by their centres). *filled <- how many. STATUS_INPUT if none has one, STATUS_RUN without
 * memory. */
enum status mesh_fill_fibers(struct mesh *mesh, int64_t *filled, struct error *error);

#endif
