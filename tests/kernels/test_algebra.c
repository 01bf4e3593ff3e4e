/* test_algebra.c: formulas at random in normal form, their fractions, derivatives, lines and shared exponentials have the values of the
 * formulas as they were written, at random points and by the C library; what nodes depend on and their values at the algebra's own points
 * are those of a plain recursion, as are groups of denominators. */
#include "kernels/compiler/algebra/algebra.h"

#include <string.h>

#include "kernels/base/bits.h"
#include "kernels/compiler/algebra/exponentials.h"
#include "kernels/compiler/algebra/quotients.h"
#include "kernels/compiler/language/cell.h"
#include "tests/support/check.h"

enum { STATES = 3, PARAMETERS = 2, RAW = 60, MOST = 30000, POINTS = 12 };

static const double unit = 0x1p-52;

/* A value, by how much rounding may have changed it, its derivative by one leaf, and the same of that */
struct number {
    double x, e, d, de;
};

struct point {
    struct expression_values at;
    double state[STATES], parameter[PARAMETERS];
};

static uint64_t dice;
static struct expression_graph *graph;
static struct number value[MOST];
static bool sure[MOST]; /* no condition is decided by rounding */

static double random_from(double low, double high)
{
    return low + (high - low) * bits_random(dice++);
}

static int below(int most)
{
    return (int)random_from(0, most);
}

static void choose_point(struct point *p)
{
    for (int s = 0; s < STATES; s++)
        p->state[s] = random_from(0.05, 0.95);
    for (int k = 0; k < PARAMETERS; k++)
        p->parameter[k] = random_from(0.5, 2);
    p->at = (struct expression_values){
        random_from(-90, 50), random_from(0, 3), random_from(0, 100), 0.02, p->state, p->parameter};
}

static struct number of_one(enum expression_operation operation, struct number a)
{
    double x = NAN, slope = 0, curve = 0;
    switch (operation) {
    case EXPRESSION_NEGATE:
        return (struct number){-a.x, a.e, -a.d, a.de};
    case EXPRESSION_NOT:
        return (struct number){a.x == 0, 0, 0, 0};
    case EXPRESSION_EXP:
        x = slope = curve = exp(a.x);
        break;
    case EXPRESSION_EXPM1:
        x = expm1(a.x);
        slope = curve = exp(a.x);
        break;
    case EXPRESSION_X_OVER_EXPM1:
        x = a.x == 0 ? 1 : a.x / expm1(a.x);
        slope = 1;
        break;
    case EXPRESSION_LOG:
        x = log(a.x);
        slope = 1 / a.x;
        curve = slope * slope;
        break;
    case EXPRESSION_LOG10:
        x = log10(a.x);
        slope = 1 / a.x / log(10);
        break;
    case EXPRESSION_SQRT:
        x = sqrt(a.x);
        slope = 0.5 / x;
        curve = 0.5 * slope / a.x;
        break;
    case EXPRESSION_ABS:
        x = fabs(a.x);
        slope = a.x < 0 ? -1 : 1;
        break;
    case EXPRESSION_SIN:
        x = sin(a.x);
        slope = cos(a.x);
        curve = 1;
        break;
    case EXPRESSION_COS:
        x = cos(a.x);
        slope = -sin(a.x);
        curve = 1;
        break;
    case EXPRESSION_ATAN:
        x = atan(a.x);
        slope = 1 / (1 + a.x * a.x);
        curve = 1;
        break;
    case EXPRESSION_TANH:
        x = tanh(a.x);
        slope = 1 - x * x;
        curve = 1;
        break;
    default:
        CHECK(0, "operation %d", (int)operation);
    }
    return (struct number){
        x, fabs(slope) * a.e + unit * (fabs(x) + (operation == EXPRESSION_EXP ? fabs(x * a.x) : 0)),
        slope * a.d, fabs(slope) * a.de + fabs(curve * a.d) * a.e + unit * fabs(slope * a.d)};
}

static struct number product(struct number a, struct number b)
{
    return (struct number){a.x * b.x, fabs(a.x) * b.e + fabs(b.x) * a.e + a.e * b.e + unit * fabs(a.x * b.x),
                           a.d * b.x + a.x * b.d,
                           fabs(a.d) * b.e + fabs(b.x) * a.de + fabs(a.x) * b.de + fabs(b.d) * a.e +
                               unit * (fabs(a.d * b.x) + fabs(a.x * b.d))};
}

static struct number inverse(struct number a)
{
    const double x = 1 / a.x;
    return (struct number){x, x * x * a.e + unit * fabs(x), -a.d * x * x,
                           x * x * a.de + 2 * fabs(a.d * x * x * x) * a.e};
}

