/* roles.h: finds the variables of a text that are V, time, pace and stimulus, and their units. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_ROLES_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_ROLES_H

#include "kernels/compiler/language/mmt.h"
#include "kernels/compiler/language/tree.h"

struct mmt_roles {
    int v, time, pace, diffusion; /* variables, -1 = none */
    int stimulus;                 /* the variable that the stimulus replaces, -1 = none */
    double rest, amplitude;       /* V = rest + amplitude u, mV, where u is the text's potential */
    double time_ms;               /* the text's unit of time, ms */
};

/* Finds all roles except the stimulus. Sets an error, with position, if a role is ambiguous or missing. */
void mmt_roles_find(struct mmt_roles *roles, struct mmt_tree *tree, const struct mmt_scale *scale);
/* roles->stimulus <- the variable through which the pace, or in a text without a pace the time, enters the
 * formulas */
void mmt_roles_find_stimulus(struct mmt_roles *roles, struct mmt_tree *tree, const int *order);
/* Whether variable v is computed from its formula, not provided by the simulation */
bool mmt_roles_has_formula(const struct mmt_roles *roles, int v);
/* Whether v's formula is a number, possibly with a sign; *number <- its value */
bool mmt_roles_parameter(const struct mmt_roles *roles, const struct mmt_tree *tree, int v, double *number);

#endif
