/* singularity.h: 0 / 0 at one V, where a formula is regular in itself. */
#ifndef CARDIAC_KERNELS_IONIC_COMPILER_SINGULARITY_H
#define CARDIAC_KERNELS_IONIC_COMPILER_SINGULARITY_H

#include "kernels/ionic/compiler/monomial.h"

/* y of a sum e^y - 1, or -1 */
int singularity_exponent(struct algebra *a, int n);

/* f / (e^y - 1) and (e^y - 1) / f with y = k f become regular */
void singularity_remove(struct algebra *a, struct monomial *m);

/* Whether a condition only keeps `formula` from 0 / 0 at one V, where it is regular in itself now and what a
 * text puts there, `near`, is its value */
bool singularity_guarded(struct algebra *a, int condition, int near, int formula);

#endif
