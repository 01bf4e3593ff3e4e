/* cg.h: conjugate gradients on the packed matrix, preconditioned by its diagonal; a yardstick for the
 * sweeps.
 *
 * M. R. Hestenes and E. Stiefel, J. Res. NBS 49 (1952) 409. Everything in fp64. Dot products are summed in
 * blocks of fixed size, so that the bits do not depend on threads; across backends they may differ. Stops
 * when beta max|r_i| / m_i <= tolerance, the test of the sweeps. */
#ifndef CARDIAC_KERNELS_OPS_CG_H
#define CARDIAC_KERNELS_OPS_CG_H

#include "kernels/device/cpu.h"
#include "kernels/ops/control.h"
#include "kernels/ops/packed.h"

/* Arrays are [matrix rows], packed order, on the device. The matrix must be packed in fp64. */
struct conjugate {
    const double *b;
    const double *diagonal;               /* d_i */
    const double *mass;                   /* m_i */
    double *x;                            /* in: the guess; out: the solution */
    double *residual, *direction, *image; /* work */
    double *block_sum;                    /* [conjugate_blocks(rows)] work */
    int most;                             /* iterations */
    double beta, tolerance;
    struct control *control; /* sweep counts the iterations */
};

int64_t conjugate_blocks(int64_t rows);

void conjugate_cpu(struct queue *queue, const struct packed *matrix, const struct conjugate *conjugate);
/* Waits for each iteration; sums inside a block by halves. */
void conjugate_cuda(struct queue *queue, const struct packed *matrix, const struct conjugate *conjugate);

#endif
