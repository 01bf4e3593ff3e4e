/* near.h: the elements around some points, by one pass over the mesh for all of them. */
#ifndef CARDIAC_SOLVER_MESH_NEAR_H
#define CARDIAC_SOLVER_MESH_NEAR_H

#include "solver/mesh/mesh.h"

struct near {
    double centre[3], radius; /* mm */
    int32_t *element;         /* [elements] ascending: those whose first vertex is within the radius */
    int64_t elements;
};

/* Fills the lists of near[count]; near_free frees them in any case. Errors: STATUS_RUN without memory. */
enum status near_find(struct near *near, int count, const struct mesh *mesh, struct error *error);
void near_free(struct near *near, int count);

/* The longest distance from an element's first vertex to another one of it, mm */
double near_extent(const struct mesh *mesh);

#endif
