/* interval.h: bounds of formulas, for |V| <= 200 mV. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_INTERVAL_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_INTERVAL_H

#include "kernels/compiler/language/expression.h"

struct interval {
    double low, high; /* infinite = unknown */
};

/* interval[0 .. nodes - 1] <- bounds of every value that the nodes take, NaN aside, up to rounding.
 * parameter: their bounds; NULL = unbounded, as states and the stimulus are: a user sets them. */
void interval_of(struct interval *interval, const struct expression_graph *graph, int nodes,
                 const struct interval *parameter);

#endif
