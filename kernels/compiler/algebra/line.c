/* line.c: one way down a formula. */
#include "kernels/compiler/algebra/line.h"

#include <math.h>

#include "kernels/compiler/algebra/monomial.h"

struct algebra_line algebra_line(struct algebra *a, int n)
{
    const struct expression_node node = *algebra_node(a, n);
    const int zero = expression_number(a->graph, 0), one = expression_number(a->graph, 1);
    if (algebra_constant(a, n))
        return (struct algebra_line){zero, zero, n};
    int x = node.operand[0], y = node.operand[1];
    if (node.operation == EXPRESSION_NEGATE) {
        struct algebra_line line = algebra_line(a, x);
        return (struct algebra_line){monomial_negative(a, line.slope), line.base,
                                     monomial_negative(a, line.offset)};
    }
    bool constant_x = x >= 0 && algebra_constant(a, x), constant_y = y >= 0 && algebra_constant(a, y);
    if (node.operation == EXPRESSION_MULTIPLY && (constant_x || constant_y)) {
        int factor = constant_x ? x : y;
        struct algebra_line line = algebra_line(a, constant_x ? y : x);
        return (struct algebra_line){monomial_product(a, factor, line.slope), line.base,
                                     monomial_product(a, factor, line.offset)};
    }
    if (node.operation == EXPRESSION_ADD && (constant_x || constant_y)) {
        struct algebra_line line = algebra_line(a, constant_x ? y : x);
        return (struct algebra_line){line.slope, line.base, monomial_sum(a, line.offset, constant_x ? x : y)};
    }
    if (node.operation == EXPRESSION_ADD) {
        struct algebra_line left = algebra_line(a, x), right = algebra_line(a, y);
        if (left.base == right.base)
            return (struct algebra_line){monomial_sum(a, left.slope, right.slope), left.base,
                                         monomial_sum(a, left.offset, right.offset)};
    }
    return (struct algebra_line){one, n, zero};
}

bool line_multiple(struct algebra *a, int y, int f, int *k)
{
    struct algebra_line of_y = algebra_line(a, y), of_f = algebra_line(a, f);
    if (algebra_constant(a, y) || algebra_constant(a, f) || of_y.base != of_f.base)
        return false;
    int left = monomial_product(a, of_y.offset, of_f.slope),
        right = monomial_product(a, of_f.offset, of_y.slope);
    double x = algebra_values(a, left)[0], z = algebra_values(a, right)[0];
    *k = monomial_quotient(a, of_y.slope, of_f.slope);
    bool numbers =
        algebra_operation(a, left) == EXPRESSION_NUMBER && algebra_operation(a, right) == EXPRESSION_NUMBER;
    return left == right || (numbers && fabs(x - z) <= 1e-13 * fabs(x));
}
