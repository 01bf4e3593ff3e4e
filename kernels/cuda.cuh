/* cuda.cuh: what the .cu files share: the queue behind the backend's functions, the check after each launch,
 * and the last block of a grid.
 *
 * Kernels compute the bits of their CPU twins: the same operations in the same order, every row or cell in
 * one thread, and between threads nothing but maxima of bit patterns. */
#ifndef CARDIAC_KERNELS_CUDA_CUH
#define CARDIAC_KERNELS_CUDA_CUH

#include <assert.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern "C" {
#include "kernels/control.h"
#include "kernels/error.h"
}

struct block {
    void *memory;
    double bytes;
};

struct queue {
    int device;
    cudaStream_t stream; /* where work is placed; a second one while a loop is recorded */
    cudaStream_t inner;
    cudaError_t failed;  /* the first thing that went wrong since the last wait */
    char what[64];       /* where */
    char *pinned;        /* [pinned_bytes] host memory that the device copies from and to directly */
    double *scratch;     /* [64] device, for kernels/conjugate.cu */
    double used, peak;   /* bytes of device memory */
    struct block *block; /* [blocks] what alloc gave and release has not taken */
    int blocks, blocks_room;

    /* While steps are recorded (program.cu) */
    int recording;
    int unrolled;                    /* sweeps' pairs placed one after the other */
    cudaGraphConditionalHandle gate; /* what a sweep under test sets to "goes on" ... */
    int gate_most;                   /* ... while there were fewer sweeps than this; 0 = it sets nothing */
};

enum { PINNED_BYTES = 1 << 22, BLOCK = 256 };

/* Notes an error for the next wait. */
static inline void queue_note(struct queue *queue, cudaError_t error, const char *what)
{
    if (error == cudaSuccess || queue->failed != cudaSuccess)
        return;
    queue->failed = error;
    snprintf(queue->what, sizeof queue->what, "%s", what);
}

/* The last line of every launcher */
#define CUDA_LAUNCHED(queue) queue_note(queue, cudaGetLastError(), __func__)

static inline unsigned blocks_for(int64_t count, int block)
{
    return (unsigned)((count + block - 1) / block);
}

/* Called by every thread of every block at the end of a kernel: true in one thread of the grid, the last to
 * arrive, which sees what all the others wrote. */
static __device__ __forceinline__ bool arrives_last(struct control *control)
{
    __syncthreads();
    if (threadIdx.x > 0)
        return false;
    __threadfence();
    unsigned before = atomicInc(&control->arrived, gridDim.x - 1); /* back to 0 with the last */
    __threadfence();
    return before == gridDim.x - 1;
}

/* *into <- the largest of the block's patterns and what stands there; needs every thread of the block */
static __device__ __forceinline__ void block_maximum(uint64_t *into, uint64_t bits)
{
    __shared__ uint64_t of_warp[BLOCK / 32];
    for (int apart = 16; apart > 0; apart /= 2) {
        uint64_t other = __shfl_xor_sync(0xffffffffu, (unsigned long long)bits, apart);
        bits = other > bits ? other : bits;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = bits;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < BLOCK / 32; k++)
            bits = of_warp[k] > bits ? of_warp[k] : bits;
        atomicMax((unsigned long long *)into, (unsigned long long)bits);
    }
}

#endif
