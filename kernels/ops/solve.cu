/* solve.cu: sweeps and stages on the GPU, one row a thread.
 *
 * As many pairs as the step is expected to need are laid out one by one (each returns at once when an earlier
 * one has converged, about a microsecond). The kernel behind them, of sweeps with a barrier of all its blocks
 * behind each, decides what they came to and goes on where they were too few: about a microsecond when they
 * were not, where a conditional node of a graph costs five. Its grid is no larger than what runs at once, and
 * the launch says so (cooperative), for a block that is not there cannot come to the barrier. Of several
 * ranks it only decides; a step whose pairs were too few is then placed anew with more (solver/advance.c). */
#include "kernels/ops/row_sums.cuh"
#include "kernels/ops/step_end.cuh"

#include <assert.h>

extern "C" {
#include "kernels/base/bits.h"
#include "kernels/device/cuda_device.h"
#include "kernels/ops/convergence.h"
#include "kernels/ops/solve.h"
}

static_assert(2 * PAIRS_MOST == SWEEPS_EXPECTED_MOST, "as many can be laid out");

/* A sweep that was laid out still has to run if `before`, of the last sweep under test before it, is open.
 * That spares the blocks of a sweep every word to each other. */
struct sweep_gate {
    struct convergence_gate before;
    uint64_t *leave; /* [2] where a sweep under test leaves its own */
    uint64_t *clear; /* [PAIRS_MOST][2] of all pairs: cleared by the first sweep, else NULL */
    int number;      /* of the sweep in its step */
};

/* That of entries which stand in value[], with x in fp32 */
template <enum shape SHAPE, typename Value>
static __device__ __forceinline__ double sum_in(const struct packed &matrix, const Value *value,
                                                const struct sweep &sweep, const row_location &at, int i)
{
    value += at.slice.value;
    return sweep.x32 ? sum_row<SHAPE>(matrix, at, i, value, times_single<Value>{sweep.x32, 0})
                     : sum_row<SHAPE>(matrix, at, i, value, times_cast<Value>{sweep.x64, 0});
}

/* sum_j e_ij x_j of row i */
template <enum shape SHAPE>
static __device__ __forceinline__ double row_sum(const struct packed &matrix, const struct sweep &sweep,
                                                 const row_location &at, int i)
{
    if (!at.slice.fp32 && at.slice.whole32)
        return packed_unit32(unit_of<SHAPE>(matrix, at, i)) *
               sum_row<SHAPE>(matrix, at, i, matrix.whole32 + at.slice.value,
                              times_double<int32_t>{sweep.x64, 0});
    if (!at.slice.fp32)
        return sum_row<SHAPE>(matrix, at, i, matrix.value + at.slice.value,
                              times_double<double>{sweep.x64, 0});
    if (at.slice.int16)
        return (double)unit_of<SHAPE>(matrix, at, i) * sum_in<SHAPE>(matrix, matrix.value16, sweep, at, i);
    return sum_in<SHAPE>(matrix, matrix.value32, sweep, at, i);
}

/* Patterns of |r_i| / m_i and |y_i - x_i|, 0 without a test */
struct row_test {
    uint64_t residual, change;
};

/* y_i by sweep `number` of its step; *beyond <- 1 where it passes the bound */
template <enum shape SHAPE, bool TEST>
static __device__ __forceinline__ row_test sweep_row(const struct packed &matrix, const struct sweeps &all,
                                                     const struct sweep &sweep, const row_location &at, int i,
                                                     int number, uint32_t *beyond)
{
    row_test test = {0, 0};
    bool needs_x = TEST || all.kind != SWEEP_PLAIN;
    double sum = row_sum<SHAPE>(matrix, sweep, at, i);
    double b = all.b[i], inverse = all.inverse[i], x = needs_x ? sweep.x64[i] : 0;
    double z = SWEEP_JACOBI(b, sum, inverse), y = z;
    if (all.kind != SWEEP_PLAIN) {
        const double *coefficient = all.coefficient + 2 * number;
        y = SWEEP_RELAXED(x, z, coefficient[0]);
        if (all.kind == SWEEP_MOMENTUM)
            y += SWEEP_PUSH(x, sweep.previous[i], coefficient[1]);
    }
    if (TEST) {
        test.residual = bits_of(fabs(z - x) * (double)all.weight[i]);
        test.change = bits_of(fabs(y - x));
    }
    if (fabs(y) > all.bound)
        atomicOr(beyond, 1u);
    sweep.y64[i] = y;
    if (sweep.y32)
        sweep.y32[i] = (float)y;
    return test;
}

