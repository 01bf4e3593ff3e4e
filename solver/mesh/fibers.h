/* fibers.h: fibre and sheet directions by a rule: fibres that rotate through the wall, as in the
 * ventricles (Streeter et al., Circ. Res. 24:339, 1969). */
#ifndef CARDIAC_SOLVER_MESH_FIBERS_H
#define CARDIAC_SOLVER_MESH_FIBERS_H

#include "solver/mesh/mesh.h"

/* Sets directions at elements, replacing any that the mesh has. With axes a = `across`, b and c the next
 * two in cyclic order x y z, and h the relative position of an element's centre in the mesh's extent along
 * a, 0 .. 1:
 *   fibre = b cos t + c sin t, t = degrees[0] + h (degrees[1] - degrees[0]);   sheet = a.
 * Errors: STATUS_INPUT if the mesh has no extent along a, STATUS_RUN if out of memory. */
enum status mesh_turn_fibers(struct mesh *mesh, int across, const double degrees[2], struct error *error);

/* Gives every node or element whose fibre is zero the directions of the nearest one that has a fibre
 * (elements: by their centres). *filled <- the number of these. STATUS_INPUT if none has a fibre,
 * STATUS_RUN if out of memory. */
enum status mesh_fill_fibers(struct mesh *mesh, int64_t *filled, struct error *error);

#endif