static struct number power(struct number a, double y)
{
    struct number result = {1, 0, 0, 0};
    if (y != floor(y)) { /* whole and a half */
        const struct number root = of_one(EXPRESSION_SQRT, a), whole = power(a, floor(y));
        return product(whole, root);
    }
    for (int k = 0; k < (int)fabs(y); k++)
        result = product(result, a);
    return y < 0 ? inverse(result) : result;
}

static struct number of_two(enum expression_operation operation, struct number a, struct number b,
                            bool *certain)
{
    const double apart = fabs(a.x - b.x) - 1e3 * (a.e + b.e) - 1e-9;
    switch (operation) {
    case EXPRESSION_ADD:
        return (struct number){a.x + b.x, a.e + b.e + unit * (fabs(a.x) + fabs(b.x)), a.d + b.d,
                               a.de + b.de + unit * (fabs(a.d) + fabs(b.d))};
    case EXPRESSION_SUBTRACT:
        return (struct number){a.x - b.x, a.e + b.e + unit * (fabs(a.x) + fabs(b.x)), a.d - b.d,
                               a.de + b.de + unit * (fabs(a.d) + fabs(b.d))};
    case EXPRESSION_MULTIPLY:
        return product(a, b);
    case EXPRESSION_DIVIDE:
        return product(a, inverse(b));
    case EXPRESSION_POWER:
        return 2 * b.x == floor(2 * b.x) && b.d == 0 && b.e == 0
                   ? power(a, b.x)
                   : of_one(EXPRESSION_EXP, product(b, of_one(EXPRESSION_LOG, a)));
    case EXPRESSION_AND:
        return (struct number){a.x != 0 && b.x != 0, 0, 0, 0};
    case EXPRESSION_OR:
        return (struct number){a.x != 0 || b.x != 0, 0, 0, 0};
    default:
        *certain = *certain && apart > 0;
        return (struct number){operation == EXPRESSION_LESS         ? a.x < b.x
                               : operation == EXPRESSION_LESS_EQUAL ? a.x <= b.x
                                                                    : a.x == b.x,
                               0, 0, 0};
    }
}

/* value[], sure[] <- of all nodes at a point, with derivatives by a leaf */
static void evaluate(const struct point *p, int leaf)
{
    CHECK(!graph->status && graph->nodes <= MOST, "%d nodes", graph->nodes);
    for (int n = 0; n < graph->nodes; n++) {
        const struct expression_node *node = &graph->node[n];
        const int *a = node->operand;
        sure[n] = true;
        for (int k = 0; k < 3 && a[k] >= 0; k++)
            sure[n] = sure[n] && sure[a[k]];
        switch (expression_operands(node->operation)) {
        case 0:
            value[n] =
                (struct number){.x = node->operation == EXPRESSION_NUMBER      ? node->number
                                     : node->operation == EXPRESSION_V         ? p->at.v
                                     : node->operation == EXPRESSION_STATE     ? p->state[node->leaf]
                                     : node->operation == EXPRESSION_PARAMETER ? p->parameter[node->leaf]
                                     : node->operation == EXPRESSION_STIMULUS  ? p->at.stimulus
                                     : node->operation == EXPRESSION_TIME      ? p->at.time
                                                                               : p->at.step,
                                .d = n == leaf};
            break;
        case 1:
            value[n] = of_one(node->operation, value[a[0]]);
            break;
        case 2:
            value[n] = of_two(node->operation, value[a[0]], value[a[1]], &sure[n]);
            break;
        default: /* what is not chosen may be wild */
            sure[n] = sure[a[0]] && (value[a[0]].x != 0 ? sure[a[1]] : sure[a[2]]);
            value[n] = value[a[0]].x != 0 ? value[a[1]] : value[a[2]];
        }
    }
}

/* Whether a value is known well enough to be compared */
static bool is_known(double x, double e)
{
    return isfinite(x) && fabs(x) < 1e12 && e < 1e-6 * (1e-3 + fabs(x));
}

static int compared;

static void expect(int want, int got, const char *what)
{
    const struct number a = value[want], b = value[got];
    if (!sure[want] || !sure[got] || !is_known(a.x, a.e) || !is_known(b.x, b.e))
        return;
    compared++;
    CHECK(fabs(a.x - b.x) <= 1000 * (a.e + b.e) + 1e-13 * fabs(a.x),
          "%s: node %d is %.17g, node %d %.17g (rounding %g)", what, got, b.x, want, a.x, a.e + b.e);
}

/* ---- formulas as they are written ---- */

static int two(enum expression_operation operation, int x, int y)
{
    return expression_two(graph, operation, x, y);
}

static int one(enum expression_operation operation, int x)
{
    return expression_one(graph, operation, x);
}

static int number(double x)
{
    return expression_number(graph, x);
}

static int leaves[9];

