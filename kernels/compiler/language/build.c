/* build.c: converts terms to nodes and expands user functions. */
#include "kernels/compiler/language/build.h"

#include <stdlib.h>

#include "kernels/base/array.h"

enum {
    DEPTH_MAX = 4000,   /* nested operations and functions */
    WORK_MAX = 4 << 20, /* operations, with functions expanded */
};

struct scope {
    const int *argument; /* nodes */
    bool initial;        /* only constants, as numbers */
};

static int node_of(struct mmt_build *build, int n, const struct scope *scope, int depth);

static int binary(struct mmt_build *build, enum expression_operation operation, int a, int b)
{
    return expression_two(build->graph, operation, a, b);
}

static int unary(struct mmt_build *build, enum expression_operation operation, int a)
{
    return expression_one(build->graph, operation, a);
}

/* Terms that are a single operation on their two operands, possibly exchanged */
static const struct pair {
    enum expression_operation operation; /* 0: none */
    bool exchanged;
} pairs[] = {
    [MMT_ADD] = {EXPRESSION_ADD, false},
    [MMT_SUBTRACT] = {EXPRESSION_SUBTRACT, false},
    [MMT_MULTIPLY] = {EXPRESSION_MULTIPLY, false},
    [MMT_DIVIDE] = {EXPRESSION_DIVIDE, false},
    [MMT_POWER] = {EXPRESSION_POWER, false},
    [MMT_LESS] = {EXPRESSION_LESS, false},
    [MMT_MORE] = {EXPRESSION_LESS, true},
    [MMT_LESS_EQUAL] = {EXPRESSION_LESS_EQUAL, false},
    [MMT_MORE_EQUAL] = {EXPRESSION_LESS_EQUAL, true},
    [MMT_EQUAL] = {EXPRESSION_EQUAL, false},
    [MMT_AND] = {EXPRESSION_AND, false},
    [MMT_OR] = {EXPRESSION_OR, false},
};

static int operation_of(struct mmt_build *build, const struct mmt_term *term, const int *a)
{
    const size_t known = sizeof pairs / sizeof *pairs;
    const struct pair pair = (size_t)term->meaning < known ? pairs[term->meaning] : (struct pair){0};
    if (pair.operation)
        return binary(build, pair.operation, a[pair.exchanged], a[!pair.exchanged]);
    switch (term->meaning) {
    case MMT_PLUS:
        return a[0];
    case MMT_MINUS:
        return unary(build, EXPRESSION_NEGATE, a[0]);
    case MMT_NOT:
        return unary(build, EXPRESSION_NOT, a[0]);
    case MMT_QUOTIENT:
        return unary(build, EXPRESSION_FLOOR, binary(build, EXPRESSION_DIVIDE, a[0], a[1]));
    case MMT_REMAINDER:
        return binary(build, EXPRESSION_SUBTRACT, a[0],
                      binary(build, EXPRESSION_MULTIPLY, a[1],
                             unary(build, EXPRESSION_FLOOR, binary(build, EXPRESSION_DIVIDE, a[0], a[1]))));
    case MMT_UNEQUAL:
        return unary(build, EXPRESSION_NOT, binary(build, EXPRESSION_EQUAL, a[0], a[1]));
    case MMT_IF:
        return expression_select(build->graph, a[0], a[1], a[2]);
    case MMT_LOG_BASE:
        return binary(build, EXPRESSION_DIVIDE, unary(build, EXPRESSION_LOG, a[0]),
                      unary(build, EXPRESSION_LOG, a[1]));
    default:
        return unary(build, term->operation, a[0]);
    }
}

/* condition, value, condition, value, ..., value */
static int cases(struct mmt_build *build, int n, const struct scope *scope, int depth)
{
    struct mmt_term *term = build->tree->term;
    int count = 0, result = 0;
    for (int k = term[n].first; k >= 0; k = term[k].next)
        count++;
    int *value = array_new(count, sizeof *value, "a formula", &build->tree->status, build->tree->error);
    for (int k = term[n].first, i = 0; k >= 0 && !build->tree->status; k = term[k].next)
        value[i++] = node_of(build, k, scope, depth);
    if (!build->tree->status) {
        result = value[count - 1];
        for (int i = count - 3; i >= 0; i -= 2)
            result = expression_select(build->graph, value[i], value[i + 1], result);
    }
    free(value);
    return result;
}

static int call(struct mmt_build *build, const struct mmt_term *term, const struct scope *scope, int depth)
{
    const struct mmt_function *function = &build->tree->function[term->index];
    int argument[MMT_TREE_ARGUMENTS_MAX], count = 0;
    for (int k = term->first; k >= 0; k = build->tree->term[k].next)
        argument[count++] = node_of(build, k, scope, depth);
    struct scope inside = {argument, scope->initial};
    return node_of(build, function->value, &inside, depth);
}

