/* monomial.c: collects the factors of a node and multiplies them in a fixed order. */
#include "kernels/compiler/algebra/monomial.h"

#include <math.h>
#include <stdlib.h>

int monomial_two(struct algebra *a, enum expression_operation operation, int x, int y)
{
    bool ordered = x <= y || (operation != EXPRESSION_ADD && operation != EXPRESSION_MULTIPLY &&
                              operation != EXPRESSION_EQUAL && operation != EXPRESSION_AND &&
                              operation != EXPRESSION_OR);
    return expression_two(a->graph, operation, ordered ? x : y, ordered ? y : x);
}

/* x y without rewriting; x = -1: no factor yet */
int monomial_times(struct algebra *a, int x, int y)
{
    return x < 0 ? y : y < 0 ? x : monomial_two(a, EXPRESSION_MULTIPLY, x, y);
}

/* A term without its number, which *factor receives: the sort key of terms in a sum */
static int strip_number(const struct algebra *a, int n, double *factor)
{
    const struct expression_node *node = algebra_node(a, n);
    *factor = 1;
    if (node->operation == EXPRESSION_NEGATE) {
        *factor = -1;
        return node->operand[0];
    }
    if (node->operation == EXPRESSION_MULTIPLY)
        for (int k = 0; k < 2; k++)
            if (algebra_operation(a, node->operand[k]) == EXPRESSION_NUMBER) {
                *factor = algebra_node(a, node->operand[k])->number;
                return node->operand[1 - k];
            }
    return n;
}

/* Whether the leading term of a sum is negative, so that x - y and y - x share a factor */
static bool leads_negative(struct algebra *a, int sum)
{
    const struct expression_node *node = algebra_node(a, sum);
    double first, second;
    bool constant[2] = {algebra_constant(a, node->operand[0]), algebra_constant(a, node->operand[1])};
    int x = strip_number(a, node->operand[0], &first), y = strip_number(a, node->operand[1], &second);
    return (constant[0] < constant[1] || (constant[0] == constant[1] && x < y) ? first : second) < 0;
}

void monomial_put(struct monomial *m, int node, int power)
{
    for (int k = 0; k < m->factors; k++)
        if (m->factor[k].node == node) {
            m->factor[k].power += power;
            if (m->factor[k].power == 0)
                m->factor[k] = m->factor[--m->factors];
            return;
        }
    if (m->factors == MONOMIAL_FACTORS)
        m->full = true;
    else if (power)
        m->factor[m->factors++] = (struct monomial_factor){node, power};
}

/* m <- m n^power */
void monomial_gather(struct algebra *a, struct monomial *m, int n, int power)
{
    const struct expression_node *node = algebra_node(a, n);
    if (m->full || power == 0)
        return;
    switch (n < a->known && a->whole[n] ? EXPRESSION_OPERATIONS : node->operation) {
    case EXPRESSION_NUMBER:
        m->number *= expression_power(node->number, power);
        break;
    case EXPRESSION_NEGATE:
        m->number *= power % 2 ? -1 : 1;
        monomial_gather(a, m, node->operand[0], power);
        break;
    case EXPRESSION_MULTIPLY: {
        int x = node->operand[0], y = node->operand[1];
        monomial_gather(a, m, x, power);
        monomial_gather(a, m, y, power);
        break;
    }
    case EXPRESSION_DIVIDE: {
        int x = node->operand[0], y = node->operand[1];
        monomial_gather(a, m, x, power);
        monomial_gather(a, m, y, -power);
        break;
    }
    case EXPRESSION_ADD:
        if (leads_negative(a, n)) {
            m->number *= power % 2 ? -1 : 1;
            n = monomial_negative(a, n);
        }
        monomial_put(m, n, power);
        break;
    default:
        monomial_put(m, n, power);
    }
    for (int k = 0; k < m->factors; k++)
        m->full |= abs(m->factor[k].power) > MONOMIAL_POWER_MAX;
}

int monomial_raise(struct algebra *a, int x, int power)
{
    int half = power > 1 ? monomial_raise(a, x, power / 2) : -1;
    return power == 0   ? -1
           : power == 1 ? x
           : power % 2  ? monomial_times(a, monomial_times(a, half, half), x)
                        : monomial_times(a, half, half);
}

enum monomial_kind monomial_kind(struct algebra *a, int n)
{
    unsigned on = algebra_on(a, n);
    return on == 0 ? MONOMIAL_CONSTANT : on == ALGEBRA_V ? MONOMIAL_OF_V : MONOMIAL_OTHER;
}

/* Whether x y is in the range of fp32 at every point where x is */
static bool product_stays_finite(struct algebra *a, int x, int y)
{
    algebra_evaluate_new(a);
    const double *of_x = algebra_values(a, x), *of_y = algebra_values(a, y);
    for (int k = 0; k < ALGEBRA_POINTS; k++)
        if (fabs(of_x[k]) < 1e36 && !(fabs(of_x[k] * of_y[k]) < 1e36))
            return false;
    return true;
}