static void make_leaves(void)
{
    leaves[0] = expression_leaf(graph, EXPRESSION_V, -1);
    for (int s = 0; s < STATES; s++)
        leaves[1 + s] = expression_leaf(graph, EXPRESSION_STATE, s);
    for (int p = 0; p < PARAMETERS; p++)
        leaves[4 + p] = expression_leaf(graph, EXPRESSION_PARAMETER, p);
    leaves[6] = expression_leaf(graph, EXPRESSION_STEP, -1);
    leaves[7] = expression_leaf(graph, EXPRESSION_STIMULUS, -1);
    leaves[8] = expression_leaf(graph, EXPRESSION_TIME, -1);
}

/* (V + b) / k, times a small whole number */
static int exponent(void)
{
    static const double widths[] = {10, -10, 20, 5, -7};
    const int shift = below(2) ? number(below(5) * 10) : two(EXPRESSION_MULTIPLY, number(9), leaves[4]);
    return two(EXPRESSION_DIVIDE,
               two(EXPRESSION_MULTIPLY, number(1 + below(3)), two(EXPRESSION_ADD, leaves[0], shift)),
               number(widths[below(5)]));
}

static int condition(const int *node, int nodes)
{
    static const enum expression_operation compare[] = {EXPRESSION_LESS, EXPRESSION_LESS_EQUAL};
    const int first = two(compare[below(2)], leaves[below(4)],
                          below(2) ? number(below(2) ? -40 : 0.5) : node[below(nodes)]);
    const int second = two(EXPRESSION_LESS, leaves[0], number(-20));
    return below(3)   ? first
           : below(2) ? one(EXPRESSION_NOT, first)
                      : two(below(2) ? EXPRESSION_AND : EXPRESSION_OR, first, second);
}

/* A formula of those made before; smooth: whose derivative is that of its parts */
static int formula(const int *node, int nodes, bool smooth)
{
    static const enum expression_operation both[] = {EXPRESSION_ADD,      EXPRESSION_ADD,
                                                     EXPRESSION_SUBTRACT, EXPRESSION_MULTIPLY,
                                                     EXPRESSION_MULTIPLY, EXPRESSION_DIVIDE};
    static const enum expression_operation functions[] = {EXPRESSION_NEGATE, EXPRESSION_SIN,  EXPRESSION_COS,
                                                          EXPRESSION_ATAN,   EXPRESSION_TANH, EXPRESSION_ABS};
    static const double powers[] = {2, 3, -1, -2, 4, 0.5, 1.5, 8};
    const int x = node[below(nodes)], y = node[below(nodes)];
    int e = exponent();
    switch (below(14)) {
    case 0:
        return one(functions[below(smooth ? 5 : 6)], x);
    case 1:
        return one(EXPRESSION_EXP, e);
    case 2: /* y / (e^y - 1), and with a multiple of y */
        return two(EXPRESSION_DIVIDE, two(EXPRESSION_MULTIPLY, below(2) ? number(3) : leaves[5], e),
                   two(EXPRESSION_SUBTRACT, one(EXPRESSION_EXP, e), number(1)));
    case 3: /* 1 - 1 / (1 + e^y), and what is like it */
        return two(EXPRESSION_SUBTRACT, number(2),
                   two(EXPRESSION_DIVIDE, number(2 * (1 + below(2))),
                       two(EXPRESSION_ADD, number(1), one(EXPRESSION_EXP, e))));
    case 4:
        return two(
            EXPRESSION_POWER,
            two(EXPRESSION_ADD, two(EXPRESSION_MULTIPLY, leaves[1 + below(3)], leaves[4]), number(0.5)),
            number(powers[below(8)]));
    case 5:
        return one(
            below(2) ? EXPRESSION_LOG : EXPRESSION_SQRT,
            two(EXPRESSION_DIVIDE, two(EXPRESSION_MULTIPLY, leaves[1 + below(3)], leaves[5]), number(0.3)));
    case 6:
        return expression_select(graph, condition(node, nodes), x, y);
    case 7: /* exponentials that are needed one or the other */
        return expression_select(graph, two(EXPRESSION_LESS, leaves[0], number(-40)),
                                 two(EXPRESSION_MULTIPLY, x, one(EXPRESSION_EXP, e)),
                                 one(EXPRESSION_EXP, exponent()));
    case 8:
        return two(EXPRESSION_DIVIDE, x,
                   two(EXPRESSION_ADD, number(1.5),
                       two(EXPRESSION_MULTIPLY, leaves[1 + below(3)], one(EXPRESSION_EXP, e))));
    case 9:
        return two(EXPRESSION_POWER, number(3), two(EXPRESSION_DIVIDE, leaves[0], number(20)));
    default:
        return two(both[below(6)], x, y);
    }
}

/* ---- plain definitions ---- */

static unsigned depends(int n)
{
    const struct expression_node *node = &graph->node[n];
    unsigned on = 0;
    if (node->operation == EXPRESSION_V)
        on = ALGEBRA_V;
    if (node->operation == EXPRESSION_STATE)
        on = ALGEBRA_STATE;
    if (node->operation == EXPRESSION_STIMULUS)
        on = ALGEBRA_STIMULUS;
    if (node->operation == EXPRESSION_TIME)
        on = ALGEBRA_TIME;
    for (int k = 0; k < 3 && node->operand[k] >= 0; k++)
        on |= depends(node->operand[k]);
    return on;
}

