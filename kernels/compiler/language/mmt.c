/* mmt.c: converts a text to a cell in mV and ms, and replaces its stimulus by the simulation's. */
#include "kernels/compiler/language/mmt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/compiler/language/build.h"
#include "kernels/compiler/language/check.h"
#include "kernels/compiler/language/parser.h"

enum {
    TEXT_MAX = 1 << 20,   /* bytes */
    ARENA_MAX = 256 << 20 /* bytes */
};

void cell_free(struct cell *cell)
{
    expression_free(&cell->graph);
    arena_free(&cell->memory);
    memset(cell, 0, sizeof *cell);
}

static void circle(struct mmt_tree *tree, const int *path, int length, int v)
{
    char text[700] = "";
    int first = length - 1;
    while (first > 0 && path[first] != v)
        first--;
    for (int k = first; k < length && strlen(text) < 400; k++)
        printed_add(text, sizeof text, "%.100s needs ", tree->variable[path[k]].full);
    printed_add(text, sizeof text, "%s%.100s", strlen(text) < 400 ? "" : "... needs ",
                tree->variable[v].full);
    mmt_tree_fail(tree, tree->variable[v].line, tree->variable[v].column, "a circle: %s", text);
}

/* The variable that the term reads, -1 = none */
static int needed(const struct mmt_tree *tree, const struct mmt_term *term)
{
    bool value = term->meaning == MMT_NAME && !tree->variable[term->index].state;
    return value || term->meaning == MMT_RATE ? term->index : -1;
}

/* All variables, each after those that its formula reads, in the tree's arena; if there is a cycle, sets
 * tree->status and returns NULL */
static int *order_variables(struct mmt_tree *tree, const struct mmt_roles *roles)
{
    enum { UNSEEN, ON_PATH, DONE };
    size_t count = (size_t)tree->variables.count;
    int ordered = 0, length = 0, *order = arena_allocate(tree->arena, count, sizeof *order);
    int *path = arena_allocate(tree->arena, count, sizeof *path),
        *passed = arena_allocate(tree->arena, count, sizeof *passed);
    char *seen = arena_allocate(tree->arena, count, 1);
    if (!order || !path || !passed || !seen)
        mmt_tree_memory(tree);
    for (int top = 0; top < tree->variables.count && !tree->status; top++) {
        if (seen[top] == UNSEEN)
            path[length++] = top;
        while (length && !tree->status) {
            int v = path[length - 1], next = -1;
            const struct mmt_variable *one = &tree->variable[v];
            seen[v] = ON_PATH;
            while (next < 0 && passed[v] < one->terms && mmt_roles_has_formula(roles, v) && !tree->status) {
                int of = needed(tree, &tree->term[one->first_term + passed[v]++]);
                if (of >= 0 && seen[of] == ON_PATH)
                    circle(tree, path, length, of);
                else if (of >= 0 && seen[of] == UNSEEN)
                    next = of;
            }
            if (next >= 0) {
                path[length++] = next;
            } else {
                seen[v] = DONE;
                order[ordered++] = v;
                length--;
            }
        }
    }
    return tree->status ? NULL : order;
}

struct reader {
    struct mmt_tree tree;
    struct mmt_roles roles;
    struct mmt_build build;
    struct cell *cell;
    int *leaf; /* number of a state or parameter, -1 = neither */
};

static void *allocate(struct reader *reader, int count, size_t size)
{
    void *memory = arena_allocate(&reader->cell->memory, (size_t)(count > 0 ? count : 1), size);
    if (!memory)
        mmt_tree_memory(&reader->tree);
    return memory;
}

static const char *copy_text(struct reader *reader, const char *text)
{
    const char *copy = arena_text(&reader->cell->memory, text, strlen(text));
    if (!copy)
        mmt_tree_memory(&reader->tree);
    return copy ? copy : "";
}

static void *scratch(struct reader *reader, int count, size_t size)
{
    return array_new(count, size, "formulas", &reader->tree.status, reader->tree.error);
}

static void declare(struct reader *reader, int v, double number)
{
    struct cell *cell = reader->cell;
    const struct mmt_variable *of = &reader->tree.variable[v];
    const char *name = copy_text(reader, of->full), *unit = copy_text(reader, of->unit_text),
               *meaning = copy_text(reader, of->meaning);
    if (v == reader->roles.v)
        cell->v_name = name;
    else if (of->state)
        cell->state[reader->leaf[v]] = (struct cell_state){.name = name, .unit = unit, .meaning = meaning};
    else if (reader->leaf[v] >= 0)
        cell->parameter[reader->leaf[v]] = (struct cell_parameter){name, unit, meaning, number};
}

