/* aggregation.h: a coarser matrix by smoothed aggregation (Vanek, Mandel and Brezina, Computing 56:179,
 * 1996).
 *
 *   strong      -a_ij > theta (a_ii a_jj)^(1/2); the weak are lumped: s_ii = a_ii + sum_weak a_ij
 *   aggregates  in ascending row: a row with its strong neighbours, where all are free; each row left joins
 * the neighbour of its strongest entry p           p_iJ = [i in J] - 4/3 / l_i sum_(j in J) s_ij,   l_i =
 * s_ii + sum_strong |s_ij| coarse      P^T A P
 *
 * Sums run in the order of the rows and of their entries: the bits depend on the matrix and not on how its
 * rows are stored. */
#ifndef CARDIAC_SOLVER_MATRIX_AGGREGATION_H
#define CARDIAC_SOLVER_MATRIX_AGGREGATION_H

#include <stdbool.h>

#include "kernels/base/csr.h"
#include "kernels/base/error.h"

/* A symmetric positive definite matrix; rows whose diagonal is 0 and their columns are left out. Or, with
 * `floating`, a connected one whose rows sum to 0, so that its null space is the constants. The columns of a
 * coarse row are in order of occurrence. */
struct aggregation_matrix {
    struct csr off;       /* a_ij, j != i */
    double *diagonal;     /* [rows] a_ii */
    const int32_t *order; /* [rows] the order in which rows are processed; NULL = as stored */
    bool floating;
};

struct aggregation {
    struct csr to_fine, to_coarse; /* P and P^T */
    struct aggregation_matrix coarse;
};

/* Errors: STATUS_RUN without memory. The caller frees in either case. */
enum status aggregation_create(struct aggregation *aggregation, const struct aggregation_matrix *fine,
                               double theta, struct error *error);
void aggregation_matrix_free(struct aggregation_matrix *matrix);
void aggregation_free(struct aggregation *aggregation);

#endif