static void mark(bool *reached, int n)
{
    for (int k = 0; k < 3 && !reached[n] && graph->node[n].operand[k] >= 0; k++)
        mark(reached, graph->node[n].operand[k]);
    reached[n] = true;
}

/* The same where a choice between two formulas needs its condition alone for sure */
static void mark_always(bool *always, int n)
{
    const int operands = graph->node[n].operation == EXPRESSION_SELECT ? 1 : 3;
    if (always[n])
        return;
    always[n] = true;
    for (int k = 0; k < operands && graph->node[n].operand[k] >= 0; k++)
        mark_always(always, graph->node[n].operand[k]);
}

static int divisions(int n)
{
    const struct expression_node *node = &graph->node[n];
    int most = 0;
    for (int k = 0; k < 3 && node->operand[k] >= 0; k++) {
        const int own = divisions(node->operand[k]) + (k == 1 && node->operation == EXPRESSION_DIVIDE);
        most = own > most ? own : most;
    }
    return most;
}

static bool is_guard(int n)
{
    const struct expression_node *node = &graph->node[n];
    return node->operation == EXPRESSION_SELECT &&
           graph->node[node->operand[0]].operation == EXPRESSION_EQUAL &&
           graph->node[node->operand[2]].operation == EXPRESSION_EXPM1;
}

static void check_points(struct algebra *a, const double *low, const double *high)
{
    double before = -1;
    for (int k = 0; k < ALGEBRA_POINTS; k++) {
        const struct algebra_point *own = &a->point[k];
        struct point p = {.at = {own->v, 0, 0, 0.02, own->state, own->parameter}};
        CHECK(fabs(own->v - (-200 + k * 400.0 / 63)) < 1e-9 && own->dt == 0.02, "point %d has V %g", k,
              own->v);
        memcpy(p.state, own->state, sizeof p.state);
        memcpy(p.parameter, own->parameter, sizeof p.parameter);
        for (int s = 0; s < STATES; s++) {
            CHECK(p.state[s] >= low[s] && p.state[s] <= high[s] && p.state[s] != before, "state %d is %g", s,
                  p.state[s]);
            before = p.state[s];
        }
        evaluate(&p, -1);
        for (int n = 0; n < graph->nodes; n++) {
            const double got = algebra_values(a, n)[k], want = value[n].x;
            if (sure[n] && is_known(want, value[n].e))
                CHECK(fabs(got - want) <= 1000 * value[n].e + 1e-13 * fabs(want),
                      "node %d at point %d is %g, want %g", n, k, got, want);
        }
    }
    for (int n = 0; n < graph->nodes; n++) {
        bool fits = true;
        const unsigned on = n < RAW ? depends(n) : algebra_on(a, n);
        for (int k = 0; k < ALGEBRA_POINTS; k++) {
            const double x = fabs(algebra_values(a, n)[k]);
            fits = fits && (x == 0 || (x >= 1e-30 && x < 1e30));
        }
        CHECK(algebra_on(a, n) == on && algebra_constant(a, n) == (on == 0), "node %d depends on %u, want %u",
              n, algebra_on(a, n), on);
        CHECK(algebra_in_range(a, n) == fits, "node %d %s range", n, fits ? "is in" : "is not in");
        const bool literal = graph->node[n].operation == EXPRESSION_NUMBER;
        CHECK(algebra_number(a, n, graph->node[n].number) == literal &&
                  !algebra_number(a, n, graph->node[n].number + 1),
              "node %d", n);
    }
}

/* Denominators in the order of their first use; those of as many divisions share one while their product is well within fp32, up to four,
 * and none changes sign. Those that may be 0 and are not always needed are shielded. */