template <enum shape SHAPE, typename Value>
static __device__ __forceinline__ double difference_in(const struct packed &matrix, const Value *value,
                                                       const struct sweep &sweep, const row_location &at,
                                                       int i)
{
    value += at.slice.value;
    return sweep.x32
               ? sum_row<SHAPE>(matrix, at, i, value, times_difference32<Value>{sweep.x32, sweep.x32[i]})
               : sum_row<SHAPE>(matrix, at, i, value,
                                times_difference_cast<Value>{sweep.x64, (float)sweep.x64[i]});
}

/* sum_j e_ij (x_j - x_i) of row i */
template <enum shape SHAPE>
static __device__ __forceinline__ double
row_difference(const struct packed &matrix, const struct sweep &sweep, const row_location &at, int i)
{
    if (!at.slice.fp32)
        return row_product<SHAPE>(matrix, sweep.x64, at, i);
    if (at.slice.int16)
        return (double)unit_of<SHAPE>(matrix, at, i) *
               difference_in<SHAPE>(matrix, matrix.value16, sweep, at, i);
    if (at.slice.fp32 == 2)
        return packed_unit32(unit_of<SHAPE>(matrix, at, i)) *
               difference_in<SHAPE>(matrix, matrix.whole32, sweep, at, i);
    return difference_in<SHAPE>(matrix, matrix.value32, sweep, at, i);
}

/* y_i by stage `number` of its step */
template <enum shape SHAPE>
static __device__ __forceinline__ double stage_row(const struct packed &matrix, const struct sweeps &all,
                                                   const struct sweep &sweep, const row_location &at, int i,
                                                   int number)
{
    prefetch(all.b + i);
    prefetch(all.inverse + i);
    double sum = row_difference<SHAPE>(matrix, sweep, at, i);
    const double *coefficient = all.coefficient + 3 * number;
    double b = all.b[i], inverse = all.inverse[i];
    double x = sweep.x64 ? sweep.x64[i] : 0.0 + all.share * (b * inverse);
    double y = SWEEP_ADVANCED(x, SWEEP_JACOBI(coefficient[2] * b, sum, inverse), coefficient[0]);
    if (sweep.previous)
        y += coefficient[1] * sweep.previous[i];
    return y;
}

/* Stage `number` of its step; the last says that the step is done. */
template <enum shape SHAPE>
static __global__ void ROW_BOUNDS(SHAPE) stage_rows(const struct packed matrix, const struct sweeps all,
                                                    const struct sweep sweep, const int number)
{
    struct control *control = all.control;
    int i = blockIdx.x * BLOCK + threadIdx.x, rows = (int)matrix.rows;
    row_location at = locate_row<SHAPE>(matrix, i < rows ? i : 0, true);
    pdl_wait();
    if (control->failure)
        return;
    if (i == 0) { /* no block of this kernel reads them */
        control->sweep++;
        control->sweeps++;
        control->converged = number == all.max_sweeps - 1;
    }
    if (i >= rows)
        return;
    double y = stage_row<SHAPE>(matrix, all, sweep, at, i, number);
    if (fabs(y) > all.bound)
        control->failure = FAILURE_BOUND; /* blocks that have not begun leave it at that */
    sweep.y64[i] = y;
    if (sweep.y32)
        sweep.y32[i] = (float)y;
}

