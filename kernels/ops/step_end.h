/* step_end.h: the end of a diffusion step and of a time step.
 *
 *   u_i <- u_i + x_i
 *   x_i <- the increment, less share b_i / d_i, for the next starting guess (kernels/ops/rhs.h)
 *   at the end of a step: what observers, of all rows and of single ones, make of v_i (its start) and u_i
 *   (its end)
 *
 * A step in which some u_i is beyond the limit does not count: nothing is written after it. What observers on
 * a GPU have recorded of it by then can be withdrawn (kernels/ops/observer.h). */
#ifndef CARDIAC_KERNELS_OPS_STEP_END_H
#define CARDIAC_KERNELS_OPS_STEP_END_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/device/isa.h"
#include "kernels/device/cpu.h"
#include "kernels/ops/control.h"
#include "kernels/ops/halo.h"
#include "kernels/ops/observer.h"

/* Arrays are [rows] unless said otherwise, packed order, on the device. */
struct step_end {
    double *u;
    double *x;               /* NULL: no diffusion to add */
    bool keeps;              /* x is read after the step, even if stages made it */
    double predictor_weight; /* 0 = b and inverse are not read */
    const double *b, *inverse;
    const double *v;          /* NULL: the step is not over yet */
    double dt;                /* ms */
    double limit;             /* mV; |u_i| beyond it, or NaN, sets FAILURE_VOLTAGE */
    struct observer observer; /* of all rows; its count NULL = none. One: on a GPU a second would take 40
                                 registers instead of 32, and with them a quarter of the threads at once */
    const struct observer_points *points; /* NULL = none */
    const struct halo *halo;              /* of the ranks whose step this is */
    struct control *control;
};

CLONE_DECLARE(void, step_end_cpu, (struct queue * queue, int64_t rows, const struct step_end *end));
void step_end_cuda(struct queue *queue, int64_t rows, const struct step_end *end);

/* Whether the end of a step only marks rows for the observer; and what follows the kernel that ends a step:
 * failures of other ranks, and the recording of marked rows (observer.cu). */
bool step_end_marks(const struct step_end *end);
void step_end_conclude_cuda(struct queue *queue, int64_t rows, const struct step_end *end);

#endif