static void check_quotients(struct algebra *a, const int *root, int roots)
{
    struct error error = {0};
    static int uses[MOST], order[MOST], members[MOST], open[65];
    static double together[65][ALGEBRA_POINTS];
    static bool reached[MOST], always[MOST];
    static struct interval interval[MOST];
    struct quotients q;
    int ordered = 0, denominators = 0, groups = 0;
    memset(uses, 0, sizeof uses);
    memset(reached, 0, sizeof reached);
    memset(always, 0, sizeof always);
    memset(open, -1, sizeof open);
    for (int k = 0; k < roots; k++) {
        mark(reached, root[k]);
        mark_always(always, root[k]);
        uses[root[k]]++;
    }
    for (int n = 0; n < graph->nodes; n++) {
        if (reached[n])
            order[ordered++] = n;
        for (int k = 0; k < 3 && reached[n] && graph->node[n].operand[k] >= 0; k++)
            uses[graph->node[n].operand[k]]++;
    }
    interval_of(interval, graph, graph->nodes, NULL);
    const struct quotients_use use = {root, uses, order, roots, ordered, interval};
    CHECK_OK(quotients_group(&q, a, &use, &error), error);
    for (int n = 0; n < graph->nodes; n++)
        CHECK(q.group[n] >= 0 || !q.shielded[n], "node %d is shielded in no group", n);
    for (int i = 0; i < ordered; i++) {
        const struct expression_node *node = &graph->node[order[i]];
        const int n = node->operand[1], depth = node->operation == EXPRESSION_DIVIDE ? divisions(n) : 0;
        bool seen = false, alone = true, joins = true;
        double with[ALGEBRA_POINTS];
        for (int k = 0; k < denominators; k++)
            seen = seen || q.denominator[k] == n;
        if (node->operation != EXPRESSION_DIVIDE || algebra_constant(a, n) || depth >= 64 || seen)
            continue;
        const double *x = algebra_values(a, n);
        for (int k = 0; k < ALGEBRA_POINTS; k++) {
            const bool turns = (x[k] < 0) != (x[0] < 0) && !is_guard(n);
            with[k] = open[depth] >= 0 ? together[depth][k] * x[k] : 0;
            joins = joins && !turns && fabs(with[k]) > 1e-28 && fabs(with[k]) < 1e28;
            alone = alone && !turns && fabs(x[k]) > 1e-28 && fabs(x[k]) < 1e28;
        }
        joins = joins && open[depth] >= 0 && members[open[depth]] < QUOTIENTS_OF_A_GROUP;
        const int group = joins ? open[depth] : groups++;
        if (!joins && alone) {
            open[depth] = group;
            members[group] = 0;
        }
        if (joins || alone) {
            memcpy(together[depth], joins ? with : x, sizeof with);
            members[group]++;
        }
        CHECK(denominators < q.denominators && q.denominator[denominators++] == n && q.group[n] == group,
              "denominator %d is in group %d, want %d", n, q.group[n], group);
        const bool zero = !is_guard(n) && interval[n].low <= 0 && interval[n].high >= 0;
        CHECK(q.shielded[n] == (zero && !always[order[i]]), "denominator %d is%s shielded", n,
              q.shielded[n] ? "" : " not");
    }
    CHECK(q.denominators == denominators && q.groups == groups, "%d denominators in %d groups, want %d in %d",
          q.denominators, q.groups, denominators, groups);
    quotients_free(&q);
}

/* Exponentials of formulas that V moves */
static int count_exponentials(struct algebra *a, const int *root, int roots)
{
    static bool reached[MOST];
    int count = 0;
    memset(reached, 0, sizeof reached);
    for (int k = 0; k < roots; k++)
        mark(reached, root[k]);
    for (int n = 0; n < graph->nodes; n++)
        count += reached[n] && !algebra_constant(a, n) &&
                 (graph->node[n].operation == EXPRESSION_EXP || graph->node[n].operation == EXPRESSION_EXPM1);
    return count;
}

static struct cell_state states[STATES] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
static struct cell_parameter parameters[PARAMETERS] = {{.name = "p", .value = 1.2},
                                                       {.name = "q", .value = 0.7}};
static const double low[STATES] = {0, 0.1, -0.2}, high[STATES] = {1, 0.8, 0.9};

static void begin(struct cell *cell, struct algebra *a)
{
    struct error error = {0};
    *cell =
        (struct cell){.states = STATES, .state = states, .parameters = PARAMETERS, .parameter = parameters};
    CHECK_OK(expression_begin(&cell->graph, &error), error);
    graph = &cell->graph;
    make_leaves();
    CHECK_OK(algebra_begin(a, cell, low, high, &error), error);
}

static void end(struct cell *cell, struct algebra *a)
{
    algebra_end(a);
    expression_free(&cell->graph);
}

