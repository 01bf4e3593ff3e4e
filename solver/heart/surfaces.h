/* surfaces.h: base, epicardium and endocardia of a ventricle: the nodes on each.
 *
 * They are given by marked faces (struct mesh) or lists of nodes, or found from the shape of the boundary. */
#ifndef CARDIAC_SOLVER_HEART_SURFACES_H
#define CARDIAC_SOLVER_HEART_SURFACES_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* The apex is one node unless a list of nodes is given, as for the mesh of a wedge. */
enum heart_surface { HEART_BASE, HEART_EPI, HEART_LV, HEART_RV, HEART_APEX, HEART_SURFACES };

/* "base", "epi", "lv", "rv" or "apex" */
const char *heart_surface_name(enum heart_surface surface);

/* on[node] |= 1 << surface at the nodes of the faces with that mark. STATUS_INPUT if there are none; the
 * message lists the marks of the mesh. */
enum status heart_surfaces_mark(uint8_t *on, const struct mesh *mesh, enum heart_surface surface,
                                int32_t mark, struct error *error);

/* on[node] <- surfaces found from the shape of the boundary. The boundary is split into patches where it
 * bends by more than 50 degrees from one triangle to the next. A flat patch (mean normal longer than 0.9)
 * is base. The other patches are merged where they share edges: the one of largest area is the epicardium,
 * the others are endocardia. A single endocardium is the LV's; of two, the LV's is the rounder, whose
 * normals point to its centre. STATUS_INPUT for any other boundary. */
enum status heart_surfaces_find(uint8_t *on, const struct mesh *mesh, struct error *error);

/* The number of nodes on the surface */
int64_t heart_surfaces_count(const uint8_t *on, int64_t nodes, enum heart_surface surface);

#endif
