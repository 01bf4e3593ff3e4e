/* rewind.cu: copies, the largest change, and the change by diffusion that cells add in parts, on the GPU. */
#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/base/bits.h"
#include "kernels/ops/rewind.h"
}

enum { BLOCKS_MOST = 1024 };

static __global__ void __launch_bounds__(BLOCK_THREADS) find_change(const struct rewind_change change)
{
    uint64_t top = 0, top_x = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x; i < change.rows;
         i += (int64_t)gridDim.x * BLOCK_THREADS) {
        bool node = change.weight[i] > 0;
        uint64_t bits = node ? bits_of(fabs(change.after[i] - change.before[i])) : 0;
        uint64_t bits_x = node ? bits_of(rewind_increment(&change, i)) : 0;
        top = bits > top ? bits : top;
        top_x = bits_x > top_x ? bits_x : top_x;
    }
    block_maximum(change.largest, top);
    block_maximum(change.largest + 1, top_x);
}

extern "C" void rewind_change_cuda(struct queue *queue, const struct rewind_change *change)
{
    unsigned all = blocks_for(change->rows, BLOCK_THREADS),
             blocks = all < BLOCKS_MOST ? all : (unsigned)BLOCKS_MOST;
    queue_note(queue, cudaMemsetAsync(change->largest, 0, 2 * sizeof *change->largest, cuda(queue)->stream),
               "clearing a maximum");
    find_change<<<blocks, BLOCK_THREADS, 0, cuda(queue)->stream>>>(*change);
    CUDA_LAUNCHED(queue);
}

static __global__ void __launch_bounds__(BLOCK_THREADS) hold_change(const struct rewind_hold hold)
{
    const int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    struct control *control = hold.control;
    const bool failed = control->failure || control->beyond, open = hold.x && !control->converged;
    if (!failed && open && threadIdx.x == 0) /* every block reaches the same conclusion */
        control->failure = FAILURE_SWEEPS;
    if (i < hold.rows && !failed && !open)
        rewind_hold_row(&hold, i);
}

extern "C" void rewind_hold_cuda(struct queue *queue, const struct rewind_hold *hold)
{
    hold_change<<<blocks_for(hold->rows, BLOCK_THREADS), BLOCK_THREADS, 0, cuda(queue)->stream>>>(*hold);
    CUDA_LAUNCHED(queue);
    cuda(queue)->last = NULL;
}

extern "C" void rewind_copy_cuda(struct queue *queue, void *to, const void *from, size_t bytes)
{
    queue_note(queue, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cuda(queue)->stream),
               "copying on the device");
}