/* The last stage and the end of the step, u_i <- u_i + y_i: nobody reads y_i again, so it is not written.
 * Every row is done, whatever another finds: what it notes can then be withdrawn (step_end.h). */
template <enum shape SHAPE, enum ending_kind KIND>
static __global__ void ROW_BOUNDS(SHAPE)
    last_stage_rows(const struct packed matrix, const struct sweeps all, const struct sweep sweep,
                    const int number, const struct step_end end)
{
    struct control *control = all.control;
    int i = blockIdx.x * BLOCK + threadIdx.x, rows = (int)matrix.rows;
    row_location at = locate_row<SHAPE>(matrix, i < rows ? i : 0, true);
    if (i < rows) {
        prefetch(end.u + i);
        prefetch(end.v + i);
    }
    pdl_wait();
    if (control->failure)
        return;
    if (i == 0) { /* no block of this kernel reads them */
        control->sweep++;
        control->sweeps++;
        control->converged = 1;
        count_step(control);
    }
    bool due = false;
    if (i < rows) {
        double y = stage_row<SHAPE>(matrix, all, sweep, at, i, number);
        if (fabs(y) > all.bound)
            atomicOr(&control->beyond, (unsigned)BEYOND_BOUND);
        double u = end.u[i] + y;
        end.u[i] = u;
        due = end_row<KIND>(end, rows, i, control->recorded, end.v[i], u);
    }
    mark_rows<KIND>(end, rows, i, due);
}

/* x64 is what the step ends with, so it is copied also when the step has just converged; what only the next
 * sweep would read is not. */
static __device__ __forceinline__ void copy_row(const struct sweep &sweep, int64_t i, bool goes_on)
{
    double y = sweep.y64[i];
    if (sweep.copy_previous && goes_on)
        sweep.copy_previous[i] = sweep.copy64[i];
    if (sweep.copy64)
        sweep.copy64[i] = y;
    if (sweep.copy32 && goes_on)
        sweep.copy32[i] = (float)y;
}

template <enum shape SHAPE, bool TEST>
static __global__ void ROW_BOUNDS(SHAPE) sweep_rows(const struct packed matrix, const struct sweeps all,
                                                    const struct sweep sweep, const struct sweep_gate gate)
{
    struct control *control = all.control;
    int i = blockIdx.x * BLOCK + threadIdx.x, rows = (int)matrix.rows;
    /* The slice is asked for beside control, not behind it. */
    row_location at = locate_row<SHAPE>(matrix, i < rows ? i : 0);
    pdl_wait();
    if (gate.clear && blockIdx.x == 0 && threadIdx.x < 2 * PAIRS_MOST)
        gate.clear[threadIdx.x] = 0;
    if (control->failure || !convergence_open(&gate.before))
        return;
    row_test test = {0, 0};
    if (i < rows)
        test = sweep_row<SHAPE, TEST>(matrix, all, sweep, at, i, gate.number, &control->beyond);
    if (TEST) {
        block_maximum(gate.leave, test.residual);
        if (all.kind == SWEEP_MOMENTUM)
            block_maximum(gate.leave + 1, test.change);
    }
}

static __global__ void __launch_bounds__(BLOCK)
    copy_rows(int64_t rows, const struct control *control, const struct sweep sweep,
              const struct convergence_gate gate)
{
    pdl_wait();
    bool goes_on = convergence_open(&gate);
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (!control->failure && i < rows && (goes_on || sweep.copy64))
        copy_row(sweep, i, goes_on);
}

/* The pairs behind those laid out one by one */
struct loop {
    struct packed matrix;
    struct sweeps all;
    struct sweep sweep[2]; /* of a pair */
    int laid_out;          /* pairs before */
    int most;              /* pairs in all */
    const uint64_t *seen;  /* [laid_out][2] what those found */
    struct loop_state *state;
};

