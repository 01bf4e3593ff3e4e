/* record.cu: the end of a step on the GPU. V and the maps are written by a second kernel, once every row is
 * known to be sound. */
#include "kernels/cuda.cuh"

extern "C" {
#include "kernels/record.h"
}

static __global__ void __launch_bounds__(BLOCK) add_increment(int64_t rows, const struct record record)
{
    take_turn();
    struct control *control = record.control;
    if (control->failure)
        return;
    if (record.x && !control->converged) { /* every block comes to the same conclusion */
        if (threadIdx.x == 0)
            control->failure = FAILURE_SWEEPS;
        return;
    }
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i == 0 && record.v) { /* no block of this kernel reads them */
        control->step++;
        control->most = control->sweep > control->most ? control->sweep : control->most;
        control->recent = control->sweep > control->recent ? control->sweep : control->recent;
    }
    if (i < rows) {
        double u = record.u[i];
        if (record.x) {
            double x = record.x[i];
            if (record.voltage_form)
                record.x[i] = x - u;
            u = record.voltage_form ? x : u + x;
            record.u[i] = u;
        }
        if (!(fabs(u) <= record.limit))
            control->beyond = 1;
    }
    if (!record.v && arrives_last(control) && control->beyond) /* else end_step sees it */
        control->failure = FAILURE_VOLTAGE;
}

/* Notes an upward crossing of the threshold, or a steeper slope than any before, of row i. */
static __device__ __forceinline__ void note_activation(const struct record &record, int64_t rows, int64_t i,
                                                       int64_t step, double v, double u)
{
    if (record.by_slope) {
        double slope = (u - v) / record.dt;
        if (slope > record.slope[i]) {
            record.slope[i] = slope;
            record.activation[i] = ((double)step + 0.5) * record.dt;
            record.activations[i] = 1;
        }
    } else if (v < record.threshold && u >= record.threshold && record.activations[i] < record.beats) {
        double part = (record.threshold - v) / (u - v);
        record.activation[record.activations[i]++ * rows + i] = ((double)step + part) * record.dt;
    }
}

static __global__ void __launch_bounds__(BLOCK) end_step(int64_t rows, const struct record record)
{
    take_turn();
    struct control *control = record.control;
    if (control->failure)
        return;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (control->beyond) {
        if (i == 0) { /* the step does not count after all */
            control->step--;
            control->failure = FAILURE_VOLTAGE;
        }
        return;
    }
    if (i < rows) {
        double u = record.u[i];
        note_activation(record, rows, i, control->step - 1, record.v[i], u);
        record.v[i] = u;
    }
}

extern "C" void record_cuda(struct queue *queue, int64_t rows, const struct record *record)
{
    unsigned blocks = blocks_for(rows, BLOCK);
    place_kernel(queue, add_increment, blocks, BLOCK, rows, *record);
    if (record->v)
        place_kernel(queue, end_step, blocks, BLOCK, rows, *record);
}