/* Declares states and parameters in the order of the text */
static void declare_all(struct reader *reader)
{
    struct cell *cell = reader->cell;
    int count = reader->tree.variables.count;
    double number;
    reader->leaf = allocate(reader, count, sizeof *reader->leaf);
    for (int v = 0; v < count && !reader->tree.status; v++)
        reader->leaf[v] = reader->tree.variable[v].state ? v == reader->roles.v ? -1 : cell->states++
                          : mmt_roles_parameter(&reader->roles, &reader->tree, v, &number)
                              ? cell->parameters++
                              : -1;
    cell->state = allocate(reader, cell->states, sizeof *cell->state);
    cell->parameter = allocate(reader, cell->parameters, sizeof *cell->parameter);
    for (int v = 0; v < count && !reader->tree.status; v++) {
        mmt_roles_parameter(&reader->roles, &reader->tree, v, &number);
        declare(reader, v, number);
    }
}

static void build(struct reader *reader)
{
    int count = reader->tree.variables.count, *order = order_variables(&reader->tree, &reader->roles);
    if (!reader->tree.status)
        mmt_roles_find_stimulus(&reader->roles, &reader->tree, order);
    if (!reader->tree.status)
        mmt_check_units(&reader->tree, &reader->roles, order);
    if (!reader->tree.status)
        declare_all(reader);
    reader->build = (struct mmt_build){.tree = &reader->tree,
                                       .roles = &reader->roles,
                                       .graph = &reader->cell->graph,
                                       .leaf = reader->leaf,
                                       .value = allocate(reader, count, sizeof(int)),
                                       .rate = allocate(reader, count, sizeof(int)),
                                       .initial = allocate(reader, count, sizeof(int))};
    if (!reader->tree.status)
        mmt_build_all(&reader->build, order);
}

/* Stimulus */

/* Replaces a leaf by node `to` in all formulas and in *also */
static void replace(struct reader *reader, enum expression_operation leaf, int to, int *also)
{
    struct expression_graph *graph = &reader->cell->graph;
    struct mmt_tree *tree = &reader->tree;
    int nodes = graph->nodes, *as = scratch(reader, nodes, sizeof *as);
    unsigned *on = scratch(reader, nodes, sizeof *on);
    if (!tree->status) {
        expression_leaves(graph, on, nodes);
        expression_replace_leaf(graph, as, on, nodes, leaf, to);
        for (int v = 0; v < tree->variables.count; v++) {
            reader->build.value[v] = as[reader->build.value[v]];
            reader->build.rate[v] = as[reader->build.rate[v]];
        }
        *also = as[*also];
    }
    free(as);
    free(on);
}

/* Node n with a leaf replaced by node `to` */
static int replace_leaf(struct reader *reader, int n, enum expression_operation leaf, int to)
{
    struct expression_graph *graph = &reader->cell->graph;
    int *as = scratch(reader, n + 1, sizeof *as), result = 0;
    unsigned *on = scratch(reader, n + 1, sizeof *on);
    if (!reader->tree.status) {
        expression_leaves(graph, on, n + 1);
        expression_replace_leaf(graph, as, on, n + 1, leaf, to);
        result = as[n];
    }
    free(as);
    free(on);
    return result;
}

/* The derivative of dV/dt by the stimulus current; an error unless it is constant in time */
static int effect_of_stimulus(struct reader *reader, int v_rate)
{
    struct expression_graph *graph = &reader->cell->graph;
    struct mmt_tree *tree = &reader->tree;
    const struct mmt_variable *v = &tree->variable[reader->roles.v],
                              *current = &tree->variable[reader->roles.stimulus];
    int *by = scratch(reader, v_rate + 1, sizeof *by), slope = 0;
    unsigned *on = scratch(reader, v_rate + 1, sizeof *on);
    if (!tree->status) {
        expression_leaves(graph, on, v_rate + 1);
        slope = expression_slope(graph, v_rate, by, on, EXPRESSION_STIMULUS);
    }
    free(by);
    free(on);
    bool constant = slope >= 0;
    static const enum expression_operation changing[] = {EXPRESSION_V, EXPRESSION_STATE, EXPRESSION_TIME,
                                                         MMT_BUILD_PACE};
    for (int k = 0; k < 4 && constant; k++)
        constant = !expression_depends(graph, slope, changing[k]);
    if (!constant)
        mmt_tree_fail(tree, current->line, current->column,
                      "the stimulus current '%s' does not enter dot(%s) by a constant factor", current->full,
                      v->full);
    else if (expression_is(graph, slope, 0))
        mmt_tree_warn(tree, current->line, current->column,
                      "the stimulus current '%s' does not reach dot(%s)", current->full, v->full);
    return constant ? slope : 0;
}

