/* solve.cu: sweeps on the GPU, one row a thread.
 *
 * As many pairs of sweeps as the step is expected to need are queued kernel by kernel; each kernel returns at
 * once, in about a microsecond, if an earlier pair has converged. One more kernel then finds how they ended
 * and continues if they were too few, with a barrier of all its blocks after each sweep. If they were enough
 * it takes about a microsecond, where a conditional node of a graph would take five. The launch is
 * cooperative: its grid is no larger than what runs at the same time, since a block that has not started
 * cannot reach the barrier. With several ranks it does not continue; a step with too few pairs is repeated
 * with more (solver/step/advance.c). */
#include "kernels/ops/sweep_update.cuh"
#include "kernels/ops/row_sums.cuh"

#include <assert.h>

extern "C" {
#include "kernels/base/bits.h"
#include "kernels/device/cuda_device.h"
#include "kernels/ops/convergence.h"
#include "kernels/ops/solve.h"
}

static_assert(2 * PAIRS_MOST == SWEEPS_EXPECTED_MOST, "as many can be laid out");

/* A queued sweep runs only if gate `before`, of the last sweep tested before it, is open. So the blocks of
 * a sweep need no communication. */
struct sweep_gate {
    struct convergence_gate before;
    uint64_t *leave; /* [2] maxima of a tested sweep */
    uint64_t *clear; /* [PAIRS_MOST][2] maxima of all pairs, cleared by the first sweep; else NULL */
    int number;      /* number of the sweep in its step */
};

/* sum_j e_ij x_j of row i */
template <enum shape SHAPE, typename Ready>
static __device__ __forceinline__ double row_sum(const struct packed &matrix, const struct sweep &sweep,
                                                 const row_location &at, int i, const Ready &ready)
{
    if (!at.slice.fp32 && at.slice.whole32) {
        double sum = sum_row<SHAPE>(matrix, at, i, matrix.whole32 + at.slice.value,
                                    times_double<int32_t>{sweep.x64}, ready);
        return packed_quantum32(quantum_of<SHAPE>(matrix, at, i)) * sum;
    }
    if (!at.slice.fp32)
        return sum_row<SHAPE>(matrix, at, i, matrix.value + at.slice.value, times_double<double>{sweep.x64},
                              ready);
    return sum_row<SHAPE>(matrix, at, i, matrix.value32 + at.slice.value, times_single<float>{sweep.x32},
                          ready);
}

/* Bit patterns of |r_i| / m_i and |y_i - x_i|, 0 without a test */
struct row_test {
    uint64_t residual, change;
};

/* y_i by sweep `number` of its step */
template <bool TEST>
static __device__ __forceinline__ row_test sweep_row(const struct sweeps &all, const struct sweep &sweep,
                                                     int i, int number, double sum)
{
    row_test test = {0, 0};
    bool needs_x = TEST || all.kind == SWEEP_MOMENTUM;
    double b = all.b[i], inverse = all.inverse[i], x = needs_x ? sweep.x64[i] : 0;
    double z = SWEEP_JACOBI(b, sum, inverse), y = z;
    if (all.kind == SWEEP_MOMENTUM) {
        const double *coefficient = all.coefficient + 2 * number;
        y = SWEEP_RELAXED(x, z, coefficient[0]) + SWEEP_PUSH(x, sweep.previous[i], coefficient[1]);
    }
    if (TEST) {
        test.residual = bits_of(fabs(z - x) * (double)all.weight[i]);
        test.change = bits_of(fabs(y - x));
    }
    note_beyond(all.control, y, all.bound);
    sweep.y64[i] = y;
    if (sweep.y32)
        sweep.y32[i] = (float)y;
    return test;
}

