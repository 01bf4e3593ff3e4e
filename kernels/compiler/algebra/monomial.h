/* monomial.h: products of powers, and sums of two such terms. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_MONOMIAL_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_MONOMIAL_H

#include "kernels/compiler/algebra/points.h"

enum { MONOMIAL_FACTORS = 24, MONOMIAL_POWER_MAX = EXPRESSION_POWER_MAX };

/* number * product of factors; initially 1 */
struct monomial {
    double number;
    int factors;
    struct monomial_factor {
        int node, power;
    } factor[MONOMIAL_FACTORS];
    bool full; /* too many factors: the monomial is invalid */
};

/* What a factor is a function of */
enum monomial_kind { MONOMIAL_CONSTANT, MONOMIAL_OF_V, MONOMIAL_OTHER };
enum monomial_kind monomial_kind(struct algebra *a, int n);

void monomial_put(struct monomial *m, int node, int power);
/* m <- m n^power */
void monomial_gather(struct algebra *a, struct monomial *m, int n, int power);
/* The node of m: a number, times constants, times functions of V, times the rest */
int monomial_build(struct algebra *a, struct monomial *m);

/* Nodes made without rewriting: operation(x, y); x y, where -1 = no factor yet; x^power */
int monomial_two(struct algebra *a, enum expression_operation operation, int x, int y);
int monomial_times(struct algebra *a, int x, int y);
int monomial_raise(struct algebra *a, int x, int power);

/* x y, x / y and x + y with like factors and terms collected, but no other rewriting; -1 in a sum = no term
 * yet */
int monomial_product(struct algebra *a, int x, int y);
int monomial_quotient(struct algebra *a, int x, int y);
int monomial_sum(struct algebra *a, int x, int y);
int monomial_negative(struct algebra *a, int x);

#endif
