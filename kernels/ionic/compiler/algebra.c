/* algebra.c: sums, products and quotients in normal form. */
#include "kernels/ionic/compiler/algebra.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

enum { FACTORS = 24, TERMS = 24, POWER_MAX = 64 };

struct monomial {
    double number;
    int factors;
    struct factor {
        int node, power;
    } factor[FACTORS];
    bool full; /* more factors than it holds: it stands for nothing */
};

static const struct expression_node *node_of(const struct algebra *a, int n)
{
    return &a->graph->node[n];
}

static enum expression_operation operation_of(const struct algebra *a, int n)
{
    return node_of(a, n)->operation;
}

static int number(struct algebra *a, double value)
{
    return expression_number(a->graph, value);
}

bool algebra_number(struct algebra *a, int n, double value)
{
    return operation_of(a, n) == EXPRESSION_NUMBER && node_of(a, n)->number == value;
}

static double value_at(const struct algebra *a, const struct expression_node *node, int k)
{
    const struct algebra_point *point = &a->point[k];
    double x[3] = {0, 0, 0};
    switch (node->operation) {
    case EXPRESSION_NUMBER:
        return node->number;
    case EXPRESSION_V:
        return point->v;
    case EXPRESSION_STATE:
    case EXPRESSION_CHANGE:
        return point->state[node->leaf];
    case EXPRESSION_PARAMETER:
        return point->parameter[node->leaf];
    case EXPRESSION_STEP:
        return point->dt;
    case EXPRESSION_STIMULUS:
    case EXPRESSION_TIME:
        return 0;
    default:
        for (int j = 0; j < 3 && node->operand[j] >= 0; j++)
            x[j] = a->value[node->operand[j]][k];
        return expression_value(node->operation, x[0], x[1], x[2]);
    }
}

static unsigned leaf_bit(enum expression_operation operation)
{
    return operation == EXPRESSION_V          ? ALGEBRA_V
           : operation == EXPRESSION_STATE    ? ALGEBRA_STATE
           : operation == EXPRESSION_CHANGE   ? ALGEBRA_STATE
           : operation == EXPRESSION_STIMULUS ? ALGEBRA_STIMULUS
           : operation == EXPRESSION_TIME     ? ALGEBRA_TIME
                                              : 0;
}

static void resize(void **array, size_t size, struct algebra *a)
{
    void *larger = realloc(*array, (size_t)a->room * size);
    if (larger)
        *array = larger;
    else
        a->graph->status = STATUS_RUN;
}

/* Entries of nodes that are new since the last call */
static void know(struct algebra *a)
{
    if (a->known == a->graph->nodes)
        return;
    if (a->graph->nodes > a->room) {
        int before = a->room;
        a->room = 2 * a->graph->nodes;
        resize((void **)&a->on, sizeof *a->on, a);
        resize((void **)&a->whole, sizeof *a->whole, a);
        resize((void **)&a->value, sizeof *a->value, a);
        resize((void **)&a->negated, sizeof *a->negated, a);
        resize((void **)&a->above, sizeof *a->above, a);
        resize((void **)&a->below, sizeof *a->below, a);
        if (a->graph->status) {
            a->room = before;
            return;
        }
    }
    for (int n = a->known; n < a->graph->nodes; n++) {
        const struct expression_node *node = node_of(a, n);
        a->negated[n] = a->above[n] = a->below[n] = -1;
        a->on[n] = (unsigned char)leaf_bit(node->operation);
        a->whole[n] = false;
        for (int j = 0; j < 3 && node->operand[j] >= 0; j++)
            a->on[n] |= a->on[node->operand[j]];
        for (int k = 0; k < ALGEBRA_POINTS; k++)
            a->value[n][k] = value_at(a, node, k);
    }
    a->known = a->graph->nodes;
}

unsigned algebra_on(struct algebra *a, int n)
{
    know(a);
    return a->on[n < a->known ? n : 0];
}

bool algebra_constant(struct algebra *a, int n)
{
    return algebra_on(a, n) == 0;
}

const double *algebra_values(struct algebra *a, int n)
{
    know(a);
    return a->value[n < a->known ? n : 0];
}

