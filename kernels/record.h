/* record.h: the end of a diffusion step and of a time step.
 *
 *   u_i <- u_i + x_i, or x_i itself in the voltage form
 *   x_i <- the increment, less share b_i / d_i, for the next starting guess (kernels/product.h)
 *   at the end of a step: activation maps from v_i (its start) and u_i (its end)
 *
 * Activation by threshold: the time at which the straight line from v_i to u_i crosses it upwards,
 * (n + (threshold - v_i) / (u_i - v_i)) dt. By slope: the middle of the step with the largest (u_i - v_i) /
 * dt.
 *
 * A step in which some u_i is beyond the limit is not done: nothing after it writes any more. What the GPU
 * has noted by then in the activation map by threshold can be told from v and u, which both stand. */
#ifndef CARDIAC_KERNELS_RECORD_H
#define CARDIAC_KERNELS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/clone.h"
#include "kernels/control.h"
#include "kernels/queue.h"
#include "kernels/real.h"

/* Arrays are [rows] unless said otherwise, packed order, on the device. */
struct record {
    double *u;
    double *x;         /* NULL: no diffusion to add (the second half of a Strang step) */
    bool voltage_form; /* x is the new V, not an increment */
    double share;      /* 0 = b and inverse are not read */
    const double *b, *inverse;
    const double *v; /* NULL: the step is not over yet */
    double dt;       /* ms */
    double limit;    /* mV; |u_i| beyond it, or NaN, sets FAILURE_VOLTAGE */
    bool by_slope;
    double threshold;     /* mV */
    int64_t beats;        /* activations kept per node */
    double *activation;   /* [beats][rows] ms, NaN = not yet */
    int32_t *activations; /* how many so far */
    double *slope;        /* largest (u - v) / dt so far, when by_slope */
    struct control *control;
};

/* ms: when V, on its way from v < threshold in step n to u >= threshold, crosses it */
CELL_FN double record_crossing(double threshold, double v, double u, int64_t n, double dt)
{
    double part = (threshold - v) / (u - v);
    return ((double)n + part) * dt;
}

CLONE_DECLARE(void, record_cpu, (struct queue * queue, int64_t rows, const struct record *record));
void record_cuda(struct queue *queue, int64_t rows, const struct record *record);

#endif
