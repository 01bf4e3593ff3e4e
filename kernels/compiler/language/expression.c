/* expression.c: the graph of formulas; a hash table finds equal nodes. */
#include "kernels/compiler/language/expression.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "kernels/base/elementary.h"

int expression_operands(enum expression_operation operation)
{
    return operation < EXPRESSION_NEGATE   ? 0
           : operation < EXPRESSION_ADD    ? 1
           : operation < EXPRESSION_SELECT ? 2
                                           : 3;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct expression_node *node)
{
    uint64_t hash = mix((uint64_t)node->operation, bits_of(node->number));
    for (int k = 0; k < 3; k++)
        hash = mix(hash, (uint64_t)(int64_t)node->operand[k]);
    return mix(hash, (uint64_t)(int64_t)node->leaf);
}

static bool is_same_node(const struct expression_node *a, const struct expression_node *b)
{
    return a->operation == b->operation && a->leaf == b->leaf && bits_of(a->number) == bits_of(b->number) &&
           memcmp(a->operand, b->operand, sizeof a->operand) == 0;
}

/* The slot of this node, or the empty slot for it */
static int *slot_of(const struct expression_graph *graph, const struct expression_node *node)
{
    uint64_t at = hash_of(node);
    for (;; at++) {
        int *slot = &graph->slot[at & (uint64_t)(graph->slots - 1)];
        if (*slot < 0 || is_same_node(&graph->node[*slot], node))
            return slot;
    }
}

static enum status grow_graph(struct expression_graph *graph, struct error *error)
{
    enum status status = STATUS_OK;
    int room = graph->room ? 2 * graph->room : 512, slots = 4 * room;
    if (room > EXPRESSION_NODES_MAX)
        return error_set(error, STATUS_INPUT, "the formulas have more than %d parts", EXPRESSION_NODES_MAX);
    struct expression_node *node = array_new(room, sizeof *node, "formulas", &status, error);
    int *slot = array_new(slots, sizeof *slot, "formulas", &status, error);
    if (status) {
        free(node);
        return status;
    }
    if (graph->nodes)
        memcpy(node, graph->node, (size_t)graph->nodes * sizeof *node);
    memset(slot, -1, (size_t)slots * sizeof *slot);
    free(graph->node);
    free(graph->slot);
    *graph = (struct expression_graph){graph->nodes, room, node, slots, slot, STATUS_OK};
    for (int n = 0; n < graph->nodes; n++)
        *slot_of(graph, &node[n]) = n;
    return STATUS_OK;
}

static int add_node(struct expression_graph *graph, struct expression_node node)
{
    if (graph->status)
        return 0;
    int *slot = slot_of(graph, &node);
    if (*slot >= 0)
        return *slot;
    if (graph->nodes == graph->room) {
        struct error unsaid;
        if ((graph->status = grow_graph(graph, &unsaid)))
            return 0;
        slot = slot_of(graph, &node);
    }
    graph->node[graph->nodes] = node;
    return *slot = graph->nodes++;
}

enum status expression_begin(struct expression_graph *graph, struct error *error)
{
    memset(graph, 0, sizeof *graph);
    enum status status = grow_graph(graph, error);
    if (!status)
        expression_number(graph, 0);
    return status;
}

void expression_free(struct expression_graph *graph)
{
    free(graph->node);
    free(graph->slot);
    memset(graph, 0, sizeof *graph);
}

void expression_name(struct expression_graph *graph, int n, int quantity)
{
    if (!graph->node[n].quantity && expression_operands(graph->node[n].operation) > 0)
        graph->node[n].quantity = quantity;
}

int expression_number(struct expression_graph *graph, double number)
{
    return add_node(graph, (struct expression_node){EXPRESSION_NUMBER, {-1, -1, -1}, -1, number, 0});
}

int expression_leaf(struct expression_graph *graph, enum expression_operation operation, int leaf)
{
    return add_node(graph, (struct expression_node){operation, {-1, -1, -1}, leaf, 0, 0});
}

double expression_power(double x, double y)
{
    const bool whole = y == floor(y), half = !whole && 2 * y == floor(2 * y);
    if (!(whole || half) || !(fabs(y) <= EXPRESSION_POWER_MAX))
        return real_pow_double(x, y);
    double result = half ? sqrt(x) : 1, square = x;
    for (int n = (int)fabs(y); n > 0; n /= 2, square *= square)
        result *= n % 2 ? square : 1;
    return y < 0 ? 1 / result : result;
}