/* xorshift64*: the same points on every run */
static double uniform(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (double)((*seed * 2685821657736338717u) >> 11) * 0x1p-53;
}

enum status algebra_begin(struct algebra *a, struct cell *cell, const double *low, const double *high,
                          struct error *error)
{
    enum status status = STATUS_OK;
    uint64_t seed = 42;
    int numbers = ALGEBRA_POINTS * cell->states + cell->parameters;
    memset(a, 0, sizeof *a);
    a->graph = &cell->graph;
    double *at = a->memory = array_new(numbers, sizeof *at, "points of a model", &status, error);
    if (status)
        return status;
    double *parameter = at + ALGEBRA_POINTS * cell->states;
    for (int p = 0; p < cell->parameters; p++)
        parameter[p] = cell->parameter[p].value;
    for (int k = 0; k < ALGEBRA_POINTS; k++) {
        a->point[k] = (struct algebra_point){-200 + 400 * (k + 0.0) / (ALGEBRA_POINTS - 1), 0.02,
                                             at + k * cell->states, parameter};
        for (int s = 0; s < cell->states; s++)
            a->point[k].state[s] = low[s] + (high[s] - low[s]) * uniform(&seed);
    }
    know(a);
    return a->graph->status ? error_memory(error, "points of a model", 0) : STATUS_OK;
}

void algebra_end(struct algebra *a)
{
    free(a->memory);
    free(a->on);
    free(a->whole);
    free(a->value);
    free(a->negated);
    free(a->above);
    free(a->below);
    memset(a, 0, sizeof *a);
}

void algebra_split(struct algebra *a)
{
    a->split = true;
    a->known = 0; /* fractions and negatives are others now */
    know(a);
}

static int two(struct algebra *a, enum expression_operation operation, int x, int y)
{
    bool ordered = x <= y || (operation != EXPRESSION_ADD && operation != EXPRESSION_MULTIPLY &&
                              operation != EXPRESSION_EQUAL && operation != EXPRESSION_AND &&
                              operation != EXPRESSION_OR);
    return expression_two(a->graph, operation, ordered ? x : y, ordered ? y : x);
}

/* x y, neither rewritten; -1 stands for no factor yet */
static int times(struct algebra *a, int x, int y)
{
    return x < 0 ? y : y < 0 ? x : two(a, EXPRESSION_MULTIPLY, x, y);
}

/* What a sum is ordered by: a term without its number */
static int bare(const struct algebra *a, int n, double *factor)
{
    const struct expression_node *node = node_of(a, n);
    *factor = 1;
    if (node->operation == EXPRESSION_NEGATE) {
        *factor = -1;
        return node->operand[0];
    }
    if (node->operation == EXPRESSION_MULTIPLY)
        for (int k = 0; k < 2; k++)
            if (operation_of(a, node->operand[k]) == EXPRESSION_NUMBER) {
                *factor = node_of(a, node->operand[k])->number;
                return node->operand[1 - k];
            }
    return n;
}

/* Whether the term that a sum is told by is negative, so that x - y and y - x share a factor */
static bool leads_negative(struct algebra *a, int sum)
{
    const struct expression_node *node = node_of(a, sum);
    double first, second;
    bool constant[2] = {algebra_constant(a, node->operand[0]), algebra_constant(a, node->operand[1])};
    int x = bare(a, node->operand[0], &first), y = bare(a, node->operand[1], &second);
    return (constant[0] < constant[1] || (constant[0] == constant[1] && x < y) ? first : second) < 0;
}

static void put_factor(struct monomial *m, int node, int power)
{
    for (int k = 0; k < m->factors; k++)
        if (m->factor[k].node == node) {
            m->factor[k].power += power;
            if (m->factor[k].power == 0)
                m->factor[k] = m->factor[--m->factors];
            return;
        }
    if (m->factors == FACTORS)
        m->full = true;
    else if (power)
        m->factor[m->factors++] = (struct factor){node, power};
}

