/* refresh.cu: the copy kernel on the GPU. */
#include "kernels/cuda.cuh"

extern "C" {
#include "kernels/refresh.h"
}

/* x64 is what the step ends with, so it is copied also when the step has just converged; what only the next
 * sweep would read is not. */
static __global__ void __launch_bounds__(BLOCK)
    refresh_rows(int64_t rows, const struct refresh refresh, const struct turn turn)
{
    take_turn();
    const struct control *control = refresh.control;
    bool goes_on = turn.leave ? turn_goes_on(turn) : !control->converged;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (control->failure || i >= rows || !(goes_on || refresh.x64))
        return;
    double y = refresh.y64[i];
    if (refresh.previous && goes_on)
        refresh.previous[i] = refresh.x64[i];
    if (refresh.x64)
        refresh.x64[i] = y;
    if (refresh.x32 && goes_on)
        refresh.x32[i] = (float)y;
}

extern "C" void refresh_cuda(struct queue *queue, int64_t rows, const struct refresh *refresh)
{
    struct turn turn = {};
    if (queue->pair >= 0)
        turn = queue->turn;
    place_kernel(queue, refresh_rows, blocks_for(rows, BLOCK), BLOCK, rows, *refresh, turn);
}
