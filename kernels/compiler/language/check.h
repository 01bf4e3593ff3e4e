/* check.h: checks the units of measure in every equation of a text.
 *
 * A contradiction fails, whatever the omitted units may be, unless the header of the text has the
 * property `units: warn`; agreement that depends on omitted units is a warning. Omitted are the units of variables
 * without one and of numbers without one, except 1, 2, 3 and 4, which count something, in a text that states the
 * units of other numbers in its formulas. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_CHECK_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_CHECK_H

#include "kernels/compiler/language/roles.h"

/* The unit of an expression's term n; the units of its operands are checked on the way. */
struct mmt_unit mmt_check_expression(struct mmt_tree *tree, int n);

void mmt_check_units(struct mmt_tree *tree, const struct mmt_roles *roles, const int *order);

#endif