/* Replaces the text's stimulus current by the stimulus, mV/ms, also where other formulas of the text read the
 * current: its charge enters the same ions. */
static void enter_stimulus(struct reader *reader)
{
    struct cell *cell = reader->cell;
    struct expression_graph *graph = &cell->graph;
    int ours = expression_leaf(graph, EXPRESSION_STIMULUS, -1), v_rate = reader->build.rate[reader->roles.v],
        off = 0;
    v_rate = expression_two(graph, EXPRESSION_MULTIPLY, v_rate,
                            expression_number(graph, reader->roles.amplitude / reader->roles.time_ms));
    cell->stimulus = 0;
    if (reader->roles.stimulus >= 0) {
        int effect = effect_of_stimulus(reader, v_rate), on = 0;
        if (reader->roles.pace >= 0) {
            off = replace_leaf(reader, reader->build.stimulus, MMT_BUILD_PACE, 0);
            on = replace_leaf(reader, reader->build.stimulus, MMT_BUILD_PACE, expression_number(graph, 1));
        }
        cell->stimulus = expression_two(graph, EXPRESSION_MULTIPLY,
                                        expression_two(graph, EXPRESSION_SUBTRACT, on, off), effect);
        v_rate = replace_leaf(reader, v_rate, EXPRESSION_STIMULUS, off);
        bool reached = !expression_is(graph, effect, 0);
        int current = reached ? expression_two(graph, EXPRESSION_ADD, off,
                                               expression_two(graph, EXPRESSION_DIVIDE, ours, effect))
                              : off;
        replace(reader, EXPRESSION_STIMULUS, current, &cell->stimulus);
    }
    replace(reader, MMT_BUILD_PACE, 0, &v_rate);
    cell->quantity = allocate(reader, reader->tree.variables.count + 1, sizeof *cell->quantity);
    cell->v_rate = expression_two(graph, EXPRESSION_ADD, v_rate, ours);
    if (!reader->tree.status)
        cell->quantity[cell->quantities++] = (struct cell_quantity){
            "Iion", "uA/uF", "total ionic current", expression_one(graph, EXPRESSION_NEGATE, v_rate)};
}

/* Numbers */

/* Makes quantities of the variables that depend on V, states, stimulus or time; those that depend on time
 * only if some rate does, else they are not part of the cell */
static void name_quantities(struct reader *reader)
{
    struct cell *cell = reader->cell;
    struct mmt_tree *tree = &reader->tree;
    const unsigned time = 1u << EXPRESSION_TIME;
    const unsigned leaves = 1u << EXPRESSION_V | 1u << EXPRESSION_STATE | 1u << EXPRESSION_STIMULUS | time;
    int nodes = cell->graph.nodes;
    bool timed = false;
    unsigned *on = scratch(reader, nodes, sizeof *on);
    if (!tree->status)
        expression_leaves(&cell->graph, on, nodes);
    for (int v = 0; v < tree->variables.count && !tree->status; v++)
        timed |= tree->variable[v].state && on[reader->build.rate[v]] & time;
    for (int v = 0; v < tree->variables.count && !tree->status; v++) {
        const struct mmt_variable *of = &tree->variable[v];
        int node = reader->build.value[v];
        if (!of->state && on[node] & leaves && (timed || !(on[node] & time)) &&
            mmt_roles_has_formula(&reader->roles, v))
            cell->quantity[cell->quantities++] =
                (struct cell_quantity){copy_text(reader, of->full), copy_text(reader, of->unit_text),
                                       copy_text(reader, of->meaning), node};
    }
    cell->time_reader = "";
    for (int v = 0; v < tree->variables.count && timed && !cell->time_reader[0] && !tree->status; v++) {
        int node = tree->variable[v].state ? reader->build.rate[v] : reader->build.value[v];
        if (on[node] & time && mmt_roles_has_formula(&reader->roles, v))
            cell->time_reader = copy_text(reader, tree->variable[v].full);
    }
    free(on);
}

