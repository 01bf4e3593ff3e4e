/* exponentials.h: replaces exponentials by products of others.
 *
 * Of e^(a w + b), e^b is a constant of the cells. Slopes a in the ratio of small whole numbers share one
 * exponential of their common unit; e^y where e^y - 1 is needed too is 1 more than that; of two that are
 * needed under opposite conditions only one is computed. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_EXPONENTIALS_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_EXPONENTIALS_H

#include "kernels/compiler/algebra/algebra.h"

/* root[roots] <- the same by fewer exponentials */
enum status exponentials_share(struct algebra *a, int *root, int roots, struct error *error);

#endif
