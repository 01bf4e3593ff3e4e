/* singularity.c: quotients by e^y - 1, and conditions on one V. */
#include "kernels/ionic/compiler/singularity.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/ionic/compiler/line.h"

int singularity_exponent(struct algebra *a, int n)
{
    const struct expression_node *node = algebra_node(a, n);
    for (int k = 0; k < 2 && node->operation == EXPRESSION_ADD; k++)
        if (algebra_operation(a, node->operand[k]) == EXPRESSION_EXP &&
            algebra_number(a, node->operand[1 - k], -1))
            return algebra_node(a, node->operand[k])->operand[0];
    return -1;
}

/* y if it is not 0, else 1, and e^y - 1 in the same way: a quotient of the two is that of y and e^y - 1 */
static int unless_zero(struct algebra *a, int y, int n)
{
    return expression_select(a->graph, monomial_two(a, EXPRESSION_EQUAL, y, expression_number(a->graph, 0)),
                             expression_number(a->graph, 1), n);
}

void singularity_remove(struct algebra *a, struct monomial *m)
{
    for (int j = 0; j < m->factors; j++) {
        int n = m->factor[j].node, sign = m->factor[j].power < 0 ? -1 : 1, k;
        int y = algebra_operation(a, n) == EXPRESSION_EXPM1 ? algebra_node(a, n)->operand[0]
                                                            : singularity_exponent(a, n);
        for (int i = 0; i < m->factors && y >= 0; i++) {
            int f = m->factor[i].node;
            if (m->factor[i].power * sign >= 0 || !line_multiple(a, y, f, &k))
                continue;
            monomial_put(m, n, -sign);
            monomial_put(m, f, sign);
            monomial_gather(a, m, k, sign);
            monomial_put(m, unless_zero(a, y, y), -sign);
            monomial_put(m, unless_zero(a, y, expression_one(a->graph, EXPRESSION_EXPM1, y)), sign);
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
