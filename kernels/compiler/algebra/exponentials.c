/* exponentials.c: common units of exponents, and exponentials under opposite conditions. */
#include "kernels/compiler/algebra/exponentials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

enum { MULTIPLE_MAX = 24, COST_OF_EXP = 14 };

static const double exponent_max = 80; /* e^80 is within fp32 */

/* One exponential: e^(slope base + offset) = e^offset (e^(base_slope base))^multiple */
struct exponential {
    int node, slope, base, offset;
    int base_slope; /* node, -1 = not yet determined */
    int multiple;
    double largest; /* |base| at the points */
};

struct sharing {
    struct algebra *a;
    struct exponential *one;
    int count;
    int *as, nodes;
    bool *needed;
};

static enum expression_operation operation_of(const struct sharing *s, int n)
{
    return s->a->graph->node[n].operation;
}

static double value_of(struct sharing *s, int n)
{
    return algebra_values(s->a, n)[0];
}

/* needed[] <- the nodes that the roots need; one[] <- the exponentials among them that are not constant */
static void collect(struct sharing *s, const int *root, int roots)
{
    algebra_reach_from(s->a->graph, s->needed, s->nodes - 1, root, roots);
    s->count = 0;
    for (int n = 0; n < s->nodes; n++) {
        s->as[n] = -1;
        if (!s->needed[n] || operation_of(s, n) != EXPRESSION_EXP || algebra_constant(s->a, n))
            continue;
        struct algebra_line line = algebra_line(s->a, s->a->graph->node[n].operand[0]);
        struct exponential *one = &s->one[s->count++];
        *one = (struct exponential){n, line.slope, line.base, line.offset, -1, 1, 0};
        for (int k = 0; k < ALGEBRA_POINTS; k++)
            one->largest = fmax(one->largest, fabs(algebra_values(s->a, line.base)[k]));
    }
}

static void remake(struct sharing *s, int *root, int roots)
{
    algebra_remake(s->a, s->as, s->nodes - 1, s->needed, -1, -1);
    for (int k = 0; k < roots && !s->a->graph->status; k++)
        root[k] = s->as[root[k]];
}

/* e^y = (e^y - 1) + 1 */
static void use_expm1(struct sharing *s)
{
    for (int n = 0; n < s->nodes; n++)
        if (s->needed[n] && operation_of(s, n) == EXPRESSION_EXPM1 && !algebra_constant(s->a, n))
            for (int k = 0; k < s->count; k++)
                if (s->a->graph->node[s->one[k].node].operand[0] == s->a->graph->node[n].operand[0])
                    s->as[s->one[k].node] = algebra_sum(s->a, n, expression_number(s->a->graph, 1));
}

/* x / y if that is a number, else NaN */
static double ratio(struct sharing *s, int x, int y)
{
    int quotient = algebra_quotient(s->a, x, y);
    return operation_of(s, quotient) == EXPRESSION_NUMBER ? s->a->graph->node[quotient].number : (double)NAN;
}

/* Number of multiplications that compute the requested powers by repeated squaring */
static int cost_of_powers(const bool *asked)
{
    bool made[MULTIPLE_MAX + 1] = {false};
    int cost = 0;
    for (int m = 1; m <= MULTIPLE_MAX; m++)
        for (int k = asked[m] ? m : 1; k > 1 && !made[k]; k /= 2) {
            made[k] = true;
            cost += 1 + k % 2;
        }
    return cost;
}

/* Operations saved by using slope / divisor of one exponential as base_slope; multiple[] <- the power of each
 * exponential that can share it, else 0 */
static int operations_saved(struct sharing *s, const struct exponential *one, int divisor, int *multiple)
{
    bool up[MULTIPLE_MAX + 1] = {false}, down[MULTIPLE_MAX + 1] = {false}, any_down = false;
    int others = 0;
    for (int k = 0; k < s->count; k++) {
        const struct exponential *other = &s->one[k];
        multiple[k] = 0;
        if (other->base != one->base || other->base_slope >= 0)
            continue;
        double times = ratio(s, other->slope, one->slope) * divisor, whole = round(times);
        bool near = fabs(times - whole) <= 1e-12 * fabs(whole) && whole != 0 && fabs(whole) <= MULTIPLE_MAX;
        if (!near || !(fabs(value_of(s, other->slope)) * other->largest <= exponent_max ||
                       (divisor == 1 && fabs(whole) == 1)))
            continue;
        multiple[k] = (int)whole;
        (whole > 0 ? up : down)[abs(multiple[k])] = true;
        any_down |= whole < 0;
    }
    for (int m = 1; m <= MULTIPLE_MAX; m++)
        others += up[m] + down[m];
    return COST_OF_EXP * (others - 1) - cost_of_powers(up) - cost_of_powers(down) - (any_down ? 4 : 0);
}

