/* line.h: formulas as straight lines in another: n = slope * base + offset. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_LINE_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_LINE_H

#include "kernels/compiler/algebra/points.h"

/* slope and offset are constant; base is 0 where n is constant */
struct algebra_line {
    int slope, base, offset;
};
struct algebra_line algebra_line(struct algebra *a, int n);

/* y = k f for a constant *k? */
bool line_multiple(struct algebra *a, int y, int f, int *k);

#endif
