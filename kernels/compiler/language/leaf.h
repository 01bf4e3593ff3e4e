/* leaf.h: what depends on a leaf of a graph, what stands in its place, and slopes by it. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_LEAF_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_LEAF_H

#include "kernels/compiler/language/expression.h"

/* on[n] <- bit EXPRESSION_X set where node n < nodes depends on a leaf of kind X */
void mmt_leaf_depends(const struct expression_graph *graph, unsigned *on, int nodes);
/* as[n] <- node n < nodes with node `to` in place of that leaf, where on[n] says that it is there */
void mmt_leaf_replace(struct expression_graph *graph, int *as, const unsigned *on, int nodes,
                      enum expression_operation leaf, int to);
/* The derivative of node n by that leaf, in which it has to be linear: -1 where it is not. by[n] for work. */
int mmt_leaf_slope(struct expression_graph *graph, int n, int *by, const unsigned *on,
                   enum expression_operation leaf);

#endif
