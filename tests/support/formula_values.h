/* formula_values.h: values of a graph's nodes at random points by the C library, with what rounding may have made of them and derivatives by
 * one leaf, and an algebra of a cell of three states and two parameters. */
#ifndef CARDIAC_TESTS_FORMULA_VALUES_H
#define CARDIAC_TESTS_FORMULA_VALUES_H

#include <string.h>

#include "kernels/compiler/algebra/algebra.h"
#include "kernels/compiler/language/cell.h"
#include "tests/support/check.h"
#include "tests/support/dice.h"

enum { STATES = 3, PARAMETERS = 2, MOST = 30000 };

static const double unit = 0x1p-52;

/* A value, by how much rounding may have changed it, its derivative by one leaf, and the same of that */
struct number {
    double x, e, d, de;
};

struct point {
    struct expression_values at;
    double state[STATES], parameter[PARAMETERS];
};

static struct expression_graph *graph;
static struct number value[MOST];
static bool sure[MOST]; /* no condition is decided by rounding */

static inline void choose_point(struct point *p)
{
    for (int s = 0; s < STATES; s++)
        p->state[s] = random_from(0.05, 0.95);
    for (int k = 0; k < PARAMETERS; k++)
        p->parameter[k] = random_from(0.5, 2);
    p->at = (struct expression_values){
        random_from(-90, 50), random_from(0, 3), random_from(0, 100), 0.02, p->state, p->parameter};
}

static inline struct number of_one(enum expression_operation operation, struct number a)
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

static inline struct number product(struct number a, struct number b)
{
    return (struct number){a.x * b.x, fabs(a.x) * b.e + fabs(b.x) * a.e + a.e * b.e + unit * fabs(a.x * b.x),
                           a.d * b.x + a.x * b.d,
                           fabs(a.d) * b.e + fabs(b.x) * a.de + fabs(a.x) * b.de + fabs(b.d) * a.e +
                               unit * (fabs(a.d * b.x) + fabs(a.x * b.d))};
}

static inline struct number inverse(struct number a)
{
    const double x = 1 / a.x;
    return (struct number){x, x * x * a.e + unit * fabs(x), -a.d * x * x,
                           x * x * a.de + 2 * fabs(a.d * x * x * x) * a.e};
}

static inline struct number power(struct number a, double y)
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

static inline struct number of_two(enum expression_operation operation, struct number a, struct number b,
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
static inline void evaluate(const struct point *p, int leaf)
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
static inline bool is_known(double x, double e)
{
    return isfinite(x) && fabs(x) < 1e12 && e < 1e-6 * (1e-3 + fabs(x));
}

static int compared;

static inline void expect(int want, int got, const char *what)
{
    const struct number a = value[want], b = value[got];
    if (!sure[want] || !sure[got] || !is_known(a.x, a.e) || !is_known(b.x, b.e))
        return;
    compared++;
    CHECK(fabs(a.x - b.x) <= 1000 * (a.e + b.e) + 1e-13 * fabs(a.x),
          "%s: node %d is %.17g, node %d %.17g (rounding %g)", what, got, b.x, want, a.x, a.e + b.e);
}

static inline int two(enum expression_operation operation, int x, int y)
{
    return expression_two(graph, operation, x, y);
}

static inline int one(enum expression_operation operation, int x)
{
    return expression_one(graph, operation, x);
}

static inline int number(double x)
{
    return expression_number(graph, x);
}

static int leaves[9];

static inline void make_leaves(void)
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

static struct cell_state states[STATES] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
static struct cell_parameter parameters[PARAMETERS] = {{.name = "p", .value = 1.2},
                                                       {.name = "q", .value = 0.7}};
static const double lowest[STATES] = {0, 0.1, -0.2}, highest[STATES] = {1, 0.8, 0.9};

static inline void begin(struct cell *cell, struct algebra *a)
{
    struct error error = {0};
    *cell =
        (struct cell){.states = STATES, .state = states, .parameters = PARAMETERS, .parameter = parameters};
    CHECK_OK(expression_begin(&cell->graph, &error), error);
    graph = &cell->graph;
    make_leaves();
    CHECK_OK(algebra_begin(a, cell, lowest, highest, &error), error);
}

static inline void end(struct cell *cell, struct algebra *a)
{
    algebra_end(a);
    expression_free(&cell->graph);
}

static inline void mark(bool *reached, int n)
{
    for (int k = 0; k < 3 && !reached[n] && graph->node[n].operand[k] >= 0; k++)
        mark(reached, graph->node[n].operand[k]);
    reached[n] = true;
}

/* Exponentials of formulas that V moves */
static inline int count_exponentials(struct algebra *a, const int *root, int roots)
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

#endif
