/* derivative.c: derivatives of formulas by a state. */
#include <stdlib.h>

#include "kernels/compiler/algebra/algebra.h"

/* d f(x) / dx of one operand */
static int slope_of(struct algebra *a, int n, enum expression_operation operation, int x)
{
    struct expression_graph *graph = a->graph;
    int one = expression_number(graph, 1);
    switch (operation) {
    case EXPRESSION_NEGATE:
        return expression_number(graph, -1);
    case EXPRESSION_EXP:
        return n;
    case EXPRESSION_EXPM1:
        return algebra_sum(a, n, one);
    case EXPRESSION_LOG:
        return algebra_quotient(a, one, x);
    case EXPRESSION_SQRT:
        return algebra_quotient(a, expression_number(graph, 0.5), n);
    case EXPRESSION_SIN:
        return expression_one(graph, EXPRESSION_COS, x);
    case EXPRESSION_COS:
        return algebra_negative(a, expression_one(graph, EXPRESSION_SIN, x));
    case EXPRESSION_TANH:
        return algebra_difference(a, one, algebra_product(a, n, n));
    case EXPRESSION_ATAN:
        return algebra_quotient(a, one, algebra_sum(a, one, algebra_product(a, x, x)));
    default:
        return 0;
    }
}

static int derivative_of(struct algebra *a, int n, const int *d)
{
    const struct expression_node node = a->graph->node[n];
    int x = node.operand[0], y = node.operand[1], z = node.operand[2];
    int left, right;
    switch (node.operation) {
    case EXPRESSION_ADD:
        return algebra_sum(a, d[x], d[y]);
    case EXPRESSION_SUBTRACT:
        return algebra_difference(a, d[x], d[y]);
    case EXPRESSION_MULTIPLY:
        left = algebra_product(a, d[x], y);
        right = algebra_product(a, x, d[y]);
        return algebra_sum(a, left, right);
    case EXPRESSION_DIVIDE:
        left = algebra_quotient(a, d[x], y);
        right = algebra_quotient(a, algebra_product(a, n, d[y]), y);
        return algebra_difference(a, left, right);
    case EXPRESSION_POWER: /* x^y with constant y */
        left = algebra_product(a, y, algebra_quotient(a, n, x));
        return algebra_product(a, left, d[x]);
    case EXPRESSION_SELECT:
        return algebra_select(a, x, d[y], d[z]);
    default:
        if (expression_operands(node.operation) != 1 || d[x] == 0)
            return 0;
        return algebra_product(a, slope_of(a, n, node.operation, x), d[x]);
    }
}

void algebra_derivatives(struct algebra *a, int *derivative, const int *root, int roots, int leaf)
{
    int top = leaf;
    for (int k = 0; k < roots; k++)
        top = root[k] > top ? root[k] : top;
    int *d = malloc((size_t)(top + 1) * sizeof *d);
    bool *needed = calloc((size_t)top + 1, sizeof *needed);
    if (!d || !needed)
        a->graph->status = STATUS_RUN;
    if (!a->graph->status)
        algebra_reach_from(a->graph, needed, top, root, roots);
    for (int k = 0; k <= top && !a->graph->status; k++)
        d[k] = k == leaf ? expression_number(a->graph, 1) : needed[k] ? derivative_of(a, k, d) : 0;
    for (int k = 0; k < roots; k++)
        derivative[k] = a->graph->status ? 0 : d[root[k]];
    free(d);
    free(needed);
}

int algebra_derivative(struct algebra *a, int n, int leaf)
{
    int derivative;
    algebra_derivatives(a, &derivative, &n, 1, leaf);
    return derivative;
}

/* 0 = independent of the leaf, 1 = affine in it, 2 = neither; computed from the operands' degrees */
static unsigned char degree_of(const struct expression_node *node, const unsigned char *degree)
{
    enum { OTHER = 2 };
    unsigned char d[3] = {0, 0, 0}, most = 0;
    for (int k = 0; k < 3 && node->operand[k] >= 0; k++) {
        d[k] = degree[node->operand[k]];
        most = d[k] > most ? d[k] : most;
    }
    switch (node->operation) {
    case EXPRESSION_NEGATE:
    case EXPRESSION_ADD:
    case EXPRESSION_SUBTRACT:
        return most;
    case EXPRESSION_MULTIPLY:
        return d[0] + d[1] < OTHER ? most : OTHER;
    case EXPRESSION_DIVIDE:
        return d[1] == 0 ? most : OTHER;
    case EXPRESSION_SELECT:
        return d[0] == 0 ? most : OTHER;
    default:
        return most == 0 ? 0 : OTHER;
    }
}

bool algebra_is_affine(struct algebra *a, int n, int leaf)
{
    const int top = n > leaf ? n : leaf;
    unsigned char *degree = calloc((size_t)top + 1, 1);
    if (!degree) {
        a->graph->status = STATUS_RUN;
        return false;
    }
    for (int k = leaf; k <= n; k++)
        degree[k] = k == leaf ? 1 : degree_of(algebra_node(a, k), degree);
    const bool affine = degree[n] < 2;
    free(degree);
    return affine;
}