static double fold_one(enum expression_operation operation, double a)
{
    switch (operation) {
    case EXPRESSION_NEGATE:
        return -a;
    case EXPRESSION_NOT:
        return a == 0;
    case EXPRESSION_EXP:
        return real_exp_double(a);
    case EXPRESSION_EXPM1:
        return real_expm1_double(a);
    case EXPRESSION_X_OVER_EXPM1:
        return real_x_over_expm1_double(a);
    case EXPRESSION_LOG:
        return real_log_double(a);
    case EXPRESSION_LOG10:
        return real_log_double(a) * EXPRESSION_LOG10_E;
    case EXPRESSION_SQRT:
        return sqrt(a);
    case EXPRESSION_ABS:
        return fabs(a);
    case EXPRESSION_FLOOR:
        return floor(a);
    case EXPRESSION_CEIL:
        return -floor(-a);
    case EXPRESSION_SIN:
        return real_sin_double(a);
    case EXPRESSION_COS:
        return real_cos_double(a);
    case EXPRESSION_TAN:
        return real_sin_double(a) / real_cos_double(a);
    case EXPRESSION_ASIN:
        return real_asin_double(a);
    case EXPRESSION_ACOS:
        return real_acos_double(a);
    case EXPRESSION_ATAN:
        return real_atan_double(a);
    case EXPRESSION_TANH:
        return real_tanh_double(a);
    default:
        return (double)NAN;
    }
}

static double fold_two(enum expression_operation operation, double a, double b)
{
    switch (operation) {
    case EXPRESSION_ADD:
        return a + b;
    case EXPRESSION_SUBTRACT:
        return a - b;
    case EXPRESSION_MULTIPLY:
        return a * b;
    case EXPRESSION_DIVIDE:
        return a / b;
    case EXPRESSION_POWER:
        return expression_power(a, b);
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
        return (double)NAN;
    }
}

double expression_value(enum expression_operation operation, double a, double b, double c)
{
    switch (expression_operands(operation)) {
    case 1:
        return fold_one(operation, a);
    case 2:
        return fold_two(operation, a, b);
    default:
        return a != 0 ? b : c;
    }
}

static bool is_number(const struct expression_graph *graph, int n)
{
    return graph->node[n].operation == EXPRESSION_NUMBER;
}

bool expression_is(const struct expression_graph *graph, int n, double number)
{
    return is_number(graph, n) && graph->node[n].number == number;
}

int expression_one(struct expression_graph *graph, enum expression_operation operation, int a)
{
    if (is_number(graph, a))
        return expression_number(graph, fold_one(operation, graph->node[a].number));
    if (operation == EXPRESSION_NEGATE && graph->node[a].operation == EXPRESSION_NEGATE)
        return graph->node[a].operand[0];
    return add_node(graph, (struct expression_node){operation, {a, -1, -1}, -1, 0, 0});
}

/* Simplifies a + 0, a - 0, 0 - a, 0 a, 1 a, -1 a, 0 / a, a / 1 and a / -1; -1 = none of these */
static int without_number(struct expression_graph *graph, enum expression_operation operation, int a, int b)
{
    const bool zero = expression_is(graph, a, 0) || expression_is(graph, b, 0);
    switch (operation) {
    case EXPRESSION_ADD:
        return !zero ? -1 : expression_is(graph, a, 0) ? b : a;
    case EXPRESSION_SUBTRACT:
        return !zero ? -1 : expression_is(graph, b, 0) ? a : expression_one(graph, EXPRESSION_NEGATE, b);
    case EXPRESSION_MULTIPLY:
        return zero                          ? expression_number(graph, 0)
               : expression_is(graph, a, 1)  ? b
               : expression_is(graph, b, 1)  ? a
               : expression_is(graph, a, -1) ? expression_one(graph, EXPRESSION_NEGATE, b)
               : expression_is(graph, b, -1) ? expression_one(graph, EXPRESSION_NEGATE, a)
                                             : -1;
    case EXPRESSION_DIVIDE:
        return expression_is(graph, a, 0)    ? a
               : expression_is(graph, b, 1)  ? a
               : expression_is(graph, b, -1) ? expression_one(graph, EXPRESSION_NEGATE, a)
                                             : -1;
    default:
        return -1;
    }
}

int expression_two(struct expression_graph *graph, enum expression_operation operation, int a, int b)
{
    if (is_number(graph, a) && is_number(graph, b))
        return expression_number(graph, fold_two(operation, graph->node[a].number, graph->node[b].number));
    int plain = without_number(graph, operation, a, b);
    if (plain >= 0)
        return plain;
    return add_node(graph, (struct expression_node){operation, {a, b, -1}, -1, 0, 0});
}

int expression_select(struct expression_graph *graph, int condition, int when_true, int when_false)
{
    if (when_true == when_false)
        return when_true;
    if (is_number(graph, condition))
        return graph->node[condition].number != 0 ? when_true : when_false;
    return add_node(
        graph, (struct expression_node){EXPRESSION_SELECT, {condition, when_true, when_false}, -1, 0, 0});
}

/* Returns an array: whether node n is part of the formula `top`. The caller frees it; NULL: no memory. */
static bool *reached_from(const struct expression_graph *graph, int top)
{
    bool *reached = calloc((size_t)top + 1, sizeof *reached);
    if (!reached)
        return NULL;
    reached[top] = true;
    for (int n = top; n >= 0; n--)
        for (int k = 0; k < 3 && reached[n]; k++)
            if (graph->node[n].operand[k] >= 0)
                reached[graph->node[n].operand[k]] = true;
    return reached;
}

