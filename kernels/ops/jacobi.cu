/* jacobi.cu: one sweep on the GPU, one row a thread. */
#include "kernels/ops/sweep_row.cuh"

#include <assert.h>

#include "kernels/ops/sweep_loop.cuh"

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

/* LAID_OUT: gate says whether the sweep runs, and nothing is counted here. Else control says it, and the last
 * block counts and judges. */
template <enum shape SHAPE, bool TEST, bool LAID_OUT>
static __global__ void ROW_BOUNDS(SHAPE)
    sweep_rows(const struct packed matrix, const struct sweep sweep, const struct sweep_gate gate)
{
    struct control *control = sweep.control;
    int i = blockIdx.x * BLOCK + threadIdx.x, rows = (int)matrix.rows;
    /* The slice is asked for beside control, not behind it. */
    row_location at = locate_row<SHAPE>(matrix, i < rows ? i : 0);
    pdl_wait();
    if (LAID_OUT && gate.clear && blockIdx.x == 0 && threadIdx.x < 2 * PAIRS_MOST)
        gate.clear[threadIdx.x] = 0;
    if (control->failure || (LAID_OUT ? !sweep_gate_open(gate) : control->converged))
        return;
    row_test test = {0, 0};
    if (i < rows)
        test = sweep_row<SHAPE, TEST>(matrix, sweep, at, i, LAID_OUT ? gate.number : control->sweep,
                                      &control->beyond);
    if (TEST) {
        block_maximum(LAID_OUT ? gate.leave : &control->seen_residual, test.residual);
        if (sweep.kind == SWEEP_MOMENTUM)
            block_maximum(LAID_OUT ? gate.leave + 1 : &control->seen_change, test.change);
    }
    if (!LAID_OUT && arrives_last(&control->arrived))
        conclude(sweep, TEST);
}

template <enum shape SHAPE, bool TEST>
static void launch_sweep(struct queue *queue, const struct packed *matrix, const struct sweep *sweep)
{
    unsigned blocks = blocks_for(matrix->rows, BLOCK);
    if (queue->pair >= 0)
        launch_kernel(queue, sweep_rows<SHAPE, TEST, true>, blocks, BLOCK, *matrix, *sweep, queue->gate);
    else
        launch_kernel(queue, sweep_rows<SHAPE, TEST, false>, blocks, BLOCK, *matrix, *sweep, queue->gate);
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
    if (queue->loop) {
        loop_add_sweep(queue->loop, matrix, sweep);
        return;
    }
    struct sweep_gate gate = {pair > 0 ? queue->seen + 2 * (pair - 1) : NULL,
                              queue->seen + 2 * (pair > 0 ? pair : 0),
                              pair == 0 && !test ? queue->seen : NULL,
                              sweep->beta,
                              sweep->tolerance,
                              sweep->kind == SWEEP_MOMENTUM,
                              2 * pair + test};
    queue->gate = gate;
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
        queue->gate.seen = queue->gate.leave;
}
