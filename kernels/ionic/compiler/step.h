/* step.h: what one step adds to each state.
 *
 * A gate's rate is a - b x with a and b of V alone; it gains (x - a / b) (e^(-b dt) - 1), exact while V
 * stands still (S. Rush, H. Larsen, IEEE Trans. Biomed. Eng. 25:389, 1978). Every other state k takes Euler's
 * step with its rate at the new values of the stiff states that it exchanges with, to first order,
 *
 *   d_k = dt (f_k + sum_j df_k/dx_j d_j),   j stiff, j = k or f_k depends on x_j and f_j on x_k,
 *
 * a linear system for the stiff d_j, from which the other d_k follow. A sum that the rates keep, such as the
 * states of a channel or calcium free and bound, is kept: each flux has the same value where it leaves and
 * where it arrives (docs/theory/numerics.md, section 3). */
#ifndef CARDIAC_KERNELS_IONIC_COMPILER_STEP_H
#define CARDIAC_KERNELS_IONIC_COMPILER_STEP_H

#include "kernels/ionic/compiler/algebra.h"

enum { STEP_UNKNOWNS_MAX = 64 };

struct step {
    int *increment; /* [states] nodes: what is added; that of an unknown is its EXPRESSION_CHANGE */
    int unknowns;   /* stiff states, in the order in which they are eliminated */
    int *unknown;   /* [unknowns] numbers of states */
    int *right;     /* [unknowns] nodes: dt f */
    int *entry;     /* [unknowns][unknowns] nodes of 1 - dt df/dx; node 0 where it is 0 */
};

/* Room for steps of so many states */
enum status step_begin(struct step *step, int states, struct error *error);
void step_free(struct step *step);

/* *step <- that of states whose rates are rate[states]. Errors: more than STEP_UNKNOWNS_MAX unknowns. */
enum status step_make(struct step *step, struct algebra *a, const int *rate, const bool *stiff, int states,
                      struct error *error);

/* Whether state s of that rate is a gate */
bool step_is_gate(struct algebra *a, int s, int rate);

/* slope[states][states] <- nodes of df_k/dx_j for the columns j that are wanted (NULL: all) where k = j, or
 * where f_k depends on x_j and f_j on x_k; else node 0 */
enum status step_slopes(int *slope, struct algebra *a, const int *rate, const bool *wanted, int states,
                        struct error *error);

#endif
