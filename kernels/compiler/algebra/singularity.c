/* singularity.c: quotients by e^y - 1. */
#include "kernels/compiler/algebra/singularity.h"

#include "kernels/compiler/algebra/line.h"

int singularity_exponent(struct algebra *a, int n)
{
    const struct expression_node *node = algebra_node(a, n);
    for (int k = 0; k < 2 && node->operation == EXPRESSION_ADD; k++)
        if (algebra_operation(a, node->operand[k]) == EXPRESSION_EXP &&
            algebra_number(a, node->operand[1 - k], -1))
            return algebra_node(a, node->operand[k])->operand[0];
    return -1;
}

/* y if it is not 0, else 1, and e^y - 1 in the same way: a quotient of the two is that of y and e^y - 1 */
static int unless_zero(struct algebra *a, int y, int n)
{
    return expression_select(a->graph, monomial_two(a, EXPRESSION_EQUAL, y, expression_number(a->graph, 0)),
                             expression_number(a->graph, 1), n);
}

void singularity_remove(struct algebra *a, struct monomial *m)
{
    for (int j = 0; j < m->factors; j++) {
        int n = m->factor[j].node, sign = m->factor[j].power < 0 ? -1 : 1, k;
        int y = algebra_operation(a, n) == EXPRESSION_EXPM1 ? algebra_node(a, n)->operand[0]
                                                            : singularity_exponent(a, n);
        for (int i = 0; i < m->factors && y >= 0; i++) {
            int f = m->factor[i].node;
            if (m->factor[i].power * sign >= 0 || !line_multiple(a, y, f, &k))
                continue;
            monomial_put(m, n, -sign);
            monomial_put(m, f, sign);
            monomial_gather(a, m, k, sign);
            monomial_put(m, unless_zero(a, y, y), -sign);
            monomial_put(m, unless_zero(a, y, expression_one(a->graph, EXPRESSION_EXPM1, y)), sign);
            j = -1;
            break;
        }
    }
}
