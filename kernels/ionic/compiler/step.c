/* step.c: the increments of states. */
#include "kernels/ionic/compiler/step.h"

#include <math.h>

/* Whether f = a - b x at every point, and b is never 0 */
static bool is_line(struct algebra *a, int f, int at_zero, int slope, int x)
{
    for (int k = 0; k < ALGEBRA_POINTS; k++) {
        double want = algebra_values(a, f)[k], b = algebra_values(a, slope)[k];
        double line = algebra_values(a, at_zero)[k] - b * algebra_values(a, x)[k];
        double size = fabs(algebra_values(a, at_zero)[k]) + fabs(b * algebra_values(a, x)[k]);
        if (!(fabs(line - want) <= 1e-9 * size) || !(b > 1e-30))
            return false;
    }
    return true;
}

static bool depends(struct algebra *a, int n, int leaf)
{
    return algebra_replace(a, n, leaf, expression_number(a->graph, 0.5)) != n;
}

int step_increment(struct algebra *a, int s, int rate, bool stiff)
{
    struct expression_graph *graph = a->graph;
    const int x = expression_leaf(graph, EXPRESSION_STATE, s), zero = expression_number(graph, 0);
    const int dt = expression_leaf(graph, EXPRESSION_STEP, -1);
    int b = algebra_negative(a, algebra_derivative(a, rate, x)), above, below;
    bool gate = !(algebra_on(a, b) & ~(unsigned)ALGEBRA_V);
    if ((gate || stiff) && !depends(a, b, x)) {
        int at_zero = algebra_replace(a, rate, x, zero);
        if (is_line(a, rate, at_zero, b, x)) {
            int limit = algebra_quotient(a, at_zero, b);
            algebra_fraction(a, b, &above, &below);
            b = algebra_quotient(a, above, below);
            int y = algebra_negative(a, algebra_product(a, dt, b));
            int rise = expression_one(graph, EXPRESSION_EXPM1, y);
            return algebra_product(a, algebra_difference(a, x, limit), rise);
        }
    }
    int whole = algebra_product(a, dt, rate);
    if (!stiff)
        return whole;
    int falling = expression_two(graph, EXPRESSION_LESS, zero, b);
    int y = algebra_negative(a, algebra_product(a, dt, algebra_select(a, falling, b, zero)));
    int flat = expression_two(graph, EXPRESSION_EQUAL, y, zero), one = expression_number(graph, 1);
    int top = expression_select(graph, flat, one, expression_one(graph, EXPRESSION_EXPM1, y));
    int bottom = expression_select(graph, flat, one, y);
    return algebra_product(a, whole, algebra_quotient(a, top, bottom));
}
