/* openings.h: the openings of a shell of triangles: its rims.
 *
 * A boundary edge belongs to one triangle alone. Boundary edges that share nodes form a rim, which is closed if each of
 * its nodes has two of them. */
#ifndef CARDIAC_SOLVER_MESH_OPENINGS_H
#define CARDIAC_SOLVER_MESH_OPENINGS_H

#include "solver/mesh/mesh.h"

struct opening {
    double perimeter; /* mm, of its edges */
    double centre[3]; /* mm, their mean by length */
    int64_t nodes;
    int32_t first; /* its lowest node */
    bool closed;
};

struct openings {
    int closed, all;      /* rims */
    struct opening *item; /* [all] closed ones first, of these the longest, then that with the lowest node */
    int32_t *of;          /* [nodes] the item whose rim each node is on; -1 = of none */
};

/* STATUS_INPUT unless the mesh is a shell, STATUS_RUN without memory; the caller frees. */
enum status openings_find(struct openings *openings, const struct mesh *mesh, struct error *error);
void openings_free(struct openings *openings);

/* *which <- the closed rim of this rank, 1 the longest. STATUS_INPUT where there is none, or where another one is as long
 * within 1e-6; the message lists the rims. */
enum status openings_ranked(int *which, const struct openings *openings, int64_t rank, struct error *error);
/* *which <- the closed rim whose centre is nearest to the point, mm. STATUS_INPUT where the nearest rim is not closed, or
 * where another one is as near within 1e-6 of its perimeter; the message lists the rims. */
enum status openings_nearest(int *which, const struct openings *openings, const double point[3],
                             struct error *error);

#endif
