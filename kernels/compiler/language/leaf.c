/* leaf.c: one pass over the nodes, in their order, for each question. */
#include "kernels/compiler/language/leaf.h"

void mmt_leaf_depends(const struct expression_graph *graph, unsigned *on, int nodes)
{
    for (int n = 0; n < nodes; n++) {
        const struct expression_node *node = &graph->node[n];
        int operands = expression_operands(node->operation);
        on[n] = operands ? 0 : 1u << node->operation;
        for (int k = 0; k < operands; k++)
            on[n] |= on[node->operand[k]];
    }
}

void mmt_leaf_replace(struct expression_graph *graph, int *as, const unsigned *on, int nodes,
                      enum expression_operation leaf, int to)
{
    for (int n = 0; n < nodes; n++)
        as[n] = !(on[n] >> leaf & 1)               ? n
                : graph->node[n].operation == leaf ? to
                                                   : expression_remake(graph, n, as);
}

int mmt_leaf_slope(struct expression_graph *graph, int top, int *by, const unsigned *on,
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
