/* columns.c: formulas of one variable. */
#include "kernels/ionic/compiler/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

/* Operations that a column must save; at a difference it must pay for finding the row, too */
enum { WORTH_IN_V = 8, WORTH_AT_A_DIFFERENCE = 40 };

/* Of a column's two ends of a row: how far its middle may be off their line. Rows are 0.1 mV (ionic.h), and
 * an end is the limit from below (tables.c), so much below, mV. */
#define OFF_A_LINE 0.01
#define JUST_BELOW 0x1p-36

struct search {
    struct algebra *a;
    int nodes;
    bool *wanted, *seen, *alone; /* alone: on the variable and constants only, and on the variable */
    int *cost;                   /* operations, those that are used twice counted twice */
    bool *top;                   /* alone, and wanted by one that is not */
    bool *refused;               /* not finite at some V of a table */
};

static int cost_of(enum expression_operation operation)
{
    switch (operation) {
    case EXPRESSION_EXP:
    case EXPRESSION_EXPM1:
    case EXPRESSION_SIN:
    case EXPRESSION_COS:
        return 15;
    case EXPRESSION_LOG:
    case EXPRESSION_POWER:
    case EXPRESSION_ASIN:
    case EXPRESSION_ACOS:
    case EXPRESSION_ATAN:
    case EXPRESSION_TANH:
        return 25;
    case EXPRESSION_DIVIDE:
    case EXPRESSION_SQRT:
        return 8;
    default:
        return 1;
    }
}

static bool is_truth(enum expression_operation operation)
{
    return operation == EXPRESSION_NOT || (operation >= EXPRESSION_LESS && operation <= EXPRESSION_OR);
}

/* alone and top for one variable, a node */
static void mark(struct search *s, int variable)
{
    const struct expression_graph *graph = s->a->graph;
    memset(s->top, 0, (size_t)s->nodes);
    for (int n = 0; n < s->nodes; n++) {
        const struct expression_node *node = &graph->node[n];
        bool only = true, on = n == variable;
        s->cost[n] =
            expression_operands(node->operation) && !algebra_constant(s->a, n) ? cost_of(node->operation) : 0;
        for (int k = 0; k < 3 && node->operand[k] >= 0 && n != variable; k++) {
            int x = node->operand[k];
            only &= s->alone[x] || algebra_constant(s->a, x);
            on |= s->alone[x];
            s->cost[n] = s->cost[n] + s->cost[x] < 1000 ? s->cost[n] + s->cost[x] : 1000;
        }
        if (n == variable)
            s->cost[n] = 0;
        s->alone[n] = on && (n == variable || (expression_operands(node->operation) && only));
    }
    for (int n = 0; n < s->nodes; n++)
        for (int k = 0; k < 3 && s->wanted[n] && !s->alone[n] && graph->node[n].operand[k] >= 0; k++)
            if (s->alone[graph->node[n].operand[k]])
                s->top[graph->node[n].operand[k]] = true;
}

static void add(struct emit_table *table, int consumer, int column, int argument)
{
    if (table->columns < COLUMNS_MAX)
        table->column[table->columns++] = (struct emit_column){consumer, column, argument};
}

/* Pairs are read at one V */
static void fill_pair(struct emit_table *table)
{
    if (table->columns % 2)
        add(table, table->column[table->columns - 1].consumer, table->column[table->columns - 1].column,
            table->column[table->columns - 1].argument);
}

static void choose_in_v(struct search *s, struct emit_table *table, const int *root, int roots)
{
    int v = expression_leaf(s->a->graph, EXPRESSION_V, -1);
    mark(s, v);
    for (int k = 0; k < roots; k++)
        s->top[root[k]] |= s->alone[root[k]];
    memset(s->seen, 0, (size_t)s->nodes);
    for (int k = 0; k < roots; k++) {
        memset(s->wanted, 0, (size_t)s->nodes);
        s->wanted[root[k]] = true;
        algebra_reach(s->a->graph, s->wanted, root[k]);
        for (int n = 0; n <= root[k]; n++)
            if (s->wanted[n] && s->top[n] && !s->seen[n] && s->cost[n] >= WORTH_IN_V && !s->refused[n] &&
                !is_truth(s->a->graph->node[n].operation)) {
                s->seen[n] = true;
                add(table, n, n, v);
            }
    }
    fill_pair(table);
}

/* Functions of a difference V + x */
static void choose_at(struct search *s, struct emit_table *table, int difference)
{
    int v = expression_leaf(s->a->graph, EXPRESSION_V, -1), saved = 0;
    mark(s, difference);
    for (int n = 0; n < s->nodes; n++)
        if (s->top[n] && s->cost[n] >= WORTH_IN_V && !s->refused[n] &&
            !is_truth(s->a->graph->node[n].operation))
            saved += s->cost[n];
    for (int n = 0; n < s->nodes && saved >= WORTH_AT_A_DIFFERENCE; n++)
        if (s->top[n] && s->cost[n] >= WORTH_IN_V && !s->refused[n] &&
            !is_truth(s->a->graph->node[n].operation))
            add(table, n, algebra_replace(s->a, n, difference, v), difference);
    fill_pair(table);
}

