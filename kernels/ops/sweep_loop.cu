/* sweep_loop.cu: sweeps of a whole step in one kernel, with a barrier of all its blocks behind each.
 *
 * Behind the sweeps of a step that were laid out one by one it decides what they came to and goes on where
 * they were too few: about a microsecond when they were not, where a conditional node of the graph costs
 * five. The grid is no larger than what runs at once, and the launch says so (cooperative), for a block that
 * is not there cannot come to the barrier. */
#include "kernels/ops/sweep_loop.cuh"

#include <assert.h>

#include "kernels/ops/sweep_row.cuh"

extern "C" {
#include "kernels/device/cuda_device.h"
}

/* How the pairs done so far have ended, the same in every thread */
struct ending {
    int pairs;
    int failure; /* enum failure_kind */
    bool converged;
    uint64_t residual, change;
    double tested;
};

static __device__ __forceinline__ void decide(ending &end, const struct sweep &sweep, bool beyond)
{
    end.tested = sweep.beta * bits_to_real(end.residual);
    if (sweep.kind == SWEEP_MOMENTUM)
        end.tested += bits_to_real(end.change);
    end.converged = end.tested <= sweep.tolerance;
    if (beyond)
        end.failure = FAILURE_BOUND;
    if (end.tested != end.tested)
        end.failure = FAILURE_VOLTAGE;
}

/* From what the laid out pairs have seen: lane k looks at pair k, the first that stopped is the last that
 * ran. */
static __device__ __forceinline__ ending laid_out_ending(const struct loop &loop)
{
    const struct sweep &sweep = loop.sweep[1];
    int lane = threadIdx.x % 32;
    ending end = {0, sweep.control->failure, false, 0, 0, 0};
    uint32_t beyond = sweep.control->beyond;
    if (loop.laid_out == 0 || end.failure)
        return end;
    ending of_lane = end;
    if (lane < loop.laid_out) {
        of_lane.residual = loop.seen[2 * lane];
        of_lane.change = loop.seen[2 * lane + 1];
        decide(of_lane, sweep, false);
    }
    bool stops = lane < loop.laid_out && !(of_lane.tested > sweep.tolerance);
    unsigned stopped = __ballot_sync(0xffffffffu, stops);
    int last = stopped ? __ffs((int)stopped) - 1 : loop.laid_out - 1;
    end.pairs = last + 1;
    end.residual = __shfl_sync(0xffffffffu, (unsigned long long)of_lane.residual, last);
    end.change = __shfl_sync(0xffffffffu, (unsigned long long)of_lane.change, last);
    decide(end, sweep, beyond);
    return end;
}

/* No thread passes before all threads of the grid have come, and each then sees what the others wrote. */
static __device__ __forceinline__ void grid_barrier(struct loop_state *state)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile uint32_t *generation = &state->generation;
        uint32_t mine = *generation;
        __threadfence();
        if (atomicInc(&state->arrived, gridDim.x - 1) == gridDim.x - 1)
            atomicAdd(&state->generation, 1u);
        else
            while (*generation == mine) {
            }
        __threadfence();
    }
    __syncthreads();
}

static __device__ __forceinline__ void vector_copy_all(const struct loop &loop, int which, bool goes_on)
{
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < (int)loop.matrix.rows; i += gridDim.x * BLOCK)
        vector_copy_row(loop.copy[which], i, goes_on);
}

/* One sweep over all rows; what it tests goes to *slot. */
template <enum shape SHAPE, bool TEST, typename Slot>
static __device__ __forceinline__ void sweep_all(const struct loop &loop, const struct sweep &sweep,
                                                 int number, Slot *slot)
{
    uint64_t residual = 0, change = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < (int)loop.matrix.rows; i += gridDim.x * BLOCK) {
        row_location at = locate_row<SHAPE>(loop.matrix, i);
        row_test test = sweep_row<SHAPE, TEST>(loop.matrix, sweep, at, i, number, &slot->beyond);
        residual = test.residual > residual ? test.residual : residual;
        change = test.change > change ? test.change : change;
    }
    if (!TEST)
        return;
    block_maximum(&slot->residual, residual);
    if (sweep.kind == SWEEP_MOMENTUM)
        block_maximum(&slot->change, change);
}

/* Pairs until one converges or fails. A slot is cleared while the one before is in use, when nobody can still
 * be reading it. */
