/* jacobi.h: one sweep of Jacobi's method and its relatives.
 *
 *   z_i = (b_i - sum_j e_ij x_j) / d_i                     the plain Jacobi value
 *   y_i = z_i                                              SWEEP_PLAIN
 *   y_i = x_i + a (z_i - x_i) + c (x_i - previous_i)       SWEEP_DAMPED (c = 0), SWEEP_MOMENTUM (Chebyshev)
 *
 * with e_ij and x_j in fp32 or fp64 slice by slice, every product and sum in fp64, each row in one
 * accumulator from +0.0 in ascending mesh order. A sweep under test also finds the largest residual of the
 * iterate it read, |r_i| / m_i = |z_i - x_i| d_i / m_i in mV, and decides: converged when beta max|r_i|/m_i
 * (+ max|y_i - x_i| with momentum) <= tolerance (docs/theory/numerics.md, "Stopping"). The iterate it wrote
 * is the one that is kept. */
#ifndef CARDIAC_KERNELS_OPS_JACOBI_H
#define CARDIAC_KERNELS_OPS_JACOBI_H

#include <stdbool.h>

#include "kernels/device/isa.h"
#include "kernels/device/cpu.h"
#include "kernels/ops/control.h"
#include "kernels/ops/packed.h"

enum sweep_kind { SWEEP_PLAIN, SWEEP_DAMPED, SWEEP_MOMENTUM };

/* Arrays are [matrix rows], packed order, on the device. */
struct sweep {
    enum sweep_kind kind;
    const double *coefficient; /* [max_sweeps][2] a and c of each sweep; not read by SWEEP_PLAIN */
    const double *b;
    const double *inverse; /* 1 / d_i */
    const float *weight;   /* d_i / m_i rounded up; read under test */
    const double *x64;
    const float *x32;       /* x64 rounded; NULL = x64 is rounded as it is read */
    const double *previous; /* the iterate before x; may be y64 itself; read by SWEEP_MOMENTUM */
    double *y64;
    float *y32; /* y64 rounded, or NULL when nobody wants it */
    bool test;
    double beta, tolerance; /* of the test */
    double bound;           /* mV; |y_i| beyond it sets FAILURE_BOUND */
    struct control *control;
};

CLONE_DECLARE(void, jacobi_sweep_cpu,
              (struct queue * queue, const struct packed *matrix, const struct sweep *sweep));
void jacobi_sweep_cuda(struct queue *queue, const struct packed *matrix, const struct sweep *sweep);

#endif
