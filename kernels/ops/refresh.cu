/* refresh.cu: the copy kernel on the GPU. */
#include "kernels/ops/sweep_loop.cuh"
#include "kernels/ops/sweep_row.cuh"

static __global__ void __launch_bounds__(BLOCK)
    refresh_rows(int64_t rows, const struct refresh refresh, const struct turn turn)
{
    take_turn();
    const struct control *control = refresh.control;
    bool goes_on = turn.leave ? turn_goes_on(turn) : !control->converged;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (!control->failure && i < rows && (goes_on || refresh.x64))
        refresh_row(refresh, i, goes_on);
}

extern "C" void refresh_cuda(struct queue *queue, int64_t rows, const struct refresh *refresh)
{
    struct turn turn = {};
    if (queue->loop) {
        loop_add_refresh(queue->loop, refresh);
        return;
    }
    if (queue->pair >= 0)
        turn = queue->turn;
    place_kernel(queue, refresh_rows, blocks_for(rows, BLOCK), BLOCK, rows, *refresh, turn);
}
