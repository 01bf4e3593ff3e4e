/* generate.h: meshes of a regular lattice: a cable of lines, a sheet of triangles, a slab of tetrahedra.
 *
 * Node (i, j, k) is at (i, j, k) * spacing, one product each, x fastest. A square is cut along its
 * diagonal from (0,0) to (1,1), a cube into the six tetrahedra of Kuhn's subdivision, one for each order in
 * which a path can follow the three axes from (0,0,0) to (1,1,1) (Kuhn 1960, "Some combinatorial lemmas in
 * topology", IBM J. Res. Dev. 4): neighbouring cubes then agree on their common faces without mirroring. All
 * elements are positively oriented; tags are 0 and there are no directions. */
#ifndef CARDIAC_SOLVER_MESH_GENERATE_H
#define CARDIAC_SOLVER_MESH_GENERATE_H

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* Sizes and spacing in mm. STATUS_INPUT when one is not positive, when a size is no multiple of the spacing
 * (the message names the nearest that is), when there would be more nodes or elements than int32 can number
 * or when the mesh would not fit the machine's memory. *mesh is written on success only. */
enum status mesh_cable(struct mesh *mesh, double length, double spacing, struct error *error);
enum status mesh_sheet(struct mesh *mesh, const double size[2], double spacing, struct error *error);
enum status mesh_slab(struct mesh *mesh, const double size[3], double spacing, struct error *error);

/* STATUS_INPUT if int32 cannot number a mesh of these counts, or it and `workspace` further bytes exceed the
 * machine's memory. */
enum status mesh_forecast(int dimension, double nodes, double elements, double workspace,
                          struct error *error);

/* A left ventricle as the wall between two ellipsoids of revolution, cut flat at the base.
 *
 * The cavity has the radius size[0] at its widest, at z = 0, and ends size[1] below at its apex on the z
 * axis; the wall adds size[2] to both half axes; the base is the plane z = size[1] / 4. Triangles of about
 * the requested edge form rings about the axis on a surface midway, each ring with as many nodes as its
 * length requires; layers through the wall make prisms of them, each cut into three tetrahedra along the
 * diagonals from a lower to a higher node, so that neighbours agree. Marks: 1 base, 2 epicardium, 3
 * LV's endocardium. */

enum { MESH_BASE = 1, MESH_EPI, MESH_LV };

/* mm. Errors: STATUS_INPUT when a length is not positive, an edge is longer than half the cavity's radius, or
 * the mesh would not fit the machine; STATUS_RUN without memory. */
enum status mesh_ellipsoid(struct mesh *mesh, const double size[3], double edge, struct error *error);

#endif
