/* sums.h: the sums of states that their rates keep, such as the occupancies of a channel.
 *
 * A conserved sum is c with sum_s c_s f_s = 0 for all V, states, parameters and times; c_s are rational
 * numbers. It is found by evaluating the formulas at random elements of a finite field, where sums, products,
 * quotients and whole powers are exact. The value of any other function is a random element that depends on
 * its operands' values alone, so what is found follows from the rules of a field. Derivatives by a state keep
 * these rules, so the same c adds each column of the Jacobian to 0. By Schwartz and Zippel's lemma a wrong c
 * has a chance below 1e-30. */
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

/* *sums <- those of the states that are not `apart` */
enum status sums_find(struct sums *sums, const struct cell *cell, const bool *apart, struct error *error);
void sums_free(struct sums *sums);

/* Whether state s is in one of them */
bool sums_hold(const struct sums *sums, int s);

/* shares <- false of sums that state s, which goes from low to high, leaves the range of */
void sums_reach(struct sums *sums, int s, double low, double high);

/* The first sum that state[] does not keep within 1e-8 of its largest part, or, with ranges, of which a share
 * leaves 0 .. start by a quarter of it; -1 = none */
int sums_lost(const struct sums *sums, const double *state, bool ranges);

/* text[bytes] <- such as "ryr.C1 + ryr.O1 is 533, not 1" of sum k */
void sums_describe(char *text, size_t bytes, const struct sums *sums, int k, const double *state);

#endif
