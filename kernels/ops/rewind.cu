/* rewind.cu: copies and the largest change on the GPU. */
#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/base/bits.h"
#include "kernels/ops/rewind.h"
}

enum { BLOCKS_MOST = 1024 };

static __global__ void __launch_bounds__(BLOCK) find_change(const struct rewind_change change)
{
    uint64_t top = 0, top_b = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < change.rows;
         i += (int64_t)gridDim.x * BLOCK) {
        double per_mass = change.per_mass[i];
        uint64_t bits = per_mass > 0 ? bits_of(fabs(change.after[i] - change.before[i])) : 0;
        uint64_t bits_b = bits_of(fabs(change.b[i] * per_mass));
        top = bits > top ? bits : top;
        top_b = bits_b > top_b ? bits_b : top_b;
    }
    block_maximum(change.largest, top);
    block_maximum(change.largest + 1, top_b);
}

extern "C" void rewind_change_cuda(struct queue *queue, const struct rewind_change *change)
{
    unsigned all = blocks_for(change->rows, BLOCK), blocks = all < BLOCKS_MOST ? all : (unsigned)BLOCKS_MOST;
    queue_note(queue, cudaMemsetAsync(change->largest, 0, 2 * sizeof *change->largest, cuda(queue)->stream),
               "clearing a maximum");
    find_change<<<blocks, BLOCK, 0, cuda(queue)->stream>>>(*change);
    CUDA_LAUNCHED(queue);
}

extern "C" void rewind_copy_cuda(struct queue *queue, void *to, const void *from, size_t bytes)
{
    queue_note(queue, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cuda(queue)->stream),
               "copying on the device");
}
