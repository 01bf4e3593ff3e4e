/* openings.h: the openings of a shell of triangles: its rims.
 *
 * A boundary edge belongs to one triangle alone. Boundary edges that share nodes form a rim, which is
 * closed if each of its nodes has two of them. */
#ifndef CARDIAC_SOLVER_MESH_OPENINGS_H
#define CARDIAC_SOLVER_MESH_OPENINGS_H

#include "solver/mesh/mesh.h"

struct opening {
    double perimeter; /* mm, of its edges */
    double centre[3]; /* mm, length-weighted mean of its edges */
    int64_t nodes;
    int32_t first; /* its lowest node */
    bool closed;
};

struct openings {
    int closed, all;      /* number of closed rims, and of all */
    struct opening *item; /* [all] closed rims first, longest first, then by the lowest node */
    int32_t *of;          /* [nodes] index in item[] of the rim that each node is on; -1 = none */
};

/* Errors: STATUS_INPUT unless the mesh consists of triangles, STATUS_RUN if out of memory; free *openings
 * even on failure. */
enum status openings_find(struct openings *openings, const struct mesh *mesh, struct error *error);
void openings_free(struct openings *openings);

/* *which <- the rank-th longest closed rim, 1 = the longest. STATUS_INPUT if there is none, or if another
 * one has the same length within 1e-6; the message lists the rims. */
enum status openings_ranked(int *which, const struct openings *openings, int64_t rank, struct error *error);
/* *which <- the closed rim whose centre is nearest to the point, mm. STATUS_INPUT if the nearest rim is
 * not closed, or if another one is as near within 1e-6 of its perimeter; the message lists the rims. */
enum status openings_nearest(int *which, const struct openings *openings, const double point[3],
                             struct error *error);

#endif
