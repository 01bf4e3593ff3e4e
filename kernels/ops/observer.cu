/* observer.cu: what observers make of the rows that a step's end has marked on the GPU. */
#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/ops/step_end.h"
}

/* The marked rows, when every one is known to be sound */
static __global__ void __launch_bounds__(BLOCK) observe(int64_t rows, const struct step_end end)
{
    const struct control *control = end.control;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    pdl_wait();
    if (i >= rows || !(end.observer[0].due[i / 32] >> i % 32 & 1) || control->failure || control->beyond)
        return;
    observer_note(&end.observer[0], rows, i, control->recorded, end.dt, end.v[i], end.u[i]);
}

extern "C" bool step_end_marks(const struct step_end *end)
{
    static_assert(STEP_END_OBSERVERS == 1, "one set of marks");
    return end->v && end->observers > 0 && !observer_can_withdraw(&end->observer[0]);
}

extern "C" void step_end_conclude_cuda(struct queue *queue, int64_t rows, const struct step_end *end)
{
    halo_largest_cuda(queue, end->halo, &end->control->failure, 4); /* and beyond, behind it */
    if (step_end_marks(end))
        launch_kernel(queue, observe, blocks_for(rows, BLOCK), BLOCK, rows, *end);
}
