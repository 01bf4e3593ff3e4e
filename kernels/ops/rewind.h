/* rewind.h: what steps that may be taken back need: copies of arrays of the device, how far V has moved
 * since, and how far diffusion moved it in the last step.
 *
 *   largest[0] = max_i |after_i - before_i|     largest[1] = max_i |x_i + share b_i inverse_i|
 *
 * as bit patterns, over rows with weight_i > 0: padding rows have 0. Maxima are exact, so they do not
 * depend on threads or the order of rows. */
#ifndef CARDIAC_KERNELS_OPS_REWIND_H
#define CARDIAC_KERNELS_OPS_REWIND_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/host_device.h"
#include "kernels/device/cpu.h"

/* Arrays are [rows], packed order, on the device, `largest` too. */
struct rewind_change {
    int64_t rows;
    const double *before, *after; /* mV */
    const double *x;              /* the increment but for the share of b / d; NULL = 0 */
    double share;                 /* 0: b and inverse are not read */
    const double *b, *inverse;    /* -dt K V and the inverse of the step (kernels/ops/solve.h) */
    const float *weight;          /* kernels/ops/solve.h */
    uint64_t *largest;            /* [2]; NaN exceeds all numbers */
};

/* |x_i + share b_i inverse_i| */
HOST_DEVICE double rewind_increment(const struct rewind_change *change, int64_t i)
{
    double x = change->x ? change->x[i] : 0;
    return fabs(change->share != 0 ? x + change->share * (change->b[i] * change->inverse[i]) : x);
}

void rewind_change_cpu(struct queue *queue, const struct rewind_change *change);
void rewind_change_cuda(struct queue *queue, const struct rewind_change *change);

/* to[bytes] <- from[bytes], both on the device; they do not overlap. */
void rewind_copy_cpu(struct queue *queue, void *to, const void *from, size_t bytes);
void rewind_copy_cuda(struct queue *queue, void *to, const void *from, size_t bytes);

#endif