/* How the pairs done so far have ended, the same in every thread */
struct ending {
    int pairs;
    int failure; /* enum failure_kind */
    bool converged;
    uint64_t residual, change;
    double tested;
};

static __device__ __forceinline__ void decide(ending &end, const struct sweeps &all, bool beyond)
{
    if (beyond)
        end.failure = FAILURE_BOUND;
    end.tested = convergence_tested(all.beta, all.kind == SWEEP_MOMENTUM, end.residual, end.change);
    end.converged = convergence_reached(end.tested, all.tolerance, &end.failure);
}

/* From what the laid out pairs have seen: lane k looks at pair k, the first that stopped is the last that
 * ran. */
static __device__ __forceinline__ ending laid_out_ending(const struct loop &loop)
{
    const struct sweeps &all = loop.all;
    int lane = threadIdx.x % 32;
    ending end = {0, all.control->failure, false, 0, 0, 0};
    uint32_t beyond = all.control->beyond;
    if (loop.laid_out == 0 || end.failure)
        return end;
    ending of_lane = end;
    if (lane < loop.laid_out) {
        of_lane.residual = loop.seen[2 * lane];
        of_lane.change = loop.seen[2 * lane + 1];
        decide(of_lane, all, false);
    }
    bool stops = lane < loop.laid_out && !(of_lane.tested > all.tolerance);
    unsigned stopped = __ballot_sync(0xffffffffu, stops);
    int last = stopped ? __ffs((int)stopped) - 1 : loop.laid_out - 1;
    end.pairs = last + 1;
    end.residual = __shfl_sync(0xffffffffu, (unsigned long long)of_lane.residual, last);
    end.change = __shfl_sync(0xffffffffu, (unsigned long long)of_lane.change, last);
    decide(end, all, beyond);
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

static __host__ __device__ __forceinline__ bool copies(const struct sweep &sweep)
{
    return sweep.copy32 || sweep.copy64;
}

static __device__ __forceinline__ void copy_all(const struct loop &loop, int half, bool goes_on)
{
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < (int)loop.matrix.rows; i += gridDim.x * BLOCK)
        copy_row(loop.sweep[half], i, goes_on);
}

/* One sweep over all rows; what it tests goes to *slot. */
template <enum shape SHAPE, bool TEST, typename Slot>
static __device__ __forceinline__ void sweep_all(const struct loop &loop, int number, Slot *slot)
{
    const struct sweep &sweep = loop.sweep[TEST];
    uint64_t residual = 0, change = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < (int)loop.matrix.rows; i += gridDim.x * BLOCK) {
        constexpr enum shape LOOPED = SHAPE == FEW_ROWS ? FEW_LOOPED : SHAPE;
        row_location at = locate_row<LOOPED>(loop.matrix, i);
        row_test test =
            sweep_row<LOOPED, TEST>(loop.matrix, loop.all, sweep, at, i, number + TEST, &slot->beyond);
        residual = test.residual > residual ? test.residual : residual;
        change = test.change > change ? test.change : change;
    }
    if (!TEST)
        return;
    block_maximum(&slot->residual, residual);
    if (loop.all.kind == SWEEP_MOMENTUM)
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
        sweep_all<SHAPE, false>(loop, 2 * end.pairs, slot);
        grid_barrier(state);
        if (copies(loop.sweep[0])) {
            copy_all(loop, 0, true);
            grid_barrier(state);
        }
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            next->residual = next->change = 0;
            next->beyond = 0;
        }
        sweep_all<SHAPE, true>(loop, 2 * end.pairs, slot);
        grid_barrier(state);
        end.pairs++;
        end.residual = *(volatile uint64_t *)&slot->residual;
        end.change = *(volatile uint64_t *)&slot->change;
        decide(end, loop.all, *(volatile uint32_t *)&slot->beyond);
        bool goes_on = !end.failure && !end.converged && end.pairs < loop.most;
        if (copies(loop.sweep[1])) {
            copy_all(loop, 1, goes_on);
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

/* As many blocks as the rows need and the device runs at once; 0 after a failure, noted in the queue */
static unsigned blocks_at_once(struct queue *queue, const void *kernel, int64_t rows)
{
    int each = 0, multiprocessors = 0;
    queue_note(queue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, BLOCK, 0),
               "planning sweeps");
    queue_note(queue,
               cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, cuda(queue)->device),
               "planning sweeps");
    unsigned all = (unsigned)(each * multiprocessors), needed = blocks_for(rows, BLOCK);
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
    config.blockDim = dim3(BLOCK);
    config.stream = cuda(queue)->stream;
    config.attrs = attribute;
    config.numAttrs = chained(queue) ? 2 : 1;
    if (cuda(queue)->failed == cudaSuccess)
        queue_note(queue, cudaLaunchKernelExC(&config, kernel, arguments), "placing sweeps");
    cuda(queue)->last = kernel;
}

