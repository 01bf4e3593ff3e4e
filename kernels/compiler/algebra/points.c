/* points.c: computes the dependence and the values of new nodes in one pass. */
#include "kernels/compiler/algebra/points.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

static double value_at(const struct algebra *a, const struct expression_node *node, int k)
{
    const struct algebra_point *point = &a->point[k];
    double x[3] = {0, 0, 0};
    switch (node->operation) {
    case EXPRESSION_NUMBER:
        return node->number;
    case EXPRESSION_V:
        return point->v;
    case EXPRESSION_STATE:
    case EXPRESSION_CHANGE:
    case EXPRESSION_KEEPING:
        return point->state[node->leaf];
    case EXPRESSION_PARAMETER:
        return point->parameter[node->leaf];
    case EXPRESSION_STEP:
        return point->dt;
    case EXPRESSION_STIMULUS:
    case EXPRESSION_TIME:
        return 0;
    default:
        for (int j = 0; j < 3 && node->operand[j] >= 0; j++)
            x[j] = a->value[node->operand[j]][k];
        return expression_value(node->operation, x[0], x[1], x[2]);
    }
}

static unsigned leaf_bit(enum expression_operation operation)
{
    return operation == EXPRESSION_V          ? ALGEBRA_V
           : operation == EXPRESSION_STATE    ? ALGEBRA_STATE
           : operation == EXPRESSION_CHANGE   ? ALGEBRA_STATE
           : operation == EXPRESSION_KEEPING  ? ALGEBRA_STATE
           : operation == EXPRESSION_STIMULUS ? ALGEBRA_STIMULUS
           : operation == EXPRESSION_TIME     ? ALGEBRA_TIME
                                              : 0;
}

static void resize(void **array, size_t size, struct algebra *a)
{
    void *larger = realloc(*array, (size_t)a->room * size);
    if (larger)
        *array = larger;
    else
        a->graph->status = STATUS_RUN;
}

void algebra_evaluate_new(struct algebra *a)
{
    if (a->known == a->graph->nodes)
        return;
    if (a->graph->nodes > a->room) {
        int before = a->room;
        a->room = 2 * a->graph->nodes;
        resize((void **)&a->on, sizeof *a->on, a);
        resize((void **)&a->whole, sizeof *a->whole, a);
        resize((void **)&a->value, sizeof *a->value, a);
        resize((void **)&a->negated, sizeof *a->negated, a);
        resize((void **)&a->above, sizeof *a->above, a);
        resize((void **)&a->below, sizeof *a->below, a);
        if (a->graph->status) {
            a->room = before;
            return;
        }
    }
    for (int n = a->known; n < a->graph->nodes; n++) {
        const struct expression_node *node = algebra_node(a, n);
        a->negated[n] = a->above[n] = a->below[n] = -1;
        a->on[n] = (unsigned char)leaf_bit(node->operation);
        a->whole[n] = false;
        for (int j = 0; j < 3 && node->operand[j] >= 0; j++)
            a->on[n] |= a->on[node->operand[j]];
        for (int k = 0; k < ALGEBRA_POINTS; k++)
            a->value[n][k] = value_at(a, node, k);
    }
    a->known = a->graph->nodes;
}

unsigned algebra_on(struct algebra *a, int n)
{
    algebra_evaluate_new(a);
    return a->on[n < a->known ? n : 0];
}

bool algebra_constant(struct algebra *a, int n)
{
    return algebra_on(a, n) == 0;
}

const double *algebra_values(struct algebra *a, int n)
{
    algebra_evaluate_new(a);
    return a->value[n < a->known ? n : 0];
}

bool algebra_number(struct algebra *a, int n, double value)
{
    return expression_is(a->graph, n, value);
}

bool algebra_in_range(struct algebra *a, int n)
{
    const double *value = algebra_values(a, n);
    for (int k = 0; k < ALGEBRA_POINTS; k++)
        if (!(fabs(value[k]) < 1e30) || (value[k] != 0 && fabs(value[k]) < 1e-30))
            return false;
    return true;
}

/* xorshift64*: the same points on every run */
static double uniform(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (double)((*seed * 2685821657736338717u) >> 11) * 0x1p-53;
}

enum status algebra_begin(struct algebra *a, struct cell *cell, const double *low, const double *high,
                          struct error *error)
{
    enum status status = STATUS_OK;
    uint64_t seed = 42;
    int numbers = ALGEBRA_POINTS * cell->states + cell->parameters;
    memset(a, 0, sizeof *a);
    a->graph = &cell->graph;
    double *at = a->memory = array_new(numbers, sizeof *at, "points of a model", &status, error);
    if (status)
        return status;
    double *parameter = at + ALGEBRA_POINTS * cell->states;
    for (int p = 0; p < cell->parameters; p++)
        parameter[p] = cell->parameter[p].value;
    for (int k = 0; k < ALGEBRA_POINTS; k++) {
        a->point[k] = (struct algebra_point){-200 + 400 * (k + 0.0) / (ALGEBRA_POINTS - 1), 0.02,
                                             at + k * cell->states, parameter};
        for (int s = 0; s < cell->states; s++)
            a->point[k].state[s] = low[s] + (high[s] - low[s]) * uniform(&seed);
    }
    algebra_evaluate_new(a);
    return a->graph->status ? error_memory(error, "points of a model", 0) : STATUS_OK;
}

void algebra_end(struct algebra *a)
{
    free(a->memory);
    free(a->on);
    free(a->whole);
    free(a->value);
    free(a->negated);
    free(a->above);
    free(a->below);
    memset(a, 0, sizeof *a);
}

void algebra_split(struct algebra *a)
{
    a->split = true;
    a->known = 0; /* cached fractions and negatives are no longer valid */
    algebra_evaluate_new(a);
}
