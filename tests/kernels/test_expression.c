/* test_expression.c: graphs of formulas: equal nodes are one, numbers fold and vanish as in arithmetic, values are those of the C library, and
 * dependence, replaced leaves and slopes those of plain recursions; also when a graph grows large. */
#include "kernels/compiler/language/expression.h"

#include <string.h>

#include "tests/support/check.h"
#include "tests/support/dice.h"

enum { NODES = 4000 };

static struct expression_graph graph;

static double plain_value(enum expression_operation operation, double a, double b, double c)
{
    switch (operation) {
    case EXPRESSION_NEGATE:
        return -a;
    case EXPRESSION_NOT:
        return a == 0;
    case EXPRESSION_EXP:
        return exp(a);
    case EXPRESSION_EXPM1:
        return expm1(a);
    case EXPRESSION_X_OVER_EXPM1:
        return a == 0 ? 1 : a / expm1(a);
    case EXPRESSION_LOG:
        return log(a);
    case EXPRESSION_LOG10:
        return log10(a);
    case EXPRESSION_SQRT:
        return sqrt(a);
    case EXPRESSION_ABS:
        return fabs(a);
    case EXPRESSION_FLOOR:
        return floor(a);
    case EXPRESSION_CEIL:
        return ceil(a);
    case EXPRESSION_SIN:
        return sin(a);
    case EXPRESSION_COS:
        return cos(a);
    case EXPRESSION_TAN:
        return tan(a);
    case EXPRESSION_ASIN:
        return asin(a);
    case EXPRESSION_ACOS:
        return acos(a);
    case EXPRESSION_ATAN:
        return atan(a);
    case EXPRESSION_TANH:
        return tanh(a);
    case EXPRESSION_ADD:
        return a + b;
    case EXPRESSION_SUBTRACT:
        return a - b;
    case EXPRESSION_MULTIPLY:
        return a * b;
    case EXPRESSION_DIVIDE:
        return a / b;
    case EXPRESSION_POWER:
        return pow(a, b);
    case EXPRESSION_LESS:
        return a < b;
    case EXPRESSION_LESS_EQUAL:
        return a <= b;
    case EXPRESSION_EQUAL:
        return a == b;
    case EXPRESSION_AND:
        return a != 0 && b != 0;
    case EXPRESSION_OR:
        return a != 0 || b != 0;
    default:
        return a != 0 ? b : c;
    }
}

static bool is_close(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-13 * fabs(b);
}

/* Every operation on telling numbers, also when they are folded */
static void test_values(void)
{
    static const double some[] = {-65, -64, -3, -2.5, -1,   -0.5, 0,    0.25, 0.5,
                                  1,   1.5, 2,  3,    7.25, 64,   64.5, 65};
    enum { SOME = sizeof some / sizeof *some };
    for (int k = EXPRESSION_NEGATE; k < EXPRESSION_OPERATIONS; k++) {
        const enum expression_operation operation = (enum expression_operation)k;
        const int operands = expression_operands(operation);
        CHECK(operands == (k < EXPRESSION_ADD      ? 1
                           : k < EXPRESSION_SELECT ? 2
                                                   : 3),
              "operation %d of %d operands", k, operands);
        const bool truth = operation == EXPRESSION_NOT || (k >= EXPRESSION_LESS && k <= EXPRESSION_OR);
        CHECK(expression_is_truth(operation) == truth, "operation %d", k);
        for (int i = 0; i < SOME; i++)
            for (int j = 0; j < (operands > 1 ? SOME : 1); j++) {
                const double a = some[i], b = some[j], got = expression_value(operation, a, b, 5),
                             want = plain_value(operation, a, b, 5);
                const bool negative_zero = operation == EXPRESSION_CEIL; /* whose sign is another */
                CHECK(is_close(got, want) || (negative_zero && got == want),
                      "operation %d of %g, %g: %.17g, want %.17g", k, a, b, got, want);
                if (operands == 3)
                    continue;
                const int x = expression_number(&graph, a), y = expression_number(&graph, b),
                          n = operands == 1 ? expression_one(&graph, operation, x)
                                            : expression_two(&graph, operation, x, y);
                CHECK(graph.node[n].operation == EXPRESSION_NUMBER && is_close(graph.node[n].number, want),
                      "operation %d of %g, %g is folded to %g", k, a, b, graph.node[n].number);
            }
    }
    for (int leaf = 0; leaf < EXPRESSION_NEGATE; leaf++)
        CHECK(expression_operands((enum expression_operation)leaf) == 0 &&
                  !expression_is_truth((enum expression_operation)leaf),
              "leaf %d", leaf);
}