static int resolve_name(struct mmt_build *build, const struct mmt_term *term, const struct scope *scope)
{
    int v = term->index;
    if (!scope->initial)
        return build->value[v];
    if (build->tree->variable[v].state || !mmt_roles_has_formula(build->roles, v)) {
        mmt_tree_fail(build->tree, term->line, term->column,
                      "'%s' is no constant, which an initial value is made of",
                      build->tree->variable[v].full);
        return 0;
    }
    return build->value[v];
}

/* The node of term n */
static int node_of(struct mmt_build *build, int n, const struct scope *scope, int depth)
{
    const struct mmt_term *term = &build->tree->term[n];
    int a[3] = {0}, count = 0;
    if (depth > DEPTH_MAX || ++build->work > WORK_MAX)
        mmt_tree_fail(build->tree, term->line, term->column,
                      "the functions expand to more operations than are supported");
    if (build->tree->status)
        return 0;
    switch (term->meaning) {
    case MMT_NUMBER:
        return expression_number(build->graph, term->number);
    case MMT_NAME:
        return resolve_name(build, term, scope);
    case MMT_OUTSIDE:
        return expression_leaf(build->graph, EXPRESSION_PARAMETER, term->index);
    case MMT_RATE:
        return build->rate[term->index];
    case MMT_ARGUMENT:
        return scope->argument[term->index];
    case MMT_CALL:
        return call(build, term, scope, depth + 1);
    case MMT_PIECEWISE:
        return cases(build, n, scope, depth + 1);
    default:
        for (int k = term->first; k >= 0; k = build->tree->term[k].next)
            a[count++] = node_of(build, k, scope, depth + 1);
        return build->tree->status ? 0 : operation_of(build, term, a);
    }
}

/* The node of variable v, made from its formula or its role; V and other states are in the text's units */
static int value_of(struct mmt_build *build, int v)
{
    const struct mmt_roles *roles = build->roles;
    struct expression_graph *graph = build->graph;
    const struct scope plain = {NULL, false};
    if (v == roles->time)
        return expression_two(graph, EXPRESSION_MULTIPLY, expression_leaf(graph, EXPRESSION_TIME, -1),
                              expression_number(graph, 1 / roles->time_ms));
    if (v == roles->pace)
        return expression_leaf(graph, MMT_BUILD_PACE, -1);
    if (v == roles->diffusion)
        return 0;
    if (build->leaf[v] >= 0)
        return expression_leaf(graph, EXPRESSION_PARAMETER, build->leaf[v]);
    return node_of(build, build->tree->variable[v].value, &plain, 0);
}

static int state_of(struct mmt_build *build, int v)
{
    const struct mmt_roles *roles = build->roles;
    struct expression_graph *graph = build->graph;
    if (v != roles->v)
        return expression_leaf(graph, EXPRESSION_STATE, build->leaf[v]);
    int volt = expression_leaf(graph, EXPRESSION_V, -1);
    int above_rest = expression_two(graph, EXPRESSION_SUBTRACT, volt, expression_number(graph, roles->rest));
    return expression_two(graph, EXPRESSION_MULTIPLY, above_rest,
                          expression_number(graph, 1 / roles->amplitude));
}

enum status mmt_build_expression(struct mmt_tree *tree, struct expression_graph *graph, int *root)
{
    struct mmt_build build = {.tree = tree, .graph = graph};
    const struct scope plain = {NULL, false};
    *root = node_of(&build, *root, &plain, 0);
    if (!tree->status && graph->status)
        mmt_tree_memory(tree);
    return tree->status;
}

void mmt_build_all(struct mmt_build *build, const int *order)
{
    struct mmt_tree *tree = build->tree;
    const struct scope plain = {NULL, false}, initial = {NULL, true};
    for (int v = 0; v < tree->variables.count; v++)
        if (tree->variable[v].state)
            build->value[v] = state_of(build, v);
    for (int k = 0; k < tree->variables.count && !tree->status; k++) {
        int v = order[k];
        if (tree->variable[v].state) {
            build->rate[v] = node_of(build, tree->variable[v].value, &plain, 0);
            continue;
        }
        build->value[v] = value_of(build, v);
        if (v == build->roles->stimulus) {
            build->stimulus = build->value[v];
            build->value[v] = expression_leaf(build->graph, EXPRESSION_STIMULUS, -1);
        }
    }
    for (int v = 0; v < tree->variables.count && !tree->status; v++)
        if (tree->variable[v].state)
            build->initial[v] = node_of(build, tree->variable[v].initial, &initial, 0);
}
