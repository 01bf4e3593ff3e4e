/* algebra.h: sums and products without zeros and ones, and what stands in a leaf's place. */
#ifndef CARDIAC_KERNELS_IONIC_COMPILER_MMT_ALGEBRA_H
#define CARDIAC_KERNELS_IONIC_COMPILER_MMT_ALGEBRA_H

#include "kernels/ionic/compiler/expression.h"

bool mmt_algebra_is(const struct expression_graph *graph, int n, double number);
int mmt_algebra_negative(struct expression_graph *graph, int a);
int mmt_algebra_sum(struct expression_graph *graph, int a, int b);
int mmt_algebra_difference(struct expression_graph *graph, int a, int b);
int mmt_algebra_product(struct expression_graph *graph, int a, int b);
int mmt_algebra_quotient(struct expression_graph *graph, int a, int b);

/* on[n] <- bit EXPRESSION_X set where node n < nodes depends on a leaf of kind X */
void mmt_algebra_depends(const struct expression_graph *graph, unsigned *on, int nodes);
/* as[n] <- node n < nodes with node `to` in place of that leaf, where on[n] says that it is there */
void mmt_algebra_with(struct expression_graph *graph, int *as, const unsigned *on, int nodes,
                      enum expression_operation leaf, int to);
/* The derivative of node n by that leaf, in which it has to be linear: -1 where it is not. by[n] for work. */
int mmt_algebra_slope(struct expression_graph *graph, int n, int *by, const unsigned *on,
                      enum expression_operation leaf);

#endif
