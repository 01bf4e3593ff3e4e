/* order.h: the variables of a text, each behind those that its formula reads. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_ORDER_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_ORDER_H

#include "kernels/compiler/language/roles.h"

/* All variables; NULL, with tree->status set, where they read each other in a circle. The tree's arena has
 * it. */
int *mmt_order_of(struct mmt_tree *tree, const struct mmt_roles *roles);

#endif