template <enum shape SHAPE, bool TEST>
static __global__ void ROW_BOUNDS(SHAPE) sweep_rows(const struct packed matrix, const struct sweeps all,
                                                    const struct sweep sweep, const struct sweep_gate gate)
{
    struct control *control = all.control;
    int i = blockIdx.x * BLOCK_THREADS + threadIdx.x, rows = (int)matrix.rows;
    /* The slice is loaded at the same time as control, not after it. */
    row_location at = locate_row<SHAPE>(matrix, i < rows ? i : 0);
    bool goes_on = false;
    const auto ready = [&] {
        pdl_wait();
        if (gate.clear && blockIdx.x == 0 && threadIdx.x < 2 * PAIRS_MOST)
            gate.clear[threadIdx.x] = 0;
        bool failed = control->failure != 0,
             open = convergence_open(&gate.before); /* loaded at the same time */
        return goes_on = open & !failed;
    };
    row_test test = {0, 0};
    if constexpr (SHAPE == FEW_ROWS) {
        double sum = row_sum<SHAPE>(matrix, sweep, at, i < rows ? i : 0, ready);
        if (!goes_on)
            return;
        if (i < rows)
            test = sweep_row<TEST>(all, sweep, i, gate.number, sum);
    } else {
        if (!ready())
            return;
        if (i < rows)
            test =
                sweep_row<TEST>(all, sweep, i, gate.number, row_sum<SHAPE>(matrix, sweep, at, i, at_once{}));
    }
    if (TEST) {
        block_maximum(gate.leave, test.residual);
        if (all.kind == SWEEP_MOMENTUM)
            block_maximum(gate.leave + 1, test.change);
    }
}

/* The pairs after those queued kernel by kernel */
struct loop {
    struct packed matrix;
    struct sweeps all;
    struct sweep sweep[2]; /* of a pair */
    int laid_out;          /* pairs queued before */
    int most;              /* total number of pairs */
    const uint64_t *seen;  /* [laid_out][2] maxima of these pairs */
    struct loop_state *state;
};

/* Result of the pairs done so far, the same in every thread */
struct ending {
    int pairs;
    int failure; /* enum failure_kind */
    bool converged;
    uint64_t residual, change;
    double tested;
};

static __device__ __forceinline__ void decide(ending &end, const struct sweeps &all)
{
    end.tested = convergence_tested(all.beta, all.kind == SWEEP_MOMENTUM, end.residual, end.change);
    end.converged = convergence_reached(end.tested, all.tolerance, &end.failure);
}

/* Computed from the maxima of the queued pairs: lane k looks at pair k; the first pair that stopped is the
 * last one that ran. */
static __device__ __forceinline__ ending laid_out_ending(const struct loop &loop)
{
    const struct sweeps &all = loop.all;
    int lane = threadIdx.x % 32;
    ending end = {0, all.control->failure, false, 0, 0, 0};
    ending of_lane = end;
    if (lane < loop.laid_out) {
        of_lane.residual = loop.seen[2 * lane];
        of_lane.change = loop.seen[2 * lane + 1];
    }
    if (loop.laid_out == 0 || end.failure)
        return end;
    if (lane < loop.laid_out)
        decide(of_lane, all);
    bool stops = lane < loop.laid_out && !(of_lane.tested > all.tolerance);
    unsigned stopped = __ballot_sync(0xffffffffu, stops);
    int last = stopped ? __ffs((int)stopped) - 1 : loop.laid_out - 1;
    end.pairs = last + 1;
    end.residual = __shfl_sync(0xffffffffu, (unsigned long long)of_lane.residual, last);
    end.change = __shfl_sync(0xffffffffu, (unsigned long long)of_lane.change, last);
    decide(end, all);
    return end;
}

/* Barrier of the grid, after which each thread sees what the others wrote: each block releases its writes
 * as it arrives; the last one acquires them all and releases them with the next generation, which the
 * others acquire. Three fences instead of these memory orders would take 10 % longer. */
static __device__ __forceinline__ void grid_barrier(struct loop_state *state)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t mine, before, now;
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(mine) : "l"(&state->generation) : "memory");
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(&state->arrived), "r"(gridDim.x - 1)
                     : "memory");
        if (before == gridDim.x - 1)
            asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&state->generation) : "memory");
        else
            do
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                             : "=r"(now)
                             : "l"(&state->generation)
                             : "memory");
            while (now == mine);
    }
    __syncthreads();
}

