/* pick.cu: elements of an array, and the largest V, on the GPU. */
#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/ops/pick.h"
}

enum { BLOCKS_MOST = 1024 };

static __global__ void __launch_bounds__(BLOCK_THREADS) pick_elements(const struct pick pick)
{
    const int64_t k = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (k < pick.count)
        pick.value[k] = pick_element(pick.array, pick.size, pick.element[k]);
}

extern "C" void pick_cuda(struct queue *queue, const struct pick *pick)
{
    if (pick->count == 0)
        return;
    pick_elements<<<blocks_for(pick->count, BLOCK_THREADS), BLOCK_THREADS, 0, cuda(queue)->stream>>>(*pick);
    CUDA_LAUNCHED(queue);
}

/* First launch: largest[0] <- the largest pattern; second launch: largest[1] <- ~node of the first row
 * that has it, reading what all blocks of the first have written. */
template <bool OF_NODES>
static __global__ void __launch_bounds__(BLOCK_THREADS) find_largest(const struct pick_largest pick)
{
    const uint64_t largest = OF_NODES ? pick.largest[0] : 0;
    uint64_t most = 0;
    for (int64_t r = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x; r < pick.rows;
         r += (int64_t)gridDim.x * BLOCK_THREADS) {
        const uint64_t bits = OF_NODES ? pick_node_of_row(&pick, r, largest) : pick_of_row(&pick, r);
        most = bits > most ? bits : most;
    }
    block_maximum(pick.largest + OF_NODES, most);
}

extern "C" void pick_largest_cuda(struct queue *queue, const struct pick_largest *pick)
{
    unsigned all = blocks_for(pick->rows, BLOCK_THREADS),
             blocks = all < BLOCKS_MOST ? all : (unsigned)BLOCKS_MOST;
    queue_note(queue, cudaMemsetAsync(pick->largest, 0, 2 * sizeof *pick->largest, cuda(queue)->stream),
               "clearing a maximum");
    if (blocks == 0)
        return;
    find_largest<false><<<blocks, BLOCK_THREADS, 0, cuda(queue)->stream>>>(*pick);
    find_largest<true><<<blocks, BLOCK_THREADS, 0, cuda(queue)->stream>>>(*pick);
    CUDA_LAUNCHED(queue);
}
