/* formula.h: the formula at the present token of a text. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_FORMULA_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_FORMULA_H

#include "kernels/compiler/language/tree.h"

/* Its term */
int mmt_formula_read(struct mmt_tree *tree);
/* Whether the language has a function of that name */
bool mmt_formula_has(const char *function);
/* The argument of the present function that has this name, -1 = none */
int mmt_formula_argument(const struct mmt_tree *tree, const char *name);

/* *root <- the term of the expression that is the whole text; names are the environment's. Lengths are in
 * mm, other quantities in the SI's base units. tree->scanner has the position of a fault. */
enum status mmt_formula_expression(struct mmt_tree *tree, int *root, struct arena *arena, const char *text,
                                   const struct mmt_environment *environment, struct error *error);
/* The term of a name at this token: number `index` of the environment's, a condition or a quantity */
int mmt_formula_outside(struct mmt_tree *tree, const struct mmt_token *at, int index, bool truth,
                        struct mmt_unit unit);
/* The term of an operation on a and b; b is -1 if it has one operand */
int mmt_formula_apply(struct mmt_tree *tree, enum mmt_meaning meaning, const struct mmt_token *at, int a,
                      int b);
/* Reads a number with its unit at the present token, with or without "-" */
double mmt_formula_number(struct mmt_tree *tree, struct mmt_unit *unit);

#endif
