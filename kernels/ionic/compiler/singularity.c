/* singularity.c: quotients by e^y - 1, and conditions on one V. */
#include "kernels/ionic/compiler/singularity.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/ionic/compiler/algebra.h"

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

/* How far a guard reaches at most, of y in y / (e^y - 1), and how far what it puts there may be from the
 * formula, relative */
static const double reach_max = 1e-5, apart_max = 1e-5;

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

/* x of a condition |x| < reach, or x = 0 (reach 0); -1 where it is none such */
static int guarded_line(struct algebra *a, int condition, double *reach)
{
    const struct expression_node node = *algebra_node(a, condition);
    const int x = node.operand[0], y = node.operand[1];
    *reach = 0;
    if (algebra_on(a, condition) != ALGEBRA_V)
        return -1;
    if (node.operation == EXPRESSION_EQUAL)
        return algebra_difference(a, x, y);
    if (node.operation != EXPRESSION_LESS || algebra_operation(a, x) != EXPRESSION_ABS ||
        algebra_operation(a, y) != EXPRESSION_NUMBER)
        return -1;
    *reach = algebra_node(a, y)->number;
    return algebra_node(a, x)->operand[0];
}

/* Whether n is e^y - 1 unless y = 0, with y = k x for a constant k, and k reach small */
static bool is_removed(struct algebra *a, int n, int x, double reach)
{
    const struct expression_node *node = algebra_node(a, n);
    if (node->operation != EXPRESSION_SELECT || algebra_operation(a, node->operand[0]) != EXPRESSION_EQUAL ||
        algebra_operation(a, node->operand[2]) != EXPRESSION_EXPM1)
        return false;
    int k, y = algebra_node(a, node->operand[2])->operand[0];
    return line_multiple(a, y, x, &k) && fabs(algebra_values(a, k)[0]) * reach <= reach_max;
}

/* Whether a quotient that is 0 / 0 where x = 0, and was made regular, stands in the formula */
static bool has_removed(struct algebra *a, int formula, int x, double reach)
{
    bool found = false, *reached = calloc((size_t)formula + 1, sizeof *reached);
    if (reached) {
        reached[formula] = true;
        algebra_reach(a->graph, reached, formula);
    }
    for (int n = 0; reached && n <= formula && !found; n++)
        found = reached[n] && is_removed(a, n, x, reach);
    free(reached);
    return found;
}

/* Whether two nodes are equal whatever states and parameters are, but for the rounding of numbers in a text
 */
static bool are_equal(struct algebra *a, int x, int y)
{
    if (x == y)
        return true;
    int ratio = algebra_quotient(a, x, y);
    return algebra_operation(a, ratio) == EXPRESSION_NUMBER &&
           fabs(algebra_node(a, ratio)->number - 1) <= apart_max;
}

bool singularity_guarded(struct algebra *a, int condition, int near, int formula)
{
    double reach;
    int x = guarded_line(a, condition, &reach), v = expression_leaf(a->graph, EXPRESSION_V, -1);
    if (x < 0 || !has_removed(a, formula, x, reach))
        return false;
    struct algebra_line line = algebra_line(a, x);
    if (line.base != v)
        return false;
    int at = algebra_negative(a, algebra_quotient(a, line.offset, line.slope));
    if (!are_equal(a, algebra_replace(a, near, v, at), algebra_replace(a, formula, v, at)))
        return false;
    double middle = algebra_values(a, at)[0], side = reach / fabs(algebra_values(a, line.slope)[0]);
    for (int k = -1; k <= 1; k++) {
        double there = value_for(a, near, middle + k * side), want = value_for(a, formula, middle + k * side);
        if (!(fabs(there - want) <= apart_max * fabs(want)))
            return false;
    }
    return true;
}