bool expression_depends(struct expression_graph *graph, int n, enum expression_operation leaf)
{
    bool found = false, *reached = reached_from(graph, n);
    if (!reached)
        graph->status = STATUS_RUN;
    for (int k = 0; reached && k <= n; k++)
        found |= reached[k] && graph->node[k].operation == leaf;
    free(reached);
    return found;
}

/* The node of n's operation with each operand k replaced by as[k]; a leaf stays itself */
static int remake_node(struct expression_graph *graph, int n, const int *as)
{
    const struct expression_node old = graph->node[n];
    switch (expression_operands(old.operation)) {
    case 1:
        return expression_one(graph, old.operation, as[old.operand[0]]);
    case 2:
        return expression_two(graph, old.operation, as[old.operand[0]], as[old.operand[1]]);
    case 3:
        return expression_select(graph, as[old.operand[0]], as[old.operand[1]], as[old.operand[2]]);
    default:
        return n;
    }
}

static double leaf_of(const struct expression_node *node, const struct expression_values *values)
{
    switch (node->operation) {
    case EXPRESSION_V:
        return values->v;
    case EXPRESSION_STATE:
        return values->state[node->leaf];
    case EXPRESSION_PARAMETER:
        return values->parameter[node->leaf];
    case EXPRESSION_STIMULUS:
        return values->stimulus;
    case EXPRESSION_TIME:
        return values->time;
    case EXPRESSION_STEP:
        return values->step;
    default:
        return node->number;
    }
}

void expression_evaluate(const struct expression_graph *graph, const struct expression_values *values,
                         int nodes, double *value)
{
    for (int n = 0; n < nodes; n++) {
        const struct expression_node *node = &graph->node[n];
        const int *a = node->operand;
        switch (expression_operands(node->operation)) {
        case 0:
            value[n] = leaf_of(node, values);
            break;
        case 1:
            value[n] = fold_one(node->operation, value[a[0]]);
            break;
        case 2:
            value[n] = fold_two(node->operation, value[a[0]], value[a[1]]);
            break;
        default:
            value[n] = value[a[0]] != 0 ? value[a[1]] : value[a[2]];
        }
    }
}

void expression_leaves(const struct expression_graph *graph, unsigned *on, int nodes)
{
    for (int n = 0; n < nodes; n++) {
        const struct expression_node *node = &graph->node[n];
        int operands = expression_operands(node->operation);
        on[n] = operands ? 0 : 1u << node->operation;
        for (int k = 0; k < operands; k++)
            on[n] |= on[node->operand[k]];
    }
}

void expression_replace_leaf(struct expression_graph *graph, int *as, const unsigned *on, int nodes,
                             enum expression_operation leaf, int to)
{
    for (int n = 0; n < nodes; n++)
        as[n] = !(on[n] >> leaf & 1) ? n : graph->node[n].operation == leaf ? to : remake_node(graph, n, as);
}

int expression_slope(struct expression_graph *graph, int top, int *by, const unsigned *on,
                     enum expression_operation leaf)
{
    for (int n = 0; n <= top; n++) {
        const struct expression_node node = graph->node[n];
        const int *a = node.operand;
        int operands = expression_operands(node.operation), da = 0, db = 0, dc = 0;
        bool here[3] = {false, false, false};
        by[n] = 0;
        for (int k = 0; k < operands; k++)
            here[k] = on[a[k]] >> leaf & 1;
        if (!(on[n] >> leaf & 1))
            continue;
        if (operands > 0)
            da = by[a[0]];
        if (operands > 1)
            db = by[a[1]];
        if (operands > 2)
            dc = by[a[2]];
        bool linear = da >= 0 && db >= 0 && dc >= 0;
        if (node.operation == leaf)
            by[n] = expression_number(graph, 1);
        else if (linear && node.operation == EXPRESSION_NEGATE)
            by[n] = expression_one(graph, EXPRESSION_NEGATE, da);
        else if (linear && node.operation == EXPRESSION_ADD)
            by[n] = expression_two(graph, EXPRESSION_ADD, da, db);
        else if (linear && node.operation == EXPRESSION_SUBTRACT)
            by[n] = expression_two(graph, EXPRESSION_SUBTRACT, da, db);
        else if (linear && node.operation == EXPRESSION_MULTIPLY && !(here[0] && here[1]))
            by[n] = here[0] ? expression_two(graph, EXPRESSION_MULTIPLY, da, a[1])
                            : expression_two(graph, EXPRESSION_MULTIPLY, a[0], db);
        else if (linear && node.operation == EXPRESSION_DIVIDE && !here[1])
            by[n] = expression_two(graph, EXPRESSION_DIVIDE, da, a[1]);
        else if (linear && node.operation == EXPRESSION_SELECT && !here[0])
            by[n] = expression_select(graph, a[0], db, dc);
        else
            by[n] = -1;
    }
    return by[top];
}