/* m <- m n^power */
static void gather(struct algebra *a, struct monomial *m, int n, int power)
{
    const struct expression_node *node = node_of(a, n);
    if (m->full || power == 0)
        return;
    switch (n < a->known && a->whole[n] ? EXPRESSION_OPERATIONS : node->operation) {
    case EXPRESSION_NUMBER:
        m->number *= pow(node->number, power);
        break;
    case EXPRESSION_NEGATE:
        m->number *= power % 2 ? -1 : 1;
        gather(a, m, node->operand[0], power);
        break;
    case EXPRESSION_MULTIPLY: {
        int x = node->operand[0], y = node->operand[1];
        gather(a, m, x, power);
        gather(a, m, y, power);
        break;
    }
    case EXPRESSION_DIVIDE: {
        int x = node->operand[0], y = node->operand[1];
        gather(a, m, x, power);
        gather(a, m, y, -power);
        break;
    }
    case EXPRESSION_ADD:
        if (leads_negative(a, n)) {
            m->number *= power % 2 ? -1 : 1;
            n = algebra_negative(a, n);
        }
        put_factor(m, n, power);
        break;
    default:
        put_factor(m, n, power);
    }
    for (int k = 0; k < m->factors; k++)
        m->full |= abs(m->factor[k].power) > POWER_MAX;
}

static int raise(struct algebra *a, int x, int power)
{
    int half = power > 1 ? raise(a, x, power / 2) : -1;
    return power == 0   ? -1
           : power == 1 ? x
           : power % 2  ? times(a, times(a, half, half), x)
                        : times(a, half, half);
}

enum { OF_CONSTANTS, OF_V, OF_THE_REST };

static int kind_of(struct algebra *a, int n)
{
    unsigned on = algebra_on(a, n);
    return on == 0 ? OF_CONSTANTS : on == ALGEBRA_V ? OF_V : OF_THE_REST;
}

/* The factors of a kind with powers of a sign; -1 = there is none */
static int chain(struct algebra *a, const struct monomial *m, int kind, int sign)
{
    int result = -1;
    for (int k = 0; k < m->factors; k++)
        if (kind_of(a, m->factor[k].node) == kind && m->factor[k].power * sign > 0)
            result = times(a, result, raise(a, m->factor[k].node, m->factor[k].power * sign));
    return result;
}

static int over(struct algebra *a, int above, int below)
{
    return below < 0 ? above : two(a, EXPRESSION_DIVIDE, above < 0 ? number(a, 1) : above, below);
}

static void order(struct monomial *m)
{
    for (int k = 1; k < m->factors; k++)
        for (int j = k; j > 0 && m->factor[j - 1].node > m->factor[j].node; j--) {
            struct factor keep = m->factor[j];
            m->factor[j] = m->factor[j - 1];
            m->factor[j - 1] = keep;
        }
}

static int build(struct algebra *a, struct monomial *m)
{
    if (m->number == 0)
        return number(a, 0);
    order(m);
    int constant = over(a, chain(a, m, OF_CONSTANTS, 1), chain(a, m, OF_CONSTANTS, -1)), result;
    int v = chain(a, m, OF_V, 1), below_v = chain(a, m, OF_V, -1);
    int rest = chain(a, m, OF_THE_REST, 1), below = chain(a, m, OF_THE_REST, -1);
    bool negative = m->number == -1 && constant < 0;
    if (!negative && (m->number != 1 || constant < 0))
        constant = m->number == 1 ? -1 : times(a, constant, number(a, m->number));
    if (a->split)
        result = times(a, constant,
                       times(a, v < 0 && below_v < 0 ? -1 : over(a, v, below_v), over(a, rest, below)));
    else
        result = times(a, constant, over(a, times(a, v, rest), times(a, below_v, below)));
    result = result < 0 ? number(a, 1) : result;
    return negative ? expression_one(a->graph, EXPRESSION_NEGATE, result) : result;
}

/* y = k f for a constant *k? */
static bool is_multiple(struct algebra *a, int y, int f, int *k)
{
    struct algebra_line of_y = algebra_line(a, y), of_f = algebra_line(a, f);
    if (algebra_constant(a, y) || algebra_constant(a, f) || of_y.base != of_f.base)
        return false;
    int left = algebra_product(a, of_y.offset, of_f.slope),
        right = algebra_product(a, of_f.offset, of_y.slope);
    double x = algebra_values(a, left)[0], z = algebra_values(a, right)[0];
    *k = algebra_quotient(a, of_y.slope, of_f.slope);
    bool numbers = operation_of(a, left) == EXPRESSION_NUMBER && operation_of(a, right) == EXPRESSION_NUMBER;
    return left == right || (numbers && fabs(x - z) <= 1e-13 * fabs(x));
}

