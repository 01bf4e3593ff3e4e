/* aggregation.h: a coarser matrix by smoothed aggregation (Vanek, Mandel and Brezina, Computing 56:179,
 * 1996).
 *
 *    strong      -a_ij > theta (a_ii a_jj)^(1/2); weak entries are lumped: s_ii = a_ii + sum_weak a_ij
 *    aggregates  in ascending row: a row and its strong neighbours, if none is aggregated yet; each row left
 *                joins the neighbour of its strongest entry
 *    p           p_iJ = [i in J] - 4/3 / l_i sum_(j in J) s_ij,   l_i = s_ii + sum_strong |s_ij|
 *    coarse      P^T A P
 *
 * Sums run in the order of the rows and their entries, so the bits depend on the matrix but not on how its
 * rows are stored. */
#ifndef CARDIAC_SOLVER_MATRIX_AGGREGATION_H
#define CARDIAC_SOLVER_MATRIX_AGGREGATION_H

#include <stdbool.h>

#include "kernels/base/csr.h"
#include "kernels/base/error.h"

/* A symmetric positive definite matrix; rows with diagonal 0 and their columns are left out. With
 * `floating`: a connected matrix whose rows sum to 0, so that its null space is the constants. The columns
 * of a coarse row are in order of occurrence. */
struct aggregation_matrix {
    struct csr off;       /* a_ij, j != i */
    double *diagonal;     /* [rows] a_ii */
    const int32_t *order; /* [rows] order in which rows are processed; NULL = as stored */
    bool floating;
};

struct aggregation {
    struct csr to_fine, to_coarse; /* P and P^T */
    struct aggregation_matrix coarse;
};

/* Errors: STATUS_RUN if out of memory; free *aggregation even then. */
enum status aggregation_create(struct aggregation *aggregation, const struct aggregation_matrix *fine,
                               double theta, struct error *error);
void aggregation_matrix_free(struct aggregation_matrix *matrix);
void aggregation_free(struct aggregation *aggregation);

#endif
