/* formula.h: the formula at the present token of a text. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_FORMULA_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_FORMULA_H

#include "kernels/compiler/language/tree.h"

/* Its term */
int mmt_formula_read(struct mmt_tree *tree);
/* Whether the language has a function of that name */
bool mmt_formula_knows(const char *function);
/* Which argument of the function that is read has that name, -1 = none */
int mmt_formula_argument(const struct mmt_tree *tree, const char *name);

#endif
