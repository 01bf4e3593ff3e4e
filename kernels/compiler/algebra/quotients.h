/* quotients.h: groups denominators that share one division, of 1 by their product.
 *
 * No member of a group depends on another member's inverse, and the product stays well within the range of
 * fp32 at every point; a denominator that changes sign or comes near 0 has its own division. A denominator
 * that may be 0 or NaN where a condition discards its quotient is replaced by 1 there, because it would
 * corrupt the other inverses. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_QUOTIENTS_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_QUOTIENTS_H

#include "kernels/compiler/algebra/algebra.h"
#include "kernels/compiler/algebra/interval.h"

enum { QUOTIENTS_OF_A_GROUP = 4 };
struct quotients {
    int *group;       /* [nodes] group of a denominator, -1 = none: divided by directly */
    bool *shielded;   /* [nodes] of a denominator: replaced by 1 in the product where it is NaN or 0 */
    int *denominator; /* the denominators of all groups, in the order of first use */
    int denominators, groups;
    void *memory;
};

/* The nodes to compute: those below the roots with uses[node] > 0, in the given order */
struct quotients_use {
    const int *root, *uses, *order;
    int roots, ordered;
    const struct interval *interval; /* of each node */
};

/* *quotients <- groups of the denominators among the nodes in use, in their order */
enum status quotients_group(struct quotients *quotients, struct algebra *algebra,
                            const struct quotients_use *use, struct error *error);
void quotients_free(struct quotients *quotients);

#endif
