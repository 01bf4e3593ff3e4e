/* step_end.h: the end of a diffusion step and of a time step.
 *
 *   u_i <- u_i + x_i, or x_i itself in the voltage form
 *   x_i <- the increment, less share b_i / d_i, for the next starting guess (kernels/ops/rhs.h)
 *   at the end of a step: activation maps from v_i (its start) and u_i (its end)
 *
 * Activation by threshold: the time at which the straight line from v_i to u_i crosses it upwards,
 * (n + (threshold - v_i) / (u_i - v_i)) dt; after that none counts until u_i has fallen below rearm. By
 * slope: the middle of the step with the largest (u_i - v_i) / dt.
 *
 * An empty place of the map is NaN. With its sign bit set, the first one of a row waits for rearm. That bit
 * goes as u_i falls below it, and the lower ones become 1 + n.
 *
 * A step in which some u_i is beyond the limit is not done: nothing after it writes any more. What the GPU
 * has noted by then in the activation map by threshold can be told from v, u and n. */
#ifndef CARDIAC_KERNELS_OPS_STEP_END_H
#define CARDIAC_KERNELS_OPS_STEP_END_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/bits.h"
#include "kernels/base/host_device.h"
#include "kernels/device/isa.h"
#include "kernels/device/cpu.h"
#include "kernels/ops/control.h"

/* Arrays are [rows] unless said otherwise, packed order, on the device. */
struct step_end {
    double *u;
    double *x;               /* NULL: no diffusion to add (the second half of a Strang step) */
    bool voltage_form;       /* x is the new V, not an increment */
    double predictor_weight; /* 0 = b and inverse are not read */
    const double *b, *inverse;
    const double *v; /* NULL: the step is not over yet */
    double dt;       /* ms */
    double limit;    /* mV; |u_i| beyond it, or NaN, sets FAILURE_VOLTAGE */
    bool by_slope;
    double threshold;     /* mV */
    double rearm;         /* mV, at most the threshold */
    int64_t beats;        /* activations kept per node */
    double *activation;   /* [beats][rows] ms, NaN = not yet, see above */
    int32_t *activations; /* how many so far */
    double *slope;        /* largest (u - v) / dt so far, when by_slope */
    struct control *control;
};

/* ms: when V, on its way from v < threshold in step n to u >= threshold, crosses it */
HOST_DEVICE double step_end_crossing(double threshold, double v, double u, int64_t n, double dt)
{
    double part = (threshold - v) / (u - v);
    return ((double)n + part) * dt;
}

/* An empty place that waits for rearm */
HOST_DEVICE double step_end_waiting(void)
{
    return bits_to_real(0xfff8000000000000u);
}

/* One that did until step n */
HOST_DEVICE double step_end_rearmed(int64_t n)
{
    return bits_to_real(0x7ff8000000000000u | (uint64_t)(n + 1));
}

/* Notes by threshold what step n, from v to u, means for row i. */
HOST_DEVICE void step_end_note(const struct step_end *end, int64_t rows, int64_t i, int64_t n, double v,
                               double u)
{
    bool crosses = v < end->threshold && u >= end->threshold;
    if (!crosses && !(v >= end->rearm && u < end->rearm))
        return;
    int32_t count = end->activations[i];
    if (count >= end->beats)
        return;
    double *place = end->activation + count * rows + i;
    bool waits = bits_of(*place) >> 63;
    if (crosses && !waits) {
        *place = step_end_crossing(end->threshold, v, u, n, end->dt);
        end->activations[i] = count + 1;
        if (count + 1 < end->beats)
            place[rows] = step_end_waiting();
    } else if (!crosses && waits) {
        *place = step_end_rearmed(n);
    }
}

/* Notes by slope what step n means for row i, if it is steeper than any before. */
HOST_DEVICE void step_end_note_slope(const struct step_end *end, int64_t i, int64_t n, double v, double u)
{
    double slope = (u - v) / end->dt;
    if (slope > end->slope[i]) {
        end->slope[i] = slope;
        end->activation[i] = ((double)n + 0.5) * end->dt;
        end->activations[i] = 1;
    }
}

CLONE_DECLARE(void, step_end_cpu, (struct queue * queue, int64_t rows, const struct step_end *end));
void step_end_cuda(struct queue *queue, int64_t rows, const struct step_end *end);

#endif
