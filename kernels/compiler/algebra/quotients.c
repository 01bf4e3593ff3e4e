/* quotients.c: assigns denominators to groups. */
#include "kernels/compiler/algebra/quotients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

/* depth[n] <- longest chain of divisions up to n */
static void note_depths(const struct expression_graph *graph, int *depth, int nodes)
{
    for (int n = 0; n < nodes; n++) {
        const struct expression_node *node = &graph->node[n];
        depth[n] = 0;
        for (int k = 0; k < 3 && node->operand[k] >= 0; k++) {
            int below = depth[node->operand[k]] + (node->operation == EXPRESSION_DIVIDE && k == 1);
            depth[n] = below > depth[n] ? below : depth[n];
        }
    }
}

/* always[n] <- whether n is needed unconditionally */
static void note_always(const struct expression_graph *graph, const struct quotients_use *use, bool *always)
{
    for (int k = 0; k < use->roots; k++)
        always[use->root[k]] = true;
    for (int n = graph->nodes - 1; n >= 0; n--) {
        const struct expression_node *node = &graph->node[n];
        const int operands = node->operation == EXPRESSION_SELECT ? 1 : 3;
        for (int k = 0; k < operands && always[n] && use->uses[n] && node->operand[k] >= 0; k++)
            always[node->operand[k]] = true;
    }
}

/* Whether n is e^y - 1, replaced by 1 at y = 0: it changes sign but is never 0 */
static bool is_guarded(const struct expression_graph *graph, int n)
{
    const struct expression_node *node = &graph->node[n];
    return node->operation == EXPRESSION_SELECT &&
           graph->node[node->operand[0]].operation == EXPRESSION_EQUAL &&
           graph->node[node->operand[2]].operation == EXPRESSION_EXPM1;
}

/* Whether the product of `with` and n stays in range; if so, with[] <- the product */
static bool fits(struct algebra *a, double *with, int n)
{
    const double *value = algebra_values(a, n);
    const bool guarded = is_guarded(a->graph, n);
    double product[ALGEBRA_POINTS];
    for (int k = 0; k < ALGEBRA_POINTS; k++) {
        product[k] = with[k] * value[k];
        double size = fabs(product[k]);
        if (!(size > 1e-28 && size < 1e28) || (!guarded && (value[k] < 0) != (value[0] < 0)))
            return false;
    }
    memcpy(with, product, sizeof product);
    return true;
}

/* Whether n is nonzero for all V, states and parameters */
static bool is_never_zero(const struct expression_graph *graph, const struct interval *interval, int n)
{
    return is_guarded(graph, n) || interval[n].low > 0 || interval[n].high < 0;
}

enum status quotients_group(struct quotients *q, struct algebra *a, const struct quotients_use *use,
                            struct error *error)
{
    enum { DEPTHS = 64 };
    enum status status = STATUS_OK;
    const int nodes = a->graph->nodes;
    memset(q, 0, sizeof *q);
    q->memory = array_new(3 * (int64_t)nodes, sizeof(int), "a model's quotients", &status, error);
    q->shielded =
        array_zeroed(2 * (int64_t)nodes, sizeof *q->shielded, "a model's quotients", &status, error);
    if (status)
        return status;
    bool *always = q->shielded + nodes;
    q->group = q->memory;
    q->denominator = q->group + nodes;
    int *depth = q->denominator + nodes, open[DEPTHS], members[DEPTHS];
    double product[DEPTHS][ALGEBRA_POINTS];
    memset(q->group, -1, (size_t)nodes * sizeof *q->group);
    memset(open, -1, sizeof open);
    note_depths(a->graph, depth, nodes);
    note_always(a->graph, use, always);
    for (int i = 0; i < use->ordered; i++) {
        const struct expression_node *node = &a->graph->node[use->order[i]];
        int n = node->operand[1];
        if (node->operation != EXPRESSION_DIVIDE || !use->uses[use->order[i]] || algebra_constant(a, n) ||
            q->group[n] >= 0 || depth[n] >= DEPTHS)
            continue;
        int l = depth[n];
        q->shielded[n] = !always[use->order[i]] && !is_never_zero(a->graph, use->interval, n);
        if (open[l] < 0 || members[l] == QUOTIENTS_OF_A_GROUP || !fits(a, product[l], n)) {
            double one[ALGEBRA_POINTS];
            for (int k = 0; k < ALGEBRA_POINTS; k++)
                one[k] = 1;
            if (!fits(a, one, n)) {
                q->group[n] = q->groups++; /* a group of its own */
                q->denominator[q->denominators++] = n;
                continue;
            }
            memcpy(product[l], one, sizeof one);
            open[l] = q->groups++;
            members[l] = 0;
        }
        q->group[n] = open[l];
        members[l]++;
        q->denominator[q->denominators++] = n;
    }
    return STATUS_OK;
}

void quotients_free(struct quotients *q)
{
    free(q->memory);
    free(q->shielded);
    memset(q, 0, sizeof *q);
}
