/* near.h: the elements around given points, found in one pass over the mesh. */
#ifndef CARDIAC_SOLVER_MESH_NEAR_H
#define CARDIAC_SOLVER_MESH_NEAR_H

#include "solver/mesh/mesh.h"

struct near {
    double centre[3], radius; /* mm */
    int32_t *element;         /* [elements] ascending: those whose first vertex is within the radius */
    int64_t elements;
};

/* Fills element[] of near[count] from centre and radius; call near_free even on failure. Errors:
 * STATUS_RUN if out of memory. */
enum status near_find(struct near *near, int count, const struct mesh *mesh, struct error *error);
void near_free(struct near *near, int count);

/* The largest distance between an element's first vertex and another of its vertices, mm */
double near_extent(const struct mesh *mesh);

#endif
