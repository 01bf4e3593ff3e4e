/* multigrid.h: a preconditioner z = B r, B ~ A^-1: a V-cycle over successively coarser matrices
 * (aggregation.h).
 *
 * A smoothing is two steps of the Chebyshev polynomial of the fourth kind (J. Lottes, Numer. Linear
 * Algebra Appl. 30:e2518, 2023) in D^-1 A, d_i = sum_j |a_ij|: by Gershgorin its spectrum is at most 1 for
 * every matrix, and the polynomial needs no lower bound. The same smoothing before and after each coarser
 * level, with Cholesky factors on the coarsest, makes B symmetric and positive definite. Sums run in fixed
 * order. */
#ifndef CARDIAC_SOLVER_MATRIX_MULTIGRID_H
#define CARDIAC_SOLVER_MATRIX_MULTIGRID_H

#include "kernels/base/error.h"
#include "solver/matrix/aggregation.h"

enum { MULTIGRID_LEVELS = 20 };

struct multigrid_level {
    const struct aggregation_matrix *matrix;
    struct aggregation next; /* empty on the coarsest level */
    double *inverse;         /* [rows] 1 / d_i; 0 for rows left out */
    double *x, *r, *z[2];    /* [rows] */
};

struct multigrid {
    struct multigrid_level level[MULTIGRID_LEVELS];
    int levels;
    double *factor; /* [rows of the coarsest squared] lower triangle; NULL: the coarsest level is only
                       smoothed */
};

/* matrix: borrowed; it must outlive the multigrid. Errors: STATUS_RUN if out of memory; free *multigrid
 * even then. */
enum status multigrid_create(struct multigrid *multigrid, const struct aggregation_matrix *matrix,
                             struct error *error);
void multigrid_free(struct multigrid *multigrid);

/* z[rows] <- B r, 0 in rows left out */
void multigrid_apply(const struct multigrid *multigrid, const double *r, double *z);

#endif
