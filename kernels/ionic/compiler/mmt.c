/* mmt.c: the formulas of a text in the order of their dependence, in mV and ms. */
#include "kernels/ionic/compiler/mmt.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/suggest.h"
#include "kernels/ionic/compiler/mmt_tree.h"

enum {
    TEXT_MAX = 1 << 20,      /* bytes */
    ARENA_MAX = 256 << 20,   /* bytes */
    CALLS_DEPTH_MAX = 4000,  /* operations inside of functions inside of functions */
    CALLS_WORK_MAX = 4 << 20 /* operations, functions written out */
};

/* What stands for the text's pace while formulas are made; no text has it */
#define PACE EXPRESSION_STEP

struct reader {
    struct mmt_tree tree;
    struct cell *cell;
    const struct mmt_scale *scale;
    const char *file;
    struct error *error;
    enum status status;
    int v, time, pace, diffusion; /* variables, -1 = none */
    int stimulus;                 /* the variable whose place the stimulus takes, -1 = none */
    int stimulus_value;           /* node: what its formula says */
    double per_mv;                /* text's unit of V for a mV */
    double rest, amplitude;       /* V = rest + amplitude u, mV */
    double time_ms;               /* the text's unit of time, ms */
    int *node;                    /* of each variable: its value */
    int *rate;                    /* of each state */
    int *leaf;                    /* number of the state or parameter, -1 = neither */
    int *order;                   /* of evaluation */
    int ordered;
    long work;
};

