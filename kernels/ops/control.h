/* control.h: the few words that steer a step from where the data lives.
 *
 * They stand in device memory, so that a queue of steps can be run without asking the host: a sweep sees that
 * an earlier one has converged, and every kernel sees that something has failed. */
#ifndef CARDIAC_KERNELS_OPS_CONTROL_H
#define CARDIAC_KERNELS_OPS_CONTROL_H

#include <stdint.h>

#include "kernels/base/host_device.h"

enum failure_kind {
    FAILURE_NONE,
    FAILURE_SWEEPS,  /* max_sweeps without convergence */
    FAILURE_BOUND,   /* a value that sweeps read in fp32 passed precision_bound */
    FAILURE_VOLTAGE, /* V is not a number or passed voltage_limit */
    FAILURE_DEVICE   /* the device itself */
};

struct control {
    int64_t step;      /* n of the step in progress */
    int64_t sweeps;    /* of all steps */
    int32_t sweep;     /* done in this step */
    int32_t converged; /* 1: later sweeps of this step write nothing */
    int32_t failure;   /* enum failure_kind; once set, nothing is written any more */
    int32_t most;      /* most sweeps in one step */
    uint64_t residual; /* bit pattern of the largest |r_i| / m_i of the sweep under test */
    uint64_t change;   /* bit pattern of its largest |y_i - x_i| */
    double tested;     /* mV, the last value that was compared with the tolerance */

    int64_t first;  /* n of the first step of the frame in progress: where its tables begin */
    int32_t recent; /* most sweeps in one step of this frame */

    /* On a GPU: n of the step in progress for who records it, while that one counts; how many blocks of a
     * grid have arrived at its end; that a value is beyond its limit, which the next kernel that asks turns
     * into a failure; what a sweep that was placed alone has seen. */
    int64_t recorded;
    uint32_t arrived, beyond;
    uint64_t seen_residual, seen_change;
};

/* The step that was recorded last does not count if it left a V beyond the limit; its sweeps do, in `most`.
 */
HOST_DEVICE void control_finish_step(struct control *control)
{
    if (!control->beyond || control->failure)
        return;
    control->failure = FAILURE_VOLTAGE;
    control->step--;
}

#endif
