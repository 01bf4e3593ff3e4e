/* record.cu: the end of a step on the GPU, in one pass over the rows. */
#include "kernels/ops/sweep_loop.cuh"

extern "C" {
#include "kernels/ops/record.h"
}

static __global__ void __launch_bounds__(BLOCK) add_increment(int64_t rows, const struct record record)
{
    struct control *control = record.control;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    double u = 0, x = 0, v = 0, share = 0;
    if (record.x && i < rows) { /* the last kernel, of sweeps, writes x alone */
        ask_for(record.x + i);
        u = record.u[i];
        if (record.share != 0)
            share = record.share * (record.b[i] * record.inverse[i]);
    }
    if (record.v && i < rows)
        v = record.v[i];
    take_turn();
    if (control->failure)
        return;
    if (record.x && !control->converged) { /* every block comes to the same conclusion */
        if (threadIdx.x == 0)
            control->failure = FAILURE_SWEEPS;
        return;
    }
    if (i == 0 && record.v) { /* no block of this kernel reads them */
        control->step++;
        control->most = control->sweep > control->most ? control->sweep : control->most;
        control->recent = control->sweep > control->recent ? control->sweep : control->recent;
    }
    if (i < rows) {
        if (record.x) {
            x = record.x[i];
            if (record.voltage_form)
                record.x[i] = x - u;
            else if (record.share != 0)
                record.x[i] = x - share;
            u = record.voltage_form ? x : u + x;
            record.u[i] = u;
        } else {
            u = record.u[i];
        }
        if (!(fabs(u) <= record.limit))
            control->beyond = 1;
        if (record.v && !record.by_slope)
            record_note(&record, rows, i, control->recorded, v, u);
    }
    if (!record.v && arrives_last(&control->arrived) && control->beyond)
        control->failure = FAILURE_VOLTAGE;
}

/* Notes slopes that are steeper than any before. They cannot be taken back, so this comes when every row is
 * known to be sound. */
static __global__ void __launch_bounds__(BLOCK) note_slopes(int64_t rows, const struct record record)
{
    take_turn();
    const struct control *control = record.control;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (control->failure || control->beyond || i >= rows)
        return;
    double slope = (record.u[i] - record.v[i]) / record.dt;
    if (slope > record.slope[i]) {
        record.slope[i] = slope;
        record.activation[i] = ((double)control->recorded + 0.5) * record.dt;
        record.activations[i] = 1;
    }
}

extern "C" void record_cuda(struct queue *queue, int64_t rows, const struct record *record)
{
    unsigned blocks = blocks_for(rows, BLOCK);
    if (!loop_is_last(queue))
        queue->last = NULL; /* what made b or u is not done yet */
    place_kernel(queue, add_increment, blocks, BLOCK, rows, *record);
    if (record->v && record->by_slope)
        place_kernel(queue, note_slopes, blocks, BLOCK, rows, *record);
}
