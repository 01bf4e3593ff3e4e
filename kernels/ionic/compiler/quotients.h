/* quotients.h: which denominators are inverted together, by one division of their product.
 *
 * A group has members that no other member's inverse is needed for, and a product that stays well inside of
 * fp32 at every point; a denominator that changes its sign or comes near 0 is divided by alone. */
#ifndef CARDIAC_KERNELS_IONIC_COMPILER_QUOTIENTS_H
#define CARDIAC_KERNELS_IONIC_COMPILER_QUOTIENTS_H

#include "kernels/ionic/compiler/algebra.h"

enum { QUOTIENTS_OF_A_GROUP = 4 };
struct quotients {
    int *group;       /* [nodes] of a denominator, -1 = it is none that shares a division */
    int *denominator; /* those of all groups, in the order of first use */
    int denominators, groups;
    void *memory;
};

/* Denominators among nodes that are in use (uses[node] > 0), in the order given */
enum status quotients_group(struct quotients *quotients, struct algebra *algebra, const int *uses,
                            const int *order, int ordered, struct error *error);
void quotients_free(struct quotients *quotients);

#endif
