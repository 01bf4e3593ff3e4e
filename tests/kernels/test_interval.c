/* test_interval.c: intervals contain the values of formulas of V, also between sampled points. */
#include "kernels/compiler/algebra/interval.h"
#include "tests/support/check.h"

enum { MOST = 400 };
static struct expression_graph graph;
static struct interval interval[MOST];

static struct interval of(int n)
{
    CHECK(!graph.status && graph.nodes <= MOST, "%d nodes", graph.nodes);
    interval_of(interval, &graph, graph.nodes, NULL);
    return interval[n];
}

static int two(enum expression_operation operation, int a, int b)
{
    return expression_two(&graph, operation, a, b);
}

static void test_known(void)
{
    const int v = expression_leaf(&graph, EXPRESSION_V, -1), five = expression_number(&graph, 5);
    const int slope = expression_leaf(&graph, EXPRESSION_PARAMETER, 0);
    const int dt = expression_leaf(&graph, EXPRESSION_STEP, -1);
    const int rise = expression_one(&graph, EXPRESSION_EXP, two(EXPRESSION_DIVIDE, v, five));
    CHECK_CLOSE(of(rise).low, exp(-40), 1e-14);
    CHECK_CLOSE(of(rise).high / exp(40), 1.0, 1e-14);

    /* a slope that a user may set, and a pole at -50.1 mV that 64 points in [-200, 200] pass by */
    int by_user = two(EXPRESSION_DIVIDE, v, slope);
    int pole = two(EXPRESSION_DIVIDE, five, two(EXPRESSION_ADD, v, expression_number(&graph, 50.1)));
    CHECK(isinf(of(by_user).high) && isinf(of(by_user).low), "V / parameter is within %g", of(by_user).high);
    CHECK(isinf(of(pole).high) && isinf(of(pole).low), "5 / (V + 50.1) is within %g", of(pole).high);
    CHECK(of(expression_one(&graph, EXPRESSION_EXP, by_user)).low == 0, "an exponential is below 0");

    /* what a gate forgets in a step is no growth */
    int forgets = expression_one(&graph, EXPRESSION_NEGATE, two(EXPRESSION_MULTIPLY, dt, rise));
    CHECK(of(forgets).high == 0 && of(forgets).low < -1e300, "%g", of(forgets).high);
    CHECK(of(two(EXPRESSION_MULTIPLY, v, v)).low == 0 && of(two(EXPRESSION_MULTIPLY, v, v)).high == 40000,
          "V V");
    int jump = expression_select(&graph, two(EXPRESSION_LESS, v, five), v, expression_number(&graph, 1000));
    CHECK(of(jump).low == -200 && of(jump).high == 1000, "[%g, %g]", of(jump).low, of(jump).high);
    int none = two(EXPRESSION_ADD, v, expression_number(&graph, (double)NAN));
    CHECK(isinf(of(none).high) && isinf(of(none).low), "NaN is within %g", of(none).high);
}

/* What a condition is certain of, for parameters between bounds, and whole powers */
static void test_certain(void)
{
    const struct interval bounds[] = {{1, 2}, {2.5, 4}, {-3, 2}};
    int p[3];
    for (int k = 0; k < 3; k++)
        p[k] = expression_leaf(&graph, EXPRESSION_PARAMETER, k);
    const int less = two(EXPRESSION_LESS, p[0], p[1]),
              not_less = expression_one(&graph, EXPRESSION_NOT, less);
    const int open = two(EXPRESSION_LESS, p[2], p[0]);
    const int square = two(EXPRESSION_POWER, p[2], expression_number(&graph, 2));
    const int cube = two(EXPRESSION_POWER, p[2], expression_number(&graph, 3));
    const int root = expression_one(&graph, EXPRESSION_SQRT, square);
    const int all = two(EXPRESSION_AND, less, open), any = two(EXPRESSION_OR, less, open);
    const int none = two(EXPRESSION_AND, not_less, open);
    const struct {
        int node;
        double low, high;
    } want[] = {{less, 1, 1}, {not_less, 0, 0}, {open, 0, 1},   {all, 0, 1}, {any, 1, 1},
                {none, 0, 0}, {square, 0, 9},   {cube, -27, 8}, {root, 0, 3}};
    CHECK(!graph.status && graph.nodes <= MOST, "%d nodes", graph.nodes);
    interval_of(interval, &graph, graph.nodes, bounds);
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        CHECK(interval[want[k].node].low == want[k].low && interval[want[k].node].high == want[k].high,
              "row %d: [%g, %g]", (int)k, interval[want[k].node].low, interval[want[k].node].high);
}