/* x with each of -1, 0, 1 and 2 on either side; -1: the node of the operation itself, else which node it is */
static void test_numbers(void)
{
    const int x = expression_leaf(&graph, EXPRESSION_V, -1),
              minus = expression_one(&graph, EXPRESSION_NEGATE, x);
    const int n[] = {expression_number(&graph, -1), expression_number(&graph, 0),
                     expression_number(&graph, 1), expression_number(&graph, 2)};
    const struct {
        enum expression_operation operation;
        int right[4], left[4]; /* x . n, n . x */
    } table[] = {{EXPRESSION_ADD, {-1, x, -1, -1}, {-1, x, -1, -1}},
                 {EXPRESSION_SUBTRACT, {-1, x, -1, -1}, {-1, minus, -1, -1}},
                 {EXPRESSION_MULTIPLY, {minus, n[1], x, -1}, {minus, n[1], x, -1}},
                 {EXPRESSION_DIVIDE, {minus, -1, x, -1}, {-1, n[1], -1, -1}},
                 {EXPRESSION_POWER, {-1, -1, -1, -1}, {-1, -1, -1, -1}},
                 {EXPRESSION_LESS, {-1, -1, -1, -1}, {-1, -1, -1, -1}}};
    CHECK(n[1] == 0 && expression_one(&graph, EXPRESSION_NEGATE, minus) == x, "-(-x)");
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        for (int j = 0; j < 8; j++) {
            const int a = j < 4 ? x : n[j - 4], b = j < 4 ? n[j] : x,
                      want = j < 4 ? table[k].right[j] : table[k].left[j - 4];
            const int got = expression_two(&graph, table[k].operation, a, b);
            const struct expression_node *node = &graph.node[got];
            CHECK(want >= 0 ? got == want
                            : node->operation == table[k].operation && node->operand[0] == a &&
                                  node->operand[1] == b,
                  "operation %d, case %d: node %d, want %d", (int)table[k].operation, j, got, want);
            CHECK(expression_two(&graph, table[k].operation, a, b) == got, "it is made twice");
        }
    for (int k = 0; k < 4; k++)
        CHECK(expression_is(&graph, n[k], k - 1) && !expression_is(&graph, n[k], k) &&
                  !expression_is(&graph, x, 0),
              "number %d", k - 1);
    const int less = expression_two(&graph, EXPRESSION_LESS, x, n[3]);
    CHECK(expression_select(&graph, less, x, x) == x && expression_select(&graph, n[2], x, minus) == x &&
              expression_select(&graph, n[1], x, minus) == minus,
          "a choice that is none");
    const int chosen = expression_select(&graph, less, x, minus);
    CHECK(graph.node[chosen].operation == EXPRESSION_SELECT && graph.node[chosen].operand[0] == less &&
              graph.node[chosen].operand[1] == x && graph.node[chosen].operand[2] == minus,
          "a choice");
    expression_name(&graph, chosen, 3);
    expression_name(&graph, chosen, 4);
    expression_name(&graph, x, 5);
    CHECK(graph.node[chosen].quantity == 3 && graph.node[x].quantity == 0, "names %d, %d",
          graph.node[chosen].quantity, graph.node[x].quantity);
    CHECK(expression_number(&graph, -0.0) != 0 &&
              expression_number(&graph, (double)NAN) == expression_number(&graph, (double)NAN),
          "numbers by their bits");
    CHECK(expression_leaf(&graph, EXPRESSION_STATE, 0) != expression_leaf(&graph, EXPRESSION_STATE, 1) &&
              expression_leaf(&graph, EXPRESSION_STATE, 1) !=
                  expression_leaf(&graph, EXPRESSION_PARAMETER, 1) &&
              expression_leaf(&graph, EXPRESSION_STATE, 1) == expression_leaf(&graph, EXPRESSION_STATE, 1),
          "leaves");
}

static bool reaches(int n, enum expression_operation leaf)
{
    const struct expression_node *node = &graph.node[n];
    bool found = node->operation == leaf;
    for (int k = 0; k < expression_operands(node->operation); k++)
        found = found || reaches(node->operand[k], leaf);
    return found;
}

