/* jacobi.cu: one sweep on the GPU, one row a thread. */
#include "kernels/row_sums.cuh"

#include <assert.h>

extern "C" {
#include "kernels/bits.h"
#include "kernels/jacobi.h"
}

/* The decision of a sweep under test, by the last block */
static __device__ void judge(const struct sweep &sweep)
{
    struct control *control = sweep.control;
    control->residual = atomicExch((unsigned long long *)&control->seen_residual, 0ull);
    control->change = atomicExch((unsigned long long *)&control->seen_change, 0ull);
    double tested = sweep.beta * bits_to_real(control->residual);
    if (sweep.kind == SWEEP_MOMENTUM)
        tested += bits_to_real(control->change);
    control->tested = tested;
    control->converged = tested <= sweep.tolerance;
    if (tested != tested)
        control->failure = FAILURE_VOLTAGE;
}

/* What a sweep leaves in control, by the last block */
static __device__ void conclude(const struct sweep &sweep, bool test)
{
    struct control *control = sweep.control;
    control->sweep++;
    control->sweeps++;
    if (atomicExch(&control->beyond, 0u))
        control->failure = FAILURE_BOUND;
    if (test)
        judge(sweep);
}

/* sum_j e_ij x_j of row i */
template <enum shape SHAPE>
static __device__ __forceinline__ double row_sum(const struct packed &matrix, const struct sweep &sweep,
                                                 const row_place &place, int i)
{
    if (!place.slice.single)
        return sum_row<SHAPE>(matrix, place, i, matrix.value + place.slice.value, times_double{sweep.x64, 0});
    const float *value = matrix.single + place.slice.value;
    return sweep.x32 ? sum_row<SHAPE>(matrix, place, i, value, times_single{sweep.x32, 0})
                     : sum_row<SHAPE>(matrix, place, i, value, times_cast{sweep.x64, 0});
}

/* LAID_OUT: turn says whether the sweep runs, and nothing is counted here. ASKED: control says it, the last
 * block counts and judges. GATED: it also says whether the loop around it goes on. */
enum mode { LAID_OUT, ASKED, GATED };

template <enum shape SHAPE, bool TEST, enum mode MODE>
static __global__ void ROW_BOUNDS(SHAPE)
    sweep_rows(const struct packed matrix, const struct sweep sweep, const struct turn turn,
               cudaGraphConditionalHandle gate, int most)
{
    struct control *control = sweep.control;
    int i = blockIdx.x * BLOCK + threadIdx.x, rows = (int)matrix.rows;
    /* The slice is asked for beside control, not behind it. */
    row_place place = place_row<SHAPE>(matrix, i < rows ? i : 0);
    take_turn();
    if (control->failure || (MODE == LAID_OUT ? !turn_goes_on(turn) : control->converged)) {
        if (MODE == GATED && blockIdx.x == 0 && threadIdx.x == 0)
            cudaGraphSetConditional(gate, 0);
        return;
    }
    uint64_t residual = 0, change = 0;
    if (i < rows) {
        bool needs_x = TEST || sweep.kind != SWEEP_PLAIN;
        ask_for(sweep.b + i);
        ask_for(sweep.inverse + i);
        if (needs_x)
            ask_for(sweep.x64 + i);
        double sum = row_sum<SHAPE>(matrix, sweep, place, i);
        double b = sweep.b[i], inverse = sweep.inverse[i], x = needs_x ? sweep.x64[i] : 0;
        double z = (b - sum) * inverse, y = z;
        if (sweep.kind != SWEEP_PLAIN) {
            const double *coefficient =
                sweep.coefficient + 2 * (MODE == LAID_OUT ? turn.number : control->sweep);
            y = x + coefficient[0] * (z - x);
            if (sweep.kind == SWEEP_MOMENTUM)
                y += coefficient[1] * (x - sweep.previous[i]);
        }
        if (TEST) {
            residual = bits_of(fabs(z - x) * (double)sweep.weight[i]);
            change = bits_of(fabs(y - x));
        }
        if (fabs(y) > sweep.bound)
            atomicOr(&control->beyond, 1u);
        sweep.y64[i] = y;
        if (sweep.y32)
            sweep.y32[i] = (float)y;
    }
    if (TEST) {
        block_maximum(MODE == LAID_OUT ? turn.leave : &control->seen_residual, residual);
        if (sweep.kind == SWEEP_MOMENTUM)
            block_maximum(MODE == LAID_OUT ? turn.leave + 1 : &control->seen_change, change);
    }
    if (MODE != LAID_OUT && arrives_last(control)) {
        conclude(sweep, TEST);
        if (MODE == GATED)
            cudaGraphSetConditional(gate, !control->converged && !control->failure && control->sweep < most);
    }
}

