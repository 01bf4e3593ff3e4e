/* surfaces.h: base, epicardium and endocardia of a ventricle: the nodes on each.
 *
 * They come from marked faces (struct mesh), from lists of nodes, or from the shape of the boundary: */
#ifndef CARDIAC_SOLVER_HEART_SURFACES_H
#define CARDIAC_SOLVER_HEART_SURFACES_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* The apex is one node unless nodes are given for it, as for a mesh of a piece of a wall. */
enum heart_surface { HEART_BASE, HEART_EPI, HEART_LV, HEART_RV, HEART_APEX, HEART_SURFACES };

/* "base", "epi", "lv", "rv" or "apex" */
const char *heart_surface_name(enum heart_surface surface);

/* on[node] |= 1 << surface at the nodes of the faces with that mark. STATUS_INPUT if there are none; the
 * message lists the marks of the mesh. */
enum status heart_surfaces_mark(uint8_t *on, const struct mesh *mesh, enum heart_surface surface,
                                int32_t mark, struct error *error);

/* on[node] <- by shape. Parts of the boundary end where it turns by more than 50 degrees from one triangle
 * to the next. A flat part (mean normal longer than 0.9) is base. The rest is joined again across edges:
 * the part of largest area is the epicardium, the others are endocardia. A single one is the LV's; of two
 * the rounder, whose normals point to its centre. STATUS_INPUT for any other kind of boundary. */
enum status heart_surfaces_find(uint8_t *on, const struct mesh *mesh, struct error *error);

/* How many nodes lie on it */
int64_t heart_surfaces_count(const uint8_t *on, int64_t nodes, enum heart_surface surface);

#endif
