/* algebra.h: builds the nodes of a graph in a normal form, in which obviously equal formulas are the same
 * node.
 *
 * A product is a number times constants of the cells, times functions of V, times the rest; each part is a
 * product of powers, and there is at most one quotient. A sum keeps its constant separate. A denominator
 * contains no quotient. A quotient of y and e^y - 1 is made regular at y = 0. */
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

/* n = *above / *below, without quotients in either that a common denominator removes */
void algebra_fraction(struct algebra *a, int n, int *above, int *below);

/* as[n] <- node n <= top rebuilt, if needed[n] (NULL: all nodes), with `to` in place of `from` (from < 0: no
 * replacement) */
void algebra_remake(struct algebra *a, int *as, int top, const bool *needed, int from, int to);
int algebra_replace(struct algebra *a, int n, int from, int to);

/* d n / d leaf of an affine or smooth n: jumps and conditions count as constant */
int algebra_derivative(struct algebra *a, int n, int leaf);
/* derivative[roots] <- the derivative of each root */
void algebra_derivatives(struct algebra *a, int *derivative, const int *root, int roots, int leaf);

/* Whether n = f + g leaf with f and g free of the leaf, by the form of n */
bool algebra_is_affine(struct algebra *a, int n, int leaf);

/* reached[0 .. top] <- also the nodes on which reached nodes depend; _from: the roots and all nodes on which
 * they depend */
void algebra_reach(const struct expression_graph *graph, bool *reached, int top);
void algebra_reach_from(const struct expression_graph *graph, bool *reached, int top, const int *root,
                        int roots);

/* A formula as an affine function of another, n = slope * base + offset, with constant slope and offset; base
 * is 0 if n is constant */
struct algebra_line {
    int slope, base, offset;
};
struct algebra_line algebra_line(struct algebra *a, int n);

/* Whether y = k f for a constant *k */
bool algebra_is_multiple(struct algebra *a, int y, int f, int *k);

#endif
