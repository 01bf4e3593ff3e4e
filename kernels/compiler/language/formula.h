/* formula.h: parses the formula at the current token of a text. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_FORMULA_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_FORMULA_H

#include "kernels/compiler/language/tree.h"

/* Returns its term */
int mmt_formula_read(struct mmt_tree *tree);
/* Whether the language has a function with this name */
bool mmt_formula_has(const char *function);
/* The argument of the function being read that has this name, -1 = none */
int mmt_formula_argument(const struct mmt_tree *tree, const char *name);

/* *root <- the term of a text that is a single expression, whose names the environment defines. Lengths are
 * in mm, other quantities in SI base units. On failure tree->scanner has the position of the error. */
enum status mmt_formula_expression(struct mmt_tree *tree, int *root, struct arena *arena, const char *text,
                                   const struct mmt_environment *environment, struct error *error);
/* The term of the name at this token: item `index` of the environment, a condition or a quantity */
int mmt_formula_outside(struct mmt_tree *tree, const struct mmt_token *at, int index, bool truth,
                        struct mmt_unit unit);
/* The term of an operation on a and b; b = -1: only one operand */
int mmt_formula_apply(struct mmt_tree *tree, enum mmt_meaning meaning, const struct mmt_token *at, int a,
                      int b);
/* Reads the number at the current token, with its unit and an optional "-" */
double mmt_formula_number(struct mmt_tree *tree, struct mmt_unit *unit);

#endif