/* Whether x32 of own rows is rounded by the exchange behind a sweep, while it waits: where nothing else is
 * copied. Behind the last sweep nobody reads it, for of several ranks none goes on. */
static bool rounded_along(const struct sweeps &all, const struct sweep &sweep)
{
    return all.halo && sweep.copy32 && !sweep.copy64;
}

static void exchange(struct queue *queue, const struct sweeps &all, const struct sweep &sweep,
                     const struct halo_along &along)
{
    halo_exchange_along_cuda(queue, all.halo, sweep.y64, along.rounds ? sweep.copy32 : sweep.y32, &along);
}

/* Sweep k of the step, and the copy behind it, which asks this sweep, if it is tested, not the one before */
template <enum shape SHAPE> static void launch_sweep(struct queue *queue, const struct loop *loop, int k)
{
    const struct sweeps &all = loop->all;
    const struct sweep &sweep = loop->sweep[k % 2];
    unsigned blocks = blocks_for(loop->matrix.rows, BLOCK);
    uint64_t *leave = cuda(queue)->seen + k / 2 * 2;
    bool test = k % 2 && !all.untested;
    struct convergence_gate before = {k > 1 ? leave - 2 : NULL, all.beta, all.tolerance,
                                      all.kind == SWEEP_MOMENTUM};
    struct sweep_gate gate = {before, leave, k == 0 ? cuda(queue)->seen : NULL, k};
    if (test)
        launch_kernel(queue, sweep_rows<SHAPE, true>, blocks, BLOCK, loop->matrix, all, sweep, gate);
    else
        launch_kernel(queue, sweep_rows<SHAPE, false>, blocks, BLOCK, loop->matrix, all, sweep, gate);
    if (k < 2 * loop->laid_out - 1)
        exchange(queue, all, sweep, {&before, test ? leave : NULL, rounded_along(all, sweep)});
    else if (test)
        halo_largest_cuda(queue, all.halo, leave, sizeof *leave);
    if (test)
        before.seen = leave;
    int64_t places = loop->matrix.rows + halo_ghosts(all.halo);
    if (copies(sweep) && !rounded_along(all, sweep))
        launch_kernel(queue, copy_rows, blocks_for(places, BLOCK), BLOCK, places, all.control, sweep, before);
}

