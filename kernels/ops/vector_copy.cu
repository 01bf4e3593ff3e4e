/* vector_copy.cu: the copy kernel on the GPU. */
#include "kernels/ops/sweep_loop.cuh"
#include "kernels/ops/sweep_row.cuh"

static __global__ void __launch_bounds__(BLOCK)
    vector_copy_rows(int64_t rows, const struct vector_copy copy, const struct sweep_gate gate)
{
    pdl_wait();
    const struct control *control = copy.control;
    bool goes_on = gate.leave ? sweep_gate_open(gate) : !control->converged;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (!control->failure && i < rows && (goes_on || copy.x64))
        vector_copy_row(copy, i, goes_on);
}

extern "C" void vector_copy_cuda(struct queue *queue, int64_t rows, const struct vector_copy *copy)
{
    struct sweep_gate gate = {};
    if (queue->loop) {
        loop_add_copy(queue->loop, copy);
        return;
    }
    if (queue->pair >= 0)
        gate = queue->gate;
    launch_kernel(queue, vector_copy_rows, blocks_for(rows, BLOCK), BLOCK, rows, *copy, gate);
}
