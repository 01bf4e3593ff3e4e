/* sums.h: weighted sums of states that the rates conserve, such as the occupancies of a channel.
 *
 * A conserved sum is a vector c of rational numbers with sum_s c_s f_s = 0 for all V, states, parameters and
 * times. It is found by evaluating the formulas at random elements of a finite field, where sums, products,
 * quotients and integer powers are exact. The value of any other function is a random element that depends on
 * its operands' values alone, so every c found follows from the field axioms. Derivatives by a state obey the
 * same rules, so c also sums each column of the Jacobian to 0. By the Schwartz-Zippel lemma the probability
 * of a wrong c is below 1e-30. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_SUMS_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_SUMS_H

#include "kernels/compiler/language/cell.h"

struct sums {
    const struct cell *cell;
    int count;
    double *factor; /* [count][cell->states]: c; 0 = the state is not in it */
    double *start;  /* [count]: sum_s c_s x_s of the initial states */
    bool *shares;   /* [count]: each c_s x_s is between 0 and start */
};

/* *sums <- the conserved sums of the states s without apart[s] */
enum status sums_find(struct sums *sums, const struct cell *cell, const bool *apart, struct error *error);
void sums_free(struct sums *sums);

/* Whether state s is in a conserved sum */
bool sums_hold(const struct sums *sums, int s);

/* shares[k] <- false for each sum k in which the part of state s, from low to high, leaves its range */
void sums_reach(struct sums *sums, int s, double low, double high);

/* The first sum that state[] violates by more than 1e-8 of its largest part, or, with `ranges`, of which a
 * share is outside 0 .. start by more than a quarter of start; -1 = none */
int sums_lost(const struct sums *sums, const double *state, bool ranges);

/* text[bytes] <- a description of sum k, such as "ryr.C1 + ryr.O1 is 533, not 1" */
void sums_describe(char *text, size_t bytes, const struct sums *sums, int k, const double *state);

#endif