/* Chooses base_slopes greedily: first the one that saves most operations */
static enum status find_bases(struct sharing *s, struct error *error)
{
    enum status status = STATUS_OK;
    int *multiple = array_new(2 * s->count, sizeof *multiple, "a model's exponentials", &status, error);
    for (bool more = true; more && !status && !s->a->graph->status;) {
        int most = 0, *best = multiple + s->count, of = -1, by = 1;
        for (int k = 0; k < s->count; k++)
            for (int divisor = 1; divisor <= MULTIPLE_MAX && s->one[k].base_slope < 0; divisor++) {
                int gain = operations_saved(s, &s->one[k], divisor, multiple);
                if (gain <= most)
                    continue;
                most = gain;
                of = k;
                by = divisor;
                memcpy(best, multiple, (size_t)s->count * sizeof *best);
            }
        more = of >= 0;
        if (!more)
            continue;
        int base_slope = algebra_quotient(s->a, s->one[of].slope, expression_number(s->a->graph, by));
        if (value_of(s, base_slope) < 0) { /* takes the rising exponential */
            base_slope = algebra_negative(s->a, base_slope);
            for (int k = 0; k < s->count; k++)
                best[k] = -best[k];
        }
        for (int k = 0; k < s->count; k++)
            if (best[k]) {
                s->one[k].base_slope = base_slope;
                s->one[k].multiple = best[k];
            }
    }
    free(multiple);
    return status;
}

static int exp_of(struct sharing *s, int slope, int base)
{
    return expression_one(s->a->graph, EXPRESSION_EXP, algebra_product(s->a, slope, base));
}

static void use_bases(struct sharing *s)
{
    struct algebra *a = s->a;
    for (int k = 0; k < s->count; k++) {
        struct exponential *one = &s->one[k];
        if (s->as[one->node] >= 0)
            continue;
        bool apart = fabs(value_of(s, one->offset)) <= 60;
        int e;
        if (one->base_slope >= 0)
            e = algebra_power(
                a,
                exp_of(s, one->multiple > 0 ? one->base_slope : algebra_negative(a, one->base_slope),
                       one->base),
                abs(one->multiple));
        else
            e = exp_of(s, one->slope, one->base);
        if (!apart && one->base_slope < 0)
            continue;
        s->as[one->node] = algebra_product(a, expression_one(a->graph, EXPRESSION_EXP, one->offset), e);
    }
}

enum { ALWAYS = 4 };

/* under[n] <- 1: needed if the condition is true, 2: if it is false, 1 | 2: in both cases; ALWAYS: also
 * needed by the condition itself or outside it */
static void note_conditions(struct sharing *s, int condition, const int *root, int roots,
                            unsigned char *under)
{
    memset(under, 0, (size_t)s->nodes);
    for (int k = 0; k < roots; k++)
        under[root[k]] = ALWAYS;
    for (int n = s->nodes - 1; n >= 0; n--) {
        const struct expression_node *node = &s->a->graph->node[n];
        for (int k = 0; k < 3 && under[n] && node->operand[k] >= 0; k++) {
            bool chosen = node->operation == EXPRESSION_SELECT && node->operand[0] == condition && k > 0;
            under[node->operand[k]] |= chosen && under[n] == ALWAYS ? (unsigned char)k : under[n];
        }
    }
}

/* Replaces two exponentials that are needed under opposite conditions by one */
static void pair_under(struct sharing *s, int condition, const unsigned char *under)
{
    struct algebra *a = s->a;
    for (int i = 0, j = 0; i < s->count; i++) {
        if (under[s->one[i].node] != 1 || s->as[s->one[i].node] >= 0)
            continue;
        while (j < s->count &&
               (under[s->one[j].node] != 2 || s->as[s->one[j].node] >= 0 || s->one[j].base != s->one[i].base))
            j++;
        if (j == s->count)
            return;
        const struct exponential *x = &s->one[i], *y = &s->one[j];
        int slope = algebra_select(a, condition, x->slope, y->slope);
        int offset = algebra_select(a, condition, x->offset, y->offset);
        int e = expression_one(a->graph, EXPRESSION_EXP,
                               algebra_sum(a, algebra_product(a, slope, x->base), offset));
        s->as[x->node] = s->as[y->node] = e;
        j++;
    }
}