static void choose(struct search *s, struct emit_table *table, const int *root, int roots)
{
    const int v = expression_leaf(s->a->graph, EXPRESSION_V, -1), last = s->nodes;
    memset(s->wanted, 0, (size_t)s->nodes);
    for (int k = 0; k < roots; k++)
        s->wanted[root[k]] = true;
    algebra_reach(s->a->graph, s->wanted, s->nodes - 1);
    for (int n = 0; n < last; n++) {
        const struct expression_node node = s->a->graph->node[n];
        bool has_v = node.operand[0] == v || node.operand[1] == v;
        if (s->wanted[n] && node.operation == EXPRESSION_ADD && has_v && algebra_on(s->a, n) != ALGEBRA_V &&
            !s->a->graph->status)
            choose_at(s, table, n);
    }
    choose_in_v(s, table, root, roots);
}

/* What the columns are at that V, in value[] of all nodes */
static void evaluate(struct search *s, double *value, const bool *reached, int nodes, double v)
{
    const struct expression_graph *graph = s->a->graph;
    value[expression_leaf(s->a->graph, EXPRESSION_V, -1)] = v;
    for (int n = 0; n < nodes; n++) {
        const int *x = graph->node[n].operand;
        if (reached[n] && x[0] >= 0 && (algebra_on(s->a, n) & ALGEBRA_V))
            value[n] = expression_value(graph->node[n].operation, value[x[0]], x[1] < 0 ? 0 : value[x[1]],
                                        x[2] < 0 ? 0 : value[x[2]]);
    }
}

/* Whether columns were refused: a formula that a condition keeps from 0 / 0 is not finite there in itself;
 * one that jumps or turns between rows is no line from one to the next */
static bool refuse(struct search *s, struct emit_table *table, double *value)
{
    const int nodes = s->a->graph->nodes;
    double before[COLUMNS_MAX], middle[COLUMNS_MAX];
    bool any = false, *reached = calloc((size_t)nodes, sizeof *reached);
    if (!reached)
        s->a->graph->status = STATUS_RUN;
    for (int k = 0; k < table->columns && reached; k++)
        reached[table->column[k].column] = true;
    if (reached)
        algebra_reach(s->a->graph, reached, nodes - 1);
    for (int n = 0; n < nodes && reached; n++)
        value[n] = algebra_values(s->a, n)[0];
    for (int half = 0; half <= 8000 && reached; half++) {
        /* the end of a row is the limit from below */
        evaluate(s, value, reached, nodes, -200 + half / 20.0 - (half % 2 ? 0 : JUST_BELOW));
        for (int k = 0; k < table->columns; k++) {
            const double now = value[table->column[k].column];
            bool good = fabs(now) < 1e30;
            if (half % 2)
                middle[k] = now;
            else if (half && !(fabs(0.5 * (before[k] + now) - middle[k]) <=
                               OFF_A_LINE * (fabs(before[k]) + fabs(now))))
                good = false;
            any |= !good;
            s->refused[table->column[k].consumer] |= !good;
        }
        if (half % 2)
            continue;
        evaluate(s, value, reached, nodes, -200 + half / 20.0);
        for (int k = 0; k < table->columns; k++)
            before[k] = value[table->column[k].column];
    }
    free(reached);
    return any;
}

enum status columns_choose(struct emit_table *table, struct emit_column *column, struct algebra *a,
                           const int *root, int roots, struct error *error)
{
    enum status status = STATUS_OK;
    struct search s = {.a = a, .nodes = a->graph->nodes};
    *table = (struct emit_table){0, column};
    s.wanted = array_zeroed(5 * (int64_t)s.nodes, sizeof *s.wanted, "a model's tables", &status, error);
    s.cost = array_zeroed(s.nodes, sizeof *s.cost, "a model's tables", &status, error);
    if (!status) {
        s.seen = s.wanted + s.nodes;
        s.alone = s.seen + s.nodes;
        s.top = s.alone + s.nodes;
        s.refused = s.top + s.nodes;
        double *value = NULL;
        do {
            table->columns = 0;
            choose(&s, table, root, roots);
            free(value);
            value = array_new(a->graph->nodes, sizeof *value, "a model's tables", &status, error);
        } while (!status && !a->graph->status && refuse(&s, table, value));
        free(value);
        if (table->columns < COLUMNS_MIN)
            table->columns = 0;
    }
    free(s.wanted);
    free(s.cost);
    return status;
}