static __device__ __forceinline__ void copy_all(const struct loop &loop, int half)
{
    for (int i = blockIdx.x * BLOCK_THREADS + threadIdx.x; i < (int)loop.matrix.rows;
         i += gridDim.x * BLOCK_THREADS)
        copy_row(loop.sweep[half], i);
}

/* One sweep over all rows; its maxima, if tested, go to *slot. */
template <enum shape SHAPE, bool TEST, typename Slot>
static __device__ __forceinline__ void sweep_all(const struct loop &loop, int number, Slot *slot)
{
    const struct sweep &sweep = loop.sweep[TEST];
    uint64_t residual = 0, change = 0;
    for (int i = blockIdx.x * BLOCK_THREADS + threadIdx.x; i < (int)loop.matrix.rows;
         i += gridDim.x * BLOCK_THREADS) {
        constexpr enum shape LOOPED = SHAPE == FEW_ROWS ? FEW_LOOPED : SHAPE;
        row_location at = locate_row<LOOPED>(loop.matrix, i);
        double sum = row_sum<LOOPED>(loop.matrix, sweep, at, i, at_once{});
        row_test test = sweep_row<TEST>(loop.all, sweep, i, number + TEST, sum);
        residual = test.residual > residual ? test.residual : residual;
        change = test.change > change ? test.change : change;
    }
    if (!TEST)
        return;
    block_maximum(&slot->residual, residual);
    if (loop.all.kind == SWEEP_MOMENTUM)
        block_maximum(&slot->change, change);
}

/* Runs pairs until one converges or fails. A slot is cleared while the previous one is in use, when no
 * block can be reading it. */
template <enum shape SHAPE>
static __device__ __forceinline__ void more_pairs(const struct loop &loop, ending &end)
{
    struct loop_state *state = loop.state;
    uint32_t at = *(volatile uint32_t *)&state->next;
    while (!end.failure && !end.converged && end.pairs < loop.most) {
        auto *slot = state->slot + at % 4, *next = state->slot + (at + 1) % 4;
        sweep_all<SHAPE, false>(loop, 2 * end.pairs, slot);
        grid_barrier(state);
        if (loop.sweep[0].copy32) {
            copy_all(loop, 0);
            grid_barrier(state);
        }
        if (blockIdx.x == 0 && threadIdx.x == 0)
            next->residual = next->change = 0;
        sweep_all<SHAPE, true>(loop, 2 * end.pairs, slot);
        grid_barrier(state);
        end.pairs++;
        end.residual = *(volatile uint64_t *)&slot->residual;
        end.change = *(volatile uint64_t *)&slot->change;
        decide(end, loop.all);
        bool goes_on = !end.failure && !end.converged && end.pairs < loop.most;
        if (loop.sweep[1].copy32 && goes_on) {
            copy_all(loop, 1);
            grid_barrier(state);
        }
        at++;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        state->next = at % 4;
}

template <enum shape SHAPE>
static __global__ void __launch_bounds__(BLOCK_THREADS, SHAPE == MANY_ROWS ? 4 : 2)
    sweep_loop(const struct loop loop)
{
    pdl_wait();
    ending end = laid_out_ending(loop);
    bool failed = end.failure && end.pairs == 0;
    if (!end.failure && !end.converged && end.pairs < loop.most)
        more_pairs<SHAPE>(loop, end);
    struct control *control = loop.all.control;
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

/* The number of blocks for the rows, at most those that run at the same time; 0 after a failure, recorded
 * in the queue */
static unsigned blocks_at_once(struct queue *queue, const void *kernel, int64_t rows)
{
    int each = 0, multiprocessors = 0;
    queue_note(queue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, BLOCK_THREADS, 0),
               "planning sweeps");
    queue_note(queue,
               cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, cuda(queue)->device),
               "planning sweeps");
    unsigned all = (unsigned)(each * multiprocessors), needed = blocks_for(rows, BLOCK_THREADS);
    return needed < all ? needed : all;
}

