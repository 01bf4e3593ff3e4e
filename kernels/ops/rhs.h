/* rhs.h: the right-hand side of a diffusion step and the initial guess of its sweeps; sums and vectors in
 * fp64, r_ij in fp64 or 32 bits, slice by slice.
 *
 *   b_i = scale sum_j r_ij (v_j - v_i) = (-dt K V)_i
 *
 * With differences, a constant field stays constant to the last bit.
 *
 *   x_i = e_i + predictor_weight b_i / d_i      or the first stage, b_i w / (3 m_i)
 *
 * where e extrapolates the history c: 0, c_1, 2 c_1 - c_2 or 3 (c_1 - c_2) + c_3; c_k is the increment of
 * the k-th previous step minus predictor_weight b / d. The weight is the first sweep's a
 * (kernels/ops/solve.h), so x is the result of that sweep applied to the extrapolated increments, because
 * A times these is the extrapolated b (docs/theory/numerics.md, section 3). */
#ifndef CARDIAC_KERNELS_OPS_RHS_H
#define CARDIAC_KERNELS_OPS_RHS_H

#include <stdbool.h>

#include "kernels/device/isa.h"
#include "kernels/device/cpu.h"
#include "kernels/ops/control.h"
#include "kernels/ops/halo.h"
#include "kernels/ops/packed.h"

/* x of row i, or of LANES rows from i on; load(array) loads these elements of an array. */
#define RHS_GUESS(rhs, load, b, x)                                                                           \
    do {                                                                                                     \
        const double *const *c = (rhs)->history;                                                             \
        if ((rhs)->start == START_PREVIOUS)                                                                  \
            x = load(c[0]);                                                                                  \
        else if ((rhs)->start == START_LINEAR)                                                               \
            x = 2 * load(c[0]) - load(c[1]);                                                                 \
        else if ((rhs)->start == START_QUADRATIC)                                                            \
            x = 3 * (load(c[0]) - load(c[1])) + load(c[2]);                                                  \
        if ((rhs)->predictor_weight != 0)                                                                    \
            x = x + (rhs)->predictor_weight * (b * load((rhs)->inverse));                                    \
    } while (0)

/* e = 0, or extrapolated from one, two or three steps */
enum start { START_ZERO, START_PREVIOUS, START_LINEAR, START_QUADRATIC };

enum { RHS_HISTORY = 3 };

/* Arrays are [matrix rows], in packed order, on the device. */
struct rhs {
    const double *v;
    double scale;                       /* factor of the sum over j */
    enum start start;                   /* choice of e */
    const double *history[RHS_HISTORY]; /* c_1, c_2, c_3 */
    double predictor_weight;            /* factor of b / d in x; 0 = none */
    const double *inverse;              /* 1 / d_i; for stages w / m_i */
    double *b;
    double *x64;             /* NULL = not needed */
    float *x32;              /* x64 rounded to nearest; NULL = not needed */
    double bound;            /* mV; larger |x_i| are recorded in control->passed */
    double limit;            /* mV; |v_i| beyond it sets FAILURE_VOLTAGE; infinity if all r_ij are fp64 */
    const struct halo *halo; /* all ranks fail together */
    struct control *control; /* sweep, converged <- 0 */
};

CLONE_DECLARE(void, rhs_cpu, (struct queue * queue, const struct packed *matrix, const struct rhs *rhs));
void rhs_cuda(struct queue *queue, const struct packed *matrix, const struct rhs *rhs);

#endif
