/* names.h: resolves names by their scope. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_NAMES_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_NAMES_H

#include "kernels/compiler/language/tree.h"

/* Adds this item of the tree to the table; its name must be unique in its scope */
void mmt_names_add(struct mmt_tree *tree, enum mmt_kind kind, int index);
/* The user function with this name, -1 = none */
int mmt_names_function(const struct mmt_tree *tree, const char *name);
/* The variable with this qualified name, -1 = none */
int mmt_names_find(const struct mmt_tree *tree, const char *full);
/* Resolves the variables in all terms, aliases, initial values and changes of the tree */
void mmt_names_resolve(struct mmt_tree *tree);

#endif
