/* perron.h: bounds on spectral radii and inverses from one positive vector, improved iteratively.
 *
 * For a matrix B and any x > 0, rho(B) <= rho(|B|) <= max_i (|B| x)_i / x_i (L. Collatz, Math. Z. 48
 * (1942) 221; H. Wielandt, Math. Z. 52 (1950) 642); x = 1 gives Gershgorin's row sums. Derived in
 * docs/theory/numerics.md, sections 4 and 5. Every row is summed in ascending mesh order and the number of
 * iterations follows from exact maxima, so the bounds do not depend on threads or ranks. */
#ifndef CARDIAC_SOLVER_MATRIX_PERRON_H
#define CARDIAC_SOLVER_MATRIX_PERRON_H

#include "solver/matrix/halo.h"
#include "solver/matrix/packing.h"
#include "solver/matrix/rows.h"

struct perron {
    double reach;  /* |lambda(D^-1 A) - 1| <= reach; reach also bounds the spectral radius of D^-1 E */
    double rate;   /* bound on lambda(M_L^-1 K), 1/ms */
    double factor; /* max |e_i| <= factor max |r_i| / m_i for e = A^-1 r, and for the e' = -D^-1 E e of the
                      next Jacobi iterate; 0 = no such factor was found (reach >= 1) */
};

/* *rate <- bound on lambda(M_L^-1 K), or with held clusters lambda((M + S)^-1 K), 1/ms. of: the length for
 * which rows were made. Errors: as below. */
enum status perron_rate(double *rate, const struct system *system, const struct rows *rows,
                        const struct scheme_length *of, const struct halo_nodes *ghosts, struct error *error);

/* ghosts: exchange of values with other ranks; NULL = a single rank. before: bounds of the same system and
 * held clusters for steps of another length, whose rate is the same; NULL = none. Errors, the same on all
 * ranks: STATUS_RUN if out of memory. */
enum status perron_bounds(struct perron *perron, const struct system *system, const struct scheme_length *of,
                          const struct rows *rows, const struct halo_nodes *ghosts,
                          const struct perron *before, struct error *error);

#endif
