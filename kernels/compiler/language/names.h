/* names.h: resolves names by their scope. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_NAMES_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_NAMES_H

#include "kernels/compiler/language/tree.h"

/* The table <- that item of the tree, whose name nothing else has in its scope */
void mmt_names_add(struct mmt_tree *tree, enum mmt_kind kind, int index);
/* The user's function of that name, -1 = none */
int mmt_names_function(const struct mmt_tree *tree, const char *name);
/* The variable of that qualified name, -1 = none */
int mmt_names_find(const struct mmt_tree *tree, const char *full);
/* All terms, aliases, initial values and changes of the tree <- the variables that they mean */
void mmt_names_resolve(struct mmt_tree *tree);

#endif
