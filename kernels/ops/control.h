/* control.h: the counters and flags of a step, in the memory of its device.
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
    FAILURE_VOLTAGE, /* V is not a number or passed voltage_limit */
    FAILURE_DEVICE   /* the device itself */
};

/* What a kernel that ends a step finds while other rows of it go on. Every other explicit step has a bit of its
 * own: its one kernel also asks what the step before left. */
enum beyond { BEYOND_LIMIT = 1, BEYOND_LIMIT_ODD = 2 };

struct control {
    int64_t step;      /* n of the step in progress */
    int64_t first;     /* n of the first step of the frame in progress: where its tables begin */
    int64_t sweeps;    /* of all steps */
    int32_t sweep;     /* done in this step */
    int32_t most;      /* most sweeps in one step */
    int32_t recent;    /* most sweeps in one step of this frame */
    int32_t converged; /* 1: later sweeps of this step write nothing */
    int32_t failure;   /* enum failure_kind; once set, nothing is written any more */
    uint32_t beyond;   /* on a GPU: bits of enum beyond, a failure to the next kernel that asks */
    uint32_t arrived;  /* on a GPU: blocks of the running grid that have come to its end */
    uint32_t unused;
    uint64_t passed;   /* bit pattern of the largest |x_i| of all steps beyond what sweeps read in fp32 are
                          made for (precision_bound); 0 = none was */
    uint64_t residual; /* bit pattern of the largest |r_i| / m_i that was tested last */
    uint64_t change;   /* bit pattern of the largest |y_i - x_i| there */
    double tested;     /* mV, the value of both that was compared with the tolerance */
    int64_t
        recorded; /* on a GPU: n of the step in progress for the end of the step, which counts `step` on */
};

/* The step that ended last does not count if it left a value beyond its limit; its sweeps do, in `most`. */
HOST_DEVICE void control_finish_step(struct control *control)
{
    if (!control->beyond || control->failure)
        return;
    control->failure = FAILURE_VOLTAGE;
    control->step--;
}

#endif