static void test_round(int round)
{
    enum { ROOTS = 4 };
    struct error error = {0};
    struct cell cell;
    struct algebra a;
    int node[RAW], nodes = 0, as[RAW * 20], root[ROOTS], shared[ROOTS], written[ROOTS], above[ROOTS],
                   below_it[ROOTS], slope[ROOTS], moved[ROOTS];
    const bool smooth = round % 3 > 0;
    begin(&cell, &a);
    for (int k = 0; k < 9; k++)
        node[nodes++] = leaves[k];
    for (int k = 0; k < 4; k++)
        node[nodes++] = number(random_from(-2, 3));
    while (nodes < 13 + round % 4 * 6 + 5) {
        node[nodes] = formula(node, nodes, smooth);
        nodes++;
    }
    const int top = graph->nodes - 1;
    CHECK(top < RAW * 20, "%d nodes", top);
    if (round % 2)
        algebra_split(&a);
    memset(as, -1, sizeof as);
    algebra_remake(&a, as, top, NULL, -2, -1);
    const int leaf = leaves[below(4)], to = leaves[below(9)];
    for (int k = 0; k < ROOTS; k++) {
        written[k] = node[nodes - 1 - k];
        root[k] = shared[k] = as[written[k]];
        algebra_fraction(&a, root[k], &above[k], &below_it[k]);
        slope[k] = algebra_derivative(&a, root[k], leaf);
        moved[k] = algebra_replace(&a, root[k], leaf, to);
    }
    CHECK_OK(exponentials_share(&a, shared, ROOTS, &error), error);
    CHECK(count_exponentials(&a, shared, ROOTS) <= count_exponentials(&a, root, ROOTS),
          "%d exponentials of %d", count_exponentials(&a, shared, ROOTS),
          count_exponentials(&a, root, ROOTS));
    algebra_evaluate_new(&a);
    int quotient[ROOTS];
    for (int k = 0; k < ROOTS; k++)
        quotient[k] = two(EXPRESSION_DIVIDE, above[k], below_it[k]);
    for (int turn = 0; turn < POINTS; turn++) {
        struct point p;
        choose_point(&p);
        if (turn % 4 == 3) /* where e^y - 1 may be 0 */
            p.at.v = -10 * below(5);
        evaluate(&p, leaf);
        for (int n = 0; n <= top; n++)
            expect(n, as[n], "normal form");
        for (int k = 0; k < ROOTS; k++) {
            const struct number want = value[written[k]], got = value[slope[k]];
            expect(written[k], quotient[k], "fraction");
            expect(written[k], shared[k], "exponentials");
            if (smooth && sure[written[k]] && sure[slope[k]] && is_known(want.x, want.e) &&
                is_known(want.d, want.de) && is_known(got.x, got.e))
                CHECK(fabs(want.d - got.x) <= 1000 * (want.de + got.e) + 1e-10 * fabs(want.d),
                      "derivative of node %d: %.17g, want %.17g", written[k], got.x, want.d);
        }
        double replaced[ROOTS], rounding[ROOTS];
        bool certain[ROOTS];
        for (int k = 0; k < ROOTS; k++) {
            replaced[k] = value[moved[k]].x;
            rounding[k] = value[moved[k]].e;
            certain[k] = sure[moved[k]];
        }
        if (leaf == leaves[0])
            p.at.v = value[to].x;
        else
            p.state[graph->node[leaf].leaf] = value[to].x;
        evaluate(&p, leaf);
        for (int k = 0; k < ROOTS; k++) {
            const struct number want = value[written[k]];
            if (certain[k] && sure[written[k]] && is_known(want.x, want.e) &&
                is_known(replaced[k], rounding[k]))
                CHECK(fabs(want.x - replaced[k]) <= 1000 * (want.e + rounding[k]) + 1e-13 * fabs(want.x),
                      "replaced: %.17g, want %.17g", replaced[k], want.x);
        }
    }
    bool *reached = calloc((size_t)graph->nodes, 1), *plain = calloc((size_t)graph->nodes, 1);
    CHECK(reached && plain, "no memory");
    algebra_reach_from(graph, reached, graph->nodes - 1, shared, ROOTS);
    for (int k = 0; k < ROOTS; k++)
        mark(plain, shared[k]);
    CHECK(memcmp(reached, plain, (size_t)graph->nodes) == 0, "other nodes are reached");
    free(reached);
    free(plain);
    check_quotients(&a, shared, ROOTS);
    if (round % 10 == 0)
        check_points(&a, low, high);
    CHECK(!graph->status, "the graph failed");
    end(&cell, &a);
}

