/* product.h: the right side of a diffusion step and the starting guess of its sweeps, in fp64.
 *
 *   b_i = base_i v_i + scale sum_j r_ij (v_j - v_i)
 *
 * In the increment form b = -dt K V: base is left out, and scale r_ij = -dt k_ij. In the voltage form
 * b = M V - (1 - theta) dt K V: base is the lumped mass. Differences keep a constant field constant to the
 * last bit. */
#ifndef CARDIAC_KERNELS_PRODUCT_H
#define CARDIAC_KERNELS_PRODUCT_H

#include <stdbool.h>

#include "kernels/clone.h"
#include "kernels/control.h"
#include "kernels/packed.h"
#include "kernels/queue.h"

/* x_i = [v_i +] 0, delta_1, 2 delta_1 - delta_2; or the explicit step itself, b_i / m_i */
enum start { START_ZERO, START_PREVIOUS, START_EXTRAPOLATE, START_SOLVED };

/* Arrays are [matrix rows], packed order, on the device. */
struct product {
    const double *v;
    const double *base; /* or NULL */
    double scale;       /* 0 = the sum is not formed */
    enum start start;
    bool add_v;                      /* the guess counts from v (voltage form) */
    const double *delta_1, *delta_2; /* increments of the last step and of the one before */
    const double *inverse;           /* 1 / m_i, for START_SOLVED; that sets control->converged */
    double *b;
    double *x64;
    float *x32;   /* x64 rounded, or NULL */
    double bound; /* mV; |x_i| beyond it sets FAILURE_BOUND */
    struct control *control;
};

CLONE_DECLARE(void, product_cpu,
              (struct queue * queue, const struct packed *matrix, const struct product *product));
void product_cuda(struct queue *queue, const struct packed *matrix, const struct product *product);

#endif
