/* coordinates.h: coordinates of each node in the wall of the ventricles: transmural, apex to base, left to
 * right, and the distance from each surface.
 *
 *   transmural       t, 0 on the endocardia, 1 on the epicardium                     div grad t = 0
 *   interventricular v, 0 on the endocardium of the LV, 1 on that of the RV          div grad v = 0
 *   upward           a, 0 at the apex, 1 on the base                                 div grad a = 0
 *   apicobasal       the fraction of the tissue's volume where a < a(x), from 0 at the apex to 1 on the base. The
 *                    apex is a point singularity of a, so the values of a depend on the edge length there, but
 *                    its level sets do not; each level set is therefore labelled by the volume below it.
 *   rotational       once around the LV, heart/rotation.h
 *   distance         straight-line distance to the nearest point of a surface's triangles, mm
 *
 * A node on several surfaces belongs to the first of base, epi, lv, rv and apex among those that a
 * coordinate uses. The apex, unless given, is the node of the epicardium farthest from the mean of the
 * base's nodes. */
#ifndef CARDIAC_SOLVER_HEART_COORDINATES_H
#define CARDIAC_SOLVER_HEART_COORDINATES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/heart/laplace.h"
#include "solver/heart/surfaces.h"
#include "solver/mesh/mesh.h"

enum {
    COORDINATES_TRANSMURAL = 1,
    COORDINATES_APICOBASAL = 2,
    COORDINATES_INTERVENTRICULAR = 4,
    COORDINATES_UPWARD = 8,
    COORDINATES_ROTATIONAL = 16,
    COORDINATES_DISTANCE = 32, /* << enum heart_surface */
    COORDINATES_SIDES = COORDINATES_INTERVENTRICULAR | COORDINATES_DISTANCE << HEART_EPI |
                        COORDINATES_DISTANCE << HEART_LV |
                        COORDINATES_DISTANCE << HEART_RV, /* tell walls apart */
    COORDINATES_ALL = (COORDINATES_DISTANCE << HEART_SURFACES) - 1,
    COORDINATES_ENDOCARDIA = COORDINATES_DISTANCE
                             << HEART_SURFACES /* endocardium[]; biventricular meshes only */
};

/* Arrays of [nodes]; NULL if not computed, or if a required surface is missing. Initialise with zeros. */
struct coordinates {
    double *transmural, *apicobasal, *interventricular, *upward, *rotational;
    double *endocardium[2]; /* LV, RV: 1 on that endocardium, 0 on the other and on the epicardium; their sum
                               with transmural is 1 */
    double *distance[HEART_SURFACES];
    struct laplace laplace; /* reused by the next solution */
    bool assembled;
};

/* Computes those coordinates of `set`, a sum of COORDINATES_ flags, that are NULL. on[nodes]: see
 * heart/surfaces.h; an apex is marked if it has none. STATUS_RUN if out of memory or not converged; free
 * *coordinates even on failure. */
enum status coordinates_make(struct coordinates *coordinates, const struct mesh *mesh, uint8_t *on,
                             unsigned set, struct error *error);
void coordinates_free(struct coordinates *coordinates);

/* *u[nodes] <- solution of Laplace's equation with u = 0 at nodes with bit 0 of on[] set, and u = 1 at the
 * others with bit 1 set. STATUS_RUN if out of memory or not converged. */
enum status coordinates_between(double **u, struct coordinates *coordinates, const struct mesh *mesh,
                                const uint8_t *on, struct error *error);

/* distance[nodes] <- distance to the nearest node with on[] != 0, mm. STATUS_RUN if out of memory. */
enum status coordinates_to_nodes(double *distance, const struct mesh *mesh, const uint8_t *on,
                                 struct error *error);

/* distance[nodes] <- distance to the nearest face with that mark, mm; there must be one. STATUS_RUN if out
 * of memory. */
enum status coordinates_to_mark(double *distance, const struct mesh *mesh, int32_t mark, struct error *error);

/* Marks an apex in on[] if it has none and there are an epicardium and a base. */
void coordinates_mark_apex(uint8_t *on, const struct mesh *mesh);

#endif
