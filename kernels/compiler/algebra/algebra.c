/* algebra.c: builds sums, products and quotients in normal form. */
#include "kernels/compiler/algebra/algebra.h"

#include <math.h>
#include <stdlib.h>

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

bool algebra_is_multiple(struct algebra *a, int y, int f, int *k)
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

/* y if n is a sum e^y - 1, else -1 */
static int exponent_of(struct algebra *a, int n)
{
    const struct expression_node *node = algebra_node(a, n);
    for (int k = 0; k < 2 && node->operation == EXPRESSION_ADD; k++)
        if (algebra_operation(a, node->operand[k]) == EXPRESSION_EXP &&
            algebra_number(a, node->operand[1 - k], -1))
            return algebra_node(a, node->operand[k])->operand[0];
    return -1;
}

/* n (y or e^y - 1), but 1 at y = 0: the quotient of the two is then 1 there, its limit */
static int unless_zero(struct algebra *a, int y, int n)
{
    return expression_select(a->graph, monomial_two(a, EXPRESSION_EQUAL, y, expression_number(a->graph, 0)),
                             expression_number(a->graph, 1), n);
}

/* Makes f / (e^y - 1) and (e^y - 1) / f with y = k f regular at y = 0, where they are 0 / 0 although their
 * limit is finite */
