/* quotients.h: which denominators are inverted together, by one division of their product.
 *
 * No member of a group depends on another member's inverse, and the product stays well inside
 * fp32 at every point; a denominator that changes sign or comes near 0 has a division of its own. One that may
 * be 0 or NaN where a condition ignores its quotient is replaced by 1 there: it would spoil the
 * others. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_QUOTIENTS_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_QUOTIENTS_H

#include "kernels/compiler/algebra/algebra.h"
#include "kernels/compiler/algebra/interval.h"

enum { QUOTIENTS_OF_A_GROUP = 4 };
struct quotients {
    int *group;       /* [nodes] group of a denominator, -1 = it shares no division */
    bool *shielded;   /* [nodes] of a denominator: 1 replaces it in the product where it is NaN or 0 */
    int *denominator; /* those of all groups, in the order of first use */
    int denominators, groups;
    void *memory;
};

/* What is computed: formulas of the roots, of which nodes with uses[node] > 0 are computed, in that order */
struct quotients_use {
    const int *root, *uses, *order;
    int roots, ordered;
    const struct interval *interval; /* of each node */
};

/* Denominators among the nodes in use, in their order */
enum status quotients_group(struct quotients *quotients, struct algebra *algebra,
                            const struct quotients_use *use, struct error *error);
void quotients_free(struct quotients *quotients);

#endif