static enum status create_sharing(struct sharing *s, const int *root, int roots, struct error *error)
{
    enum status status = STATUS_OK;
    s->nodes = s->a->graph->nodes;
    s->as = array_new(s->nodes, sizeof *s->as, "a model's exponentials", &status, error);
    s->needed = array_new(s->nodes, sizeof *s->needed, "a model's exponentials", &status, error);
    s->one = array_new(s->nodes, sizeof *s->one, "a model's exponentials", &status, error);
    if (!status)
        collect(s, root, roots);
    return status;
}

static void free_sharing(struct sharing *s)
{
    free(s->as);
    free(s->needed);
    free(s->one);
    s->as = NULL;
    s->needed = NULL;
    s->one = NULL;
}

static enum status share_bases(struct algebra *a, int *root, int roots, struct error *error)
{
    struct sharing s = {.a = a};
    enum status status = create_sharing(&s, root, roots, error);
    if (!status) {
        use_expm1(&s);
        for (int k = 0; k < s.count; k++) /* removes those replaced */
            if (s.as[s.one[k].node] >= 0)
                s.one[k--] = s.one[--s.count];
        status = find_bases(&s, error);
    }
    if (!status) {
        use_bases(&s);
        remake(&s, root, roots);
    }
    free_sharing(&s);
    return status;
}

static enum status share_conditions(struct algebra *a, int *root, int roots, struct error *error)
{
    struct sharing s = {.a = a};
    enum status status = create_sharing(&s, root, roots, error);
    unsigned char *under = array_new(s.nodes, 1, "a model's exponentials", &status, error);
    for (int n = 0; n < s.nodes && !status; n++) {
        if (!s.needed[n] || operation_of(&s, n) != EXPRESSION_SELECT || algebra_constant(a, n))
            continue;
        bool seen = false;
        int condition = a->graph->node[n].operand[0];
        for (int k = 0; k < n && !seen; k++)
            seen = s.needed[k] && operation_of(&s, k) == EXPRESSION_SELECT &&
                   a->graph->node[k].operand[0] == condition;
        if (seen)
            continue;
        note_conditions(&s, condition, root, roots, under);
        pair_under(&s, condition, under);
    }
    if (!status)
        remake(&s, root, roots);
    free(under);
    free_sharing(&s);
    return status;
}

/* Computes e^-y as 1 / e^y where e^y is also needed; not in normal form, as sums of such quotients must not
 * get a common denominator again */
static enum status use_inverses(struct algebra *a, int *root, int roots, struct error *error)
{
    struct sharing s = {.a = a};
    enum status status = create_sharing(&s, root, roots, error);
    for (int i = 0; i < s.count && !status; i++)
        for (int j = 0; j < s.count; j++) {
            int y = a->graph->node[s.one[j].node].operand[0];
            if (s.as[s.one[j].node] < 0 &&
                algebra_negative(a, y) == a->graph->node[s.one[i].node].operand[0] &&
                value_of(&s, s.one[j].slope) > 0)
                s.as[s.one[i].node] = s.one[j].node;
        }
    for (int n = 0; n < s.nodes && !status && !a->graph->status; n++) {
        const struct expression_node node = a->graph->node[n];
        int x = node.operand[0], y = node.operand[1], z = node.operand[2],
            one = expression_number(a->graph, 1);
        if (s.as[n] >= 0)
            s.as[n] = expression_two(a->graph, EXPRESSION_DIVIDE, one,
                                     s.as[s.as[n]] >= 0 ? s.as[s.as[n]] : s.as[n]);
        else if (x < 0 || !s.needed[n])
            s.as[n] = n;
        else if (z >= 0)
            s.as[n] = expression_select(a->graph, s.as[x], s.as[y], s.as[z]);
        else
            s.as[n] = y < 0 ? expression_one(a->graph, node.operation, s.as[x])
                            : expression_two(a->graph, node.operation, s.as[x], s.as[y]);
        expression_name(a->graph, s.as[n], node.quantity);
    }
    for (int k = 0; k < roots && !status && !a->graph->status; k++)
        root[k] = s.as[root[k]];
    free_sharing(&s);
    return status;
}

enum status exponentials_share(struct algebra *a, int *root, int roots, struct error *error)
{
    TRY(share_bases(a, root, roots, error));
    TRY(share_conditions(a, root, roots, error));
    return use_inverses(a, root, roots, error);
}
