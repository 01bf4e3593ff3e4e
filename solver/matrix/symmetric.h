/* symmetric.h: small symmetric matrices: eigenvalues by Jacobi rotations, and Cholesky factors.
 *
 * Rows are `stride` numbers apart; the order of operations is fixed. */
#ifndef CARDIAC_SOLVER_MATRIX_SYMMETRIC_H
#define CARDIAC_SOLVER_MATRIX_SYMMETRIC_H

#include <stdbool.h>

/* The diagonal of s[n][stride] <- its eigenvalues, by cyclic Jacobi rotations; v[n][stride], unless NULL, <-
 * the eigenvectors as columns */
void symmetric_eigen(int n, int stride, double *s, double *v);

/* The lower triangle of a[n][stride] <- L, a = L L'; false unless all pivots are positive */
bool symmetric_factor(int n, int stride, double *a);
/* x <- L^-1 x, and x <- L'^-1 x: both solve a x = b */
void symmetric_forward(int n, int stride, const double *l, double *x);
void symmetric_backward(int n, int stride, const double *l, double *x);

#endif