static void remove_singularities(struct algebra *a, struct monomial *m)
{
    for (int j = 0; j < m->factors; j++) {
        int n = m->factor[j].node, sign = m->factor[j].power < 0 ? -1 : 1, k;
        int y =
            algebra_operation(a, n) == EXPRESSION_EXPM1 ? algebra_node(a, n)->operand[0] : exponent_of(a, n);
        for (int i = 0; i < m->factors && y >= 0; i++) {
            int f = m->factor[i].node;
            if (m->factor[i].power * sign >= 0 || !algebra_is_multiple(a, y, f, &k))
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

enum { TERMS = 24 };

/* term[] <- the terms of a sum, at most TERMS: the last ones may be sums themselves. Returns their number. */
static int terms_of(struct algebra *a, int n, int *term)
{
    int terms = 1;
    term[0] = n;
    for (int k = 0; k < terms;) {
        const struct expression_node *node = algebra_node(a, term[k]);
        if (node->operation != EXPRESSION_ADD || terms == TERMS) {
            k++;
            continue;
        }
        term[k] = node->operand[0];
        term[terms++] = node->operand[1];
    }
    return terms;
}

/* f(V) (g(V) x + ...) = f(V) g(V) x + ..., so that f(V) g(V) is a single function of V; -1 if m has another
 * form */
static int distribute(struct algebra *a, const struct monomial *m)
{
    int sum = -1, term[TERMS], functions = 0;
    bool has_v = false;
    for (int k = 0; k < m->factors && a->split; k++)
        has_v |= monomial_kind(a, m->factor[k].node) == MONOMIAL_OF_V && m->factor[k].power < 0;
    for (int k = 0; k < m->factors && has_v; k++)
        if (monomial_kind(a, m->factor[k].node) == MONOMIAL_OTHER &&
            algebra_operation(a, m->factor[k].node) == EXPRESSION_ADD && m->factor[k].power == 1)
            sum = m->factor[k].node;
    if (sum < 0)
        return -1;
    int terms = terms_of(a, sum, term), result = expression_number(a->graph, 0);
    for (int k = 0; k < terms; k++) {
        struct monomial separate_constant = {.number = 1};
        monomial_gather(a, &separate_constant, term[k], 1);
        for (int j = 0; j < separate_constant.factors; j++)
            functions += monomial_kind(a, separate_constant.factor[j].node) == MONOMIAL_OF_V &&
                         separate_constant.factor[j].node != term[k] &&
                         algebra_operation(a, separate_constant.factor[j].node) == EXPRESSION_EXP;
    }
    if (!functions)
        return -1;
    for (int k = 0; k < terms; k++) {
        struct monomial separate_constant = *m;
        monomial_put(&separate_constant, sum, -1);
        monomial_gather(a, &separate_constant, term[k], 1);
        result = algebra_sum(a, result, monomial_build(a, &separate_constant));
    }
    return result;
}

/* The node of m, with denominators free of quotients, and e^y - 1 computed by a dedicated function */
static int finish(struct algebra *a, struct monomial *m)
{
    for (int k = 0; k < m->factors; k++) {
        int n = m->factor[k].node, power = m->factor[k].power, above, below, y = exponent_of(a, n);
        if (power > 0 || algebra_constant(a, n))
            continue;
        if (y >= 0) {
            monomial_put(m, n, -power);
            monomial_put(m, expression_one(a->graph, EXPRESSION_EXPM1, y), power);
            k = -1;
        } else if (algebra_operation(a, n) == EXPRESSION_ADD ||
                   algebra_operation(a, n) == EXPRESSION_SELECT) {
            algebra_fraction(a, n, &above, &below);
            if (algebra_number(a, below, 1))
                continue;
            monomial_put(m, n, -power);
            monomial_gather(a, m, above, power);
            monomial_gather(a, m, below, -power);
            k = -1;
        }
        if (m->full)
            break;
    }
    remove_singularities(a, m);
    int sum = distribute(a, m);
    return sum >= 0 ? sum : monomial_build(a, m);
}

int algebra_product(struct algebra *a, int x, int y)
{
    struct monomial m = {.number = 1};
    monomial_gather(a, &m, x, 1);
    monomial_gather(a, &m, y, 1);
    int result = m.full ? -1 : finish(a, &m);
    return m.full ? monomial_times(a, x, y) : result;
}

int algebra_quotient(struct algebra *a, int x, int y)
{
    struct monomial m = {.number = 1};
    monomial_gather(a, &m, x, 1);
    monomial_gather(a, &m, y, -1);
    int result = m.full ? -1 : finish(a, &m);
    return m.full ? monomial_two(a, EXPRESSION_DIVIDE, x, y) : result;
}

/* Whether all powers of a product stay in the range of fp32 */
static bool powers_in_range(struct algebra *a, const struct monomial *m)
{
    if (!algebra_in_range(a, expression_number(a->graph, m->number)))
        return false;
    for (int k = 0; k < m->factors; k++)
        if (!algebra_in_range(a, monomial_raise(a, m->factor[k].node, abs(m->factor[k].power))))
            return false;
    return true;
}

int algebra_power(struct algebra *a, int x, int power)
{
    struct monomial m = {.number = 1};
    monomial_gather(a, &m, x, power);
    if (m.full)
        return monomial_two(a, EXPRESSION_POWER, x, expression_number(a->graph, power));
    if (power > 2 && (m.factors > 1 || m.number != 1) &&
        !powers_in_range(a, &m)) { /* (x / K)^8, and not x^8 / K^8 */
        algebra_evaluate_new(a);
        a->whole[x] = true;
        return monomial_raise(a, x, power);
    }
    return finish(a, &m);
}

/* n = rest + constant; constant = -1 if n has none */
static void separate_constant(struct algebra *a, int n, int *rest, int *constant)
{
    const struct expression_node *node = algebra_node(a, n);
    *rest = algebra_constant(a, n) ? -1 : n;
    *constant = *rest < 0 ? n : -1;
    node = algebra_node(a, n);
    for (int k = 0; k < 2 && *rest == n && node->operation == EXPRESSION_ADD; k++)
        if (algebra_constant(a, node->operand[k])) {
            *constant = node->operand[k];
            *rest = node->operand[1 - k];
        }
}

/* c + k / (d + x) with k = -c d is rewritten as c x / (d + x), which avoids the cancellation; -1 if it has
 * another form. The result stays one factor: x may be an exponential, whose products overflow fp32. */
static int complement(struct algebra *a, int fraction, int c)
{
    struct monomial m = {.number = 1};
    int x, d;
    if (fraction < 0 || c < 0 || algebra_operation(a, c) != EXPRESSION_NUMBER)
        return -1;
    monomial_gather(a, &m, fraction, 1);
    if (m.full || m.factors != 1 || m.factor[0].power != -1)
        return -1;
    separate_constant(a, m.factor[0].node, &x, &d);
    const double size = algebra_node(a, c)->number;
    if (x < 0 || d < 0 || algebra_operation(a, d) != EXPRESSION_NUMBER ||
        size * algebra_node(a, d)->number != -m.number)
        return -1;
    int above = algebra_product(a, expression_number(a->graph, fabs(size)), x);
    int result = algebra_quotient(a, above, m.factor[0].node);
    algebra_evaluate_new(a);
    a->whole[result] = !a->graph->status;
    return size > 0 ? result : algebra_negative(a, result);
}

int algebra_sum(struct algebra *a, int x, int y)
{
    const struct expression_node of_x = *algebra_node(a, x), of_y = *algebra_node(a, y);
    if (of_x.operation == EXPRESSION_SELECT && of_y.operation == EXPRESSION_SELECT &&
        of_x.operand[0] == of_y.operand[0]) {
        int when_true = algebra_sum(a, of_x.operand[1], of_y.operand[1]);
        return algebra_select(a, of_x.operand[0], when_true,
                              algebra_sum(a, of_x.operand[2], of_y.operand[2]));
    }
    int rest[2], constant[2];
    separate_constant(a, x, &rest[0], &constant[0]);
    separate_constant(a, y, &rest[1], &constant[1]);
    int sum = monomial_sum(a, constant[0], constant[1]);
    int others = monomial_sum(a, rest[0], rest[1]), result = complement(a, others, sum);
    result = result < 0 ? monomial_sum(a, others, sum) : result;
    return result < 0 ? expression_number(a->graph, 0) : result;
}

int algebra_negative(struct algebra *a, int x)
{
    return monomial_negative(a, x);
}

int algebra_difference(struct algebra *a, int x, int y)
{
    return algebra_sum(a, x, algebra_negative(a, y));
}

int algebra_select(struct algebra *a, int condition, int when_true, int when_false)
{
    while (algebra_operation(a, condition) == EXPRESSION_NOT) {
        int keep = when_true;
        when_true = when_false;
        when_false = keep;
        condition = algebra_node(a, condition)->operand[0];
    }
    const struct expression_node first = *algebra_node(a, when_true), second = *algebra_node(a, when_false);
    if (first.operation == EXPRESSION_SELECT && first.operand[0] == condition)
        when_true = first.operand[1];
    if (second.operation == EXPRESSION_SELECT && second.operand[0] == condition)
        when_false = second.operand[2];
    return expression_select(a->graph, condition, when_true, when_false);
}

static void fraction_of_sum(struct algebra *a, int n, int *above, int *below)
{
    int term[TERMS], over_it[TERMS], under_it[TERMS], terms = terms_of(a, n, term);
    struct monomial common = {.number = 1};
    for (int k = 0; k < terms; k++) {
        struct monomial m = {.number = 1};
        algebra_fraction(a, term[k], &over_it[k], &under_it[k]);
        monomial_gather(a, &m, under_it[k], 1);
        for (int j = 0; j < m.factors; j++) {
            int has = 0;
            for (int i = 0; i < common.factors; i++)
                has = common.factor[i].node == m.factor[j].node ? common.factor[i].power : has;
            if (m.factor[j].power > has)
                monomial_put(&common, m.factor[j].node, m.factor[j].power - has);
        }
        common.full |= m.full;
    }
    if (common.full || common.factors == 0)
        return;
    int bottom = monomial_build(a, &common), top = expression_number(a->graph, 0);
    for (int pass = 0; pass < 2; pass++) { /* first the terms without a quotient, which share one product */
        int sum = expression_number(a->graph, 0);
        for (int k = 0; k < terms; k++)
            if (algebra_number(a, under_it[k], 1) == (pass == 0))
                sum = algebra_sum(
                    a, sum,
                    pass == 0 ? over_it[k]
                              : algebra_product(a, over_it[k], algebra_quotient(a, bottom, under_it[k])));
        top = algebra_sum(a, top, pass == 0 ? algebra_product(a, sum, bottom) : sum);
    }
    if (algebra_in_range(a, top) && algebra_in_range(a, bottom)) {
        *above = top;
        *below = bottom;
    }
}

static void fraction_of_product(struct algebra *a, int n, int *above, int *below)
{
    struct monomial m = {.number = 1}, all = {.number = 1}, up = {.number = 1}, down = {.number = 1};
    monomial_gather(a, &m, n, 1);
    all.number = m.number;
    for (int k = 0; k < m.factors; k++) {
        int x = m.factor[k].node, y = expression_number(a->graph, 1), power = m.factor[k].power;
        if (!algebra_constant(a, x))
            algebra_fraction(a, x, &x, &y);
        monomial_gather(a, &all, x, power);
        monomial_gather(a, &all, y, -power);
    }
    if (m.full || all.full)
        return;
    up.number = all.number;
    for (int k = 0; k < all.factors; k++)
        if (all.factor[k].power > 0 || algebra_constant(a, all.factor[k].node))
            monomial_put(&up, all.factor[k].node, all.factor[k].power);
        else
            monomial_put(&down, all.factor[k].node, -all.factor[k].power);
    int top = monomial_build(a, &up), bottom = monomial_build(a, &down);
    if (algebra_in_range(a, top) && algebra_in_range(a, bottom)) {
        *above = top;
        *below = bottom;
    }
}

static void fraction_of_select(struct algebra *a, int n, int *above, int *below)
{
    const struct expression_node node = *algebra_node(a, n);
    int x, per_x, y, per_y;
    algebra_fraction(a, node.operand[1], &x, &per_x);
    algebra_fraction(a, node.operand[2], &y, &per_y);
    if (algebra_number(a, per_x, 1) && algebra_number(a, per_y, 1))
        return;
    *above = algebra_select(a, node.operand[0], x, y);
    *below = algebra_select(a, node.operand[0], per_x, per_y);
}

void algebra_fraction(struct algebra *a, int n, int *above, int *below)
{
    algebra_evaluate_new(a);
    if (a->graph->status) {
        *above = *below = 0;
        return;
    }
    if (a->above[n] >= 0) {
        *above = a->above[n];
        *below = a->below[n];
        return;
    }
    int top = n, bottom = expression_number(a->graph, 1);
    switch (a->whole[n] ? EXPRESSION_OPERATIONS : algebra_operation(a, n)) {
    case EXPRESSION_ADD:
        fraction_of_sum(a, n, &top, &bottom);
        break;
    case EXPRESSION_SELECT:
        fraction_of_select(a, n, &top, &bottom);
        break;
    case EXPRESSION_NEGATE:
    case EXPRESSION_MULTIPLY:
    case EXPRESSION_DIVIDE:
        fraction_of_product(a, n, &top, &bottom);
        break;
    default:
        break;
    }
    algebra_evaluate_new(a);
    *above = a->above[n] = top;
    *below = a->below[n] = bottom;
}
