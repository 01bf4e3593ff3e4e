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

/* Sums of each row, in mesh order */
struct rows {
    double *diagonal;              /* [rows] d_i = f m_i + (1 - f) m_ii - sum_j theta dt k_ij */
    double *offdiag_abs_sum;       /* [rows] sum_j |e_ij| */
    struct cluster_rows clustered; /* rows of clusters, which both sums describe except with stages */
};

enum status rows_make(struct rows *rows, const struct system *system, const struct scheme_length *of,
                      struct error *error);
void rows_free(struct rows *rows);

/* Bounds on lambda(D^-1 A): 1 -+ reach (solver/matrix/perron.h), the lower one raised to (f + (1 - f) / (d
 * + 2)) min_i m_i / d_i, because x'Kx >= 0 implies x'Ax >= x'Mx, and lambda(M_L^-1 M_C) >= 1 / (d + 2) on
 * simplices of dimension d (A. J. Wathen, IMA J. Numer. Anal. 7 (1987) 449, table 1); for clusters this
 * term is rows.clustered.low. */
struct interval rows_interval(const struct rows *rows, const struct system *system, double lumping,
                              double reach);

/* max_i sum_j |e_ij| / m_i over the rows that are in no cluster */
double rows_largest_rate(const struct rows *rows, const struct system *system);

/* An upper bound, within a factor of 1 + 1/256, on the quantile `share` of above[i] / below[i];
 * independent of the number of ranks */
double rows_quantile(const struct system *system, const double *above, const double *below, double share);

/* The rounding error allowed in a row, mV a step (docs/theory/numerics.md, section 6) */
struct rounding {
    double bound;   /* mV, bound on |x| */
    double factor;  /* beta, factor of 2^-23 sum_j |e_ij| bound / m_i, the rounding error of sweeps in fp32 */
    double product; /* mV, factor of sum_j |e_ij - stored| / m_i, the rounding error of a product with 32-bit
                       entries; 0 = no such product */
    double sweeps;  /* mV, the same factor for sweeps that read x in fp64 */
    bool shared;    /* sweeps read x in fp32 only in rows with 32-bit entries */
    double budget;
};

/* Whether reading a row in fp32 changes V by at most `budget` mV a step: 2^-23 rate bound beta <= budget,
 * where rate is sum_j |e_ij| / m_i */
bool rows_may_round(double rate, double bound, double beta, double budget);

/* classes[rows] <- the precision class of each row (solver/matrix/packing.h), such that its total error is
 * within the budget: first preference sweeps in fp32, then 32-bit integers instead of fp64. Returns the
 * number of rows whose sweeps may read fp32. */
int64_t rows_classify(const struct rows *rows, const struct system *system, const struct scheme_length *of,
                      const struct rounding *rounding, uint8_t *classes);

#endif
