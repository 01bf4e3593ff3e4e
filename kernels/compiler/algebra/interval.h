/* interval.h: bounds of formulas, for |V| <= 200 mV. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_INTERVAL_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_INTERVAL_H

#include "kernels/compiler/language/expression.h"

struct interval {
    double low, high; /* infinite = unknown */
};

/* interval[0 .. nodes - 1] <- bounds of all values of each node except NaN, up to rounding. parameter: bounds
 * of the parameters; NULL = unbounded, like states and the stimulus, which users set. */
void interval_of(struct interval *interval, const struct expression_graph *graph, int nodes,
                 const struct interval *parameter);

#endif
