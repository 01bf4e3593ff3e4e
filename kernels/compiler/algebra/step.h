/* step.h: what one step adds to each state.
 *
 * A gate's rate is a - b x with a and b of V alone; it gains (x - a / b) (e^(-b dt) - 1), exact while V
 * stands still (S. Rush, H. Larsen, IEEE Trans. Biomed. Eng. 25:389, 1978). Every other state k takes Euler's
 * step with its rate at the new values of the stiff states, to first order,
 *
 *   d_k = dt (f_k + sum_j df_k/dx_j d_j),   j stiff,
 *
 * a linear system for the stiff d_j, from which the other d_k follow. Pivots of its elimination are lifted to
 * 1 at least. Then stiff states in conserved sums (sums.h) add w = dt (f + J d) in place of d, by its factors
 * L U:
 *
 *   w_k = d_k + sum_i L_ki q_i,   q_i = (1 - m_ii) d_i where the pivot m_ii is below 1, else 0.
 *
 * A sum of states that take this step and whose rates keep it is kept: it adds f and each column of J to 0
 * (docs/theory/numerics.md, section 3). */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_STEP_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_STEP_H

#include "kernels/compiler/algebra/algebra.h"
#include "kernels/compiler/algebra/sums.h"

enum { STEP_UNKNOWNS_MAX = 64 };

struct step {
    int *increment; /* [states] nodes: what is added; of an unknown its EXPRESSION_CHANGE, d */
    bool *gate;     /* [states] */
    int unknowns;   /* stiff states, in the order in which they are eliminated */
    int *unknown;   /* [unknowns] numbers of states */
    int *right;     /* [unknowns] nodes: dt f */
    bool *keeping;  /* [unknowns]: in a conserved sum, so what is added is its EXPRESSION_KEEPING, w */
    int *entry;     /* [unknowns][unknowns] nodes of 1 - dt df/dx; node 0 where it is 0 */
};

/* Room for steps of so many states */
enum status step_begin(struct step *step, int states, struct error *error);
void step_free(struct step *step);

/* *step <- that of states whose rates are rate[states]. Errors: more than STEP_UNKNOWNS_MAX unknowns. */
enum status step_make(struct step *step, struct algebra *a, const int *rate, const bool *stiff,
                      const struct sums *sums, int states, struct error *error);

/* Whether state s of that rate is a gate */
bool step_is_gate(struct algebra *a, int s, int rate);

/* slope[states][states] <- nodes of df_k/dx_j: all of the columns that are full; of the others, if they are
 * asked for, where k = j, or f_k depends on x_j and f_j on x_k; else node 0 */
enum status step_slopes(int *slope, struct algebra *a, const int *rate, const bool *full, bool others,
                        int states, struct error *error);

#endif