/* y if it is not 0, else 1, and e^y - 1 in the same way: a quotient of the two is y / (e^y - 1) */
static int unless_zero(struct algebra *a, int y, int n)
{
    return expression_select(a->graph, two(a, EXPRESSION_EQUAL, y, number(a, 0)), number(a, 1), n);
}

/* f / (e^y - 1) with y = k f becomes regular */
static void make_regular(struct algebra *a, struct monomial *m)
{
    for (int j = 0; j < m->factors; j++) {
        int minus = m->factor[j].node, k;
        if (operation_of(a, minus) != EXPRESSION_EXPM1 || m->factor[j].power >= 0)
            continue;
        int y = node_of(a, minus)->operand[0];
        for (int i = 0; i < m->factors; i++) {
            int f = m->factor[i].node;
            if (m->factor[i].power <= 0 || !is_multiple(a, y, f, &k))
                continue;
            put_factor(m, minus, 1);
            put_factor(m, f, -1);
            gather(a, m, k, -1);
            put_factor(m, unless_zero(a, y, y), 1);
            put_factor(m, unless_zero(a, y, minus), -1);
            j = -1;
            break;
        }
    }
}

/* y of a sum e^y - 1, or -1 */
static int exponent_of(struct algebra *a, int n)
{
    const struct expression_node *node = node_of(a, n);
    for (int k = 0; k < 2 && node->operation == EXPRESSION_ADD; k++)
        if (operation_of(a, node->operand[k]) == EXPRESSION_EXP &&
            algebra_number(a, node->operand[1 - k], -1))
            return node_of(a, node->operand[k])->operand[0];
    return -1;
}

/* Terms of a sum; more than TERMS is one */
static int terms_of(struct algebra *a, int n, int *term)
{
    int terms = 1;
    term[0] = n;
    for (int k = 0; k < terms;) {
        const struct expression_node *node = node_of(a, term[k]);
        if (node->operation != EXPRESSION_ADD || terms == TERMS) {
            k++;
            continue;
        }
        term[k] = node->operand[0];
        term[terms++] = node->operand[1];
    }
    return terms;
}

/* f(V) (g(V) x + ...) becomes f(V) g(V) x + ..., so that each is one function of V; -1 where it is none such
 */
static int distribute(struct algebra *a, const struct monomial *m)
{
    int sum = -1, term[TERMS], functions = 0;
    bool has_v = false;
    for (int k = 0; k < m->factors && a->split; k++)
        has_v |= kind_of(a, m->factor[k].node) == OF_V && m->factor[k].power < 0;
    for (int k = 0; k < m->factors && has_v; k++)
        if (kind_of(a, m->factor[k].node) == OF_THE_REST &&
            operation_of(a, m->factor[k].node) == EXPRESSION_ADD && m->factor[k].power == 1)
            sum = m->factor[k].node;
    if (sum < 0)
        return -1;
    int terms = terms_of(a, sum, term), result = number(a, 0);
    for (int k = 0; k < terms; k++) {
        struct monomial part = {.number = 1};
        gather(a, &part, term[k], 1);
        for (int j = 0; j < part.factors; j++)
            functions += kind_of(a, part.factor[j].node) == OF_V && part.factor[j].node != term[k] &&
                         operation_of(a, part.factor[j].node) == EXPRESSION_EXP;
    }
    if (!functions)
        return -1;
    for (int k = 0; k < terms; k++) {
        struct monomial part = *m;
        put_factor(&part, sum, -1);
        gather(a, &part, term[k], 1);
        result = algebra_sum(a, result, build(a, &part));
    }
    return result;
}

