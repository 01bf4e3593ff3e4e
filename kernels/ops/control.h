/* control.h: the counters and flags of a step, in device memory.
 *
 * They are on the device so that many steps can be queued without waiting for the host: a sweep sees that
 * an earlier one has converged, and every kernel sees a failure. */
#ifndef CARDIAC_KERNELS_OPS_CONTROL_H
#define CARDIAC_KERNELS_OPS_CONTROL_H

#include <stdint.h>

#include "kernels/base/host_device.h"

enum failure_kind {
    FAILURE_NONE,
    FAILURE_SWEEPS,  /* no convergence in max_sweeps */
    FAILURE_VOLTAGE, /* V is NaN or |V| exceeds voltage_limit */
    FAILURE_DEVICE   /* the device failed */
};

struct control {
    int64_t step;      /* n of the current step */
    int64_t first;     /* n of the first step of the current frame, where its tables begin */
    int64_t sweeps;    /* of all steps */
    int32_t sweep;     /* sweeps done in this step */
    int32_t most;      /* most sweeps in one step */
    int32_t recent;    /* most sweeps in one step of this frame */
    int32_t converged; /* 1: later sweeps of this step write nothing */
    int32_t failure;   /* enum failure_kind; once set, nothing is written any more */
    uint32_t
        beyond; /* on a GPU: 1 if a row of the step exceeds its limit; the next kernel that reads it fails */
    uint32_t arrived; /* on a GPU: blocks of the running grid that have reached its end */
    uint32_t unused;
    uint64_t
        passed; /* bit pattern of the largest |x_i| that exceeded the precision_bound of rows in fp32, over
                   all steps; 0 = none */
    uint64_t residual; /* bit pattern of the largest |r_i| / m_i of the last test */
    uint64_t change;   /* the same for |y_i - x_i| */
    double tested;     /* mV, the value computed from both that the test compared with the tolerance */
    int64_t recorded;  /* on a GPU: n of the current step, for the end of the step, which increments `step` */
};

/* A step that left a value beyond its limit is not counted; its sweeps are, in `most`. */
HOST_DEVICE void control_finish_step(struct control *control)
{
    if (!control->beyond || control->failure)
        return;
    control->failure = FAILURE_VOLTAGE;
    control->step--;
}

#endif
