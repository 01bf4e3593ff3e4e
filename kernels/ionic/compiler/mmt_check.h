/* mmt_check.h: the units of measure through every equation of a text.
 *
 * What contradicts itself fails, whatever the units left out may be; what agrees only with units left out is
 * a warning. A number without a unit is [1] in a text that quotes units of others in its formulas, else its
 * unit was left out, as that of a variable without one was. */
#ifndef CARDIAC_KERNELS_IONIC_COMPILER_MMT_CHECK_H
#define CARDIAC_KERNELS_IONIC_COMPILER_MMT_CHECK_H

#include "kernels/ionic/compiler/mmt_roles.h"

void mmt_check_units(struct mmt_tree *tree, const struct mmt_roles *roles, const int *order);

#endif
