/* rewind.h: operations of long steps: copies of device arrays to return to, the change of V since then and
 * that by diffusion in the last step, and the change by diffusion that the cells add in equal parts.
 *
 *   largest[0] = max_i |after_i - before_i|     largest[1] = max_i |x_i + share b_i inverse_i|
 *
 * as bit patterns, over rows with weight_i > 0 (it is 0 in padding rows). Maxima are exact, so they do not
 * depend on threads or the order of rows. */
#ifndef CARDIAC_KERNELS_OPS_REWIND_H
#define CARDIAC_KERNELS_OPS_REWIND_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/host_device.h"
#include "kernels/device/cpu.h"
#include "kernels/ops/control.h"

/* Arrays are [rows], in packed order, on the device; so is `largest`. */
struct rewind_change {
    int64_t rows;
    const double *before, *after; /* mV */
    const double *x;              /* the increment without share b / d; NULL = 0 */
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

/* Before the cells of a long step, [rows] as above; no effect after a failure.
 *
 *   field_i <- v_i + ratio (field_i - before_i)   first call, x NULL: V plus the expected change by the cells, from the
 *                                                 last step
 *   field_i <- rate x_i                           second call, mV/ms; if x is not converged only sets FAILURE_SWEEPS
 *   x_i     <- x_i - share b_i inverse_i          (kernels/ops/step_end.h) */
struct rewind_hold {
    int64_t rows;
    double *field;
    const double *v, *before;
    double ratio;
    double *x;
    double rate, share;
    const double *b, *inverse;
    struct control *control;
};

/* Row i of either call */
HOST_DEVICE void rewind_hold_row(const struct rewind_hold *hold, int64_t i)
{
    if (!hold->x) {
        hold->field[i] = hold->v[i] + hold->ratio * (hold->field[i] - hold->before[i]);
        return;
    }
    const double x = hold->x[i];
    hold->field[i] = hold->rate * x;
    if (hold->share != 0)
        hold->x[i] = x - hold->share * (hold->b[i] * hold->inverse[i]);
}

void rewind_hold_cpu(struct queue *queue, const struct rewind_hold *hold);
void rewind_hold_cuda(struct queue *queue, const struct rewind_hold *hold);

void rewind_change_cpu(struct queue *queue, const struct rewind_change *change);
void rewind_change_cuda(struct queue *queue, const struct rewind_change *change);

/* to[bytes] <- from[bytes], both on the device, not overlapping */
void rewind_copy_cpu(struct queue *queue, void *to, const void *from, size_t bytes);
void rewind_copy_cuda(struct queue *queue, void *to, const void *from, size_t bytes);

#endif
