/* step_end.cu: the end of a step on the GPU, in one pass over the rows. */
#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/ops/solve.h"
#include "kernels/ops/step_end.h"
}

static __global__ void __launch_bounds__(BLOCK) add_increment(int64_t rows, const struct step_end end)
{
    struct control *control = end.control;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    double u = 0, x = 0, v = 0, share = 0;
    if (end.x && i < rows) { /* the last kernel, of sweeps, writes x alone */
        prefetch(end.x + i);
        u = end.u[i];
        if (end.predictor_weight != 0)
            share = end.predictor_weight * (end.b[i] * end.inverse[i]);
    }
    if (end.v && i < rows)
        v = end.v[i];
    pdl_wait();
    if (control->failure)
        return;
    if (end.x && !control->converged) { /* every block comes to the same conclusion */
        if (threadIdx.x == 0)
            control->failure = FAILURE_SWEEPS;
        return;
    }
    if (i == 0 && end.v) { /* no block of this kernel reads them */
        control->step++;
        control->most = control->sweep > control->most ? control->sweep : control->most;
        control->recent = control->sweep > control->recent ? control->sweep : control->recent;
    }
    if (i < rows) {
        if (end.x) {
            x = end.x[i];
            if (end.voltage_form)
                end.x[i] = x - u;
            else if (end.predictor_weight != 0)
                end.x[i] = x - share;
            u = end.voltage_form ? x : u + x;
            end.u[i] = u;
        } else {
            u = end.u[i];
        }
        if (!(fabs(u) <= end.limit))
            control->beyond = 1;
#pragma unroll
        for (int k = 0; k < STEP_END_OBSERVERS; k++)
            if (end.v && k < end.observers && observer_can_withdraw(&end.observer[k]))
                observer_note_crossing(&end.observer[k], rows, i, control->recorded, end.dt, v, u);
    }
    if (!end.v && arrives_last(&control->arrived) && control->beyond)
        control->failure = FAILURE_VOLTAGE;
}

/* What observers could not withdraw they note when every row is known to be sound. */
static __global__ void __launch_bounds__(BLOCK) observe(int64_t rows, const struct step_end end)
{
    const struct control *control = end.control;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    double v = i < rows ? end.v[i] : 0; /* the last kernel does not write it */
    pdl_wait();
    if (control->failure || control->beyond || i >= rows)
        return;
    double u = end.u[i];
    for (int k = 0; k < end.observers; k++)
        if (!observer_can_withdraw(&end.observer[k]))
            observer_note(&end.observer[k], rows, i, control->recorded, end.dt, v, u);
}

extern "C" void step_end_cuda(struct queue *queue, int64_t rows, const struct step_end *end)
{
    unsigned blocks = blocks_for(rows, BLOCK);
    if (!solve_is_last(queue))
        cuda(queue)->last = NULL; /* what made b or u is not done yet */
    launch_kernel(queue, add_increment, blocks, BLOCK, rows, *end);
    bool waits = false;
    for (int k = 0; k < end->observers; k++)
        waits = waits || !observer_can_withdraw(&end->observer[k]);
    if (end->v && waits)
        launch_kernel(queue, observe, blocks, BLOCK, rows, *end);
}
