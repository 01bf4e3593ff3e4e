/* rotation.h: the rotational coordinate around the left ventricle, and its 17 segments.
 *
 * The rotational coordinate r of Cobiveco (Schuler et al., Med. Image Anal. 74:102247, 2021) is 0 at the
 * posterior junction of the two ventricles' walls, rises through the free wall to 2/3 at the anterior
 * junction, and through the septum to 1 = 0. Here r is a function of one angle theta, an angle about the
 * long axis that is harmonic in the wall (the Laplace solution with a cut of Bayer et al., Med. Image
 * Anal. 45:83, 2018): div grad theta = 0, zero flux through all surfaces, and theta grows by 2 pi in each
 * turn. With theta = phi + u, phi the geometric angle and d_ij its change along the edge from i to j, u
 * solves
 *
 *   sum_j k_ij (u_j - u_i + d_ij) = 0,
 *
 * which needs no cut. The two junctions are the ends of the arc of theta that contains most of the
 * septum's volume and least of the free wall's, in the upper two thirds of the cavity. r is linear in
 * theta in both arcs, and is continued into the right ventricle's wall next to the septum. */
#ifndef CARDIAC_SOLVER_HEART_ROTATION_H
#define CARDIAC_SOLVER_HEART_ROTATION_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/heart/coordinates.h"
#include "solver/mesh/mesh.h"

/* Computes to->rotational if base, epi, lv and rv exist, lv touches base, the mesh is connected and a septum is
 * found; else leaves it NULL. Requires to->interventricular, to->distance[] of epi, lv and rv, and an assembled
 * to->laplace. STATUS_RUN if out of memory or not converged. */
enum status rotation_make(struct coordinates *to, const struct mesh *mesh, const uint8_t *on,
                          struct error *error);

/* Shifts value[corners] of a coordinate with period 1 by integers to within 1/2 of value[0], so that they
 * can be averaged */
void rotation_unwrap(double *value, int corners);
/* Returns the value shifted by an integer to [0, 1) */
double rotation_wrap(double value);

/* segment[nodes or elements] <- segment of the left ventricle, 1 to 17, as defined by the American Heart
 * Association (Cerqueira et al., Circulation 105:539, 2002); 0 in the right ventricle. The length of the
 * cavity is divided into three: basal (1 to 6), mid (7 to 12), apical (13 to 16); 17 is beyond its end.
 * The septum spans a third of the circumference, or in the apical part the quarter at its middle. Points
 * nearer to epi and rv than to lv belong to the right ventricle. An element uses the mean coordinates of
 * its nodes. Requires rotational, and distance[] of epi, lv and rv. */
enum status rotation_segments(double *segment, const struct coordinates *from, const struct mesh *mesh,
                              const uint8_t *on, enum location location, struct error *error);

#endif