/* Lines of formulas that are no lines themselves, multiples, and what is affine by its form */
static void test_lines(void)
{
    struct cell cell;
    struct algebra a;
    begin(&cell, &a);
    const int v = leaves[0], x = leaves[1], p = leaves[4];
    const int base[] = {one(EXPRESSION_SIN, v), one(EXPRESSION_EXP, x), algebra_product(&a, v, x), v,
                        one(EXPRESSION_TANH, two(EXPRESSION_ADD, v, x))};
    for (int b = 0; b < 5; b++)
        for (int turn = 0; turn < 20; turn++) {
            const int factor = below(2) ? number(random_from(-2, 2)) : p,
                      offset = below(2) ? number(random_from(-2, 2)) : leaves[5];
            int n = algebra_sum(&a, algebra_product(&a, base[b], factor), offset), k;
            n = below(2) ? algebra_negative(&a, n) : algebra_product(&a, n, leaves[4 + below(2)]);
            const struct algebra_line line = algebra_line(&a, n);
            CHECK(line.base == base[b] && algebra_constant(&a, line.slope) &&
                      algebra_constant(&a, line.offset),
                  "formula %d: base %d, want %d", n, line.base, base[b]);
            const int again = algebra_sum(&a, algebra_product(&a, line.slope, line.base), line.offset);
            const double times = ldexp(0.25, below(6)); /* no rounding */
            const int multiple = algebra_product(&a, n, number(times)),
                      other = algebra_sum(&a, multiple, number(0.25));
            CHECK(algebra_is_multiple(&a, multiple, n, &k) &&
                      fabs(algebra_values(&a, k)[0] - times) < 1e-12 * times,
                  "not %g of it", times);
            CHECK(!algebra_is_multiple(&a, other, n, &k), "a shifted one is a multiple");
            CHECK(!algebra_is_multiple(&a, base[(b + 1) % 5], n, &k), "another formula is a multiple");
            CHECK(!algebra_is_multiple(&a, p, n, &k) && !algebra_is_multiple(&a, n, p, &k),
                  "a constant is a multiple");
            struct point at;
            choose_point(&at);
            evaluate(&at, -1);
            expect(n, again, "a line");
        }
    const struct algebra_line constant = algebra_line(&a, p);
    CHECK(constant.base == 0 && constant.slope == 0 && constant.offset == p, "the line of a constant");
    const int less = two(EXPRESSION_LESS, v, number(0)), by_x = two(EXPRESSION_LESS, x, number(0)),
              f = one(EXPRESSION_EXP, v);
    const struct {
        int node;
        bool affine;
    } table[] = {
        {x, true},
        {v, true},
        {f, true},
        {two(EXPRESSION_ADD, x, f), true},
        {two(EXPRESSION_SUBTRACT, f, x), true},
        {one(EXPRESSION_NEGATE, x), true},
        {two(EXPRESSION_MULTIPLY, f, x), true},
        {two(EXPRESSION_MULTIPLY, x, two(EXPRESSION_ADD, f, x)), false},
        {two(EXPRESSION_DIVIDE, x, f), true},
        {two(EXPRESSION_DIVIDE, f, x), false},
        {expression_select(graph, less, x, f), true},
        {expression_select(graph, by_x, v, f), false},
        {one(EXPRESSION_EXP, x), false},
        {two(EXPRESSION_POWER, x, number(2)), false},
        {two(EXPRESSION_MULTIPLY, two(EXPRESSION_ADD, x, number(1)), two(EXPRESSION_SUBTRACT, f, v)), true},
        {two(EXPRESSION_MULTIPLY, two(EXPRESSION_MULTIPLY, x, f), x), false}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        CHECK(algebra_is_affine(&a, table[k].node, x) == table[k].affine, "formula %zu is%s affine", k,
              table[k].affine ? " not" : "");
    end(&cell, &a);
}

/* How many exponentials are left of some that belong together */
static void test_shared(void)
{
    for (int form = 0; form < 6; form++) {
        struct error error = {0};
        struct cell cell;
        struct algebra a;
        begin(&cell, &a);
        const int v = leaves[0], y = two(EXPRESSION_MULTIPLY, v, number(0.05)),
                  ten = two(EXPRESSION_MULTIPLY, v, number(0.1)),
                  third = two(EXPRESSION_MULTIPLY, v, number(0.15)),
                  odd = two(EXPRESSION_MULTIPLY, v, number(0.0437));
        const int less = two(EXPRESSION_LESS, v, number(-40));
        const int e = one(EXPRESSION_EXP, y);
        int root[] = {e, e};
        switch (form) {
        case 0: /* powers of one */
            root[1] = two(EXPRESSION_ADD, one(EXPRESSION_EXP, ten), one(EXPRESSION_EXP, third));
            break;
        case 1:
            root[1] = one(EXPRESSION_EXP, algebra_negative(&a, y));
            break;
        case 2:
            root[1] = one(EXPRESSION_EXPM1, y);
            break;
        case 3: /* a constant shift */
            root[1] = one(EXPRESSION_EXP, two(EXPRESSION_ADD, y, leaves[4]));
            break;
        case 4: /* under opposite conditions */
            root[0] = root[1] = expression_select(
                graph, less, e, two(EXPRESSION_MULTIPLY, number(3), one(EXPRESSION_EXP, odd)));
            break;
        default: /* nothing in common */
            root[1] = one(EXPRESSION_EXP, odd);
        }
        CHECK_OK(exponentials_share(&a, root, 2, &error), error);
        CHECK(count_exponentials(&a, root, 2) == (form < 5 ? 1 : 2), "form %d: %d exponentials", form,
              count_exponentials(&a, root, 2));
        end(&cell, &a);
    }
}

/* Formulas that are the same whatever way they are written have one node; as[] is room */
static void test_same(void)
{
    struct cell cell;
    struct algebra a;
    static int as[MOST];
    begin(&cell, &a);
    const int v = leaves[0], x = leaves[1], y = leaves[2], p = leaves[4], q = leaves[5], one_ = number(1),
              e = one(EXPRESSION_EXP, v);
    const enum expression_operation add = EXPRESSION_ADD, sub = EXPRESSION_SUBTRACT,
                                    mul = EXPRESSION_MULTIPLY, over = EXPRESSION_DIVIDE;
    const int less = two(EXPRESSION_LESS, v, x),
              pairs[][2] = {
                  {two(add, two(add, x, one_), two(add, y, number(2))), two(add, two(add, y, number(3)), x)},
                  {two(add, two(add, x, p), two(add, y, number(2))),
                   two(add, y, two(add, two(add, p, number(2)), x))},
                  {two(mul, two(mul, x, p), two(mul, y, number(3))),
                   two(mul, number(3), two(mul, y, two(mul, p, x)))},
                  {two(sub, two(mul, x, y), two(mul, y, x)), number(0)},
                  {two(over, two(mul, x, p), two(mul, p, x)), one_},
                  {two(over, two(mul, x, y), y), x},
                  {two(over, x, two(over, y, p)), two(over, two(mul, p, x), y)},
                  {two(mul, two(EXPRESSION_POWER, x, number(2)), x), two(EXPRESSION_POWER, x, number(3))},
                  {two(EXPRESSION_POWER, two(EXPRESSION_POWER, x, number(2)), number(-1)),
                   two(over, one_, two(mul, x, x))},
                  {one(EXPRESSION_NEGATE, two(sub, x, y)), two(sub, y, x)},
                  {two(add, x, x), two(mul, number(2), x)},
                  {two(sub, two(mul, number(3), x), x), two(add, x, x)},
                  {two(sub, one_, two(over, one_, two(add, one_, e))), two(over, e, two(add, one_, e))},
                  {two(add, two(over, x, q), two(over, y, q)), two(add, two(over, y, q), two(over, x, q))},
                  {expression_select(graph, one(EXPRESSION_NOT, less), x, y),
                   expression_select(graph, less, y, x)},
                  {expression_select(graph, less, expression_select(graph, less, x, p), y),
                   expression_select(graph, less, x, y)},
                  {expression_select(graph, less, x, expression_select(graph, less, p, y)),
                   expression_select(graph, less, x, y)},
                  {two(add, expression_select(graph, less, x, p), expression_select(graph, less, y, q)),
                   expression_select(graph, less, two(add, x, y), two(add, q, p))}};
    const int top = graph->nodes - 1;
    memset(as, -1, sizeof as);
    algebra_remake(&a, as, top, NULL, -2, -1);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        CHECK(as[pairs[k][0]] == as[pairs[k][1]], "pair %zu: nodes %d and %d", k, as[pairs[k][0]],
              as[pairs[k][1]]);
    end(&cell, &a);
}

/* f / (e^y - 1) and (e^y - 1) / f where f is a multiple of y: at y = 0 it is its limit, and what it is multiplied by stays */
static void test_singular(void)
{
    for (int form = 0; form < 8; form++) {
        struct cell cell;
        struct algebra a;
        static int as[MOST];
        begin(&cell, &a);
        const int shifted = two(EXPRESSION_ADD, leaves[0], number(30)),
                  y = two(EXPRESSION_DIVIDE, shifted, number(form & 1 ? -8 : 8)),
                  f = two(EXPRESSION_MULTIPLY, form & 2 ? number(0.32) : leaves[4], shifted),
                  rise = two(EXPRESSION_SUBTRACT, one(EXPRESSION_EXP, y), number(1)),
                  by = two(EXPRESSION_MULTIPLY, leaves[2], leaves[5]);
        const int n = two(EXPRESSION_MULTIPLY, by,
                          form & 4 ? two(EXPRESSION_DIVIDE, rise, f) : two(EXPRESSION_DIVIDE, f, rise)),
                  top = graph->nodes - 1;
        memset(as, -1, sizeof as);
        algebra_remake(&a, as, top, NULL, -2, -1);
        struct point p;
        choose_point(&p);
        p.at.v = -30;
        evaluate(&p, -1);
        const double slope = (form & 2 ? 0.32 : p.parameter[0]) * (form & 1 ? -8 : 8),
                     limit = form & 4 ? 1 / slope : slope;
        CHECK(fabs(value[as[n]].x / (p.state[1] * p.parameter[1] * limit) - 1) < 1e-12,
              "form %d: %g at 0 / 0, want %g", form, value[as[n]].x, p.state[1] * p.parameter[1] * limit);
        for (int turn = 0; turn < 5; turn++) {
            choose_point(&p);
            evaluate(&p, -1);
            expect(n, as[n], "apart from there");
        }
        end(&cell, &a);
    }
}

int main(void)
{
    test_same();
    test_singular();
    for (int round = 0; round < 400; round++)
        test_round(round);
    test_lines();
    test_shared();
    printf("%d values compared\n", compared);
    CHECK(compared > 100000, "%d values", compared);
    return 0;
}
