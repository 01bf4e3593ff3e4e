/* rewrite.c: puts operations into normal form, removes conditions that only avoid 0 / 0, and rebuilds whole
 * formulas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/compiler/algebra/algebra.h"
#include "kernels/compiler/algebra/monomial.h"

static int make_power(struct algebra *a, int x, int y)
{
    const struct expression_node of_x = *algebra_node(a, x), of_y = *algebra_node(a, y);
    double k = of_y.number;
    bool is_number = of_y.operation == EXPRESSION_NUMBER;
    if (is_number && k == floor(k) && fabs(k) <= MONOMIAL_POWER_MAX)
        return algebra_power(a, x, (int)k);
    if (is_number && 2 * k == floor(2 * k) && fabs(k) <= MONOMIAL_POWER_MAX / 2) {
        int root = expression_one(a->graph, EXPRESSION_SQRT, x);
        return algebra_product(a, algebra_power(a, x, (int)floor(k)), root);
    }
    if (of_x.operation == EXPRESSION_NUMBER && of_x.number > 0 && !algebra_constant(a, y))
        return expression_one(a->graph, EXPRESSION_EXP,
                              algebra_product(a, expression_one(a->graph, EXPRESSION_LOG, x), y));
    return monomial_two(a, EXPRESSION_POWER, x, y);
}

/* log(c x) = log c + log x and log(c / x) = log c - log x for a constant c > 0 and an x that depends on
 * states, which is positive for all parameters; an x of V alone is left, as it may be negative where c is */
static int make_log(struct algebra *a, int x)
{
    struct monomial m = {.number = 1}, c = {.number = 1};
    monomial_gather(a, &m, x, 1);
    int factor = -1, power = 0, others = 0;
    for (int k = 0; k < m.factors; k++)
        if (algebra_constant(a, m.factor[k].node)) {
            monomial_put(&c, m.factor[k].node, m.factor[k].power);
        } else {
            factor = m.factor[k].node;
            power = m.factor[k].power;
            others++;
        }
    c.number = m.number;
    if (m.full || others != 1 || abs(power) != 1 || algebra_on(a, factor) == ALGEBRA_V)
        return expression_one(a->graph, EXPRESSION_LOG, x);
    int constant = monomial_build(a, &c);
    if (!(algebra_values(a, constant)[0] > 0))
        return expression_one(a->graph, EXPRESSION_LOG, x);
    int variable = expression_one(a->graph, EXPRESSION_LOG, factor);
    return algebra_sum(a, expression_one(a->graph, EXPRESSION_LOG, constant),
                       power > 0 ? variable : algebra_negative(a, variable));
}

/* Largest half-width of a guarded interval, in y of y / (e^y - 1), and largest relative difference between
 * the guard's value and the formula */
static const double reach_max = 1e-5, apart_max = 1e-5;

