/* ordering.h: a locality order of the rows. It changes no bit of the result. */
#ifndef CARDIAC_SOLVER_MATRIX_ORDERING_H
#define CARDIAC_SOLVER_MATRIX_ORDERING_H

#include "kernels/base/csr.h"
#include "kernels/base/error.h"

/* order[k] <- mesh node of the k-th of [rows] rows: the order of E. Cuthill and J. McKee, 1969, reversed
 * (A. George, 1971), each component starting at a pseudo-peripheral node (N. E. Gibbs et al., SIAM J.
 * Numer. Anal. 13, 1976); nodes of equal degree by mesh number. Errors: STATUS_RUN if out of memory. */
enum status ordering_make(const struct csr *pattern, int32_t *order, struct error *error);

#endif