static void set_rates(struct reader *reader)
{
    struct cell *cell = reader->cell;
    int per_ms = expression_number(&cell->graph, 1 / reader->roles.time_ms);
    for (int v = 0; v < reader->tree.variables.count && !reader->tree.status; v++)
        if (reader->tree.variable[v].state && v != reader->roles.v)
            cell->state[reader->leaf[v]].rate =
                expression_two(&cell->graph, EXPRESSION_MULTIPLY, reader->build.rate[v], per_ms);
}

static void set_initial(struct reader *reader, double *value, const unsigned *on)
{
    struct cell *cell = reader->cell;
    struct mmt_tree *tree = &reader->tree;
    for (int v = 0; v < tree->variables.count && !tree->status; v++) {
        const struct mmt_variable *of = &tree->variable[v];
        if (!of->state)
            continue;
        const struct mmt_term *term = &tree->term[of->initial];
        double initial = value[reader->build.initial[v]];
        if (on[reader->build.initial[v]] & ~(1u << EXPRESSION_NUMBER | 1u << EXPRESSION_PARAMETER))
            mmt_tree_fail(tree, term->line, term->column,
                          "the initial value of '%s' is not made of constants", of->full);
        else if (!isfinite(initial))
            mmt_tree_fail(tree, term->line, term->column, "the initial value of '%s' is %g", of->full,
                          initial);
        if (v == reader->roles.v)
            cell->v_initial = reader->roles.rest + reader->roles.amplitude * initial;
        else
            cell->state[reader->leaf[v]].initial = initial;
    }
}

/* The first state whose rate is not finite, -1 = none */
static int find_infinite_rate(const struct reader *reader, const double *value)
{
    for (int v = 0; v < reader->tree.variables.count; v++)
        if (reader->tree.variable[v].state && !isfinite(value[reader->build.rate[v]]))
            return v;
    return -1;
}

/* Computes the initial values of states; an error unless they and the rates there are finite */
static void compute(struct reader *reader)
{
    struct cell *cell = reader->cell;
    struct mmt_tree *tree = &reader->tree;
    int nodes = cell->graph.nodes;
    double *value = scratch(reader, nodes, sizeof *value),
           *state = scratch(reader, cell->states, sizeof *state);
    double *parameter = scratch(reader, cell->parameters, sizeof *parameter);
    unsigned *on = scratch(reader, nodes, sizeof *on);
    struct expression_values values = {.state = state, .parameter = parameter};
    for (int k = 0; k < cell->parameters && !tree->status; k++)
        parameter[k] = cell->parameter[k].value;
    for (int k = 0; k < cell->states && !tree->status; k++)
        state[k] = 0;
    if (!tree->status) {
        expression_leaves(&cell->graph, on, nodes);
        expression_evaluate(&cell->graph, &values, nodes, value);
        set_initial(reader, value, on);
    }
    for (int k = 0; k < cell->states && !tree->status; k++)
        state[k] = cell->state[k].initial;
    values.v = cell->v_initial;
    if (!tree->status)
        expression_evaluate(&cell->graph, &values, nodes, value);
    if (!tree->status &&
        find_infinite_rate(reader, value) >= 0) { /* perhaps 0 / 0 at exactly this V: try close by */
        values.v += 0x1p-10;
        expression_evaluate(&cell->graph, &values, nodes, value);
    }
    int v = tree->status ? -1 : find_infinite_rate(reader, value);
    if (v >= 0)
        mmt_tree_fail(tree, tree->term[tree->variable[v].value].line,
                      tree->term[tree->variable[v].value].column, "dot(%s) is %g at the initial values",
                      tree->variable[v].full, value[reader->build.rate[v]]);
    free(value);
    free(state);
    free(parameter);
    free(on);
}

static void set_events(struct reader *reader)
{
    struct cell *cell = reader->cell;
    cell->events = reader->tree.events.count;
    cell->event = allocate(reader, cell->events, sizeof *cell->event);
    for (int k = 0; k < cell->events && !reader->tree.status; k++) {
        struct cell_event *event = &cell->event[k];
        *event = reader->tree.event[k];
        event->start *= reader->roles.time_ms;
        event->duration *= reader->roles.time_ms;
        event->period *= reader->roles.time_ms;
    }
}

/* The value of variable v in a variant, NULL = v is neither V nor a state nor a parameter */
static double *changed(const struct reader *reader, struct cell_variant *variant, int v)
{
    if (v == reader->roles.v)
        return &variant->v_initial;
    if (reader->leaf[v] < 0)
        return NULL;
    return (reader->tree.variable[v].state ? variant->state : variant->parameter) + reader->leaf[v];
}

