/* interval.c: interval arithmetic, ignoring rounding. */
#include "kernels/compiler/algebra/interval.h"

#include <math.h>

static const struct interval all = {-(double)INFINITY, (double)INFINITY};

static double product(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static struct interval of_four(double a, double b, double c, double d)
{
    return (struct interval){fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d))};
}

static struct interval times(struct interval x, struct interval y)
{
    return of_four(product(x.low, y.low), product(x.low, y.high), product(x.high, y.low),
                   product(x.high, y.high));
}

/* 1 / x */
static struct interval inverse(struct interval x)
{
    return x.low <= 0 && x.high >= 0 ? all : (struct interval){1 / x.high, 1 / x.low};
}

static struct interval magnitude(struct interval x)
{
    bool through = x.low <= 0 && x.high >= 0;
    return (struct interval){through ? 0 : fmin(fabs(x.low), fabs(x.high)), fmax(fabs(x.low), fabs(x.high))};
}

/* The interval of a truth value: 1 if certainly true (`yes`), 0 if certainly false (`no`), else [0, 1] */
static struct interval truth(bool yes, bool no)
{
    return (struct interval){yes, !no};
}

static bool is_true(struct interval x)
{
    return x.low > 0 || x.high < 0;
}

static bool is_false(struct interval x)
{
    return x.low == 0 && x.high == 0;
}

static struct interval of_one(enum expression_operation operation, struct interval x)
{
    switch (operation) {
    case EXPRESSION_NEGATE:
        return (struct interval){-x.high, -x.low};
    case EXPRESSION_EXP:
    case EXPRESSION_EXPM1:
    case EXPRESSION_FLOOR:
    case EXPRESSION_CEIL:
    case EXPRESSION_ATAN:
    case EXPRESSION_TANH: /* increasing functions */
        return (struct interval){expression_value(operation, x.low, 0, 0),
                                 expression_value(operation, x.high, 0, 0)};
    case EXPRESSION_X_OVER_EXPM1: /* a decreasing function */
        return (struct interval){x.high < (double)INFINITY ? expression_value(operation, x.high, 0, 0) : 0,
                                 x.low > -(double)INFINITY ? expression_value(operation, x.low, 0, 0)
                                                           : all.high};
    case EXPRESSION_LOG:
    case EXPRESSION_LOG10:
    case EXPRESSION_SQRT:
        return x.low > 0 || (operation == EXPRESSION_SQRT && x.low == 0)
                   ? (struct interval){expression_value(operation, x.low, 0, 0),
                                       expression_value(operation, x.high, 0, 0)}
                   : all;
    case EXPRESSION_ABS:
        return magnitude(x);
    case EXPRESSION_SIN:
    case EXPRESSION_COS:
        return magnitude(x).high < 1e5 ? (struct interval){-1, 1} : all; /* large arguments leave no
                                                                          * correct digit */
    case EXPRESSION_NOT:
        return truth(is_false(x), is_true(x));
    default:
        return all;
    }
}

/* x^n for an integer n > 0 */
static struct interval power(struct interval x, struct interval n)
{
    if (n.low != n.high || !(n.low >= 1 && n.low <= EXPRESSION_POWER_MAX) || n.low != floor(n.low))
        return all;
    if (fmod(n.low, 2) == 0)
        x = magnitude(x);
    return (struct interval){expression_power(x.low, n.low), expression_power(x.high, n.low)};
}

static struct interval of_two(const struct expression_node *node, struct interval x, struct interval y)
{
    const bool square = node->operand[0] == node->operand[1];
    switch (node->operation) {
    case EXPRESSION_ADD:
        return (struct interval){x.low + y.low, x.high + y.high};
    case EXPRESSION_SUBTRACT:
        return (struct interval){x.low - y.high, x.high - y.low};
    case EXPRESSION_MULTIPLY:
        return square ? times(magnitude(x), magnitude(x)) : times(x, y);
    case EXPRESSION_DIVIDE:
        return times(x, inverse(y));
    case EXPRESSION_POWER:
        return power(x, y);
    case EXPRESSION_LESS:
        return truth(x.high < y.low, x.low >= y.high);
    case EXPRESSION_LESS_EQUAL:
        return truth(x.high <= y.low, x.low > y.high);
    case EXPRESSION_EQUAL:
        return truth(false, x.high < y.low || x.low > y.high);
    case EXPRESSION_AND:
        return truth(is_true(x) && is_true(y), is_false(x) || is_false(y));
    case EXPRESSION_OR:
        return truth(is_true(x) || is_true(y), is_false(x) && is_false(y));
    default:
        return all;
    }
}

void interval_of(struct interval *interval, const struct expression_graph *graph, int nodes,
                 const struct interval *parameter)
{
    for (int n = 0; n < nodes; n++) {
        const struct expression_node *node = &graph->node[n];
        const int *a = node->operand;
        switch (expression_operands(node->operation)) {
        case 0:
            interval[n] = node->operation == EXPRESSION_NUMBER ? (struct interval){node->number, node->number}
                          : node->operation == EXPRESSION_V    ? (struct interval){-200, 200}
                          : node->operation == EXPRESSION_STEP ? (struct interval){0, all.high}
                          : parameter && node->operation == EXPRESSION_PARAMETER ? parameter[node->leaf]
                                                                                 : all;
            break;
        case 1:
            interval[n] = of_one(node->operation, interval[a[0]]);
            break;
        case 2:
            interval[n] = of_two(node, interval[a[0]], interval[a[1]]);
            break;
        default:
            interval[n] = (struct interval){fmin(interval[a[1]].low, interval[a[2]].low),
                                            fmax(interval[a[1]].high, interval[a[2]].high)};
        }
        if (!(interval[n].low <= interval[n].high)) /* not a number */
            interval[n] = all;
    }
}