/* Denominators without quotients in them, e^y - 1 by a function of its own */
static int finish(struct algebra *a, struct monomial *m)
{
    for (int k = 0; k < m->factors; k++) {
        int n = m->factor[k].node, power = m->factor[k].power, above, below, y = exponent_of(a, n);
        if (power > 0 || algebra_constant(a, n))
            continue;
        if (y >= 0) {
            put_factor(m, n, -power);
            put_factor(m, expression_one(a->graph, EXPRESSION_EXPM1, y), power);
            k = -1;
        } else if (operation_of(a, n) == EXPRESSION_ADD || operation_of(a, n) == EXPRESSION_SELECT) {
            algebra_fraction(a, n, &above, &below);
            if (algebra_number(a, below, 1))
                continue;
            put_factor(m, n, -power);
            gather(a, m, above, power);
            gather(a, m, below, -power);
            k = -1;
        }
        if (m->full)
            break;
    }
    make_regular(a, m);
    int sum = distribute(a, m);
    return sum >= 0 ? sum : build(a, m);
}

int algebra_product(struct algebra *a, int x, int y)
{
    struct monomial m = {.number = 1};
    gather(a, &m, x, 1);
    gather(a, &m, y, 1);
    int result = m.full ? -1 : finish(a, &m);
    return m.full ? times(a, x, y) : result;
}

int algebra_quotient(struct algebra *a, int x, int y)
{
    struct monomial m = {.number = 1};
    gather(a, &m, x, 1);
    gather(a, &m, y, -1);
    int result = m.full ? -1 : finish(a, &m);
    return m.full ? two(a, EXPRESSION_DIVIDE, x, y) : result;
}

static bool in_range(struct algebra *a, int n)
{
    const double *value = algebra_values(a, n);
    for (int k = 0; k < ALGEBRA_POINTS; k++)
        if (!(fabs(value[k]) < 1e30) || (value[k] != 0 && fabs(value[k]) < 1e-30))
            return false;
    return true;
}

/* Whether the powers that a product is made of stay in the range of fp32 */
static bool powers_in_range(struct algebra *a, const struct monomial *m)
{
    if (!in_range(a, number(a, m->number)))
        return false;
    for (int k = 0; k < m->factors; k++)
        if (!in_range(a, raise(a, m->factor[k].node, abs(m->factor[k].power))))
            return false;
    return true;
}

int algebra_power(struct algebra *a, int x, int power)
{
    struct monomial m = {.number = 1};
    gather(a, &m, x, power);
    if (m.full)
        return two(a, EXPRESSION_POWER, x, number(a, power));
    if (power > 2 && (m.factors > 1 || m.number != 1) &&
        !powers_in_range(a, &m)) { /* (x / K)^8, and not x^8 / K^8 */
        know(a);
        a->whole[x] = true;
        return raise(a, x, power);
    }
    return finish(a, &m);
}

int algebra_negative(struct algebra *a, int x)
{
    const struct expression_node node = *node_of(a, x);
    know(a);
    if (a->graph->status)
        return 0;
    if (a->negated[x] >= 0)
        return a->negated[x];
    int result;
    if (node.operation == EXPRESSION_ADD)
        result = two(a, EXPRESSION_ADD, algebra_negative(a, node.operand[0]),
                     algebra_negative(a, node.operand[1]));
    else
        result = algebra_product(a, number(a, -1), x);
    know(a);
    a->negated[x] = result;
    return result;
}

/* n = rest + constant; -1 where there is none of it */
static void part(struct algebra *a, int n, int *rest, int *constant)
{
    const struct expression_node *node = node_of(a, n);
    *rest = algebra_constant(a, n) ? -1 : n;
    *constant = *rest < 0 ? n : -1;
    node = node_of(a, n);
    for (int k = 0; k < 2 && *rest == n && node->operation == EXPRESSION_ADD; k++)
        if (algebra_constant(a, node->operand[k])) {
            *constant = node->operand[k];
            *rest = node->operand[1 - k];
        }
}

static int plus(struct algebra *a, int x, int y)
{
    if (x < 0 || y < 0)
        return x < 0 ? y : x;
    if (algebra_number(a, x, 0) || algebra_number(a, y, 0))
        return algebra_number(a, x, 0) ? y : x;
    double first, second;
    int of_x = bare(a, x, &first), of_y = bare(a, y, &second);
    if (of_x == of_y && operation_of(a, x) != EXPRESSION_NUMBER)
        return algebra_product(a, number(a, first + second), of_x);
    return two(a, EXPRESSION_ADD, x, y);
}

