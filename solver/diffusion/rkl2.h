/* rkl2.h: the stages of the second-order Runge-Kutta-Legendre scheme (C. D. Meyer, D. S. Balsara and T. D.
 * Aslam, J. Comput. Phys. 257 (2014) 594), in increments of V:
 *
 *    delta_1 = (b / 3) w / m                                                    b = -dt K V
 *    delta_j = mu_j (delta_{j-1} + (p_{j-1} b - dt K delta_{j-1}) w / m) + nu_j delta_{j-2}    j = 2 .. s
 *
 * The stages may include dt s, the change by the cells in a staggered step: V' = V + delta_s then solves
 * V' = s - M^-1 K V. With delta_j = c_j dt s + eps_j, where c_j is the solution for z = 0 and c_s = 1, a
 * spatially uniform s is added exactly:
 *
 *    eps_1 = (b / 3) w / m                                                      b_u = -dt K (V + dt s)
 *    eps_j = mu_j (eps_{j-1} + ((p_{j-1} - c_{j-1}) b + c_{j-1} b_u - dt K eps_{j-1}) w / m) + nu_j eps_{j-2}
 *    c_0 = 0, c_1 = w / 3, c_j = mu_j (c_{j-1} + p_{j-1} w) + nu_j c_{j-2}
 *
 *    w = 4 / (s^2 + s - 2), p_0 = p_1 = p_2 = 1/3, p_j = (j^2 + j - 2) / (2 j (j + 1))
 *    mu_j = (2 - 1/j) p_j / p_{j-1}, nu_j = (1/j - 1) p_j / p_{j-2}
 *
 * A step multiplies a mode of M^-1 dt K with eigenvalue z, 0 <= z <= 2 / w, by R(z) = 1 - p_s + p_s P_s(1
 * - w z), where P_s is Legendre's polynomial (docs/theory/numerics.md, section 3). */
#ifndef CARDIAC_SOLVER_RKL2_H
#define CARDIAC_SOLVER_RKL2_H

#include <stdbool.h>

enum { RKL2_STAGES_MOST = 64, RKL2_COEFFICIENTS = 4 };

/* The longest step with this number of stages, in units of the longest explicit step. For even numbers
 * only 0.9 of the stable step, because at its end the stiffest mode is not damped: R = 1. */
double rkl2_reach(int stages);

/* The fewest stages, at least 2, for a step of dt if explicit steps are stable up to `limit`, both in ms;
 * 0 = more than RKL2_STAGES_MOST */
int rkl2_stages(double dt, double limit);

/* w */
double rkl2_weight(int stages);

/* coefficient[stages - 1][RKL2_COEFFICIENTS] <- mu_j, nu_j and the factors of b and b_u for j = 2 ..
 * stages: p_{j-1} and 0; with the source included p_{j-1} - c_{j-1} and c_{j-1} */
void rkl2_coefficients(int stages, bool source, double *coefficient);

/* Upper bound on the error of delta due to errors of (dt K delta_{j-1})_i / m_i of size 1 and any sign in
 * all stages: the sum over j of mu_j w times the amplification of stage j. */
double rkl2_amplification(int stages);

#endif
