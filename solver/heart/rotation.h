/* rotation.h: the rotational coordinate around the left ventricle, and its 17 segments.
 *
 * The rotational coordinate r of Cobiveco (Schuler et al., Med. Image Anal. 74:102247, 2021) is 0 at the posterior
 * junction of the two ventricles' walls, rises through the free wall to 2/3 at the anterior
 * junction, and through the septum to 1 = 0. Here r is a function of one angle theta, an angle about the long
 * axis that is harmonic in the wall (the Laplace solution with a cut of Bayer et al., Med. Image Anal. 45:83,
 * 2018): div grad theta = 0, no flux through any surface, and 2 pi more after each turn. With theta = phi +
 * u, phi the geometric angle and d_ij its change along the edge from i to j, u solves
 *
 *   sum_j k_ij (u_j - u_i + d_ij) = 0,
 *
 * which needs no cut. The two junctions are the ends of the arc of theta that holds most of
 * the septum's volume and least of the free wall's, in the upper two thirds of the cavity. r is linear in
 * theta in both arcs, and continues through the right ventricle's wall next to the septum. */
#ifndef CARDIAC_SOLVER_HEART_ROTATION_H
#define CARDIAC_SOLVER_HEART_ROTATION_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/heart/coordinates.h"
#include "solver/mesh/mesh.h"

/* to->rotational <- computed if there are base, epi, lv and rv, lv meets base, elements join all nodes,
 * and a septum is found. Requires interventricular, distance[] of epi, lv and rv, and an assembled
 * to->laplace. STATUS_RUN without memory or convergence. */
enum status rotation_make(struct coordinates *to, const struct mesh *mesh, const uint8_t *on,
                          struct error *error);

/* value[corners] of a coordinate of period 1 <- shifted to within 1/2 of the first, so that they can be
 * averaged */
void rotation_unwrap(double *value, int corners);
/* The same in [0, 1) */
double rotation_wrap(double value);

/* segment[nodes or elements] <- the segment of the left ventricle, 1 to 17, of the American Heart Association
 * (Cerqueira et al., Circulation 105:539, 2002), 0 in the right one. The cavity's length is cut in three:
 * basal (1 to 6), mid (7 to 12), apical (13 to 16); 17 is beyond its end. The septum is a third of the turn,
 * or, of apical ones, the quarter in its middle. Points nearer to epi and rv than to lv belong to the right
 * ventricle. Elements have the means of their nodes' coordinates. Requires rotational, and distance[] of epi,
 * lv and rv. */
enum status rotation_segments(double *segment, const struct coordinates *from, const struct mesh *mesh,
                              const uint8_t *on, enum location location, struct error *error);

#endif
