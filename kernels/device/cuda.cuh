/* cuda.cuh: what the .cu files share: the queue behind the backend's functions, launches, and what the
 * threads of a block or a grid find out together.
 *
 * Kernels compute the bits of their CPU versions: the same operations in the same order, every row or cell in
 * one thread, and between threads nothing but maxima of bit patterns. */
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

enum { PAIRS_MOST = 32 }; /* pairs of sweeps that are laid out at most */

/* In device memory, of all loops of a queue (kernels/ops/solve.cu) */
struct loop_state {
    uint32_t arrived;    /* blocks at the barrier */
    uint32_t generation; /* how often it has opened */
    uint32_t next;       /* slot of the next test; it is 0, the others may not be */
    struct {
        uint64_t residual, change; /* patterns of the largest */
    } slot[4];                     /* what the tests of the running loop find, in turn */
};

/* What alloc gave */
struct allocation {
    void *memory;
    double bytes;
};

/* Work that was placed once, to be launched as one (kernels/device/graph.h) */
struct graph {
    unsigned char key[GRAPH_KEY_MOST];
    size_t bytes;          /* of the key */
    cudaGraphExec_t ready; /* what is launched */
    cudaGraph_t placed;    /* what it was made of, for the check of a debug build, else NULL */
    int replays;           /* counted there, too */
};

enum { GRAPHS_MOST = 128 };

struct cuda_queue {
    struct queue queue;
    int device;
    cudaStream_t stream;           /* where work is placed */
    cudaError_t failed;            /* the first thing that went wrong since the last wait */
    char what[64];                 /* where */
    const volatile uint32_t *lost; /* host: 1 when a kernel has given up waiting for another rank; NULL */
    char *pinned;   /* [PINNED_BYTES] host memory that the device copies from and to directly */
    uint64_t *seen; /* [PAIRS_MOST][2] device: what laid out sweeps leave */
    struct loop_state *loop_state; /* device */
    double used, peak;             /* bytes of device memory */
    struct allocation *allocation; /* [allocations] by alloc, not released yet */
    int allocations, allocation_room;

    cudaEvent_t mark[BACKEND_EVENTS]; /* made when they are first used */

    struct graph graph[GRAPHS_MOST]; /* [graphs], and the one that is being recorded */
    int graphs;
    int recording;    /* 1: what is placed goes into that graph */
    int chains;       /* 1: this device and code can start a kernel before the last one's end */
    const void *last; /* the kernel that was placed last, if the next may start so; else NULL */
};

enum { PINNED_BYTES = 1 << 22, BLOCK_THREADS = 256 };

/* Blocks that fill a multiprocessor with threads of 32 registers: one of compute capability 7.5 holds 1024
 * threads, of 8.6 and 8.9 1536, others 2048. */
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

/* Notes an error for the next wait. */
static inline void queue_note(struct queue *queue, cudaError_t error, const char *what)
{
    if (error == cudaSuccess || cuda(queue)->failed != cudaSuccess)
        return;
    cuda(queue)->failed = error;
    snprintf(cuda(queue)->what, sizeof cuda(queue)->what, "%s", what);
}

/* The last line of every launcher */
#define CUDA_LAUNCHED(queue) queue_note(queue, cudaGetLastError(), __func__)

/* Brings a word near that is read later, without a register that waits for it: fewer registers, more warps at
 * once. */
static __device__ __forceinline__ void prefetch(const void *word)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(word));
}

/* Whether the kernel that is placed next may start before the end of the last one */
static inline bool chained(struct queue *queue)
{
    return cuda(queue)->recording && cuda(queue)->chains && cuda(queue)->last;
}

/* How the next kernel of a step is placed; `early` lives as long as what is returned */
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

/* Places a kernel of a step on the queue. */
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

/* Called by every thread of every block at the end of a kernel, *arrived being 0 before and after: true in
 * one thread of the grid, the last to arrive, which sees what all the others wrote. */
static __device__ __forceinline__ bool arrives_last(uint32_t *arrived)
{
    __syncthreads();
    if (threadIdx.x > 0)
        return false;
    __threadfence();
    unsigned before = atomicInc(arrived, gridDim.x - 1); /* back to 0 with the last */
    __threadfence();
    return before == gridDim.x - 1;
}

/* *into <- the largest of the block's patterns and what stands there; needs every thread of the block */
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
