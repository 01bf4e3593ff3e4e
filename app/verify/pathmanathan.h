/* pathmanathan.h: the exact solution of Pathmanathan and Gray, Int. J. Numer. Meth. Biomed. Eng.
 * 30:525, 2014 (doi 10.1002/cnm.2615), of the whole monodomain system on the unit line, square and cube:
 *
 *   V = sqrt(1 + t) F,  u1 = (1 + t) G + sqrt(1 + t) F,  u2 = 1 / (sqrt(G) (1 + t)),  u3 = 0
 *   F = prod cos(m_i pi x_i), m = (1, 2, 3);  G = 1 + x, 1 + x y^2, 1 + x y^2 z^3 */
#ifndef CARDIAC_APP_VERIFY_PATHMANATHAN_H
#define CARDIAC_APP_VERIFY_PATHMANATHAN_H

#include "app/verify/tissue.h"

/* Unit line, square or cube with the problem's D and parameters; V at its initial value. What else is to
 * differ (step, splitting) is set before pathmanathan_start. *tissue is to be freed in any case. */
enum status pathmanathan_make(struct verify_tissue *tissue, int dimension, double spacing,
                              struct error *error);

/* verify_tissue_start, then all states at their initial values. */
enum status pathmanathan_start(struct verify *verify, struct verify_tissue *tissue, struct error *error);

/* Error of V, in the norm of the lumped mass over the unit domain, at the tissue's present time. */
double pathmanathan_error(const struct verify_tissue *tissue, const double *mass);

/* The same of the state u1. */
enum status pathmanathan_state_error(struct verify_tissue *tissue, const double *mass, double *norm,
                                     struct error *error);

#endif
