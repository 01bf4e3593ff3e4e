/* rows.h: bounds on convergence, error and rounding from the rows of A = M + theta dt K.
 *
 * All sums run over a row's entries in ascending mesh order, so they do not depend on the packing. */
#ifndef CARDIAC_SOLVER_MATRIX_ROWS_H
#define CARDIAC_SOLVER_MATRIX_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "solver/matrix/cluster_rows.h"
#include "solver/matrix/packing.h"
#include "solver/matrix/spectrum.h"

/* In mesh order. */
struct rows {
    double *diagonal;              /* [rows] d_i = f m_i + (1 - f) m_ii - sum_j theta dt k_ij */
    double *offdiag_abs_sum;       /* [rows] sum_j |e_ij| */
    struct cluster_rows clustered; /* whose rows both describe, except with stages */
};

enum status rows_make(struct rows *rows, const struct system *system, const struct scheme_length *of,
                      struct error *error);
void rows_free(struct rows *rows);

/* Bounds on lambda(D^-1 A): 1 -+ reach (solver/matrix/perron.h), the lower one raised to (f
 * + (1 - f) / (d + 2)) min_i m_i / d_i, since x'Kx >= 0 leaves x'Ax >= x'Mx, and lambda(M_L^-1 M_C) >= 1 / (d
 * + 2) on simplices of dimension d (A. J. Wathen, IMA J. Numer. Anal. 7 (1987) 449, table 1); of a cluster
 * that is rows.clustered.low. */
struct interval rows_interval(const struct rows *rows, const struct system *system, double lumping,
                              double reach);

/* max_i sum_j |e_ij| / m_i over rows in no cluster */
double rows_largest_rate(const struct rows *rows, const struct system *system);

/* An upper bound, within 1/256, on the quantile `share` of the quotients above[i] / below[i]: the same on any
 * number of ranks */
double rows_quantile(const struct system *system, const double *above, const double *below, double share);

/* The error allowed in a row, mV a step (docs/theory/numerics.md, section 6) */
struct rounding {
    double bound;  /* mV, of x */
    double factor; /* factor beta of 2^-23 sum_j |e_ij| bound / m_i, the rounding of sweeps in fp32 */
    double
        product; /* mV, factor of sum_j |e_ij - stored| / m_i, the rounding of a product with entries of 32 bits; 0 = there is none */
    double sweeps; /* mV, the same for sweeps that read x in fp64 */
    bool shared;   /* sweeps read x in fp32 only with entries of 32 bits */
    double budget;
};

/* Whether reading a row in fp32 moves V by at most `budget` mV a step: 2^-23 rate bound beta <= budget, rate
 * being sum_j |e_ij| / m_i */
bool rows_may_round(double rate, double bound, double beta, double budget);

/* classes[rows] <- the precisions of a row (solver/matrix/packing.h) for which all its errors together stay
 * within the budget: first sweeps in fp32, then whole numbers of 32 bits instead of fp64. Returns the number
 * of rows whose sweeps may read fp32. */
int64_t rows_classify(const struct rows *rows, const struct system *system, const struct scheme_length *of,
                      const struct rounding *rounding, uint8_t *classes);

#endif
