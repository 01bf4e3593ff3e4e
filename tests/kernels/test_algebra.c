/* test_algebra.c: formulas at random in normal form, their fractions, derivatives, lines and shared exponentials have the values of the
 * formulas as they were written, at random points and by the C library; what nodes depend on and their values at the algebra's own points
 * are those of a plain recursion, as are groups of denominators. */
#include "kernels/compiler/algebra/algebra.h"

#include "kernels/compiler/algebra/exponentials.h"
#include "kernels/compiler/algebra/quotients.h"
#include "tests/support/formula_values.h"

enum { RAW = 60, POINTS = 12 };

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
        check_points(&a, lowest, highest);
    CHECK(!graph->status, "the graph failed");
    end(&cell, &a);
}

int main(void)
{
    for (int round = 0; round < 400; round++)
        test_round(round);
    printf("%d values compared\n", compared);
    CHECK(compared > 100000, "%d values", compared);
    return 0;
}
