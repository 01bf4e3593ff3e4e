/* rhs.h: the right side of a diffusion step and the starting guess of its sweeps; sums and vectors in fp64,
 * r_ij in fp64 or 32 bits slice by slice.
 *
 *   b_i = scale sum_j r_ij (v_j - v_i) = (-dt K V)_i
 *
 * Differences keep a constant field constant to the last bit.
 *
 *   x_i = e_i + predictor_weight b_i / d_i      or the first stage, b_i w / (3 m_i)
 *
 * where e extrapolates the history c: 0, c_1, 2 c_1 - c_2 or 3 (c_1 - c_2) + c_3, c_k being the increment of
 * the k-th step before less predictor_weight b / d. The weight is the first
 * sweep's a (kernels/ops/solve.h), so that x is what that sweep would make of the extrapolated increments,
 * since A times these is the extrapolated b (docs/theory/numerics.md, section 3). */
#ifndef CARDIAC_KERNELS_OPS_RHS_H
#define CARDIAC_KERNELS_OPS_RHS_H

#include <stdbool.h>

#include "kernels/device/isa.h"
#include "kernels/device/cpu.h"
#include "kernels/ops/control.h"
#include "kernels/ops/halo.h"
#include "kernels/ops/packed.h"

/* x of row i, or of LANES rows from i on; load(array) gives the values of an array there. */
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

/* e = 0, or of one step, two or three */
enum start { START_ZERO, START_PREVIOUS, START_LINEAR, START_QUADRATIC };

enum { RHS_HISTORY = 3 };

/* Arrays are [matrix rows], packed order, on the device. */
struct rhs {
    const double *v;
    double scale;                       /* factor before the sum over j */
    enum start start;                   /* what e is */
    const double *history[RHS_HISTORY]; /* c_1, c_2, c_3 */
    double predictor_weight;            /* of b / d in x; 0 = none */
    const double *inverse;              /* 1 / d_i; before stages w / m_i */
    double *b;
    double *x64;             /* NULL = not needed */
    float *x32;              /* x64 rounded to nearest; NULL = not needed */
    double bound;            /* mV; |x_i| beyond it is noted in control->passed */
    double limit;            /* mV; |v_i| beyond it sets FAILURE_VOLTAGE; INFINITY where all r_ij are fp64 */
    const struct halo *halo; /* of the ranks, which fail together */
    struct control *control; /* sweep, converged <- 0 */
};

CLONE_DECLARE(void, rhs_cpu, (struct queue * queue, const struct packed *matrix, const struct rhs *rhs));
void rhs_cuda(struct queue *queue, const struct packed *matrix, const struct rhs *rhs);

#endif