/* What the laid out sweeps of a step come to: how many ran, and how the last one under test was judged. */
template <bool GATE>
static __global__ void judge_pairs(struct control *control, struct turn turn, uint64_t *seen, int pairs,
                                   cudaGraphConditionalHandle gate, int most)
{
    take_turn();
    int done = 0, failed = control->failure;
    double tested = 0;
    while (done < pairs && !failed) {
        tested = turn_tested(turn, seen + 2 * done++);
        if (!(tested > turn.tolerance))
            break;
    }
    if (!failed && done > 0) {
        control->sweep = 2 * done;
        control->sweeps += 2 * done;
        control->residual = seen[2 * done - 2];
        control->change = seen[2 * done - 1];
        control->tested = tested;
        control->converged = tested <= turn.tolerance;
        if (control->beyond)
            failed = FAILURE_BOUND;
        if (tested != tested)
            failed = FAILURE_VOLTAGE;
        control->failure = failed;
    }
    for (int k = 0; k < 2 * pairs; k++)
        seen[k] = 0;
    if (GATE)
        cudaGraphSetConditional(gate, !failed && !control->converged && control->sweep < most);
}

template <enum shape SHAPE, bool TEST>
static void launch_sweep(struct queue *queue, const struct packed *matrix, const struct sweep *sweep)
{
    constexpr enum mode LOOP = TEST ? GATED : ASKED;
    unsigned blocks = blocks_for(matrix->rows, BLOCK);
    if (queue->pair >= 0)
        place_kernel(queue, sweep_rows<SHAPE, TEST, LAID_OUT>, blocks, BLOCK, *matrix, *sweep, queue->turn, 0,
                     0);
    else if (TEST && queue->gate_most)
        place_kernel(queue, sweep_rows<SHAPE, TEST, LOOP>, blocks, BLOCK, *matrix, *sweep, queue->turn,
                     queue->gate, queue->gate_most);
    else
        place_kernel(queue, sweep_rows<SHAPE, TEST, ASKED>, blocks, BLOCK, *matrix, *sweep, queue->turn, 0,
                     0);
}

template <enum shape SHAPE>
static void launch(struct queue *queue, const struct packed *matrix, const struct sweep *sweep)
{
    sweep->test ? launch_sweep<SHAPE, true>(queue, matrix, sweep)
                : launch_sweep<SHAPE, false>(queue, matrix, sweep);
}

extern "C" void jacobi_sweep_cuda(struct queue *queue, const struct packed *matrix, const struct sweep *sweep)
{
    int pair = queue->pair;
    bool test = sweep->test;
    assert(matrix->group == CUDA_GROUP);
    struct turn turn = {pair > 0 ? queue->seen + 2 * (pair - 1) : NULL,
                        queue->seen + 2 * (pair > 0 ? pair : 0),
                        sweep->beta,
                        sweep->tolerance,
                        sweep->kind == SWEEP_MOMENTUM,
                        2 * pair + test};
    queue->turn = turn;
    switch (shape_of(matrix)) {
    case MANY_ROWS:
        launch<MANY_ROWS>(queue, matrix, sweep);
        break;
    case FEW_ROWS:
        launch<FEW_ROWS>(queue, matrix, sweep);
        break;
    default:
        launch<ANY_HEIGHT>(queue, matrix, sweep);
    }
    if (test) /* what follows this sweep asks it, not the one before */
        queue->turn.seen = queue->turn.leave;
}

void jacobi_judge_pairs(struct queue *queue, struct control *control, int pairs,
                        cudaGraphConditionalHandle gate, int most)
{
    if (most)
        place_kernel(queue, judge_pairs<true>, 1, 1, control, queue->turn, queue->seen, pairs, gate, most);
    else
        place_kernel(queue, judge_pairs<false>, 1, 1, control, queue->turn, queue->seen, pairs, gate, 0);
}

bool jacobi_judged(const struct queue *queue)
{
    return queue->last == (const void *)judge_pairs<true> || queue->last == (const void *)judge_pairs<false>;
}
