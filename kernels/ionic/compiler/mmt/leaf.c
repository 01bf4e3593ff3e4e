/* algebra.c: one pass over the nodes, in their order, for each question. */
#include "kernels/ionic/compiler/mmt/algebra.h"

bool mmt_algebra_is(const struct expression_graph *graph, int n, double number)
{
    return graph->node[n].operation == EXPRESSION_NUMBER && graph->node[n].number == number;
}

int mmt_algebra_negative(struct expression_graph *graph, int a)
{
    bool negated = graph->node[a].operation == EXPRESSION_NEGATE;
    return negated                       ? graph->node[a].operand[0]
           : mmt_algebra_is(graph, a, 0) ? a
                                         : expression_one(graph, EXPRESSION_NEGATE, a);
}

int mmt_algebra_sum(struct expression_graph *graph, int a, int b)
{
    return mmt_algebra_is(graph, a, 0)   ? b
           : mmt_algebra_is(graph, b, 0) ? a
                                         : expression_two(graph, EXPRESSION_ADD, a, b);
}

int mmt_algebra_difference(struct expression_graph *graph, int a, int b)
{
    return mmt_algebra_is(graph, b, 0)   ? a
           : mmt_algebra_is(graph, a, 0) ? mmt_algebra_negative(graph, b)
                                         : expression_two(graph, EXPRESSION_SUBTRACT, a, b);
}

int mmt_algebra_product(struct expression_graph *graph, int a, int b)
{
    return mmt_algebra_is(graph, a, 0) || mmt_algebra_is(graph, b, 0) ? 0
           : mmt_algebra_is(graph, a, 1)                              ? b
           : mmt_algebra_is(graph, b, 1)                              ? a
           : mmt_algebra_is(graph, a, -1)                             ? mmt_algebra_negative(graph, b)
           : mmt_algebra_is(graph, b, -1)                             ? mmt_algebra_negative(graph, a)
                                          : expression_two(graph, EXPRESSION_MULTIPLY, a, b);
}

int mmt_algebra_quotient(struct expression_graph *graph, int a, int b)
{
    return mmt_algebra_is(graph, a, 0)    ? 0
           : mmt_algebra_is(graph, b, 1)  ? a
           : mmt_algebra_is(graph, b, -1) ? mmt_algebra_negative(graph, a)
                                          : expression_two(graph, EXPRESSION_DIVIDE, a, b);
}

void mmt_algebra_depends(const struct expression_graph *graph, unsigned *on, int nodes)
{
    for (int n = 0; n < nodes; n++) {
        const struct expression_node *node = &graph->node[n];
        int operands = expression_operands(node->operation);
        on[n] = operands ? 0 : 1u << node->operation;
        for (int k = 0; k < operands; k++)
            on[n] |= on[node->operand[k]];
    }
}

static int remade(struct expression_graph *graph, const struct expression_node *node, const int *as)
{
    const int *a = node->operand;
    switch (node->operation) {
    case EXPRESSION_NEGATE:
        return mmt_algebra_negative(graph, as[a[0]]);
    case EXPRESSION_ADD:
        return mmt_algebra_sum(graph, as[a[0]], as[a[1]]);
    case EXPRESSION_SUBTRACT:
        return mmt_algebra_difference(graph, as[a[0]], as[a[1]]);
    case EXPRESSION_MULTIPLY:
        return mmt_algebra_product(graph, as[a[0]], as[a[1]]);
    case EXPRESSION_DIVIDE:
        return mmt_algebra_quotient(graph, as[a[0]], as[a[1]]);
    case EXPRESSION_SELECT:
        return expression_select(graph, as[a[0]], as[a[1]], as[a[2]]);
    default:
        return expression_operands(node->operation) == 1
                   ? expression_one(graph, node->operation, as[a[0]])
                   : expression_two(graph, node->operation, as[a[0]], as[a[1]]);
    }
}

void mmt_algebra_with(struct expression_graph *graph, int *as, const unsigned *on, int nodes,
                      enum expression_operation leaf, int to)
{
    for (int n = 0; n < nodes; n++) {
        const struct expression_node node = graph->node[n];
        as[n] = !(on[n] >> leaf & 1) ? n : node.operation == leaf ? to : remade(graph, &node, as);
    }
}

int mmt_algebra_slope(struct expression_graph *graph, int top, int *by, const unsigned *on,
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
            by[n] = mmt_algebra_negative(graph, da);
        else if (linear && node.operation == EXPRESSION_ADD)
            by[n] = mmt_algebra_sum(graph, da, db);
        else if (linear && node.operation == EXPRESSION_SUBTRACT)
            by[n] = mmt_algebra_difference(graph, da, db);
        else if (linear && node.operation == EXPRESSION_MULTIPLY && !(here[0] && here[1]))
            by[n] = here[0] ? mmt_algebra_product(graph, da, a[1]) : mmt_algebra_product(graph, a[0], db);
        else if (linear && node.operation == EXPRESSION_DIVIDE && !here[1])
            by[n] = mmt_algebra_quotient(graph, da, a[1]);
        else if (linear && node.operation == EXPRESSION_SELECT && !here[0])
            by[n] = expression_select(graph, a[0], db, dc);
        else
            by[n] = -1;
    }
    return by[top];
}