/* A formula at random, most of which are linear in the stimulus */
static void grow(int count)
{
    static const enum expression_operation both[] = {EXPRESSION_ADD, EXPRESSION_SUBTRACT, EXPRESSION_MULTIPLY,
                                                     EXPRESSION_DIVIDE, EXPRESSION_LESS},
                                           ones[] = {EXPRESSION_NEGATE, EXPRESSION_SIN, EXPRESSION_TANH};
    const int first =
        graph.nodes > 40 ? graph.nodes - 40 : 0; /* deep, but not too deep to be recursed through */
    while (count-- > 0) {
        const int a = first + below(graph.nodes - first), b = first + below(graph.nodes - first),
                  c = first + below(graph.nodes - first);
        switch (below(6)) {
        case 0:
            expression_one(&graph, ones[below(3)], a);
            break;
        case 1:
            expression_select(&graph, expression_two(&graph, EXPRESSION_LESS, a, b), b, c);
            break;
        case 2:
            expression_number(&graph, random_from(-2, 2));
            break;
        default:
            expression_two(&graph, both[below(5)], a, b);
        }
    }
}

static void test_graphs(void)
{
    static const enum expression_operation kinds[] = {EXPRESSION_V,         EXPRESSION_STATE,
                                                      EXPRESSION_PARAMETER, EXPRESSION_STIMULUS,
                                                      EXPRESSION_TIME,      EXPRESSION_STEP};
    for (int round = 0; round < 150; round++) {
        struct error error = {0};
        static double value[NODES], moved[NODES];
        static unsigned on[NODES];
        static int as[NODES], by[NODES];
        double state[3], parameter[2];
        CHECK_OK(expression_begin(&graph, &error), error);
        for (int k = 0; k < 6; k++)
            for (int leaf = 0; leaf < (k == 1 ? 3 : k == 2 ? 2 : 1); leaf++)
                expression_leaf(&graph, kinds[k], k == 1 || k == 2 ? leaf : -1);
        grow(30);
        const int nodes = graph.nodes, stimulus = expression_leaf(&graph, EXPRESSION_STIMULUS, -1);
        for (int k = 0; k < 3; k++)
            state[k] = random_from(-1, 1);
        parameter[0] = random_from(0.5, 2);
        parameter[1] = random_from(0.5, 2);
        struct expression_values at = {random_from(-2, 2), random_from(1, 3), random_from(0, 5), 0.02, state,
                                       parameter};
        expression_evaluate(&graph, &at, nodes, value);
        expression_leaves(&graph, on, nodes);
        for (int n = 0; n < nodes; n++) {
            const struct expression_node *node = &graph.node[n];
            const int *a = node->operand;
            const double want = node->operation == EXPRESSION_NUMBER      ? node->number
                                : node->operation == EXPRESSION_V         ? at.v
                                : node->operation == EXPRESSION_STATE     ? state[node->leaf]
                                : node->operation == EXPRESSION_PARAMETER ? parameter[node->leaf]
                                : node->operation == EXPRESSION_STIMULUS  ? at.stimulus
                                : node->operation == EXPRESSION_TIME      ? at.time
                                : node->operation == EXPRESSION_STEP
                                    ? at.step
                                    : plain_value(node->operation, value[a[0]], a[1] < 0 ? 0 : value[a[1]],
                                                  a[2] < 0 ? 0 : value[a[2]]);
            CHECK(is_close(value[n], want), "node %d is %.17g, want %.17g", n, value[n], want);
            for (int k = 0; k < 6; k++) {
                const bool there = reaches(n, kinds[k]);
                CHECK((on[n] >> kinds[k] & 1) == there && expression_depends(&graph, n, kinds[k]) == there,
                      "node %d and leaf %d", n, k);
            }
        }
        /* the stimulus replaced by V + 1: as if it had that value */
        const int to = expression_two(&graph, EXPRESSION_ADD, expression_leaf(&graph, EXPRESSION_V, -1),
                                      expression_number(&graph, 1));
        expression_replace_leaf(&graph, as, on, nodes, EXPRESSION_STIMULUS, to);
        expression_evaluate(&graph, &at, graph.nodes, moved);
        struct expression_values other = at;
        other.stimulus = at.v + 1;
        expression_evaluate(&graph, &other, nodes, value);
        for (int n = 0; n < nodes; n++)
            CHECK(is_close(moved[as[n]], value[n]) || fabs(moved[as[n]]) > 1e9,
                  "node %d replaced is %.17g, want %.17g", n, moved[as[n]], value[n]);
        CHECK(!expression_depends(&graph, as[nodes - 1], EXPRESSION_STIMULUS), "a stimulus is left");
        /* a slope, where there is one, is that between three values; what is nowhere linear has none */
        expression_evaluate(&graph, &at, nodes, moved);
        for (int n = 0; n < nodes; n++) {
            static double third[NODES], slopes[NODES];
            const int slope = expression_slope(&graph, n, by, on, EXPRESSION_STIMULUS);
            if (slope < 0)
                continue;
            struct expression_values last = at;
            last.stimulus = 2 * other.stimulus - at.stimulus;
            expression_evaluate(&graph, &last, nodes, third);
            expression_evaluate(&graph, &at, graph.nodes, slopes);
            const double change = value[n] - moved[n], size = fabs(value[n]) + fabs(moved[n]);
            if (!(size < 1e6))
                continue;
            CHECK(fabs(third[n] - value[n] - change) <= 1e-9 * size, "node %d is not linear: %g, %g, %g", n,
                  moved[n], value[n], third[n]);
            CHECK(fabs(slopes[slope] * (other.stimulus - at.stimulus) - change) <= 1e-9 * size,
                  "the slope of node %d is %g", n, slopes[slope]);
        }
        const int half = expression_two(&graph, EXPRESSION_MULTIPLY, stimulus,
                                        expression_leaf(&graph, EXPRESSION_STATE, 0)),
                  square = expression_two(&graph, EXPRESSION_MULTIPLY, half, stimulus),
                  under = expression_two(&graph, EXPRESSION_DIVIDE, half, stimulus),
                  sine = expression_one(&graph, EXPRESSION_SIN, stimulus),
                  less = expression_two(&graph, EXPRESSION_LESS, stimulus, half),
                  chosen = expression_select(&graph, less, half, stimulus);
        expression_leaves(&graph, on, graph.nodes);
        CHECK(expression_slope(&graph, half, by, on, EXPRESSION_STIMULUS) >= 0 &&
                  expression_slope(&graph, square, by, on, EXPRESSION_STIMULUS) < 0 &&
                  expression_slope(&graph, under, by, on, EXPRESSION_STIMULUS) < 0 &&
                  expression_slope(&graph, sine, by, on, EXPRESSION_STIMULUS) < 0 &&
                  expression_slope(&graph, chosen, by, on, EXPRESSION_STIMULUS) < 0,
              "what is linear");
        CHECK(!graph.status && graph.nodes < NODES, "%d nodes", graph.nodes);
        expression_free(&graph);
    }
}

