/* coordinates.h: the position of each node in a ventricle's wall: across it, from apex to base, left or right, and
 * its distance from each surface.
 *
 *   transmural       t, 0 on the endocardia, 1 on the epicardium                     div grad t = 0
 *   interventricular v, 0 on the endocardium of the LV, 1 on that of the RV          div grad v = 0
 *   upward           a, 0 at the apex, 1 on the base                                 div grad a = 0
 *   apicobasal       the part of the tissue's volume where a < a(x), from 0 at the apex to 1 on the base. The
 *                    apex is one point, where a has a logarithmic or steeper slope that depends on the edge: the
 *                    level sets of a belong to the heart, its values to the mesh, so a level is named by the
 *                    volume below it.
 *   rotational       once around the LV, heart/rotation.h
 *   distance         to the nearest point of a surface's triangles, straight, mm
 *
 * A node on several surfaces belongs to the first of base, epi, lv, rv and apex among those that a coordinate
 * uses. The apex, unless given, is the node of the epicardium farthest from the mean of the base's nodes. */
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
                        COORDINATES_DISTANCE << HEART_LV | COORDINATES_DISTANCE << HEART_RV, /* which wall */
    COORDINATES_ALL = (COORDINATES_DISTANCE << HEART_SURFACES) - 1,
    COORDINATES_ENDOCARDIA = COORDINATES_DISTANCE << HEART_SURFACES /* of a heart of two ventricles */
};

/* [nodes] each; NULL if not computed, or if a surface that it needs is missing. All NULL at first. */
struct coordinates {
    double *transmural, *apicobasal, *interventricular, *upward, *rotational;
    double *endocardium[2]; /* of the LV, the RV: 1 there, 0 on the other and on the epicardium; with
                               transmural they add up to 1 */
    double *distance[HEART_SURFACES];
    struct laplace laplace; /* reused by the next solution */
    bool assembled;
};

/* Computes the coordinates in a sum of COORDINATES_ that are missing. on[node]: heart/surfaces.h, with an
 * apex. STATUS_RUN without memory or convergence; the caller frees in either case. */
enum status coordinates_make(struct coordinates *coordinates, const struct mesh *mesh, uint8_t *on,
                             unsigned set, struct error *error);
void coordinates_free(struct coordinates *coordinates);

/* *u <- [nodes] Laplace's solution: 0 at the nodes whose on[] has bit 0, else 1 at those with bit 1. STATUS_RUN without
 * memory or convergence. */
enum status coordinates_between(double **u, struct coordinates *coordinates, const struct mesh *mesh,
                                const uint8_t *on, struct error *error);

/* distance[nodes] <- to the nearest node with on[], mm. STATUS_RUN without memory. */
enum status coordinates_to_nodes(double *distance, const struct mesh *mesh, const uint8_t *on,
                                 struct error *error);

/* distance[nodes] <- to the faces with that mark, at least one, mm. STATUS_RUN without memory. */
enum status coordinates_to_mark(double *distance, const struct mesh *mesh, int32_t mark, struct error *error);

/* on[] <- with an apex, if there are an epicardium and a base; a given apex stays. */
void coordinates_mark_apex(uint8_t *on, const struct mesh *mesh);

#endif
