/* singularity.c: quotients by e^y - 1, and conditions on one V. */
#include "kernels/ionic/compiler/singularity.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/ionic/compiler/line.h"

/* y if it is not 0, else 1, and e^y - 1 in the same way: a quotient of the two is y / (e^y - 1) */
static int unless_zero(struct algebra *a, int y, int n)
{
    return expression_select(a->graph, monomial_two(a, EXPRESSION_EQUAL, y, expression_number(a->graph, 0)),
                             expression_number(a->graph, 1), n);
}

void singularity_remove(struct algebra *a, struct monomial *m)
{
    for (int j = 0; j < m->factors; j++) {
        int minus = m->factor[j].node, k;
        if (algebra_operation(a, minus) != EXPRESSION_EXPM1 || m->factor[j].power >= 0)
            continue;
        int y = algebra_node(a, minus)->operand[0];
        for (int i = 0; i < m->factors; i++) {
            int f = m->factor[i].node;
            if (m->factor[i].power <= 0 || !line_multiple(a, y, f, &k))
                continue;
            monomial_put(m, minus, 1);
            monomial_put(m, f, -1);
            monomial_gather(a, m, k, -1);
            monomial_put(m, unless_zero(a, y, y), 1);
            monomial_put(m, unless_zero(a, y, minus), -1);
            j = -1;
            break;
        }
    }
}

/* n at a point where V is v and states are those of the first point */
static double value_for(struct algebra *a, int n, double v)
{
    algebra_know(a);
    double result = (double)NAN, *value = malloc((size_t)(n + 1) * sizeof *value);
    for (int k = 0; value && k <= n; k++) {
        const struct expression_node *node = algebra_node(a, k);
        int x = node->operand[0], y = node->operand[1], z = node->operand[2];
        value[k] =
            node->operation == EXPRESSION_V ? v
            : x < 0                         ? a->value[k][0]
                    : expression_value(node->operation, value[x], y < 0 ? 0 : value[y], z < 0 ? 0 : value[z]);
    }
    if (value)
        result = value[n];
    free(value);
    return result;
}

/* x = slope V + offset? */
static bool is_line_in_v(struct algebra *a, int x, double *slope, double *offset)
{
    struct algebra_line line = algebra_line(a, x);
    *slope = algebra_values(a, line.slope)[0];
    *offset = algebra_values(a, line.offset)[0];
    return algebra_constant(a, x) || algebra_operation(a, line.base) == EXPRESSION_V;
}

bool singularity_guarded(struct algebra *a, int condition, int near, int formula)
{
    const struct expression_node *node = algebra_node(a, condition);
    const bool equal = node->operation == EXPRESSION_EQUAL;
    const int y = node->operand[1];
    int x = node->operand[0];
    double slope, offset, other_slope = 0, other = 0;
    if (!equal && (node->operation != EXPRESSION_LESS || algebra_operation(a, x) != EXPRESSION_ABS ||
                   !algebra_constant(a, y) || !(algebra_values(a, y)[0] < 1)))
        return false;
    if (!equal)
        x = algebra_node(a, x)->operand[0];
    if (!is_line_in_v(a, x, &slope, &offset) || (equal && !is_line_in_v(a, y, &other_slope, &other)) ||
        slope == other_slope)
        return false;
    double at = (other - offset) / (slope - other_slope);
    double there = value_for(a, near, at), regular = value_for(a, formula, at);
    return fabs(there - regular) <= 1e-3 * fabs(regular) + 1e-12;
}