template <enum shape SHAPE>
static void launch_stage(struct queue *queue, const struct packed *matrix, const struct sweeps *all, int k)
{
    struct sweep sweep = sweep_of_stage(all, k);
    unsigned blocks = blocks_for(matrix->rows, BLOCK);
    bool last = k == all->max_sweeps - 1;
    switch (ending_of(last ? all->end : NULL)) {
    case ENDS:
        launch_kernel(queue, last_stage_rows<SHAPE, ENDS>, blocks, BLOCK, *matrix, *all, sweep, k, *all->end);
        return;
    case ENDS_MARKING:
        launch_kernel(queue, last_stage_rows<SHAPE, ENDS_MARKING>, blocks, BLOCK, *matrix, *all, sweep, k,
                      *all->end);
        return;
    default:
        launch_kernel(queue, stage_rows<SHAPE>, blocks, BLOCK, *matrix, *all, sweep, k);
    }
    if (!last)
        exchange(queue, *all, sweep, {NULL, NULL, rounded_along(*all, sweep)});
    int64_t places = matrix->rows + halo_ghosts(all->halo);
    if (copies(sweep) && !rounded_along(*all, sweep))
        launch_kernel(queue, copy_rows, blocks_for(places, BLOCK), BLOCK, places, all->control, sweep,
                      convergence_gate{});
}

/* Where a value may be beyond the bound: that it is so of any rank is known to all. */
static void share_failure(struct queue *queue, const struct sweeps *all)
{
    static_assert(offsetof(struct control, beyond) == offsetof(struct control, failure) + 4, "side by side");
    if (all->bound < INFINITY)
        halo_largest_cuda(queue, all->halo, &all->control->failure, 4);
}

template <enum shape SHAPE> static void launch(struct queue *queue, const struct loop *loop)
{
    for (int k = 0; loop->all.kind == SWEEP_STAGE && k < loop->all.max_sweeps; k++) {
        if (loop->all.end && k == loop->all.max_sweeps - 1) /* the step ends on all ranks or on none */
            share_failure(queue, &loop->all);
        launch_stage<SHAPE>(queue, &loop->matrix, &loop->all, k);
    }
    for (int k = 0; loop->all.kind != SWEEP_STAGE && k < 2 * loop->laid_out; k++)
        launch_sweep<SHAPE>(queue, loop, k);
    if (loop->all.end)
        step_end_conclude_cuda(queue, loop->matrix.rows, loop->all.end);
    else
        share_failure(queue, &loop->all);
    if (loop->all.kind != SWEEP_STAGE)
        launch_loop(queue, loop, (const void *)sweep_loop<SHAPE>);
}

extern "C" void solve_cuda(struct queue *queue, const struct packed *matrix, const struct sweeps *sweeps)
{
    int most = sweeps->max_sweeps / 2, expected = (sweeps->expected + 1) / 2;
    struct loop loop = {};
    assert(matrix->group == CUDA_GROUP && (!sweeps->end || (sweeps->kind == SWEEP_STAGE && sweeps->end->v)));
    loop.matrix = *matrix;
    loop.all = *sweeps;
    for (int half = 0; half < 2; half++)
        loop.sweep[half] = sweep_of_pair(sweeps, half);
    loop.most = most;
    loop.laid_out = expected < most ? expected : most;
    loop.laid_out = loop.laid_out < PAIRS_MOST ? loop.laid_out : (int)PAIRS_MOST;
    if (sweeps->halo) /* a kernel cannot go on with rows of other ranks */
        loop.most = loop.laid_out;
    loop.seen = cuda(queue)->seen;
    loop.state = cuda(queue)->loop_state;
    switch (shape_of(matrix)) {
    case MANY_ROWS:
        launch<MANY_ROWS>(queue, &loop);
        break;
    case FEW_ROWS:
        launch<FEW_ROWS>(queue, &loop);
        break;
    default:
        launch<ANY_HEIGHT>(queue, &loop);
    }
}

extern "C" bool solve_is_last(struct queue *queue)
{
    const void *last[] = {(const void *)sweep_loop<MANY_ROWS>,  (const void *)sweep_loop<FEW_ROWS>,
                          (const void *)sweep_loop<ANY_HEIGHT>, (const void *)stage_rows<MANY_ROWS>,
                          (const void *)stage_rows<FEW_ROWS>,   (const void *)stage_rows<ANY_HEIGHT>};
    for (size_t k = 0; k < sizeof last / sizeof *last; k++)
        if (cuda(queue)->last == last[k])
            return true;
    return false;
}