/* Formulas of formulas, at every V */
static void test_held(void)
{
    static const enum expression_operation one[] = {
        EXPRESSION_NEGATE, EXPRESSION_EXP,  EXPRESSION_EXPM1, EXPRESSION_X_OVER_EXPM1,
        EXPRESSION_LOG,    EXPRESSION_SQRT, EXPRESSION_ABS,   EXPRESSION_FLOOR,
        EXPRESSION_SIN,    EXPRESSION_TANH, EXPRESSION_ATAN,  EXPRESSION_NOT};
    static const enum expression_operation both[] = {
        EXPRESSION_ADD,  EXPRESSION_SUBTRACT,   EXPRESSION_MULTIPLY, EXPRESSION_DIVIDE, EXPRESSION_POWER,
        EXPRESSION_LESS, EXPRESSION_LESS_EQUAL, EXPRESSION_EQUAL,    EXPRESSION_AND,    EXPRESSION_OR};
    static double value[MOST];
    unsigned seed = 3;
    const double nothing[3] = {0}; /* parameters of test_certain() */
    for (int round = 0; graph.nodes < MOST - 2 && round < 5 * MOST; round++) {
        unsigned r[3];
        for (int k = 0; k < 3; k++)
            r[k] = (seed = seed * 1664525 + 1013904223) >> 12;
        int a = (int)(r[0] % (unsigned)graph.nodes), b = (int)(r[1] % (unsigned)graph.nodes);
        if (round % 2)
            two(both[r[2] % 10], a, b);
        else if (round % 3)
            expression_one(&graph, one[r[2] % 12], a);
        else
            expression_number(&graph, (double)r[2] * 0x1p-10 - 300);
    }
    of(0);
    int bounded = 0;
    for (double v = -200; v <= 200; v += 0.37) {
        struct expression_values values = {.v = v, .step = 0.02, .state = nothing, .parameter = nothing};
        expression_evaluate(&graph, &values, graph.nodes, value);
        for (int n = 0; n < graph.nodes; n++) {
            double more = isinf(value[n]) ? 0 : 1e-9 * (1 + fabs(value[n]));
            bounded += isfinite(interval[n].low) || isfinite(interval[n].high);
            CHECK(isnan(value[n]) ||
                      (value[n] >= interval[n].low - more && value[n] <= interval[n].high + more),
                  "node %d at V = %g mV: %g is not in [%g, %g]", n, v, value[n], interval[n].low,
                  interval[n].high);
        }
    }
    CHECK(bounded > 100000, "%d", bounded);
}

/* Every operation on intervals between whole numbers: the hull of its values at all halves of them, or unknown where a function has none,
 * or has a pole */
static void test_hulls(void)
{
    static const enum expression_operation of_one[] = {EXPRESSION_NEGATE,      EXPRESSION_EXP,
                                                       EXPRESSION_EXPM1,       EXPRESSION_FLOOR,
                                                       EXPRESSION_CEIL,        EXPRESSION_ATAN,
                                                       EXPRESSION_TANH,        EXPRESSION_LOG,
                                                       EXPRESSION_LOG10,       EXPRESSION_SQRT,
                                                       EXPRESSION_ABS,         EXPRESSION_NOT,
                                                       EXPRESSION_X_OVER_EXPM1},
                                           of_two[] = {
                                               EXPRESSION_ADD,    EXPRESSION_SUBTRACT, EXPRESSION_MULTIPLY,
                                               EXPRESSION_DIVIDE, EXPRESSION_LESS,     EXPRESSION_LESS_EQUAL,
                                               EXPRESSION_EQUAL,  EXPRESSION_AND,      EXPRESSION_OR};
    enum { ONES = sizeof of_one / sizeof *of_one, TWOS = sizeof of_two / sizeof *of_two };
    struct error error = {0};
    struct expression_graph own;
    CHECK_OK(expression_begin(&own, &error), error);
    const int x = expression_leaf(&own, EXPRESSION_PARAMETER, 0),
              y = expression_leaf(&own, EXPRESSION_PARAMETER, 1);
    int node[ONES + TWOS];
    for (int k = 0; k < ONES + TWOS; k++)
        node[k] =
            k < ONES ? expression_one(&own, of_one[k], x) : expression_two(&own, of_two[k - ONES], x, y);
    for (int bounds = 0; bounds < 7 * 7 * 7 * 7; bounds++) {
        const struct interval given[2] = {{bounds % 7 - 3, bounds / 7 % 7 - 3},
                                          {bounds / 49 % 7 - 3, bounds / 343 - 3}};
        if (given[0].low > given[0].high || given[1].low > given[1].high)
            continue;
        interval_of(interval, &own, own.nodes, given);
        for (int k = 0; k < ONES + TWOS; k++) {
            const enum expression_operation operation = k < ONES ? of_one[k] : of_two[k - ONES];
            struct interval want = {INFINITY, -INFINITY}, got = interval[node[k]];
            for (double a = given[0].low; a <= given[0].high; a += 0.5)
                for (double b = given[1].low; b <= given[1].high; b += 0.5) {
                    const double value = expression_value(operation, a, b, 0);
                    want.low = fmin(want.low, value);
                    want.high = fmax(want.high, value);
                }
            const bool logarithm = operation == EXPRESSION_LOG || operation == EXPRESSION_LOG10;
            if ((logarithm && given[0].low <= 0) || (operation == EXPRESSION_SQRT && given[0].low < 0) ||
                (operation == EXPRESSION_DIVIDE && given[1].low <= 0 && given[1].high >= 0 &&
                 (given[0].low < 0 || given[0].high > 0)))
                want = (struct interval){-INFINITY, INFINITY};
            if (operation == EXPRESSION_DIVIDE && given[0].low == 0 && given[0].high == 0)
                want = (struct interval){0, 0};
            if (operation == EXPRESSION_EQUAL) /* never certain */
                want.high = given[0].high >= given[1].low && given[0].low <= given[1].high;
            if (operation == EXPRESSION_EQUAL)
                want.low = 0;
            const double rounding = operation == EXPRESSION_DIVIDE ? 1e-15 : 0; /* by 1 / y */
            CHECK((got.low == want.low || fabs(got.low - want.low) <= rounding) &&
                      (got.high == want.high || fabs(got.high - want.high) <= rounding),
                  "operation %d of [%g, %g] and [%g, %g]: [%g, %g], want [%g, %g]", (int)operation,
                  given[0].low, given[0].high, given[1].low, given[1].high, got.low, got.high, want.low,
                  want.high);
        }
    }
    expression_free(&own);
}

int main(void)
{
    struct error error;
    CHECK_OK(expression_begin(&graph, &error), error);
    test_known();
    test_certain();
    test_held();
    test_hulls();
    expression_free(&graph);
    return 0;
}
