/* check.h: checks the units of measure in every equation of a text.
 *
 * Units that disagree whatever the omitted units may be are an error, or a warning if the header of the text
 * has the property `units: warn`; agreement that depends on omitted units is a warning. Units may be omitted
 * from variables and numbers; in a text that gives units of numbers in its formulas, the numbers 1, 2, 3 and
 * 4 are counts that need none. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_CHECK_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_CHECK_H

#include "kernels/compiler/language/roles.h"

/* Returns the unit of term n of an expression, and checks the units of its operands. */
struct mmt_unit mmt_check_expression(struct mmt_tree *tree, int n);

void mmt_check_units(struct mmt_tree *tree, const struct mmt_roles *roles, const int *order);

#endif
