/* columns.c: selects formulas of one variable. */
#include "kernels/compiler/emit/columns.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/lookup.h"

/* Operations that a column must save; at a potential difference, all columns together must also save the
 * search for the row */
enum { WORTH_IN_V = 8, WORTH_AT_A_DIFFERENCE = 40 };

struct search {
    struct algebra *a;
    int nodes;
    bool *needed, *seen, *alone; /* alone: depends on the variable, and on nothing else but
                                  * constants */
    int *cost;                   /* operations, counted at each use */
    bool *top;                   /* alone, and an operand of a node that is not */
    bool *refused;               /* no column: an unknown jump, or not linear between rows */
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

/* Sets alone, top and cost for one variable, a node */
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
        for (int k = 0; k < 3 && s->needed[n] && !s->alone[n] && graph->node[n].operand[k] >= 0; k++)
            if (s->alone[graph->node[n].operand[k]])
                s->top[graph->node[n].operand[k]] = true;
}

static void add(struct emit_table *table, int consumer, int column, int argument)
{
    if (table->columns < EMIT_COLUMNS_MAX)
        table->column[table->columns++] = (struct emit_column){consumer, column, argument, 0};
}

/* Repeats the last column if their number is odd: both columns of a pair are read at the same V */
static void fill_pair(struct emit_table *table)
{
    if (table->columns % 2)
        add(table, table->column[table->columns - 1].consumer, table->column[table->columns - 1].column,
            table->column[table->columns - 1].argument);
}

/* Whether n is worth a column; call mark first */
static bool is_worth(const struct search *s, int n)
{
    return s->top[n] && s->cost[n] >= WORTH_IN_V && !s->refused[n] &&
           !expression_is_truth(s->a->graph->node[n].operation);
}

static void choose_in_v(struct search *s, struct emit_table *table, const int *root, int roots)
{
    int v = expression_leaf(s->a->graph, EXPRESSION_V, -1);
    mark(s, v);
    for (int k = 0; k < roots; k++)
        s->top[root[k]] |= s->alone[root[k]];
    memset(s->seen, 0, (size_t)s->nodes);
    for (int k = 0; k < roots; k++) {
        algebra_reach_from(s->a->graph, s->needed, root[k], &root[k], 1);
        for (int n = 0; n <= root[k]; n++)
            if (s->needed[n] && !s->seen[n] && is_worth(s, n)) {
                s->seen[n] = true;
                add(table, n, n, v);
            }
    }
    fill_pair(table);
}

/* Adds the functions of a difference V + x */
static void choose_at(struct search *s, struct emit_table *table, int difference)
{
    int v = expression_leaf(s->a->graph, EXPRESSION_V, -1), saved = 0;
    mark(s, difference);
    for (int n = 0; n < s->nodes; n++)
        if (is_worth(s, n))
            saved += s->cost[n];
    for (int n = 0; n < s->nodes && saved >= WORTH_AT_A_DIFFERENCE; n++)
        if (is_worth(s, n))
            add(table, n, algebra_replace(s->a, n, difference, v), difference);
    fill_pair(table);
}

static void choose(struct search *s, struct emit_table *table, const int *root, int roots)
{
    const int v = expression_leaf(s->a->graph, EXPRESSION_V, -1), last = s->nodes;
    algebra_reach_from(s->a->graph, s->needed, s->nodes - 1, root, roots);
    for (int n = 0; n < last; n++) {
        const struct expression_node node = s->a->graph->node[n];
        bool has_v = node.operand[0] == v || node.operand[1] == v;
        if (s->needed[n] && node.operation == EXPRESSION_ADD && has_v && algebra_on(s->a, n) != ALGEBRA_V &&
            !s->a->graph->status)
            choose_at(s, table, n);
    }
    choose_in_v(s, table, root, roots);
}

/* Whether n is slope V + offset with constant slope and offset */
static bool is_line(struct algebra *a, int n)
{
    const struct expression_node *node = algebra_node(a, n);
    const int x = node->operand[0], y = node->operand[1];
    switch (node->operation) {
    case EXPRESSION_NEGATE:
        return is_line(a, x);
    case EXPRESSION_ADD:
        return is_line(a, x) && is_line(a, y);
    case EXPRESSION_MULTIPLY:
        return (algebra_constant(a, x) && is_line(a, y)) || (algebra_constant(a, y) && is_line(a, x));
    case EXPRESSION_DIVIDE:
        return algebra_constant(a, y) && is_line(a, x);
    default:
        return node->operation == EXPRESSION_V || algebra_constant(a, n);
    }
}