template <enum shape SHAPE>
static __device__ __forceinline__ void more_pairs(const struct loop &loop, ending &end)
{
    struct loop_state *state = loop.state;
    uint32_t at = *(volatile uint32_t *)&state->next;
    while (!end.failure && !end.converged && end.pairs < loop.most) {
        auto *slot = state->slot + at % 4, *next = state->slot + (at + 1) % 4;
        int number = 2 * end.pairs;
        sweep_all<SHAPE, false>(loop, loop.sweep[0], number, slot);
        grid_barrier(state);
        if (loop.copy[0].y64) {
            vector_copy_all(loop, 0, true);
            grid_barrier(state);
        }
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            next->residual = next->change = 0;
            next->beyond = 0;
        }
        sweep_all<SHAPE, true>(loop, loop.sweep[1], number + 1, slot);
        grid_barrier(state);
        end.pairs++;
        end.residual = *(volatile uint64_t *)&slot->residual;
        end.change = *(volatile uint64_t *)&slot->change;
        decide(end, loop.sweep[1], *(volatile uint32_t *)&slot->beyond);
        bool goes_on = !end.failure && !end.converged && end.pairs < loop.most;
        if (loop.copy[1].y64) {
            vector_copy_all(loop, 1, goes_on);
            if (goes_on)
                grid_barrier(state);
        }
        at++;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        state->next = at % 4;
}

template <enum shape SHAPE>
static __global__ void __launch_bounds__(BLOCK, SHAPE == MANY_ROWS ? 4 : 2) sweep_loop(const struct loop loop)
{
    pdl_wait();
    ending end = laid_out_ending(loop);
    bool failed = end.failure && end.pairs == 0;
    if (!end.failure && !end.converged && end.pairs < loop.most)
        more_pairs<SHAPE>(loop, end);
    struct control *control = loop.sweep[1].control;
    if (failed || blockIdx.x > 0 || threadIdx.x > 0)
        return;
    control->sweep = 2 * end.pairs;
    control->sweeps += 2 * end.pairs;
    control->residual = end.residual;
    control->change = end.change;
    control->tested = end.tested;
    control->converged = end.converged;
    control->failure = end.failure;
}

static const void *kernel_of(enum shape shape)
{
    return shape == MANY_ROWS  ? (const void *)sweep_loop<MANY_ROWS>
           : shape == FEW_ROWS ? (const void *)sweep_loop<FEW_ROWS>
                               : (const void *)sweep_loop<ANY_HEIGHT>;
}

/* As many blocks as the rows need and the device runs at once; 0 after a failure, noted in the queue */
static unsigned blocks_at_once(struct queue *queue, const void *kernel, int64_t rows)
{
    int each = 0, multiprocessors = 0;
    queue_note(queue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, BLOCK, 0),
               "planning sweeps");
    queue_note(queue, cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, queue->device),
               "planning sweeps");
    unsigned all = (unsigned)(each * multiprocessors), needed = blocks_for(rows, BLOCK);
    return needed < all ? needed : all;
}

void loop_place(struct queue *queue, const struct loop *loop)
{
    const void *kernel = kernel_of(shape_of(&loop->matrix));
    struct loop placed = *loop;
    void *arguments[] = {&placed};
    cudaLaunchAttribute attribute[2];
    cudaLaunchConfig_t config = {};
    assert(loop->sweeps == 2 && loop->laid_out <= PAIRS_MOST);
    placed.seen = queue->seen;
    placed.state = queue->loop_state;
    attribute[0].id = cudaLaunchAttributeCooperative;
    attribute[0].val.cooperative = 1;
    attribute[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[1].val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(blocks_at_once(queue, kernel, loop->matrix.rows));
    config.blockDim = dim3(BLOCK);
    config.stream = queue->stream;
    config.attrs = attribute;
    config.numAttrs = chained(queue) ? 2 : 1;
    if (queue->failed == cudaSuccess)
        queue_note(queue, cudaLaunchKernelExC(&config, kernel, arguments), "placing sweeps");
    queue->last = kernel;
}

bool loop_is_last(const struct queue *queue)
{
    return queue->last == kernel_of(MANY_ROWS) || queue->last == kernel_of(FEW_ROWS) ||
           queue->last == kernel_of(ANY_HEIGHT);
}

void loop_add_sweep(struct loop *loop, const struct packed *matrix, const struct sweep *sweep)
{
    assert(loop->sweeps < 2);
    loop->matrix = *matrix;
    loop->sweep[loop->sweeps++] = *sweep;
}

void loop_add_copy(struct loop *loop, const struct vector_copy *copy)
{
    assert(loop->sweeps > 0);
    loop->copy[loop->sweeps - 1] = *copy;
}
