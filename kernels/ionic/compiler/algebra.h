/* algebra.h: nodes of a graph made in a normal form, so that what is equal in a simple way is one node.
 *
 * A product is a number, times what no cell changes, times functions of V, times the rest, each a power of
 * factors, with one quotient at most; a sum has its constant apart; a denominator holds no quotient. What
 * is divided by e^y - 1 and has y as a factor is made regular at y = 0. Each node is also known by its values
 * at some points, by which denominators are kept in the range of fp32. */
#ifndef CARDIAC_KERNELS_IONIC_COMPILER_ALGEBRA_H
#define CARDIAC_KERNELS_IONIC_COMPILER_ALGEBRA_H

#include <stdbool.h>

#include "kernels/ionic/compiler/cell.h"

/* What a node depends on; 0 = on parameters, the step, or nothing: it is constant for a model's cells */
enum { ALGEBRA_V = 1, ALGEBRA_STATE = 2, ALGEBRA_STIMULUS = 4, ALGEBRA_TIME = 8 };

/* Points at which nodes are known: V from -200 to 200 mV, states in the ranges given */
enum { ALGEBRA_POINTS = 64 };
struct algebra_point {
    double v, dt;
    double *state;           /* [cell->states] */
    const double *parameter; /* [cell->parameters] */
};

struct algebra {
    struct expression_graph *graph;
    int known, room; /* nodes whose entries here are made */
    unsigned char *on;
    bool *whole; /* a factor as it stands: its own factors leave fp32 when they are raised to its power */
    double (*value)[ALGEBRA_POINTS];
    int *negated, *above, *below; /* -n and n as a fraction, -1 = not yet asked for */
    struct algebra_point point[ALGEBRA_POINTS];
    bool split; /* functions of V stay apart from the rest, also in denominators: for tables */
    void *memory;
};

/* Points with states between low and high [cell->states] */
enum status algebra_begin(struct algebra *algebra, struct cell *cell, const double *low, const double *high,
                          struct error *error);
void algebra_end(struct algebra *algebra);
/* From now on functions of V stay apart from the rest */
void algebra_split(struct algebra *algebra);

unsigned algebra_on(struct algebra *a, int n);
bool algebra_constant(struct algebra *a, int n);
const double *algebra_values(struct algebra *a, int n);
bool algebra_number(struct algebra *a, int n, double number);

int algebra_sum(struct algebra *a, int x, int y);
int algebra_negative(struct algebra *a, int x);
int algebra_difference(struct algebra *a, int x, int y);
int algebra_product(struct algebra *a, int x, int y);
int algebra_quotient(struct algebra *a, int x, int y);
int algebra_power(struct algebra *a, int x, int power);
int algebra_select(struct algebra *a, int condition, int when_true, int when_false);
/* Any operation of operands that are made already */
int algebra_make(struct algebra *a, enum expression_operation operation, const int *operand);

/* n = *above / *below without a quotient in them that a common denominator clears */
void algebra_fraction(struct algebra *a, int n, int *above, int *below);

/* n = slope * base + offset, slope and offset constant; base 0 where n is constant */
struct algebra_line {
    int slope, base, offset;
};
struct algebra_line algebra_line(struct algebra *a, int n);

/* as[0 .. top] <- every node that `wanted` (NULL: all) made anew, `from` as `to` (from < 0: none) */
void algebra_remake(struct algebra *a, int *as, int top, const bool *wanted, int from, int to);
int algebra_replace(struct algebra *a, int n, int from, int to);

/* d n / d leaf of an affine or smooth n: what jumps, and conditions, are taken as constant */
int algebra_derivative(struct algebra *a, int n, int leaf);
/* derivative[roots] <- those of several */
void algebra_derivatives(struct algebra *a, int *derivative, const int *root, int roots, int leaf);

/* reached[0 .. top] <- what the nodes depend on, themselves included */
void algebra_reach(const struct expression_graph *graph, bool *reached, int top);

#endif