/* The value of n at V = v, with the states of the first point */
static double value_for(struct algebra *a, int n, double v)
{
    algebra_evaluate_new(a);
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

/* x of a condition |x| < reach, or x = 0 (reach 0); -1 for any other condition */
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

/* Whether n is e^y - 1, replaced at y = 0, where y = k x for a constant k, and k reach is small */
static bool is_removed(struct algebra *a, int n, int x, double reach)
{
    const struct expression_node *node = algebra_node(a, n);
    if (node->operation != EXPRESSION_SELECT || algebra_operation(a, node->operand[0]) != EXPRESSION_EQUAL ||
        algebra_operation(a, node->operand[2]) != EXPRESSION_EXPM1)
        return false;
    int k, y = algebra_node(a, node->operand[2])->operand[0];
    return algebra_is_multiple(a, y, x, &k) && fabs(algebra_values(a, k)[0]) * reach <= reach_max;
}

/* Whether the formula contains a quotient that was 0 / 0 at x = 0 and has been made regular */
static bool has_removed(struct algebra *a, int formula, int x, double reach)
{
    bool found = false, *reached = calloc((size_t)formula + 1, sizeof *reached);
    if (reached)
        algebra_reach_from(a->graph, reached, formula, &formula, 1);
    for (int n = 0; reached && n <= formula && !found; n++)
        found = reached[n] && is_removed(a, n, x, reach);
    free(reached);
    return found;
}

/* Whether two nodes are equal for all states and parameters, up to the rounding of numbers in the text */
static bool are_equal(struct algebra *a, int x, int y)
{
    if (x == y)
        return true;
    int ratio = algebra_quotient(a, x, y);
    return algebra_operation(a, ratio) == EXPRESSION_NUMBER &&
           fabs(algebra_node(a, ratio)->number - 1) <= apart_max;
}

/* Whether the condition only avoids a 0 / 0 of `formula` at one V, where the formula is now regular and equal
 * to `near`, the text's value there */
static bool only_guards(struct algebra *a, int condition, int near, int formula)
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

static int make_select(struct algebra *a, int condition, int when_true, int when_false)
{
    int n = algebra_select(a, condition, when_true, when_false);
    const struct expression_node node = *algebra_node(a, n);
    bool dropped = node.operation == EXPRESSION_SELECT && node.operand[1] != node.operand[2] &&
                   only_guards(a, node.operand[0], node.operand[1], node.operand[2]);
    return dropped ? node.operand[2] : n;
}

/* The node of an operation whose operands have been rewritten */
static int make_node(struct algebra *a, enum expression_operation operation, const int *operand)
{
    int x = operand[0], y = operand[1];
    switch (operation) {
    case EXPRESSION_NEGATE:
        return algebra_negative(a, x);
    case EXPRESSION_ADD:
        return algebra_sum(a, x, y);
    case EXPRESSION_SUBTRACT:
        return algebra_difference(a, x, y);
    case EXPRESSION_MULTIPLY:
        return algebra_product(a, x, y);
    case EXPRESSION_DIVIDE:
        return algebra_quotient(a, x, y);
    case EXPRESSION_POWER:
        return make_power(a, x, y);
    case EXPRESSION_LOG:
        return make_log(a, x);
    case EXPRESSION_LOG10:
        return algebra_product(a, expression_number(a->graph, EXPRESSION_LOG10_E), make_log(a, x));
    case EXPRESSION_TAN:
        return algebra_quotient(a, expression_one(a->graph, EXPRESSION_SIN, x),
                                expression_one(a->graph, EXPRESSION_COS, x));
    case EXPRESSION_CEIL:
        return algebra_negative(a, expression_one(a->graph, EXPRESSION_FLOOR, algebra_negative(a, x)));
    case EXPRESSION_NOT:
        if (algebra_operation(a, x) == EXPRESSION_NOT)
            return algebra_node(a, x)->operand[0];
        return expression_one(a->graph, EXPRESSION_NOT, x);
    case EXPRESSION_LESS_EQUAL: /* x <= y: not y < x, but for NaN, which stays NaN either way */
        return expression_one(a->graph, EXPRESSION_NOT, monomial_two(a, EXPRESSION_LESS, y, x));
    case EXPRESSION_SELECT:
        return make_select(a, x, y, operand[2]);
    default:
        return expression_operands(operation) == 1 ? expression_one(a->graph, operation, x)
                                                   : monomial_two(a, operation, x, y);
    }
}

void algebra_reach(const struct expression_graph *graph, bool *reached, int top)
{
    for (int n = top; n >= 0; n--)
        for (int k = 0; k < 3 && reached[n]; k++)
            if (graph->node[n].operand[k] >= 0)
                reached[graph->node[n].operand[k]] = true;
}

void algebra_reach_from(const struct expression_graph *graph, bool *reached, int top, const int *root,
                        int roots)
{
    memset(reached, 0, (size_t)top + 1);
    for (int k = 0; k < roots; k++)
        reached[root[k]] = true;
    algebra_reach(graph, reached, top);
}

void algebra_remake(struct algebra *a, int *as, int top, const bool *needed, int from, int to)
{
    for (int n = 0; n <= top; n++) {
        const struct expression_node node = *algebra_node(a, n);
        int operands = expression_operands(node.operation), operand[3] = {-1, -1, -1};
        bool changed = false;
        if (as[n] >= 0)
            continue;
        as[n] = n == from ? to : n;
        if (n == from || operands == 0 || (needed && !needed[n]))
            continue;
        for (int k = 0; k < operands; k++) {
            operand[k] = as[node.operand[k]];
            changed |= operand[k] != node.operand[k];
        }
        if (changed || from < -1)
            as[n] = make_node(a, node.operation, operand);
        if (from < 0)
            expression_name(a->graph, as[n], node.quantity);
    }
}

int algebra_replace(struct algebra *a, int n, int from, int to)
{
    int *as = malloc((size_t)(n + 1) * sizeof *as), result = 0;
    bool *needed = calloc((size_t)n + 1, sizeof *needed), *depends = calloc((size_t)n + 1, sizeof *depends);
    if (as && needed && depends) {
        algebra_reach_from(a->graph, needed, n, &n, 1);
        for (int k = from; k <= n; k++) { /* nodes independent of it are unchanged */
            depends[k] = k == from;
            for (int j = 0; j < 3 && algebra_node(a, k)->operand[j] >= 0; j++)
                depends[k] |= depends[algebra_node(a, k)->operand[j]];
            needed[k] &= depends[k];
        }
        for (int k = 0; k < from && k <= n; k++)
            needed[k] = false;
        memset(as, -1, (size_t)(n + 1) * sizeof *as);
        algebra_remake(a, as, n, needed, from, to);
        result = as[n];
    } else {
        a->graph->status = STATUS_RUN;
    }
    free(as);
    free(needed);
    free(depends);
    return result;
}
