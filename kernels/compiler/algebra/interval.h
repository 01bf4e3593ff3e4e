/* interval.h: bounds of formulas of V for |V| <= 200 mV, for any parameters. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_INTERVAL_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_INTERVAL_H

#include "kernels/compiler/language/expression.h"

struct interval {
    double low, high; /* infinite where nothing is known */
};

/* interval[0 .. nodes - 1] <- what holds every value that the nodes take, NaN aside, up to rounding.
 * Parameters, states and the stimulus may be anything: a user sets them. */
void interval_of(struct interval *interval, const struct expression_graph *graph, int nodes);

#endif