/* c + k / (d + x) with k = -c d is c x / (d + x), which keeps its digits where the sum cancels; -1 where it
 * is none such. It stays one factor: x may be an exponential, whose products leave fp32. */
static int complement(struct algebra *a, int fraction, int c)
{
    struct monomial m = {.number = 1};
    int x, d;
    if (fraction < 0 || c < 0 || operation_of(a, c) != EXPRESSION_NUMBER)
        return -1;
    gather(a, &m, fraction, 1);
    if (m.full || m.factors != 1 || m.factor[0].power != -1)
        return -1;
    part(a, m.factor[0].node, &x, &d);
    if (x < 0 || d < 0 || operation_of(a, d) != EXPRESSION_NUMBER ||
        node_of(a, c)->number * node_of(a, d)->number != -m.number)
        return -1;
    const double size = node_of(a, c)->number;
    int result = algebra_quotient(a, algebra_product(a, number(a, fabs(size)), x), m.factor[0].node);
    know(a);
    a->whole[result] = !a->graph->status;
    return size > 0 ? result : algebra_negative(a, result);
}

int algebra_sum(struct algebra *a, int x, int y)
{
    const struct expression_node of_x = *node_of(a, x), of_y = *node_of(a, y);
    if (of_x.operation == EXPRESSION_SELECT && of_y.operation == EXPRESSION_SELECT &&
        of_x.operand[0] == of_y.operand[0]) {
        int when_true = algebra_sum(a, of_x.operand[1], of_y.operand[1]);
        return algebra_select(a, of_x.operand[0], when_true,
                              algebra_sum(a, of_x.operand[2], of_y.operand[2]));
    }
    int rest[2], constant[2];
    part(a, x, &rest[0], &constant[0]);
    part(a, y, &rest[1], &constant[1]);
    int sum = plus(a, constant[0], constant[1]);
    int others = plus(a, rest[0], rest[1]), result = complement(a, others, sum);
    result = result < 0 ? plus(a, others, sum) : result;
    return result < 0 ? number(a, 0) : result;
}

int algebra_difference(struct algebra *a, int x, int y)
{
    return algebra_sum(a, x, algebra_negative(a, y));
}

