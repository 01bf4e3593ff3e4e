/* multigrid.h: a preconditioner z = B r, B ~ A^-1: a V-cycle over successively coarser matrices
 * (aggregation.h).
 *
 * A smoothing is two steps of the polynomial of Chebyshev's fourth kind (J. Lottes, Numer. Linear Algebra
 * Appl. 30:e2518, 2023) of D^-1 A, d_i = sum_j |a_ij|: its spectrum is at most 1 by Gershgorin's circles,
 * for every matrix, and the polynomial needs no lower bound. The same before and after each coarser
 * level, with Cholesky's factors on the coarsest, makes B symmetric and positive definite. Sums run in fixed
 * order. */
#ifndef CARDIAC_SOLVER_MATRIX_MULTIGRID_H
#define CARDIAC_SOLVER_MATRIX_MULTIGRID_H

#include "kernels/base/error.h"
#include "solver/matrix/aggregation.h"

enum { MULTIGRID_LEVELS = 20 };

struct multigrid_level {
    const struct aggregation_matrix *matrix;
    struct aggregation next; /* of the coarsest: empty */
    double *inverse;         /* [rows] 1 / d_i; 0 where left out */
    double *x, *r, *z[2];    /* [rows] */
};

struct multigrid {
    struct multigrid_level level[MULTIGRID_LEVELS];
    int levels;
    double *factor; /* [rows of the coarsest squared], its lower half; NULL: the coarsest is only smoothed */
};

/* matrix: not copied; it must outlive the multigrid. Errors: STATUS_RUN without memory. The caller frees in
 * either case. */
enum status multigrid_create(struct multigrid *multigrid, const struct aggregation_matrix *matrix,
                             struct error *error);
void multigrid_free(struct multigrid *multigrid);

/* z[rows] <- B r, 0 where left out */
void multigrid_apply(const struct multigrid *multigrid, const double *r, double *z);

#endif
