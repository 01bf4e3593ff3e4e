/* ellipsoid.h: a left ventricle as the wall between two ellipsoids of revolution, cut flat at the base.
 *
 * The cavity has the radius size[0] at its widest, at z = 0, and ends size[1] below at its apex on the z
 * axis; the wall adds size[2] to both half axes; the base is the plane z = size[1] / 4. Triangles of about
 * the requested edge form rings about the axis on a surface midway, each ring with as many nodes as its
 * length requires; layers through the wall make prisms of them, each cut into three tetrahedra along the
 * diagonals from a lower to a higher node, so that neighbours agree. Marks: 1 base, 2 epicardium, 3
 * LV's endocardium. */
#ifndef CARDIAC_SOLVER_MESH_ELLIPSOID_H
#define CARDIAC_SOLVER_MESH_ELLIPSOID_H

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

enum { ELLIPSOID_BASE = 1, ELLIPSOID_EPI, ELLIPSOID_LV };

/* mm. Errors: STATUS_INPUT when a length is not positive, an edge is longer than half the cavity's radius, or
 * the mesh would not fit the machine; STATUS_RUN without memory. */
enum status mesh_ellipsoid(struct mesh *mesh, const double size[3], double edge, struct error *error);

#endif
