/* algebra.h: builds the nodes of a graph in a normal form, so that formulas that are plainly equal are one
 * node.
 *
 * A product is a number, times what no cell changes, times functions of V, times the rest, each a power of
 * factors, with one quotient at most; a sum has its constant apart; a denominator holds no quotient. What
 * is divided by e^y - 1 and has y as a factor is made regular at y = 0. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_ALGEBRA_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_ALGEBRA_H

#include "kernels/compiler/algebra/points.h"

int algebra_sum(struct algebra *a, int x, int y);
int algebra_negative(struct algebra *a, int x);
int algebra_difference(struct algebra *a, int x, int y);
int algebra_product(struct algebra *a, int x, int y);
int algebra_quotient(struct algebra *a, int x, int y);
int algebra_power(struct algebra *a, int x, int power);
int algebra_select(struct algebra *a, int condition, int when_true, int when_false);

/* n = *above / *below, neither with a quotient that a common denominator clears */
void algebra_fraction(struct algebra *a, int n, int *above, int *below);

/* as[0 .. top] <- every node that `needed` (NULL: all) rebuilt, with `to` in place of `from` (from < 0:
 * none) */
void algebra_remake(struct algebra *a, int *as, int top, const bool *needed, int from, int to);
int algebra_replace(struct algebra *a, int n, int from, int to);

/* d n / d leaf of an affine or smooth n: jumps and conditions count as constant */
int algebra_derivative(struct algebra *a, int n, int leaf);
/* derivative[roots] <- those of several */
void algebra_derivatives(struct algebra *a, int *derivative, const int *root, int roots, int leaf);

/* Whether n = f + g leaf with f and g free of the leaf, by the form of n */
bool algebra_is_affine(struct algebra *a, int n, int leaf);

/* reached[0 .. top] <- also the nodes that those reached depend on; the roots and all that they depend on */
void algebra_reach(const struct expression_graph *graph, bool *reached, int top);
void algebra_reach_from(const struct expression_graph *graph, bool *reached, int top, const int *root,
                        int roots);

/* A formula as a straight line in another, n = slope * base + offset: slope and offset are constant; base is
 * 0 where n is constant */
struct algebra_line {
    int slope, base, offset;
};
struct algebra_line algebra_line(struct algebra *a, int n);

/* y = k f for a constant *k? */
bool algebra_is_multiple(struct algebra *a, int y, int f, int *k);

#endif
