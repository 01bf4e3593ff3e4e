/* mode.h: one eigenvector of K v = lambda M v, to the last digits, for a small mesh. */
#ifndef CARDIAC_APP_VERIFY_MODE_H
#define CARDIAC_APP_VERIFY_MODE_H

#include "app/verify/tissue.h"

/* value[nodes]: in, a guess; out, an eigenvector with max |value| = 1. *lambda <- its eigenvalue, 1/ms, for
 * the tissue's D (no planted error) and mass f M_lumped + (1 - f) M_consistent. *residual <- max |K v -
 * lambda M v| / max |K v|. Inverse iteration with Rayleigh's quotient as shift (J. W. S. Rayleigh; B. N.
 * Parlett, The Symmetric Eigenvalue Problem, 1998, section 4.6) by dense elimination. */
enum status verify_mode(const struct verify_tissue *tissue, double *value, double *lambda, double *residual,
                        struct error *error);

#endif
