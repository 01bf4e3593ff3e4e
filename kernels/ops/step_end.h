/* step_end.h: the end of a diffusion step and of a time step.
 *
 *   u_i <- u_i + x_i
 *   x_i <- the increment minus predictor_weight b_i / d_i, for the next initial guess (kernels/ops/rhs.h)
 *   at the end of a time step: the observers of all rows and of single rows record v_i (its start) and u_i (its end)
 *
 * A step in which some |u_i| exceeds the limit does not count: nothing is written after it. What observers
 * on a GPU have already recorded of it can be undone (kernels/ops/observer.h). */
#ifndef CARDIAC_KERNELS_OPS_STEP_END_H
#define CARDIAC_KERNELS_OPS_STEP_END_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/device/isa.h"
#include "kernels/device/cpu.h"
#include "kernels/ops/control.h"
#include "kernels/ops/halo.h"
#include "kernels/ops/observer.h"

/* Arrays are [rows] unless stated otherwise, in packed order, on the device. */
struct step_end {
    double *u;
    double *x;               /* NULL: no increment to add */
    bool keeps;              /* x is read after the step, even if computed by stages */
    double predictor_weight; /* 0 = b and inverse are not read */
    const double *b, *inverse;
    const double *v;          /* NULL: not the end of a time step */
    double dt;                /* ms */
    double limit;             /* mV; |u_i| beyond it, or NaN, sets FAILURE_VOLTAGE */
    struct observer observer; /* of all rows; count NULL = none. Only one: a second would need 40 registers
                                 instead of 32 on a GPU, so that a quarter fewer threads run at once */
    const struct observer_points *points; /* NULL = none */
    const struct halo *halo;              /* of the ranks that take this step */
    struct control *control;
};

CLONE_DECLARE(void, step_end_cpu, (struct queue * queue, int64_t rows, const struct step_end *end));
void step_end_cuda(struct queue *queue, int64_t rows, const struct step_end *end);

/* Whether the end of a step only marks rows for the observer; and the work after the kernel that ends a
 * step: sharing failures with other ranks, and recording marked rows (observer.cu). */
bool step_end_marks(const struct step_end *end);
void step_end_conclude_cuda(struct queue *queue, int64_t rows, const struct step_end *end);

#endif