/* The product of the unused factors of one kind whose powers have this sign; of denominators, only as many as
 * stay in range together; -1 = none */
static int chain(struct algebra *a, const struct monomial *m, enum monomial_kind kind, int sign, bool *used)
{
    int result = -1;
    for (int k = 0; k < m->factors; k++) {
        if (used[k] || monomial_kind(a, m->factor[k].node) != kind || m->factor[k].power * sign <= 0)
            continue;
        int x = monomial_raise(a, m->factor[k].node, m->factor[k].power * sign);
        if (result >= 0 && sign < 0 && kind != MONOMIAL_CONSTANT && !product_stays_finite(a, result, x))
            continue;
        used[k] = true;
        result = monomial_times(a, result, x);
    }
    return result;
}

static int quotient(struct algebra *a, int above, int below)
{
    return below < 0 ? above
                     : monomial_two(a, EXPRESSION_DIVIDE, above < 0 ? expression_number(a->graph, 1) : above,
                                    below);
}

static void order(struct monomial *m)
{
    for (int k = 1; k < m->factors; k++)
        for (int j = k; j > 0 && m->factor[j - 1].node > m->factor[j].node; j--) {
            struct monomial_factor keep = m->factor[j];
            m->factor[j] = m->factor[j - 1];
            m->factor[j - 1] = keep;
        }
}

int monomial_build(struct algebra *a, struct monomial *m)
{
    if (m->number == 0)
        return expression_number(a->graph, 0);
    order(m);
    bool used[MONOMIAL_FACTORS] = {false};
    int constant = chain(a, m, MONOMIAL_CONSTANT, 1, used), result, more;
    constant = quotient(a, constant, chain(a, m, MONOMIAL_CONSTANT, -1, used));
    int v = chain(a, m, MONOMIAL_OF_V, 1, used), below_v = chain(a, m, MONOMIAL_OF_V, -1, used);
    int rest = chain(a, m, MONOMIAL_OTHER, 1, used), below = chain(a, m, MONOMIAL_OTHER, -1, used);
    bool negative = m->number == -1 && constant < 0;
    if (!negative && (m->number != 1 || constant < 0))
        constant = m->number == 1 ? -1 : monomial_times(a, constant, expression_number(a->graph, m->number));
    if (a->split)
        result = monomial_times(
            a, constant,
            monomial_times(a, v < 0 && below_v < 0 ? -1 : quotient(a, v, below_v), quotient(a, rest, below)));
    else
        result = monomial_times(a, constant,
                                quotient(a, monomial_times(a, v, rest), monomial_times(a, below_v, below)));
    result = result < 0 ? expression_number(a->graph, 1) : result;
    while ((more = chain(a, m, MONOMIAL_OF_V, -1, used)) >= 0 ||
           (more = chain(a, m, MONOMIAL_OTHER, -1, used)) >= 0)
        result = monomial_times(a, result, quotient(a, -1, more));
    return negative ? expression_one(a->graph, EXPRESSION_NEGATE, result) : result;
}

int monomial_product(struct algebra *a, int x, int y)
{
    struct monomial m = {.number = 1};
    monomial_gather(a, &m, x, 1);
    monomial_gather(a, &m, y, 1);
    return m.full ? monomial_times(a, x, y) : monomial_build(a, &m);
}

int monomial_quotient(struct algebra *a, int x, int y)
{
    struct monomial m = {.number = 1};
    monomial_gather(a, &m, x, 1);
    monomial_gather(a, &m, y, -1);
    return m.full ? monomial_two(a, EXPRESSION_DIVIDE, x, y) : monomial_build(a, &m);
}

int monomial_negative(struct algebra *a, int x)
{
    const struct expression_node node = *algebra_node(a, x);
    algebra_evaluate_new(a);
    if (a->graph->status)
        return 0;
    if (a->negated[x] >= 0)
        return a->negated[x];
    int result;
    if (node.operation == EXPRESSION_ADD)
        result = monomial_two(a, EXPRESSION_ADD, monomial_negative(a, node.operand[0]),
                              monomial_negative(a, node.operand[1]));
    else
        result = monomial_product(a, expression_number(a->graph, -1), x);
    algebra_evaluate_new(a);
    a->negated[x] = result;
    return result;
}

int monomial_sum(struct algebra *a, int x, int y)
{
    if (x < 0 || y < 0)
        return x < 0 ? y : x;
    if (algebra_number(a, x, 0) || algebra_number(a, y, 0))
        return algebra_number(a, x, 0) ? y : x;
    double first, second;
    int of_x = strip_number(a, x, &first), of_y = strip_number(a, y, &second);
    if (of_x == of_y && algebra_operation(a, x) != EXPRESSION_NUMBER)
        return monomial_product(a, expression_number(a->graph, first + second), of_x);
    return monomial_two(a, EXPRESSION_ADD, x, y);
}
