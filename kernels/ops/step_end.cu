/* step_end.cu: the end of a step on the GPU, in one pass over the rows. */
#include "kernels/ops/step_end.cuh"

extern "C" {
#include "kernels/ops/solve.h"
}

template <enum ending_kind KIND>
static __global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_AT_ONCE)
    add_increment(int64_t rows, const struct step_end end)
{
    struct control *control = end.control;
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    double u = 0, x = 0, v = 0, share = 0;
    if (end.x && i < rows) { /* the previous kernel, of sweeps, writes x alone */
        prefetch(end.x + i);
        u = end.u[i];
        if (end.predictor_weight != 0)
            share = end.predictor_weight * (end.b[i] * end.inverse[i]);
    }
    if (end.v && i < rows)
        v = end.v[i];
    pdl_wait();
    if (end.x && i < rows)
        x = end.x[i];
    const bool failed = control->failure != 0, open = end.x && !control->converged;
    if (failed | open) { /* every block reaches the same conclusion */
        if (!failed && threadIdx.x == 0)
            control->failure = FAILURE_SWEEPS;
        return;
    }
    if (i == 0 && end.v) /* no block of this kernel reads them */
        count_step(control);
    bool due = false;
    if (i < rows) {
        if (end.x) {
            if (end.predictor_weight != 0)
                end.x[i] = x - share;
            u = u + x;
            end.u[i] = u;
        } else {
            u = end.u[i];
        }
        due = end_row<KIND>(end, rows, i, control->recorded, v, u);
    }
    mark_rows<KIND>(end, rows, i, due);
    if (!end.v && arrives_last(&control->arrived) && control->beyond)
        control->failure = FAILURE_VOLTAGE;
}

extern "C" void step_end_cuda(struct queue *queue, int64_t rows, const struct step_end *end)
{
    unsigned blocks = blocks_for(rows, BLOCK_THREADS);
    if (!solve_is_last(queue) && !halo_is_last(queue))
        cuda(queue)->last = NULL; /* the kernel that computed b or u has not ended yet */
    if (step_end_marks(end))
        launch_kernel(queue, add_increment<ENDS_MARKING>, blocks, BLOCK_THREADS, rows, *end);
    else
        launch_kernel(queue, add_increment<ENDS>, blocks, BLOCK_THREADS, rows, *end);
    step_end_conclude_cuda(queue, rows, end);
}
