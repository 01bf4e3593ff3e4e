/* cuda.cuh: shared by the .cu files: the queue of a GPU, launches, and maxima and counts over the threads
 * of a block or a grid.
 *
 * Kernels compute the same bits as their CPU versions: the same operations in the same order, every row or
 * cell in one thread, and between threads only maxima of bit patterns. */
#ifndef CARDIAC_KERNELS_DEVICE_CUDA_CUH
#define CARDIAC_KERNELS_DEVICE_CUDA_CUH

#include <assert.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern "C" {
#include "kernels/base/error.h"
#include "kernels/device/graph.h"
#include "kernels/device/queue.h"
}

#include "kernels/device/pdl.cuh"

enum { PAIRS_MOST = 32 }; /* maximum number of sweep pairs queued kernel by kernel */

/* In device memory, shared by all loops of a queue (kernels/ops/solve.cu) */
struct loop_state {
    uint32_t arrived;    /* blocks that have arrived at the barrier */
    uint32_t generation; /* number of times the barrier has opened */
    uint32_t next;       /* slot of the next test; that slot is 0, others need not be */
    struct {
        uint64_t residual, change; /* bit patterns of the maxima */
    } slot[4];                     /* maxima of the tests of the running loop, used in turn */
};

/* A block allocated by alloc */
struct allocation {
    void *memory;
    double bytes;
};

/* Recorded work, launched as one (kernels/device/graph.h) */
struct graph {
    unsigned char key[GRAPH_KEY_MOST];
    size_t bytes;          /* of the key */
    cudaGraphExec_t ready; /* the executable graph */
    cudaGraph_t placed;    /* its source graph, for the check of a debug build, else NULL */
    int replays;           /* counted for that check */
};

enum { GRAPHS_MOST = 128 };

struct cuda_queue {
    struct queue queue;
    int device;
    cudaStream_t stream; /* queued work */
    cudaError_t failed;  /* the first error since the last wait */
    char what[64];       /* the call in which it occurred */
    const volatile uint32_t
        *lost;      /* host: 1 if a kernel has given up waiting for another rank; NULL on a single rank */
    char *pinned;   /* [PINNED_BYTES] pinned host memory */
    uint64_t *seen; /* [PAIRS_MOST][2] device: maxima of queued sweeps */
    struct loop_state *loop_state; /* device */
    double used, peak;             /* bytes of device memory */
    struct allocation *allocation; /* [allocations] not released yet */
    int allocations, allocation_room;

    cudaEvent_t mark[BACKEND_EVENTS]; /* created at first use */

    struct graph graph[GRAPHS_MOST]; /* [graphs], then the one being recorded */
    int graphs;
    int recording;    /* 1: queued work is added to that graph */
    int chains;       /* 1: a kernel may start before the previous one ends, on this device and with this
                         code */
    const void *last; /* last kernel queued, if the next may start before its end; else NULL */
};

enum { PINNED_BYTES = 1 << 22, BLOCK_THREADS = 256 };

/* Blocks that fill a multiprocessor with threads of 32 registers: 1024 threads for compute capability 7.5,
 * 1536 for 8.6 and 8.9, 2048 for others. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define BLOCKS_AT_ONCE 4
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890)
#define BLOCKS_AT_ONCE 6
#else
#define BLOCKS_AT_ONCE 8
#endif

static inline struct cuda_queue *cuda(struct queue *queue)
{
    return (struct cuda_queue *)queue;
}

/* Records an error for the next wait. */
static inline void queue_note(struct queue *queue, cudaError_t error, const char *what)
{
    if (error == cudaSuccess || cuda(queue)->failed != cudaSuccess)
        return;
    cuda(queue)->failed = error;
    snprintf(cuda(queue)->what, sizeof cuda(queue)->what, "%s", what);
}

/* The last line of every launcher */
#define CUDA_LAUNCHED(queue) queue_note(queue, cudaGetLastError(), __func__)

/* Loads a word that is read later into the cache, without holding a register for it: fewer registers, more
 * warps at once. */
static __device__ __forceinline__ void prefetch(const void *word)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(word));
}

/* Whether the next kernel may start before the previous one ends */
static inline bool chained(struct queue *queue)
{
    return cuda(queue)->recording && cuda(queue)->chains && cuda(queue)->last;
}

/* Launch configuration of the next kernel of a step; *early must outlive it */
static inline cudaLaunchConfig_t launch_config(struct queue *queue, cudaLaunchAttribute *early,
                                               unsigned blocks, int threads)
{
    cudaLaunchConfig_t config = {};
    early->id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early->val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(blocks);
    config.blockDim = dim3((unsigned)threads);
    config.stream = cuda(queue)->stream;
    config.attrs = early;
    config.numAttrs = chained(queue);
    return config;
}

/* Queues a kernel of a step. */
template <typename... Parameters, typename... Arguments>
static void launch_kernel(struct queue *queue, void (*kernel)(Parameters...), unsigned blocks, int threads,
                          const Arguments &...arguments)
{
    cudaLaunchAttribute early;
    const cudaLaunchConfig_t config = launch_config(queue, &early, blocks, threads);
    queue_note(queue, cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), "placing a kernel");
    cuda(queue)->last = (const void *)kernel;
}

static inline unsigned blocks_for(int64_t count, int block)
{
    return (unsigned)((count + block - 1) / block);
}

/* Called by every thread of every block at the end of a kernel; *arrived must be 0 before and is 0
 * afterwards. Returns true in one thread of the grid, the last to arrive, which sees all writes of the
 * others. */
static __device__ __forceinline__ bool arrives_last(uint32_t *arrived)
{
    __syncthreads();
    if (threadIdx.x > 0)
        return false;
    __threadfence();
    unsigned before = atomicInc(arrived, gridDim.x - 1); /* 0 again after the last */
    __threadfence();
    return before == gridDim.x - 1;
}

/* *into <- the maximum of *into and the block's patterns; must be called by all threads of the block */
static __device__ __forceinline__ void block_maximum(uint64_t *into, uint64_t bits)
{
    __shared__ uint64_t of_warp[BLOCK_THREADS / 32];
    for (int apart = 16; apart > 0; apart /= 2) {
        uint64_t other = __shfl_xor_sync(0xffffffffu, (unsigned long long)bits, apart);
        bits = other > bits ? other : bits;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = bits;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < BLOCK_THREADS / 32; k++)
            bits = of_warp[k] > bits ? of_warp[k] : bits;
        atomicMax((unsigned long long *)into, (unsigned long long)bits);
    }
}

#endif
