/* singularity.h: 0 / 0 at one V, where a formula is regular in itself. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_SINGULARITY_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_SINGULARITY_H

#include "kernels/compiler/algebra/monomial.h"

/* y of a sum e^y - 1, or -1 */
int singularity_exponent(struct algebra *a, int n);

/* f / (e^y - 1) and (e^y - 1) / f with y = k f become regular */
void singularity_remove(struct algebra *a, struct monomial *m);

#endif
