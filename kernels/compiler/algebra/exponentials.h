/* exponentials.h: replaces exponentials by products of others.
 *
 * In e^(a w + b), e^b is a constant of the cells. Exponentials whose slopes a are in the ratio of small
 * integers are powers of one exponential; e^y is computed as (e^y - 1) + 1 where e^y - 1 is also needed; of
 * two exponentials needed under opposite conditions only one is computed. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_EXPONENTIALS_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_EXPONENTIALS_H

#include "kernels/compiler/algebra/algebra.h"

/* root[roots] <- the same formulas with fewer exponentials */
enum status exponentials_share(struct algebra *a, int *root, int roots, struct error *error);

#endif
