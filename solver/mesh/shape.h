/* shape.h: the smallest angles of a mesh's elements, and where they are. */
#ifndef CARDIAC_SOLVER_MESH_SHAPE_H
#define CARDIAC_SOLVER_MESH_SHAPE_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

enum { MESH_SHAPE_BOUNDS = 4, MESH_SHAPE_WORST = 3 };

extern const double mesh_shape_bound[MESH_SHAPE_BOUNDS]; /* degrees */

struct mesh_shape {
    double least, percent, median;    /* degrees; one element of a hundred has less than `percent` */
    int64_t under[MESH_SHAPE_BOUNDS]; /* elements with less than those */
    int worsts;                       /* the worst, ascending */
    struct {
        int64_t element;
        double degrees, quality, centre[3]; /* mm */
    } worst[MESH_SHAPE_WORST];
};

/* The smallest angle between two faces of a tetrahedron, of a triangle its smallest, in degrees; 60 of a
 * line. The regular ones have 70.5 and 60. */
double mesh_smallest_angle(const struct mesh *mesh, int64_t element);

/* Of a mesh that mesh_check found good. STATUS_RUN without memory. */
enum status mesh_shape_create(struct mesh_shape *shape, const struct mesh *mesh, struct error *error);

#endif