/* Adds condition n to the jumps of the table and of the column; false if the table is full */
static bool add_jump(struct emit_table *table, struct emit_column *column, int n)
{
    int k = 0;
    while (k < table->jumps && table->jump[k] != n)
        k++;
    if (k == EMIT_JUMPS_MAX)
        return false;
    table->jump[k] = n;
    table->jumps += k == table->jumps;
    column->jumps |= (uint64_t)1 << k;
    return true;
}

/* Reduces a condition to conditions that each change at a single V and adds them; false if impossible */
static bool find_turns(struct emit_table *table, struct emit_column *column, struct algebra *a, int n)
{
    const struct expression_node node = *algebra_node(a, n);
    const int x = node.operand[0], y = node.operand[1],
              side = algebra_operation(a, x) == EXPRESSION_ABS ? x : y;
    if (is_line(a, x) && is_line(a, y))
        return add_jump(table, column, n);
    const int line = algebra_node(a, side)->operand[0], reach = side == x ? y : x;
    if (algebra_operation(a, side) != EXPRESSION_ABS || !is_line(a, line) || !algebra_constant(a, reach))
        return false;
    int above = expression_two(a->graph, EXPRESSION_LESS, line, reach);
    int below = expression_two(a->graph, EXPRESSION_LESS, algebra_negative(a, line), reach);
    return add_jump(table, column, above) && add_jump(table, column, below);
}

/* Whether n is y or e^y - 1, replaced by 1 at y = 0, and the formula has both: the quotient has no jump */
static bool is_removed(const struct expression_graph *graph, const bool *reached, int nodes, int n)
{
    const struct expression_node *node = &graph->node[n];
    bool whole = false, shrunk = false;
    for (int k = 0; k < nodes; k++) {
        const struct expression_node *other = &graph->node[k];
        if (!reached[k] || other->operation != EXPRESSION_SELECT || other->operand[0] != node->operand[0] ||
            !expression_is(graph, other->operand[1], 1))
            continue;
        whole |= graph->node[other->operand[2]].operation != EXPRESSION_EXPM1;
        shrunk |= graph->node[other->operand[2]].operation == EXPRESSION_EXPM1;
    }
    return whole && shrunk;
}

/* Whether n is used only as a condition */
static bool only_chooses(const struct expression_graph *graph, const bool *reached, int nodes, int n)
{
    for (int k = 0; k < nodes; k++)
        for (int j = 0; j < 3 && reached[k]; j++)
            if (graph->node[k].operand[j] == n && (graph->node[k].operation != EXPRESSION_SELECT || j > 0))
                return false;
    return true;
}

/* Whether all jumps of a formula are known; adds them to the table */
static bool is_known(struct emit_table *table, struct emit_column *of, struct algebra *a, bool *reached)
{
    const int column = of->column;
    bool good = true;
    const struct expression_graph *graph = a->graph;
    algebra_reach_from(graph, reached, column, &column, 1);
    for (int n = 0; n <= column && good; n++) {
        const struct expression_node node = graph->node[n];
        if (!reached[n] || !(algebra_on(a, n) & ALGEBRA_V))
            continue;
        if (node.operation == EXPRESSION_LESS)
            good = find_turns(table, of, a, n);
        else if (node.operation == EXPRESSION_FLOOR || node.operation == EXPRESSION_CEIL)
            good = false;
        else if (node.operation == EXPRESSION_EQUAL)
            good = only_chooses(graph, reached, column + 1, n);
        else if (node.operation == EXPRESSION_SELECT && (algebra_on(a, node.operand[0]) & ALGEBRA_V))
            good = expression_is_truth(graph->node[node.operand[0]].operation) &&
                   (graph->node[node.operand[0]].operation != EXPRESSION_EQUAL ||
                    is_removed(graph, reached, column + 1, n));
    }
    return good;
}

/* Refuses columns with jumps that are not known; true if there were any */
static bool refuse_unknown(struct search *s, struct emit_table *table)
{
    bool any = false, *reached = calloc((size_t)s->a->graph->nodes, sizeof *reached);
    if (!reached)
        s->a->graph->status = STATUS_RUN;
    table->jumps = 0;
    for (int k = 0; k < table->columns && reached; k++)
        if (!is_known(table, &table->column[k], s->a, reached))
            any = s->refused[table->column[k].consumer] = true;
    free(reached);
    return any;
}

/* list[] <- the nodes that the columns and jump conditions compute from V, operands first; returns how many.
 * reached: room for all nodes */
static int list_computed(int *list, bool *reached, struct search *s, const struct emit_table *table)
{
    const struct expression_graph *graph = s->a->graph;
    const int nodes = graph->nodes;
    int count = 0;
    memset(reached, 0, (size_t)nodes);
    for (int k = 0; k < table->columns; k++)
        reached[table->column[k].column] = true;
    for (int k = 0; k < table->jumps; k++)
        reached[table->jump[k]] = true;
    algebra_reach(graph, reached, nodes - 1);
    for (int n = 0; n < nodes; n++)
        if (reached[n] && graph->node[n].operand[0] >= 0 && (algebra_on(s->a, n) & ALGEBRA_V))
            list[count++] = n;
    return count;
}

