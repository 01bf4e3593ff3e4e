/* build.h: the formulas of a text as nodes of a graph. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_BUILD_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_BUILD_H

#include "kernels/compiler/language/roles.h"

/* The text's pace, until the stimulus replaces it; no text has a leaf of this kind */
#define MMT_BUILD_PACE EXPRESSION_STEP

struct mmt_build {
    struct mmt_tree *tree;
    const struct mmt_roles *roles;
    struct expression_graph *graph;
    const int *leaf; /* number of a state or parameter, -1 = neither */
    int *value; /* node of each variable; the stimulus current is EXPRESSION_STIMULUS in those that read it */
    int *rate;  /* node of each state's dot(), in the text's units */
    int *initial; /* node of each state's initial value, in the text's unit */
    int stimulus; /* node: the stimulus current's own formula */
    long work;
};

/* *root, a term of an expression, becomes its node, in which EXPRESSION_PARAMETERs are the environment's. */
enum status mmt_build_expression(struct mmt_tree *tree, struct expression_graph *graph, int *root);

/* Nodes of all variables, in that order. */
void mmt_build_all(struct mmt_build *build, const int *order);

#endif