static void set_variants(struct reader *reader)
{
    struct cell *cell = reader->cell;
    struct mmt_tree *tree = &reader->tree;
    int *last = scratch(reader, tree->variables.count,
                        sizeof *last); /* the last variant that changed each variable */
    cell->variants = tree->variants.count;
    cell->variant = allocate(reader, cell->variants, sizeof *cell->variant);
    for (int v = 0; v < tree->variables.count && !tree->status; v++)
        last[v] = -1;
    for (int k = 0; k < cell->variants && !tree->status; k++) {
        const struct mmt_variant *of = &tree->variant[k];
        struct cell_variant *variant = &cell->variant[k];
        *variant = of->is;
        variant->name = copy_text(reader, of->is.name);
        variant->title = copy_text(reader, of->is.title);
        variant->v_initial = cell->v_initial;
        variant->state = allocate(reader, cell->states, sizeof *variant->state);
        variant->parameter = allocate(reader, cell->parameters, sizeof *variant->parameter);
        for (int s = 0; s < cell->states && !tree->status; s++)
            variant->state[s] = cell->state[s].initial;
        for (int p = 0; p < cell->parameters && !tree->status; p++)
            variant->parameter[p] = cell->parameter[p].value;
        for (int c = of->first; c < of->first + of->changes && !tree->status; c++) {
            const struct mmt_change *change = &tree->change[c];
            double *value = changed(reader, variant, change->variable);
            if (!value)
                mmt_tree_fail(tree, change->line, change->column, "'%s.%s' is no state or parameter",
                              change->component, change->name);
            else if (last[change->variable] == k)
                mmt_tree_fail(tree, change->line, change->column, "a second value of '%s.%s'",
                              change->component, change->name);
            else if (value == &variant->v_initial)
                *value = reader->roles.rest + reader->roles.amplitude * change->value;
            else
                *value = change->value;
            last[change->variable] = k;
        }
    }
    free(last);
}

static void set_words(struct reader *reader)
{
    struct cell *cell = reader->cell;
    const struct mmt_tree *tree = &reader->tree;
    cell->name = copy_text(reader, tree->name);
    cell->title = copy_text(reader, tree->title[0] ? tree->title : tree->name);
    cell->reference = copy_text(reader, tree->reference);
    cell->stimulus_name =
        reader->roles.stimulus >= 0 ? copy_text(reader, tree->variable[reader->roles.stimulus].full) : "";
    cell->warning = allocate(reader, tree->warnings.count, sizeof *cell->warning);
    for (int k = 0; k < tree->warnings.count && !tree->status; k++)
        cell->warning[cell->warnings++] = tree->warning[k];
}

static void read_cell(struct reader *reader, const struct mmt_scale *scale)
{
    static const struct mmt_scale none;
    struct mmt_tree *tree = &reader->tree;
    const struct expression_graph *graph = &reader->cell->graph;
    mmt_roles_find(&reader->roles, tree, scale ? scale : &none);
    if (!tree->status)
        build(reader);
    if (!tree->status)
        enter_stimulus(reader);
    if (!tree->status)
        set_rates(reader);
    if (!tree->status)
        name_quantities(reader);
    if (!tree->status && !graph->status)
        compute(reader);
    if (!tree->status)
        set_events(reader);
    if (!tree->status)
        set_variants(reader);
    if (!tree->status)
        set_words(reader);
    if (graph->status == STATUS_INPUT)
        mmt_tree_fail(tree, 0, 0, "the formulas have more than %d parts", EXPRESSION_NODES_MAX);
    else if (graph->status)
        mmt_tree_memory(tree);
}

enum status mmt_read(struct cell *cell, const char *text, size_t bytes, const char *file,
                     const struct mmt_scale *scale, struct error *error)
{
    struct arena arena = {.limit = ARENA_MAX};
    struct reader reader = {.cell = cell};
    memset(cell, 0, sizeof *cell);
    cell->memory.limit = ARENA_MAX;
    if (bytes > TEXT_MAX)
        return error_at(error, STATUS_INPUT, file, 0, 0, "a text of %zu bytes; a model's has at most %d",
                        bytes, TEXT_MAX);
    if (!mmt_parser_read(&reader.tree, &arena, text, bytes, file, error))
        reader.tree.status = expression_begin(&cell->graph, error);
    if (!reader.tree.status)
        read_cell(&reader, scale);
    arena_free(&arena);
    if (reader.tree.status)
        cell_free(cell);
    return reader.tree.status;
}