/* Nodes stay what they were, and are found again, as the graph grows */
static void test_growth(void)
{
    struct error error = {0};
    enum { MANY = 5000 };
    static int node[MANY];
    CHECK_OK(expression_begin(&graph, &error), error);
    const int v = expression_leaf(&graph, EXPRESSION_V, -1);
    for (int k = 0; k < MANY; k++)
        node[k] = expression_two(&graph, EXPRESSION_ADD, v, expression_number(&graph, k + 2));
    CHECK(graph.nodes == 2 + 2 * MANY && graph.slots > 2 * graph.nodes &&
              (graph.slots & (graph.slots - 1)) == 0,
          "%d nodes in %d slots", graph.nodes, graph.slots);
    for (int k = 0; k < MANY; k++)
        CHECK(expression_two(&graph, EXPRESSION_ADD, v, expression_number(&graph, k + 2)) == node[k],
              "node %d is made again", k);
    CHECK(graph.nodes == 2 + 2 * MANY, "%d nodes", graph.nodes);
    expression_free(&graph);
    CHECK(!graph.node && !graph.slots, "freed");
}

int main(void)
{
    struct error error = {0};
    CHECK_OK(expression_begin(&graph, &error), error);
    CHECK(graph.nodes == 1 && expression_is(&graph, 0, 0), "node 0");
    test_numbers();
    test_values();
    expression_free(&graph);
    test_graphs();
    test_growth();
    return 0;
}