static void launch_loop(struct queue *queue, const struct loop *loop, const void *kernel)
{
    void *arguments[] = {(void *)loop};
    cudaLaunchAttribute attribute[2];
    cudaLaunchConfig_t config = {};
    attribute[0].id = cudaLaunchAttributeCooperative;
    attribute[0].val.cooperative = 1;
    attribute[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[1].val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(blocks_at_once(queue, kernel, loop->matrix.rows));
    config.blockDim = dim3(BLOCK_THREADS);
    config.stream = cuda(queue)->stream;
    config.attrs = attribute;
    config.numAttrs = chained(queue) ? 2 : 1;
    if (cuda(queue)->failed == cudaSuccess)
        queue_note(queue, cudaLaunchKernelExC(&config, kernel, arguments), "placing sweeps");
    cuda(queue)->last = kernel;
}

/* Launches sweep k of the step and the copy after it, whose gate is this sweep if it is tested, else the
 * previous one */
template <enum shape SHAPE> static void launch_sweep(struct queue *queue, const struct loop *loop, int k)
{
    const struct sweeps &all = loop->all;
    const struct sweep &sweep = loop->sweep[k % 2];
    unsigned blocks = blocks_for(loop->matrix.rows, BLOCK_THREADS);
    uint64_t *leave = cuda(queue)->seen + k / 2 * 2;
    bool test = k % 2 && !all.untested;
    struct convergence_gate before = {k > 1 ? leave - 2 : NULL, all.beta, all.tolerance,
                                      all.kind == SWEEP_MOMENTUM};
    struct sweep_gate gate = {before, leave, k == 0 ? cuda(queue)->seen : NULL, k};
    if (test)
        launch_kernel(queue, sweep_rows<SHAPE, true>, blocks, BLOCK_THREADS, loop->matrix, all, sweep, gate);
    else
        launch_kernel(queue, sweep_rows<SHAPE, false>, blocks, BLOCK_THREADS, loop->matrix, all, sweep, gate);
    if (k < 2 * loop->laid_out - 1)
        sweep_update_halo(queue, all, sweep, &before, test ? leave : NULL);
    else if (test)
        halo_largest_cuda(queue, all.halo, leave, sizeof *leave);
    if (test)
        before.seen = leave;
    sweep_update_copy(queue, loop->matrix.rows, all, sweep, before);
}

template <enum shape SHAPE> static void launch(struct queue *queue, const struct loop *loop)
{
    for (int k = 0; k < 2 * loop->laid_out; k++)
        launch_sweep<SHAPE>(queue, loop, k);
    launch_loop(queue, loop, (const void *)sweep_loop<SHAPE>);
}

extern "C" void solve_cuda(struct queue *queue, const struct packed *matrix, const struct sweeps *sweeps)
{
    int most = sweeps->max_sweeps / 2, expected = (sweeps->expected + 1) / 2;
    struct loop loop = {};
    assert(matrix->group == CUDA_GROUP && matrix->height == CUDA_HEIGHT &&
           (sweeps->kind == SWEEP_STAGE || !sweeps->end));
    if (sweeps->kind == SWEEP_STAGE) {
        stages_cuda(queue, matrix, sweeps);
        return;
    }
    loop.matrix = *matrix;
    loop.all = *sweeps;
    for (int half = 0; half < 2; half++)
        loop.sweep[half] = sweep_of_pair(sweeps, half);
    loop.most = most;
    loop.laid_out = expected < most ? expected : most;
    loop.laid_out = loop.laid_out < PAIRS_MOST ? loop.laid_out : (int)PAIRS_MOST;
    if (sweeps->halo) /* a kernel cannot continue with rows of other ranks */
        loop.most = loop.laid_out;
    loop.seen = cuda(queue)->seen;
    loop.state = cuda(queue)->loop_state;
    if (shape_of(matrix) == MANY_ROWS)
        launch<MANY_ROWS>(queue, &loop);
    else
        launch<FEW_ROWS>(queue, &loop);
}

extern "C" bool solve_is_last(struct queue *queue)
{
    const void *last = cuda(queue)->last;
    if (last == (const void *)sweep_loop<MANY_ROWS> || last == (const void *)sweep_loop<FEW_ROWS>)
        return true;
    return stages_is_last(queue);
}
