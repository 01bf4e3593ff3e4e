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

/* Sizes and spacing in mm. STATUS_INPUT if one is not positive, if a size is not a multiple of the spacing
 * (the message names the nearest one), or if the mesh would have more nodes or elements than int32 can
 * number or exceed the machine's memory. *mesh is written on success only. */
enum status mesh_cable(struct mesh *mesh, double length, double spacing, struct error *error);
enum status mesh_sheet(struct mesh *mesh, const double size[2], double spacing, struct error *error);
enum status mesh_slab(struct mesh *mesh, const double size[3], double spacing, struct error *error);

/* STATUS_INPUT if a mesh of these counts has more nodes or elements than int32 can number, or if it and
 * `workspace` bytes exceed the machine's memory. */
enum status mesh_forecast(int dimension, double nodes, double elements, double workspace,
                          struct error *error);

/* A left ventricle: the wall between two ellipsoids of revolution, cut off at the base.
 *
 * The cavity's largest radius is size[0], at z = 0; its apex is on the z axis at z = -size[1]; the wall
 * adds size[2] to both semi-axes; the base is the plane z = size[1] / 4. The mid-wall surface is divided
 * into rings about the axis, each with as many nodes as its length requires, joined by triangles with
 * edges of about the requested length. Layers through the wall turn these into prisms, each split into
 * three tetrahedra along the diagonals from a lower to a higher node, so that neighbours agree. Marks: 1
 * base, 2 epicardium, 3 LV endocardium. */

enum { MESH_BASE = 1, MESH_EPI, MESH_LV };

/* Lengths in mm. Errors: STATUS_INPUT if a length is not positive, the edge is longer than half the
 * cavity's radius, or the mesh would exceed the machine's memory; STATUS_RUN if out of memory. */
enum status mesh_ellipsoid(struct mesh *mesh, const double size[3], double edge, struct error *error);

#endif
