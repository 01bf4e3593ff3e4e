/* step.h: the increment of each state in one step.
 *
 * A gate's rate is a - b x, where a and b depend on V alone; its increment (x - a / b) (e^(-b dt) - 1) is
 * exact for constant V (S. Rush, H. Larsen, IEEE Trans. Biomed. Eng. 25:389, 1978). Every other state k takes
 * an Euler step with its rate at the new values of the stiff states, to first order,
 *
 *   d_k = dt (f_k + sum_j df_k/dx_j d_j),   j stiff,
 *
 * a linear system for the stiff d_j, from which the other d_k follow. Pivots below 1 are raised to 1 in the
 * elimination. Stiff states in conserved sums (sums.h) then add w = dt (f + J d) instead of d, computed from
 * the factors L U:
 *
 *   w_k = d_k + sum_i L_ki q_i,   q_i = (1 - m_ii) d_i where the pivot m_ii is below 1, else 0.
 *
 * This step conserves every sum of non-gate states that their rates conserve: f and each column of J sum to 0
 * (docs/theory/numerics.md, section 3). */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_STEP_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_STEP_H

#include "kernels/compiler/algebra/algebra.h"
#include "kernels/compiler/algebra/sums.h"

enum { STEP_UNKNOWNS_MAX = 64 };

struct step {
    int *increment; /* [states] nodes: the increment; of an unknown its EXPRESSION_CHANGE, d */
    bool *gate;     /* [states] */
    int unknowns;   /* stiff states, in the order of elimination */
    int *unknown;   /* [unknowns] numbers of states */
    int *right;     /* [unknowns] nodes: dt f */
    bool *keeping;  /* [unknowns]: in a conserved sum, so its increment is EXPRESSION_KEEPING, w */
    int *entry;     /* [unknowns][unknowns] nodes of 1 - dt df/dx; node 0 where it is 0 */
};

/* Allocates a step of `states` states */
enum status step_begin(struct step *step, int states, struct error *error);
void step_free(struct step *step);

/* *step <- the step of states with rates rate[states]. Errors: more than STEP_UNKNOWNS_MAX unknowns. */
enum status step_make(struct step *step, struct algebra *a, const int *rate, const bool *stiff,
                      const struct sums *sums, int states, struct error *error);

/* Whether state s is a gate, given its rate */
bool step_is_gate(struct algebra *a, int s, int rate);

/* slope[states][states] <- nodes of df_k/dx_j: whole columns j for which full[j]; in other columns, if
 * `others`, where k = j, or f_k depends on x_j and f_j on x_k; else node 0 */
enum status step_slopes(int *slope, struct algebra *a, const int *rate, const bool *full, bool others,
                        int states, struct error *error);

#endif
