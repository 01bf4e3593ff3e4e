/* roles.h: which variables of a text are V, the time, the pace and the stimulus, and in what units. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_ROLES_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_ROLES_H

#include "kernels/compiler/language/mmt.h"
#include "kernels/compiler/language/tree.h"

struct mmt_roles {
    int v, time, pace, diffusion; /* variables, -1 = none */
    int stimulus;                 /* replaced by the stimulus, -1 = none */
    double rest, amplitude;       /* V = rest + amplitude u, mV, where u is the text's potential */
    double time_ms;               /* the text's unit of time, ms */
};

/* All roles but the stimulus. An error, with its position, if the text leaves a role open. */
void mmt_roles_find(struct mmt_roles *roles, struct mmt_tree *tree, const struct mmt_scale *scale);
/* roles->stimulus <- the variable by which the pace, or in a text without a pace the time, enters the
 * formulas */
void mmt_roles_find_stimulus(struct mmt_roles *roles, struct mmt_tree *tree, const int *order);
/* Whether variable v is computed from its formula, and not given from outside */
bool mmt_roles_has_formula(const struct mmt_roles *roles, int v);
/* Whether v's formula is a number, perhaps with a sign: *number */
bool mmt_roles_parameter(const struct mmt_roles *roles, const struct mmt_tree *tree, int v, double *number);

#endif
