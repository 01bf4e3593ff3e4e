/* rewrite.c: any operation in normal form, and whole formulas made anew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ionic/compiler/algebra.h"
#include "kernels/ionic/compiler/monomial.h"

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

/* log(c x) = log c + log x and log(c / x) = log c - log x for a constant c > 0 and an x of states, which is
 * positive, too, whatever parameters are: of V alone it may be negative where c is */
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

int algebra_make(struct algebra *a, enum expression_operation operation, const int *operand)
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
        return algebra_select(a, x, y, operand[2]);
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

void algebra_remake(struct algebra *a, int *as, int top, const bool *wanted, int from, int to)
{
    for (int n = 0; n <= top; n++) {
        const struct expression_node node = *algebra_node(a, n);
        int operands = expression_operands(node.operation), operand[3] = {-1, -1, -1};
        bool changed = false;
        if (as[n] >= 0)
            continue;
        as[n] = n == from ? to : n;
        if (n == from || operands == 0 || (wanted && !wanted[n]))
            continue;
        for (int k = 0; k < operands; k++) {
            operand[k] = as[node.operand[k]];
            changed |= operand[k] != node.operand[k];
        }
        if (changed || from < -1)
            as[n] = algebra_make(a, node.operation, operand);
    }
}

int algebra_replace(struct algebra *a, int n, int from, int to)
{
    int *as = malloc((size_t)(n + 1) * sizeof *as), result = 0;
    bool *wanted = calloc((size_t)n + 1, sizeof *wanted), *depends = calloc((size_t)n + 1, sizeof *depends);
    if (as && wanted && depends) {
        wanted[n] = true;
        algebra_reach(a->graph, wanted, n);
        for (int k = from; k <= n; k++) { /* what does not depend on it stays as it is */
            depends[k] = k == from;
            for (int j = 0; j < 3 && algebra_node(a, k)->operand[j] >= 0; j++)
                depends[k] |= depends[algebra_node(a, k)->operand[j]];
            wanted[k] &= depends[k];
        }
        for (int k = 0; k < from && k <= n; k++)
            wanted[k] = false;
        memset(as, -1, (size_t)(n + 1) * sizeof *as);
        algebra_remake(a, as, n, wanted, from, to);
        result = as[n];
    } else {
        a->graph->status = STATUS_RUN;
    }
    free(as);
    free(wanted);
    free(depends);
    return result;
}
