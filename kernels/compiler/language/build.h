/* build.h: converts the formulas of a text to nodes of a graph. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_BUILD_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_BUILD_H

#include "kernels/compiler/language/roles.h"

/* Stands for the text's pace until the stimulus replaces it; a text has no other leaf of this kind */
#define MMT_BUILD_PACE EXPRESSION_STEP

struct mmt_build {
    struct mmt_tree *tree;
    const struct mmt_roles *roles;
    struct expression_graph *graph;
    const int *leaf; /* number of a state or parameter, -1 = neither */
    int *value;      /* node of each variable; EXPRESSION_STIMULUS stands for the stimulus current */
    int *rate;       /* node of each state's dot(), in the text's units */
    int *initial;    /* node of each state's initial value, in the text's unit */
    int stimulus;    /* node: the stimulus current's own formula */
    long work;
};

/* *root, a term of an expression, is replaced by its node; EXPRESSION_PARAMETERs are items of the
 * environment. */
enum status mmt_build_expression(struct mmt_tree *tree, struct expression_graph *graph, int *root);

/* Makes the nodes of all variables in the given order. */
void mmt_build_all(struct mmt_build *build, const int *order);

#endif
