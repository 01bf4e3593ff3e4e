/* rkl2.h: the stages of the Runge-Kutta-Legendre scheme of second order (C. D. Meyer, D. S. Balsara and
 * T. D. Aslam, J. Comput. Phys. 257 (2014) 594), by increments of V:
 *
 *   delta_1 = (b / 3) w / m                                                    b = -dt K V
 *   delta_j = mu_j (delta_{j-1} + (p_{j-1} b - dt K delta_{j-1}) w / m) + nu_j delta_{j-2}    j = 2 .. s
 *
 * The stages may include what cells add in the step, dt s (staggered steps): V' = V + delta_s of V' = s -
 * M^-1 K V. Then delta_j = c_j dt s + eps_j, c_j being that of z = 0, so that s uniform in space is added as
 * it stands, since c_s = 1:
 *
 *   eps_1 = (b / 3) w / m                                                      b_u = -dt K (V + dt s)
 *   eps_j = mu_j (eps_{j-1} + ((p_{j-1} - c_{j-1}) b + c_{j-1} b_u - dt K eps_{j-1}) w / m) + nu_j eps_{j-2}
 *   c_0 = 0, c_1 = w / 3, c_j = mu_j (c_{j-1} + p_{j-1} w) + nu_j c_{j-2}
 *
 *   w = 4 / (s^2 + s - 2), p_0 = p_1 = p_2 = 1/3, p_j = (j^2 + j - 2) / (2 j (j + 1))
 *   mu_j = (2 - 1/j) p_j / p_{j-1}, nu_j = (1/j - 1) p_j / p_{j-2}
 *
 * A step multiplies a mode of M^-1 dt K with z, 0 <= z <= 2 / w, by R(z) = 1 - p_s + p_s P_s(1 - w z), P_s
 * being Legendre's polynomial (docs/theory/numerics.md, section 3). */
#ifndef CARDIAC_SOLVER_RKL2_H
#define CARDIAC_SOLVER_RKL2_H

#include <stdbool.h>

enum { RKL2_STAGES_MOST = 64, RKL2_COEFFICIENTS = 4 };

/* The longest step with so many stages over the longest explicit one. For an even number 0.9 of the stable
 * step, at whose end the stiffest mode is not damped, R = 1. */
double rkl2_reach(int stages);

/* The fewest stages, at least 2, for a step of dt where explicit ones are stable up to `limit`, both in ms;
 * 0 = more than RKL2_STAGES_MOST */
int rkl2_stages(double dt, double limit);

/* w */
double rkl2_weight(int stages);

/* coefficient[stages - 1][RKL2_COEFFICIENTS] <- mu_j, nu_j and the factors of b and b_u of j = 2 .. stages:
 * p_{j-1} and 0, or with the source included p_{j-1} - c_{j-1} and c_{j-1} */
void rkl2_coefficients(int stages, bool source, double *coefficient);

/* Upper bound on the error of delta from errors of (dt K delta_{j-1})_i / m_i of size 1 and any sign in all
 * stages: the sum over j of mu_j w times the amplification of stage j. */
double rkl2_amplification(int stages);

#endif