static void fail(struct reader *reader, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void fail(struct reader *reader, int line, int column, const char *format, ...)
{
    char text[900];
    if (reader->status)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reader->status = error_at(reader->error, STATUS_INPUT, reader->file, line, column, "%s", text);
}

static void warn(struct reader *reader, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void warn(struct reader *reader, int line, int column, const char *format, ...)
{
    enum { WARNINGS_MAX = 100 };
    struct cell *cell = reader->cell;
    if (cell->warnings == WARNINGS_MAX)
        return;
    if (!cell->warning)
        cell->warning = arena_take(&cell->memory, WARNINGS_MAX, sizeof *cell->warning);
    if (!cell->warning)
        return;
    struct cell_warning *warning = &cell->warning[cell->warnings++];
    warning->line = line;
    warning->column = column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning->text, sizeof warning->text, format, arguments);
    va_end(arguments);
}

static void *taken(struct reader *reader, int count, size_t size)
{
    void *memory = arena_take(&reader->cell->memory, (size_t)(count > 0 ? count : 1), size);
    if (!memory && !reader->status)
        reader->status = error_set(reader->error, STATUS_RUN, "%s: no memory to read it", reader->file);
    return memory;
}

static const char *kept(struct reader *reader, const char *text)
{
    const char *copy = arena_text(&reader->cell->memory, text, strlen(text));
    if (!copy && !reader->status)
        reader->status = error_set(reader->error, STATUS_RUN, "%s: no memory to read it", reader->file);
    return copy ? copy : "";
}

static struct mmt_variable *variable(struct reader *reader, int v)
{
    return &reader->tree.variable[v];
}

/* What the model has: V, the time, the pace */

static int bound(struct reader *reader, const char *to)
{
    int found = -1;
    for (int v = 0; v < reader->tree.variables.count; v++) {
        struct mmt_variable *one = variable(reader, v);
        if (strcmp(one->binding, to) != 0)
            continue;
        if (found >= 0)
            fail(reader, one->line, one->column, "'%s' is bound to %s, as '%s' is already", one->full, to,
                 variable(reader, found)->full);
        if (one->state)
            fail(reader, one->line, one->column, "'%s' is a state and cannot be bound", one->full);
        found = v;
    }
    return found;
}

static struct mmt_unit unit_named(const char *name)
{
    struct mmt_unit unit;
    char why[100];
    int at;
    mmt_unit_read(&unit, name, (int)strlen(name), &at, why, sizeof why);
    return unit;
}

/* The states that may be V, for a message */
static const char *candidates(struct reader *reader, char *text, size_t size)
{
    static const char *const name[] = {"V", "Vm", "v", "vm", "u", "E", "V_m", "V_membrane"};
    size_t used = 0;
    text[0] = 0;
    for (int pass = 0; pass < 2 && !used; pass++)
        for (int v = 0; v < reader->tree.variables.count && used + 120 < size; v++) {
            const struct mmt_variable *one = variable(reader, v);
            bool likely = one->unit.given && mmt_unit_comparable(one->unit, unit_named("V"));
            for (size_t k = 0; k < sizeof name / sizeof name[0]; k++)
                likely |= strcmp(one->name, name[k]) == 0;
            if (one->state && (likely || pass))
                used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", one->full);
        }
    return text;
}

static void find_v(struct reader *reader)
{
    struct mmt_tree *tree = &reader->tree;
    char text[600];
    reader->v = -1;
    for (int v = 0; v < tree->variables.count; v++) {
        const struct mmt_variable *one = variable(reader, v);
        if (strcmp(one->label, "membrane_potential") != 0)
            continue;
        if (reader->v >= 0)
            fail(reader, one->line, one->column, "a second variable with the label membrane_potential");
        reader->v = v;
    }
    if (reader->v < 0 && reader->scale->voltage) {
        reader->v = mmt_tree_find(tree, reader->scale->voltage);
        if (reader->v < 0)
            fail(reader, 1, 1,
                 "no variable is named '%s', which is said to be the membrane potential; states are %s",
                 reader->scale->voltage, candidates(reader, text, sizeof text));
    }
    if (reader->status)
        return;
    if (reader->v < 0)
        fail(reader, 1, 1,
             "no variable has the label membrane_potential, so V is to be named; perhaps it is %s",
             candidates(reader, text, sizeof text));
    else if (!variable(reader, reader->v)->state)
        fail(reader, variable(reader, reader->v)->line, variable(reader, reader->v)->column,
             "the membrane potential '%s' is no state: it has no dot()", variable(reader, reader->v)->full);
}

static void find_units(struct reader *reader)
{
    const struct mmt_variable *v = variable(reader, reader->v);
    struct mmt_unit volt = unit_named("mV"), second = unit_named("ms");
    reader->per_mv = 1;
    reader->rest = 0;
    reader->amplitude = 0;
    if (!v->unit.given && reader->scale->amplitude == 0) {
        warn(reader, v->line, v->column, "'%s' has no unit: taken as mV", v->full);
    } else if (!v->unit.given || mmt_unit_comparable(v->unit, mmt_unit_one())) {
        reader->rest = reader->scale->rest;
        reader->amplitude = reader->scale->amplitude;
        if (reader->amplitude == 0)
            fail(reader, v->line, v->column,
                 "'%s' has no dimension: its rest and amplitude in mV are to be given", v->full);
    } else if (mmt_unit_comparable(v->unit, volt)) {
        reader->per_mv = pow(10, volt.factor - v->unit.factor);
    } else {
        fail(reader, v->line, v->column, "the membrane potential '%s' is not measured in volts", v->full);
    }
    if (reader->status)
        return;
    reader->time_ms = reader->scale->time_unit > 0 ? reader->scale->time_unit : 1;
    const struct mmt_variable *time = reader->time >= 0 ? variable(reader, reader->time) : NULL;
    if (time && time->unit.given && mmt_unit_comparable(time->unit, second))
        reader->time_ms = pow(10, time->unit.factor - second.factor);
    else if (time && time->unit.given && !mmt_unit_comparable(time->unit, mmt_unit_one()))
        fail(reader, time->line, time->column, "'%s' is bound to the time and not measured in seconds",
             time->full);
    else if (!(reader->scale->time_unit > 0) && reader->amplitude != 0)
        fail(reader, time ? time->line : 1, time ? time->column : 1,
             "the time has no unit: time_unit, in ms, is to be given");
    else if (!(reader->scale->time_unit > 0))
        warn(reader, time ? time->line : 1, time ? time->column : 1, "the time has no unit: taken as ms");
}

/* Order of evaluation */

static bool is_parameter(struct reader *reader, int v)
{
    const struct mmt_variable *one = variable(reader, v);
    const struct mmt_term *term = &reader->tree.term[one->value];
    if (one->state || v == reader->time || v == reader->pace || v == reader->diffusion)
        return false;
    while (term->meaning == MMT_MINUS || term->meaning == MMT_PLUS)
        term = &reader->tree.term[term->first];
    return term->meaning == MMT_NUMBER;
}

/* Whether the value of v is read of its formula */
static bool has_formula(struct reader *reader, int v)
{
    return v != reader->time && v != reader->pace && v != reader->diffusion;
}

static void circle(struct reader *reader, const int *path, int length, int v)
{
    char text[700];
    size_t used = 0;
    int first = length - 1;
    while (first > 0 && path[first] != v)
        first--;
    for (int k = first; k < length && used + 120 < sizeof text; k++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s needs ", variable(reader, path[k])->full);
    snprintf(text + used, sizeof text - used, used + 120 < sizeof text ? "%s" : "... %s",
             variable(reader, v)->full);
    fail(reader, variable(reader, v)->line, variable(reader, v)->column, "a circle: %s", text);
}

/* order <- the variables, each behind those that its formula reads; depth first, with a stack of our own */
static void sort(struct reader *reader)
{
    struct mmt_tree *tree = &reader->tree;
    int count = tree->variables.count, *path = taken(reader, count, sizeof *path),
        *at = taken(reader, count, sizeof *at);
    char *seen = taken(reader, count, 1); /* 1 = on the path, 2 = done */
    if (reader->status)
        return;
    for (int top = 0; top < count && !reader->status; top++) {
        int length = 0;
        if (!seen[top]) {
            path[length++] = top;
            seen[top] = 1;
        }
        while (length && !reader->status) {
            int v = path[length - 1];
            const struct mmt_variable *one = variable(reader, v);
            int next = -1;
            while (at[v] < one->terms && next < 0 && has_formula(reader, v)) {
                const struct mmt_term *term = &tree->term[one->first_term + at[v]++];
                bool reads = (term->meaning == MMT_NAME && !variable(reader, term->index)->state) ||
                             term->meaning == MMT_RATE;
                if (reads && seen[term->index] == 1)
                    circle(reader, path, length, term->index);
                else if (reads && !seen[term->index])
                    next = term->index;
            }
            if (next >= 0) {
                path[length++] = next;
                seen[next] = 1;
            } else {
                seen[v] = 2;
                reader->order[reader->ordered++] = v;
                length--;
            }
        }
    }
}

/* Formulas */

struct scope {
    const int *argument; /* nodes */
    bool initial;        /* constants alone, as numbers */
};

static int build(struct reader *reader, int n, const struct scope *scope, int depth);

static int two(struct reader *reader, enum expression_operation operation, int a, int b)
{
    return expression_two(&reader->cell->graph, operation, a, b);
}

static int one(struct reader *reader, enum expression_operation operation, int a)
{
    return expression_one(&reader->cell->graph, operation, a);
}

static int times(struct reader *reader, int a, double factor)
{
    struct expression_graph *graph = &reader->cell->graph;
    return factor == 1    ? a
           : factor == -1 ? one(reader, EXPRESSION_NEGATE, a)
                          : two(reader, EXPRESSION_MULTIPLY, a, expression_number(graph, factor));
}

/* V in the text's unit */
static int v_leaf(struct reader *reader)
{
    struct expression_graph *graph = &reader->cell->graph;
    int v = expression_leaf(graph, EXPRESSION_V, -1);
    if (reader->amplitude == 0)
        return times(reader, v, reader->per_mv);
    if (reader->rest != 0)
        v = two(reader, EXPRESSION_SUBTRACT, v, expression_number(graph, reader->rest));
    return two(reader, EXPRESSION_DIVIDE, v, expression_number(graph, reader->amplitude));
}

static int sum(struct reader *reader, int a, int b);
static int difference(struct reader *reader, int a, int b);

static int operation_of(struct reader *reader, const struct mmt_term *term, const int *a)
{
    struct expression_graph *graph = &reader->cell->graph;
    switch (term->meaning) {
    case MMT_PLUS:
        return a[0];
    case MMT_MINUS:
        return one(reader, EXPRESSION_NEGATE, a[0]);
    case MMT_NOT:
        return one(reader, EXPRESSION_NOT, a[0]);
    case MMT_ADD:
        return sum(reader, a[0], a[1]);
    case MMT_SUBTRACT:
        return difference(reader, a[0], a[1]);
    case MMT_MULTIPLY:
        return two(reader, EXPRESSION_MULTIPLY, a[0], a[1]);
    case MMT_DIVIDE:
        return two(reader, EXPRESSION_DIVIDE, a[0], a[1]);
    case MMT_QUOTIENT:
        return one(reader, EXPRESSION_FLOOR, two(reader, EXPRESSION_DIVIDE, a[0], a[1]));
    case MMT_REMAINDER:
        return two(reader, EXPRESSION_SUBTRACT, a[0],
                   two(reader, EXPRESSION_MULTIPLY, a[1],
                       one(reader, EXPRESSION_FLOOR, two(reader, EXPRESSION_DIVIDE, a[0], a[1]))));
    case MMT_POWER:
        return two(reader, EXPRESSION_POWER, a[0], a[1]);
    case MMT_LESS:
        return two(reader, EXPRESSION_LESS, a[0], a[1]);
    case MMT_MORE:
        return two(reader, EXPRESSION_LESS, a[1], a[0]);
    case MMT_LESS_EQUAL:
        return two(reader, EXPRESSION_LESS_EQUAL, a[0], a[1]);
    case MMT_MORE_EQUAL:
        return two(reader, EXPRESSION_LESS_EQUAL, a[1], a[0]);
    case MMT_EQUAL:
        return two(reader, EXPRESSION_EQUAL, a[0], a[1]);
    case MMT_UNEQUAL:
        return one(reader, EXPRESSION_NOT, two(reader, EXPRESSION_EQUAL, a[0], a[1]));
    case MMT_AND:
        return two(reader, EXPRESSION_AND, a[0], a[1]);
    case MMT_OR:
        return two(reader, EXPRESSION_OR, a[0], a[1]);
    case MMT_IF:
        return expression_select(graph, a[0], a[1], a[2]);
    case MMT_LOG_BASE:
        return two(reader, EXPRESSION_DIVIDE, one(reader, EXPRESSION_LOG, a[0]),
                   one(reader, EXPRESSION_LOG, a[1]));
    default:
        return one(reader, term->operation, a[0]);
    }
}

/* condition, value, condition, value, ..., value */
static int cases(struct reader *reader, int n, const struct scope *scope, int depth)
{
    struct mmt_term *term = reader->tree.term;
    int count = 0, result = 0;
    for (int k = term[n].first; k >= 0; k = term[k].next)
        count++;
    int *value = array_new(count, sizeof *value, "a formula", &reader->status, reader->error);
    for (int k = term[n].first, i = 0; k >= 0 && !reader->status; k = term[k].next)
        value[i++] = build(reader, k, scope, depth);
    if (!reader->status) {
        result = value[count - 1];
        for (int i = count - 3; i >= 0; i -= 2)
            result = expression_select(&reader->cell->graph, value[i], value[i + 1], result);
    }
    free(value);
    return result;
}

static int call(struct reader *reader, const struct mmt_term *term, const struct scope *scope, int depth)
{
    enum { ARGUMENTS_MAX = 32 };
    const struct mmt_function *function = &reader->tree.function[term->index];
    int argument[ARGUMENTS_MAX], count = 0;
    for (int k = term->first; k >= 0 && !reader->status; k = reader->tree.term[k].next)
        argument[count++] = build(reader, k, scope, depth);
    struct scope inside = {argument, scope->initial};
    return build(reader, function->value, &inside, depth);
}

static int named(struct reader *reader, const struct mmt_term *term, const struct scope *scope)
{
    int v = term->index;
    if (!scope->initial)
        return reader->node[v];
    if (variable(reader, v)->state || !has_formula(reader, v)) {
        fail(reader, term->line, term->column, "'%s' is no constant, which an initial value is made of",
             variable(reader, v)->full);
        return 0;
    }
    return reader->node[v];
}

/* The node of term n */
static int build(struct reader *reader, int n, const struct scope *scope, int depth)
{
    const struct mmt_term *term = &reader->tree.term[n];
    int a[3] = {0}, count = 0;
    if (depth > CALLS_DEPTH_MAX || ++reader->work > CALLS_WORK_MAX)
        fail(reader, term->line, term->column, "the functions, written out, are more than can be computed");
    if (reader->status)
        return 0;
    switch (term->meaning) {
    case MMT_NUMBER:
        return expression_number(&reader->cell->graph, term->number);
    case MMT_NAME:
        return named(reader, term, scope);
    case MMT_RATE:
        return reader->rate[term->index];
    case MMT_ARGUMENT:
        return scope->argument[term->index];
    case MMT_CALL:
        return call(reader, term, scope, depth + 1);
    case MMT_PIECEWISE:
        return cases(reader, n, scope, depth + 1);
    default:
        for (int k = term->first; k >= 0; k = reader->tree.term[k].next)
            a[count++] = build(reader, k, scope, depth + 1);
        return reader->status ? 0 : operation_of(reader, term, a);
    }
}

/* Where the pace is read: by one variable alone that is no state, which then is the stimulus current; else
 * the pace itself is. */
static int find_stimulus(struct reader *reader)
{
    const struct mmt_tree *tree = &reader->tree;
    int found = -1;
    for (int v = 0; v < tree->variables.count && reader->pace >= 0; v++)
        for (int k = variable(reader, v)->first_term;
             k < variable(reader, v)->first_term + variable(reader, v)->terms; k++)
            if (tree->term[k].meaning == MMT_NAME && tree->term[k].index == reader->pace && v != reader->pace)
                found = found == -1 || found == v ? v : -2;
    if (found == -2 || (found >= 0 && variable(reader, found)->state))
        return reader->pace;
    return found;
}

static void build_all(struct reader *reader)
{
    struct expression_graph *graph = &reader->cell->graph;
    const struct scope plain = {NULL, false};
    for (int k = 0; k < reader->ordered && !reader->status; k++) {
        int v = reader->order[k], value;
        const struct mmt_variable *one_of = variable(reader, v);
        if (v == reader->time)
            value = times(reader, expression_leaf(graph, EXPRESSION_TIME, -1), 1 / reader->time_ms);
        else if (v == reader->pace)
            value = expression_leaf(graph, PACE, -1);
        else if (v == reader->diffusion)
            value = 0;
        else if (!one_of->state && reader->leaf[v] >= 0)
            value = expression_leaf(graph, EXPRESSION_PARAMETER, reader->leaf[v]);
        else
            value = build(reader, one_of->value, &plain, 0);
        if (v == reader->stimulus) {
            reader->stimulus_value = value;
            value = expression_leaf(graph, EXPRESSION_STIMULUS, -1);
        }
        if (one_of->state)
            reader->rate[v] = value;
        else
            reader->node[v] = value;
    }
}

/* Formulas of the stimulus */

static bool is_zero(struct reader *reader, int n)
{
    const struct expression_node *node = &reader->cell->graph.node[n];
    return node->operation == EXPRESSION_NUMBER && node->number == 0;
}

static bool is_number(struct reader *reader, int n, double number)
{
    const struct expression_node *node = &reader->cell->graph.node[n];
    return node->operation == EXPRESSION_NUMBER && node->number == number;
}

static int sum(struct reader *reader, int a, int b)
{
    return is_zero(reader, a) ? b : is_zero(reader, b) ? a : two(reader, EXPRESSION_ADD, a, b);
}

static int negative(struct reader *reader, int a)
{
    const struct expression_node *node = &reader->cell->graph.node[a];
    return node->operation == EXPRESSION_NEGATE ? node->operand[0]
           : is_zero(reader, a)                 ? a
                                                : one(reader, EXPRESSION_NEGATE, a);
}

static int difference(struct reader *reader, int a, int b)
{
    return is_zero(reader, b)   ? a
           : is_zero(reader, a) ? negative(reader, b)
                                : two(reader, EXPRESSION_SUBTRACT, a, b);
}

static int product(struct reader *reader, int a, int b)
{
    return is_zero(reader, a) || is_zero(reader, b) ? 0
           : is_number(reader, a, 1)                ? b
           : is_number(reader, b, 1)                ? a
           : is_number(reader, a, -1)               ? negative(reader, b)
           : is_number(reader, b, -1)               ? negative(reader, a)
                                                    : two(reader, EXPRESSION_MULTIPLY, a, b);
}

static int quotient(struct reader *reader, int a, int b)
{
    return is_zero(reader, a)         ? 0
           : is_number(reader, b, 1)  ? a
           : is_number(reader, b, -1) ? negative(reader, a)
                                      : two(reader, EXPRESSION_DIVIDE, a, b);
}

/* The nodes that `top`'s formula reads and that depend on that leaf; the caller frees it */
static bool *dependent(struct reader *reader, int top, enum expression_operation leaf)
{
    struct expression_graph *graph = &reader->cell->graph;
    bool *depends = array_zeroed(top + 1, sizeof *depends, "a formula", &reader->status, reader->error);
    for (int n = 0; depends && n <= top; n++) {
        depends[n] = graph->node[n].operation == leaf;
        for (int k = 0; k < expression_operands(graph->node[n].operation); k++)
            depends[n] |= depends[graph->node[n].operand[k]];
    }
    return depends;
}

/* Node n with `to` in place of a leaf; sums and products with 0 and 1 made shorter on the way */
static int with(struct reader *reader, int top, enum expression_operation leaf, int to)
{
    struct expression_graph *graph = &reader->cell->graph;
    bool *depends = dependent(reader, top, leaf);
    int *as = array_new(top + 1, sizeof *as, "a formula", &reader->status, reader->error), result = top;
    for (int n = 0; !reader->status && n <= top; n++) {
        const struct expression_node node = graph->node[n];
        const int *operand = node.operand;
        if (!depends[n])
            as[n] = n;
        else if (node.operation == leaf)
            as[n] = to;
        else if (node.operation == EXPRESSION_ADD)
            as[n] = sum(reader, as[operand[0]], as[operand[1]]);
        else if (node.operation == EXPRESSION_SUBTRACT)
            as[n] = difference(reader, as[operand[0]], as[operand[1]]);
        else if (node.operation == EXPRESSION_MULTIPLY)
            as[n] = product(reader, as[operand[0]], as[operand[1]]);
        else if (node.operation == EXPRESSION_DIVIDE)
            as[n] = quotient(reader, as[operand[0]], as[operand[1]]);
        else if (node.operation == EXPRESSION_NEGATE)
            as[n] = negative(reader, as[operand[0]]);
        else if (expression_operands(node.operation) == 1)
            as[n] = expression_one(graph, node.operation, as[operand[0]]);
        else if (expression_operands(node.operation) == 2)
            as[n] = expression_two(graph, node.operation, as[operand[0]], as[operand[1]]);
        else
            as[n] = expression_select(graph, as[operand[0]], as[operand[1]], as[operand[2]]);
        result = as[n];
    }
    free(depends);
    free(as);
    return reader->status ? 0 : result;
}

/* d top / d stimulus; where it is not one number for all states, reader->status */
static int slope(struct reader *reader, int top)
{
    struct expression_graph *graph = &reader->cell->graph;
    bool *depends = dependent(reader, top, EXPRESSION_STIMULUS), linear = true;
    int *by = array_zeroed(top + 1, sizeof *by, "a formula", &reader->status, reader->error), result = 0;
    for (int n = 0; !reader->status && n <= top; n++) {
        const struct expression_node node = graph->node[n];
        const int *operand = node.operand;
        if (!depends[n])
            continue;
        switch (node.operation) {
        case EXPRESSION_STIMULUS:
            by[n] = expression_number(graph, 1);
            break;
        case EXPRESSION_NEGATE:
            by[n] = negative(reader, by[operand[0]]);
            break;
        case EXPRESSION_ADD:
            by[n] = sum(reader, by[operand[0]], by[operand[1]]);
            break;
        case EXPRESSION_SUBTRACT:
            by[n] = difference(reader, by[operand[0]], by[operand[1]]);
            break;
        case EXPRESSION_MULTIPLY:
            by[n] = depends[operand[0]] ? product(reader, by[operand[0]], operand[1])
                                        : product(reader, operand[0], by[operand[1]]);
            linear &= !(depends[operand[0]] && depends[operand[1]]);
            break;
        case EXPRESSION_DIVIDE:
            by[n] = quotient(reader, by[operand[0]], operand[1]);
            linear &= !depends[operand[1]];
            break;
        case EXPRESSION_SELECT:
            by[n] = expression_select(graph, operand[0], by[operand[1]], by[operand[2]]);
            linear &= !depends[operand[0]];
            break;
        default:
            linear = false;
        }
        result = by[n];
    }
    result = reader->status ? 0 : by[top];
    free(depends);
    free(by);
    if (reader->status)
        return 0;
    const struct mmt_variable *v = variable(reader, reader->v),
                              *stimulus = variable(reader, reader->stimulus);
    static const enum expression_operation changing[] = {EXPRESSION_V, EXPRESSION_STATE, EXPRESSION_TIME,
                                                         PACE};
    for (int k = 0; k < 4 && linear; k++)
        linear = !expression_depends(graph, result, changing[k]);
    if (!linear)
        fail(reader, v->line, v->column,
             "the stimulus current '%s' enters dot(%s) by a factor that changes in time", stimulus->full,
             v->full);
    return result;
}

static void replace_everywhere(struct reader *reader, enum expression_operation leaf, int to)
{
    for (int v = 0; v < reader->tree.variables.count && !reader->status; v++) {
        struct expression_graph *graph = &reader->cell->graph;
        int *where = variable(reader, v)->state ? &reader->rate[v] : &reader->node[v];
        if (expression_depends(graph, *where, leaf))
            *where = with(reader, *where, leaf, to);
    }
}

/* The stimulus, mV/ms, takes the place of the text's current: its charge goes where the text sends it. */
static void enter_stimulus(struct reader *reader)
{
    struct expression_graph *graph = &reader->cell->graph;
    int ours = expression_leaf(graph, EXPRESSION_STIMULUS, -1), *rate = &reader->rate[reader->v];
    double factor = (reader->amplitude != 0 ? reader->amplitude : 1 / reader->per_mv) / reader->time_ms;
    reader->cell->stimulus = 0;
    *rate = times(reader, *rate, factor);
    if (reader->stimulus >= 0 && !reader->status) {
        int by = slope(reader, *rate);
        int off = with(reader, reader->stimulus_value, PACE, 0);
        int on = with(reader, reader->stimulus_value, PACE, expression_number(graph, 1));
        if (reader->status)
            return;
        const struct mmt_variable *v = variable(reader, reader->v),
                                  *current = variable(reader, reader->stimulus);
        if (is_zero(reader, by))
            warn(reader, current->line, current->column, "the stimulus current '%s' does not reach dot(%s)",
                 current->full, v->full);
        reader->cell->stimulus = product(reader, difference(reader, on, off), by);
        int without = with(reader, *rate, EXPRESSION_STIMULUS, off);
        replace_everywhere(reader, EXPRESSION_STIMULUS,
                           is_zero(reader, by) ? off : sum(reader, off, quotient(reader, ours, by)));
        *rate = without;
    }
    replace_everywhere(reader, PACE, 0);
    if (reader->pace >= 0 && !reader->status)
        reader->cell->stimulus = with(reader, reader->cell->stimulus, PACE, 0);
    reader->cell->v_rate = sum(reader, *rate, ours);
}

/* The cell */

static double number_of(struct reader *reader, int v)
{
    const struct mmt_term *term = &reader->tree.term[variable(reader, v)->value];
    double sign = 1;
    for (; term->meaning != MMT_NUMBER; term = &reader->tree.term[term->first])
        sign = term->meaning == MMT_MINUS ? -sign : sign;
    return sign * term->number;
}

static const char *unit_of(struct reader *reader, const struct mmt_variable *of)
{
    char text[100];
    return of->unit.given ? kept(reader, mmt_unit_print(of->unit, text, sizeof text)) : "";
}

static void declare_leaves(struct reader *reader)
{
    struct cell *cell = reader->cell;
    int count = reader->tree.variables.count;
    for (int v = 0; v < count; v++) {
        reader->leaf[v] = -1;
        if (variable(reader, v)->state && v != reader->v)
            reader->leaf[v] = cell->states++;
        else if (is_parameter(reader, v))
            reader->leaf[v] = cell->parameters++;
    }
    cell->state = taken(reader, cell->states, sizeof *cell->state);
    cell->parameter = taken(reader, cell->parameters, sizeof *cell->parameter);
    for (int v = 0; v < count && !reader->status; v++) {
        const struct mmt_variable *of = variable(reader, v);
        const char *name = kept(reader, of->full), *unit = unit_of(reader, of),
                   *meaning = kept(reader, of->meaning);
        if (of->state)
            reader->node[v] = v == reader->v
                                  ? v_leaf(reader)
                                  : expression_leaf(&cell->graph, EXPRESSION_STATE, reader->leaf[v]);
        if (v == reader->v)
            cell->v_name = name;
        else if (of->state)
            cell->state[reader->leaf[v]] =
                (struct cell_state){.name = name, .unit = unit, .meaning = meaning};
        else if (reader->leaf[v] >= 0)
            cell->parameter[reader->leaf[v]] =
                (struct cell_parameter){name, unit, meaning, number_of(reader, v)};
    }
}

/* n with the parameters' values; a number where nothing else stands in it */
static double constant(struct reader *reader, int top, const struct mmt_term *place)
{
    struct expression_graph *graph = &reader->cell->graph;
    int *as = array_new(top + 1, sizeof *as, "a formula", &reader->status, reader->error);
    double result = 0;
    for (int n = 0; as && n <= top; n++) {
        const struct expression_node node = graph->node[n];
        int operands = expression_operands(node.operation);
        as[n] = node.operation == EXPRESSION_PARAMETER
                    ? expression_number(graph, reader->cell->parameter[node.leaf].value)
                : operands == 0 ? n
                : operands == 1 ? expression_one(graph, node.operation, as[node.operand[0]])
                : operands == 2
                    ? expression_two(graph, node.operation, as[node.operand[0]], as[node.operand[1]])
                    : expression_select(graph, as[node.operand[0]], as[node.operand[1]], as[node.operand[2]]);
    }
    if (as && graph->node[as[top]].operation != EXPRESSION_NUMBER)
        fail(reader, place->line, place->column, "an initial value is made of constants alone");
    else if (as)
        result = graph->node[as[top]].number;
    if (as && !isfinite(result))
        fail(reader, place->line, place->column, "this initial value is no finite number");
    free(as);
    return result;
}

static void set_initial(struct reader *reader)
{
    const struct scope scope = {NULL, true};
    for (int v = 0; v < reader->tree.variables.count && !reader->status; v++) {
        const struct mmt_variable *of = variable(reader, v);
        if (!of->state)
            continue;
        int n = build(reader, of->initial, &scope, 0);
        double value = reader->status ? 0 : constant(reader, n, &reader->tree.term[of->initial]);
        if (v != reader->v)
            reader->cell->state[reader->leaf[v]].initial = value;
        else
            reader->cell->v_initial =
                reader->amplitude != 0 ? reader->rest + reader->amplitude * value : value / reader->per_mv;
    }
}

static bool changes(struct reader *reader, int n)
{
    static const enum expression_operation leaf[] = {EXPRESSION_V, EXPRESSION_STATE, EXPRESSION_TIME,
                                                     EXPRESSION_STIMULUS};
    bool found = false;
    for (int k = 0; k < 4 && !found; k++)
        found = expression_depends(&reader->cell->graph, n, leaf[k]);
    return found;
}

static void set_rates(struct reader *reader)
{
    struct cell *cell = reader->cell;
    int count = reader->tree.variables.count, named = 1;
    for (int v = 0; v < count && !reader->status; v++)
        if (reader->leaf[v] >= 0 && variable(reader, v)->state)
            cell->state[reader->leaf[v]].rate = times(reader, reader->rate[v], 1 / reader->time_ms);
    cell->quantity = taken(reader, count + 1, sizeof *cell->quantity);
    if (reader->status)
        return;
    cell->quantity[0] = (struct cell_quantity){"Iion", "uA/uF", "total ionic current",
                                               negative(reader, reader->rate[reader->v])};
    for (int v = 0; v < count && !reader->status; v++) {
        const struct mmt_variable *of = variable(reader, v);
        if (!of->state && reader->leaf[v] < 0 && v != reader->time && v != reader->pace &&
            changes(reader, reader->node[v]))
            cell->quantity[named++] = (struct cell_quantity){kept(reader, of->full), unit_of(reader, of),
                                                             kept(reader, of->meaning), reader->node[v]};
    }
    cell->quantities = named;
    cell->time_reader = "";
    for (int v = 0; v < count && !reader->status; v++) {
        int n = variable(reader, v)->state ? reader->rate[v] : reader->node[v];
        if (v != reader->time && !cell->time_reader[0] &&
            expression_depends(&cell->graph, n, EXPRESSION_TIME))
            cell->time_reader = kept(reader, variable(reader, v)->full);
    }
}

static void set_events(struct reader *reader)
{
    struct cell *cell = reader->cell;
    cell->events = reader->tree.events.count;
    cell->event = taken(reader, cell->events, sizeof *cell->event);
    for (int k = 0; k < cell->events && !reader->status; k++) {
        struct cell_event *event = &cell->event[k];
        *event = reader->tree.event[k];
        event->start *= reader->time_ms;
        event->duration *= reader->time_ms;
        event->period *= reader->time_ms;
    }
}

static void read_cell(struct reader *reader)
{
    struct mmt_tree *tree = &reader->tree;
    struct cell *cell = reader->cell;
    int count = tree->variables.count;
    cell->name = kept(reader, tree->name);
    cell->title = kept(reader, tree->title[0] ? tree->title : tree->name);
    cell->reference = kept(reader, tree->meaning);
    reader->time = bound(reader, "time");
    reader->pace = bound(reader, "pace");
    reader->diffusion = bound(reader, "diffusion_current");
    reader->node = taken(reader, count, sizeof *reader->node);
    reader->rate = taken(reader, count, sizeof *reader->rate);
    reader->leaf = taken(reader, count, sizeof *reader->leaf);
    reader->order = taken(reader, count, sizeof *reader->order);
    if (!reader->status)
        find_v(reader);
    if (!reader->status)
        find_units(reader);
    if (!reader->status)
        sort(reader);
    if (!reader->status)
        declare_leaves(reader);
    reader->stimulus = find_stimulus(reader);
    if (!reader->status)
        build_all(reader);
    if (!reader->status)
        enter_stimulus(reader);
    if (!reader->status)
        set_initial(reader);
    if (!reader->status)
        set_rates(reader);
    if (!reader->status)
        set_events(reader);
    if (!reader->status && cell->graph.status)
        reader->status = cell->graph.status == STATUS_INPUT
                             ? error_at(reader->error, STATUS_INPUT, reader->file, 1, 1,
                                        "the formulas have more than %d parts", EXPRESSION_NODES_MAX)
                             : error_set(reader->error, STATUS_RUN, "%s: no memory to read it", reader->file);
}

enum status mmt_read(struct cell *cell, const char *text, size_t bytes, const char *file,
                     const struct mmt_scale *scale, struct error *error)
{
    static const struct mmt_scale none;
    struct arena arena = {.limit = ARENA_MAX};
    struct reader reader = {.cell = cell, .scale = scale ? scale : &none, .file = file, .error = error};
    memset(cell, 0, sizeof *cell);
    cell->memory.limit = ARENA_MAX;
    if (bytes > TEXT_MAX)
        return error_set(error, STATUS_INPUT, "%s: a model's text has at most %d bytes, not %zu", file,
                         TEXT_MAX, bytes);
    reader.status = mmt_tree_read(&reader.tree, &arena, text, bytes, file, error);
    if (!reader.status)
        reader.status = expression_begin(&cell->graph, error);
    if (!reader.status)
        read_cell(&reader);
    arena_free(&arena);
    if (reader.status)
        cell_free(cell);
    return reader.status;
}