/* n at a point where V is v and states are those of the first point */
static double value_for(struct algebra *a, int n, double v)
{
    know(a);
    double result = (double)NAN, *value = malloc((size_t)(n + 1) * sizeof *value);
    for (int k = 0; value && k <= n; k++) {
        const struct expression_node *node = node_of(a, k);
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

/* Whether a condition only keeps a formula from 0 / 0 at one V, where it is regular in itself now */
static bool is_guard(struct algebra *a, int condition, int near, int formula)
{
    const struct expression_node *node = node_of(a, condition);
    int x = node->operand[0], y = node->operand[1], from = -1;
    if (node->operation == EXPRESSION_EQUAL)
        from = algebra_difference(a, x, y);
    else if (node->operation == EXPRESSION_LESS && operation_of(a, x) == EXPRESSION_ABS &&
             algebra_constant(a, y) && algebra_values(a, y)[0] < 1)
        from = node_of(a, x)->operand[0];
    if (from < 0 || algebra_on(a, from) != ALGEBRA_V)
        return false;
    struct algebra_line line = algebra_line(a, from);
    if (operation_of(a, line.base) != EXPRESSION_V)
        return false;
    double at = -algebra_values(a, line.offset)[0] / algebra_values(a, line.slope)[0];
    double there = value_for(a, near, at), regular = value_for(a, formula, at);
    return fabs(there - regular) <= 1e-3 * fabs(regular) + 1e-12;
}

int algebra_select(struct algebra *a, int condition, int when_true, int when_false)
{
    while (operation_of(a, condition) == EXPRESSION_NOT) {
        int keep = when_true;
        when_true = when_false;
        when_false = keep;
        condition = node_of(a, condition)->operand[0];
    }
    const struct expression_node first = *node_of(a, when_true), second = *node_of(a, when_false);
    if (first.operation == EXPRESSION_SELECT && first.operand[0] == condition)
        when_true = first.operand[1];
    if (second.operation == EXPRESSION_SELECT && second.operand[0] == condition)
        when_false = second.operand[2];
    if (when_true != when_false && is_guard(a, condition, when_true, when_false))
        return when_false;
    return expression_select(a->graph, condition, when_true, when_false);
}

static int make_power(struct algebra *a, int x, int y)
{
    const struct expression_node of_x = *node_of(a, x), of_y = *node_of(a, y);
    double k = of_y.number;
    bool is_number = of_y.operation == EXPRESSION_NUMBER;
    if (is_number && k == floor(k) && fabs(k) <= POWER_MAX)
        return algebra_power(a, x, (int)k);
    if (is_number && 2 * k == floor(2 * k) && fabs(k) <= POWER_MAX / 2) {
        int root = expression_one(a->graph, EXPRESSION_SQRT, x);
        return algebra_product(a, algebra_power(a, x, (int)floor(k)), root);
    }
    if (of_x.operation == EXPRESSION_NUMBER && of_x.number > 0 && !algebra_constant(a, y))
        return expression_one(a->graph, EXPRESSION_EXP, algebra_product(a, number(a, log(of_x.number)), y));
    return two(a, EXPRESSION_POWER, x, y);
}

/* log(c x) = log c + log x and log(c / x) = log c - log x for a constant c > 0 */
static int make_log(struct algebra *a, int x)
{
    struct monomial m = {.number = 1}, c = {.number = 1};
    gather(a, &m, x, 1);
    int factor = -1, power = 0, others = 0;
    for (int k = 0; k < m.factors; k++)
        if (algebra_constant(a, m.factor[k].node)) {
            put_factor(&c, m.factor[k].node, m.factor[k].power);
        } else {
            factor = m.factor[k].node;
            power = m.factor[k].power;
            others++;
        }
    c.number = m.number;
    if (m.full || others != 1 || abs(power) != 1)
        return expression_one(a->graph, EXPRESSION_LOG, x);
    int constant = build(a, &c);
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
        return algebra_product(a, number(a, 1 / log(10)), make_log(a, x));
    case EXPRESSION_TAN:
        return algebra_quotient(a, expression_one(a->graph, EXPRESSION_SIN, x),
                                expression_one(a->graph, EXPRESSION_COS, x));
    case EXPRESSION_CEIL:
        return algebra_negative(a, expression_one(a->graph, EXPRESSION_FLOOR, algebra_negative(a, x)));
    case EXPRESSION_NOT:
        if (operation_of(a, x) == EXPRESSION_NOT)
            return node_of(a, x)->operand[0];
        return expression_one(a->graph, EXPRESSION_NOT, x);
    case EXPRESSION_LESS_EQUAL: /* x <= y: not y < x, but for NaN, which stays NaN either way */
        return expression_one(a->graph, EXPRESSION_NOT, two(a, EXPRESSION_LESS, y, x));
    case EXPRESSION_SELECT:
        return algebra_select(a, x, y, operand[2]);
    default:
        return expression_operands(operation) == 1 ? expression_one(a->graph, operation, x)
                                                   : two(a, operation, x, y);
    }
}

static void fraction_of_sum(struct algebra *a, int n, int *above, int *below)
{
    int term[TERMS], over_it[TERMS], under_it[TERMS], terms = terms_of(a, n, term);
    struct monomial common = {.number = 1};
    for (int k = 0; k < terms; k++) {
        struct monomial m = {.number = 1};
        algebra_fraction(a, term[k], &over_it[k], &under_it[k]);
        gather(a, &m, under_it[k], 1);
        for (int j = 0; j < m.factors; j++) {
            int has = 0;
            for (int i = 0; i < common.factors; i++)
                has = common.factor[i].node == m.factor[j].node ? common.factor[i].power : has;
            if (m.factor[j].power > has)
                put_factor(&common, m.factor[j].node, m.factor[j].power - has);
        }
        common.full |= m.full;
    }
    if (common.full || common.factors == 0)
        return;
    int bottom = build(a, &common), top = number(a, 0);
    for (int pass = 0; pass < 2; pass++) { /* those without a quotient share one product */
        int sum = number(a, 0);
        for (int k = 0; k < terms; k++)
            if (algebra_number(a, under_it[k], 1) == (pass == 0))
                sum = algebra_sum(
                    a, sum,
                    pass == 0 ? over_it[k]
                              : algebra_product(a, over_it[k], algebra_quotient(a, bottom, under_it[k])));
        top = algebra_sum(a, top, pass == 0 ? algebra_product(a, sum, bottom) : sum);
    }
    if (in_range(a, top) && in_range(a, bottom)) {
        *above = top;
        *below = bottom;
    }
}

static void fraction_of_product(struct algebra *a, int n, int *above, int *below)
{
    struct monomial m = {.number = 1}, all = {.number = 1}, up = {.number = 1}, down = {.number = 1};
    gather(a, &m, n, 1);
    all.number = m.number;
    for (int k = 0; k < m.factors; k++) {
        int x = m.factor[k].node, y = number(a, 1), power = m.factor[k].power;
        if (!algebra_constant(a, x))
            algebra_fraction(a, x, &x, &y);
        gather(a, &all, x, power);
        gather(a, &all, y, -power);
    }
    if (m.full || all.full)
        return;
    up.number = all.number;
    for (int k = 0; k < all.factors; k++)
        if (all.factor[k].power > 0 || algebra_constant(a, all.factor[k].node))
            put_factor(&up, all.factor[k].node, all.factor[k].power);
        else
            put_factor(&down, all.factor[k].node, -all.factor[k].power);
    int top = build(a, &up), bottom = build(a, &down);
    if (in_range(a, top) && in_range(a, bottom)) {
        *above = top;
        *below = bottom;
    }
}

static void fraction_of_select(struct algebra *a, int n, int *above, int *below)
{
    const struct expression_node node = *node_of(a, n);
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
    know(a);
    if (a->graph->status) {
        *above = *below = 0;
        return;
    }
    if (a->above[n] >= 0) {
        *above = a->above[n];
        *below = a->below[n];
        return;
    }
    int top = n, bottom = number(a, 1);
    switch (a->whole[n] ? EXPRESSION_OPERATIONS : operation_of(a, n)) {
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
    know(a);
    *above = a->above[n] = top;
    *below = a->below[n] = bottom;
}

struct algebra_line algebra_line(struct algebra *a, int n)
{
    const struct expression_node node = *node_of(a, n);
    const int zero = number(a, 0), one = number(a, 1);
    if (algebra_constant(a, n))
        return (struct algebra_line){zero, zero, n};
    int x = node.operand[0], y = node.operand[1];
    if (node.operation == EXPRESSION_NEGATE) {
        struct algebra_line line = algebra_line(a, x);
        return (struct algebra_line){algebra_negative(a, line.slope), line.base,
                                     algebra_negative(a, line.offset)};
    }
    bool constant_x = x >= 0 && algebra_constant(a, x), constant_y = y >= 0 && algebra_constant(a, y);
    if (node.operation == EXPRESSION_MULTIPLY && (constant_x || constant_y)) {
        int factor = constant_x ? x : y;
        struct algebra_line line = algebra_line(a, constant_x ? y : x);
        return (struct algebra_line){algebra_product(a, factor, line.slope), line.base,
                                     algebra_product(a, factor, line.offset)};
    }
    if (node.operation == EXPRESSION_ADD && (constant_x || constant_y)) {
        struct algebra_line line = algebra_line(a, constant_x ? y : x);
        return (struct algebra_line){line.slope, line.base, algebra_sum(a, line.offset, constant_x ? x : y)};
    }
    if (node.operation == EXPRESSION_ADD) {
        struct algebra_line left = algebra_line(a, x), right = algebra_line(a, y);
        if (left.base == right.base)
            return (struct algebra_line){algebra_sum(a, left.slope, right.slope), left.base,
                                         algebra_sum(a, left.offset, right.offset)};
    }
    return (struct algebra_line){one, n, zero};
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
        const struct expression_node node = *node_of(a, n);
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
            for (int j = 0; j < 3 && node_of(a, k)->operand[j] >= 0; j++)
                depends[k] |= depends[node_of(a, k)->operand[j]];
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