/* Evaluates the listed nodes at V = v; returns the bit mask of the table's jump conditions that are true */
static uint64_t evaluate(struct search *s, const struct emit_table *table, double *value, const int *list,
                         int count, double v)
{
    const struct expression_graph *graph = s->a->graph;
    uint64_t truths = 0;
    value[expression_leaf(s->a->graph, EXPRESSION_V, -1)] = v;
    for (int k = 0; k < count; k++) {
        const struct expression_node *node = &graph->node[list[k]];
        const int *x = node->operand;
        value[list[k]] = expression_value(node->operation, value[x[0]], x[1] < 0 ? 0 : value[x[1]],
                                          x[2] < 0 ? 0 : value[x[2]]);
    }
    for (int k = 0; k < table->jumps; k++)
        truths |= (uint64_t)(value[table->jump[k]] != 0) << k;
    return truths;
}

/* Refuses columns that are not linear between rows with the default parameters; true if there were any. A
 * table checks its own parameters (tables.c). */
static bool refuse(struct search *s, struct emit_table *table, double *value)
{
    const int nodes = s->a->graph->nodes;
    double first[EMIT_COLUMNS_MAX], middle[EMIT_COLUMNS_MAX];
    bool any = false, *reached = calloc((size_t)nodes, sizeof *reached);
    int *list = calloc((size_t)nodes, sizeof *list);
    const bool room = reached && list;
    if (!room)
        s->a->graph->status = STATUS_RUN;
    const int count = room ? list_computed(list, reached, s, table) : 0;
    for (int n = 0; n < nodes && room; n++)
        value[n] = algebra_values(s->a, n)[0];
    for (int row = 0; row < 4000 && room; row++) {
        const double v = -200 + row / 10.0, next = -200 + (row + 1) / 10.0;
        uint64_t changed = evaluate(s, table, value, list, count, v);
        for (int k = 0; k < table->columns; k++)
            first[k] = value[table->column[k].column];
        evaluate(s, table, value, list, count, 0.5 * (v + next));
        for (int k = 0; k < table->columns; k++)
            middle[k] = value[table->column[k].column];
        changed ^= evaluate(s, table, value, list, count, next - LOOKUP_JUST_BELOW);
        for (int k = 0; k < table->columns; k++)
            if (!lookup_is_line(first[k], middle[k], value[table->column[k].column],
                                changed & table->column[k].jumps))
                any = s->refused[table->column[k].consumer] = true;
    }
    free(list);
    free(reached);
    return any;
}

enum status columns_choose(struct emit_table *table, struct algebra *a, const int *root, int roots,
                           struct error *error)
{
    enum status status = STATUS_OK;
    struct search s = {.a = a, .nodes = a->graph->nodes};
    *table = (struct emit_table){0};
    bool again = true;
    s.needed = array_zeroed(5 * (int64_t)s.nodes, sizeof *s.needed, "a model's tables", &status, error);
    s.cost = array_zeroed(s.nodes, sizeof *s.cost, "a model's tables", &status, error);
    if (!status) {
        s.seen = s.needed + s.nodes;
        s.alone = s.seen + s.nodes;
        s.top = s.alone + s.nodes;
        s.refused = s.top + s.nodes;
        double *value = NULL;
        do {
            table->columns = 0;
            choose(&s, table, root, roots);
            if (refuse_unknown(&s, table))
                continue;
            free(value);
            value = array_new(a->graph->nodes, sizeof *value, "a model's tables", &status, error);
            again = !status && refuse(&s, table, value);
        } while (!status && !a->graph->status && again);
        free(value);
        if (table->columns < COLUMNS_MIN)
            table->columns = 0;
    }
    free(s.needed);
    free(s.cost);
    return status;
}

enum status columns_operations(int *operations, struct algebra *a, const int *root, int roots,
                               struct error *error)
{
    const int nodes = a->graph->nodes;
    enum status status = STATUS_OK;
    bool *reached = array_zeroed(nodes, sizeof *reached, "a model's formulas", &status, error);
    TRY(status);
    *operations = 0;
    algebra_reach_from(a->graph, reached, nodes - 1, root, roots);
    for (int n = 0; n < nodes; n++)
        if (reached[n] && expression_operands(algebra_operation(a, n)) && !algebra_constant(a, n))
            *operations += cost_of(algebra_operation(a, n));
    free(reached);
    return STATUS_OK;
}
