/* rhs.cu: right side and starting guess on the GPU, one row a thread. */
#include "kernels/ops/row_sums.cuh"
#include "kernels/ops/step_end.cuh"
#include "kernels/ops/sweep_update.cuh"

#include <assert.h>

extern "C" {
#include "kernels/ops/rhs.h"
}

#define LOAD(array) (array)[i]

/* What is read after the sum */
static __device__ __forceinline__ void prefetch_guess(const struct rhs &rhs, int i)
{
    for (int k = 0; k < RHS_HISTORY; k++)
        if (rhs.history[k])
            prefetch(rhs.history[k] + i);
    if (rhs.predictor_weight != 0)
        prefetch(rhs.inverse + i);
}

/* sum(i, ready) of row i, once the kernel before is complete: ready() waits for it and says whether there is
 * anything to do. Meaningless beyond the last row. */
template <enum shape SHAPE, typename Ready, typename Sum>
static __device__ __forceinline__ double sum_in_order(int i, int rows, const Ready &ready, const Sum &sum)
{
    if constexpr (SHAPE == FEW_ROWS)
        return sum(i < rows ? i : 0, ready);
    else
        return ready() && i < rows ? sum(i, at_once{}) : 0;
}

template <enum shape SHAPE>
static __global__ void ROW_BOUNDS(SHAPE) rhs_rows(const struct packed matrix, const struct rhs rhs)
{
    struct control *control = rhs.control;
    int i = blockIdx.x * BLOCK_THREADS + threadIdx.x, rows = (int)matrix.rows;
    row_location at = locate_row<SHAPE>(matrix, i < rows ? i : 0, true);
    if (i < rows)
        prefetch_guess(rhs, i);
    unsigned failed = 0, beyond = 0;
    const auto ready = [&] {
        pdl_wait();
        failed = (unsigned)control->failure;
        beyond = control->beyond;
        return true; /* reading in vain is harmless, and need not wait for those two */
    };
    double sum = sum_in_order<SHAPE>(i, rows, ready, [&](int row, const auto &ready_then) {
        return row_product<SHAPE>(matrix, rhs.v, at, row, ready_then);
    });
    if (failed | beyond) {
        if (i == 0)
            control_finish_step(control);
        return;
    }
    if (i == 0) { /* no block of this kernel reads them */
        control->recorded = control->step;
        control->converged = rhs.start == START_SOLVED;
        control->sweep = 0;
    }
    if (i < rows) {
        double x = 0, v = rhs.v[i];
        double b = rhs.scale * sum;
        RHS_GUESS(&rhs, LOAD, v, b, x);
        if (rhs.b)
            rhs.b[i] = b;
        if (rhs.x64)
            rhs.x64[i] = x;
        if (rhs.x32)
            rhs.x32[i] = (float)x;
        note_beyond(control, x, rhs.bound);
        if (fabs(v) > rhs.limit) /* blocks that start later do nothing */
            control->failure = FAILURE_VOLTAGE;
    }
}

/* The explicit step and its end. Every row is finished, whatever others find: what it records can be
 * withdrawn (step_end.h). */
template <enum shape SHAPE, enum ending_kind KIND>
static __global__ void ROW_BOUNDS(SHAPE)
    explicit_rows(const struct packed matrix, const struct rhs rhs, const struct step_end end)
{
    struct control *control = rhs.control;
    int i = blockIdx.x * BLOCK_THREADS + threadIdx.x, rows = (int)matrix.rows;
    row_location at = locate_row<SHAPE>(matrix, i < rows ? i : 0, true);
    int64_t step = 0; /* incremented by the last block */
    unsigned failed = 0, seen = 0;
    double v = 0;
    const auto ready = [&] {
        pdl_wait();
        v = i < rows ? rhs.v[i] : 0;
        step = control->step;
        failed = (unsigned)control->failure;
        seen = control->beyond;
        return true;
    };
    double sum = sum_in_order<SHAPE>(i, rows, ready, [&](int row, const auto &ready_then) {
        return row_product<SHAPE>(matrix, rhs.v, at, row, ready_then);
    });
    const enum beyond beyond = step % 2 ? BEYOND_LIMIT_ODD : BEYOND_LIMIT;
    if (failed | (seen & ~(unsigned)beyond))
        return;
    bool due = false;
    if (i < rows) {
        double x = 0;
        double b = rhs.scale * sum;
        RHS_GUESS(&rhs, LOAD, v, b, x);
        rhs.x64[i] = x;
        if (fabs(v) > rhs.limit)
            atomicOr(&control->beyond, (unsigned)beyond);
        due = end_row<KIND>(end, rows, i, step, end.v[i], x, beyond);
    }
    mark_rows<KIND>(end, rows, i, due);
    __syncthreads();
    if (threadIdx.x > 0 || atomicInc(&control->arrived, gridDim.x - 1) < gridDim.x - 1)
        return; /* the others' writes are not read; this only waits until all have read the step */
    control->recorded = step;
    control->converged = 1;
    control->sweep = 0;
    count_step(control);
}

template <enum shape SHAPE>
static void launch(struct queue *queue, const struct packed *matrix, const struct rhs *rhs)
{
    unsigned blocks = blocks_for(matrix->rows, BLOCK_THREADS);
    switch (ending_of(rhs->end)) {
    case ENDS:
        launch_kernel(queue, explicit_rows<SHAPE, ENDS>, blocks, BLOCK_THREADS, *matrix, *rhs, *rhs->end);
        break;
    case ENDS_MARKING:
        launch_kernel(queue, explicit_rows<SHAPE, ENDS_MARKING>, blocks, BLOCK_THREADS, *matrix, *rhs,
                      *rhs->end);
        break;
    default:
        launch_kernel(queue, rhs_rows<SHAPE>, blocks, BLOCK_THREADS, *matrix, *rhs);
        if (rhs->limit < INFINITY && rhs->x64) /* all ranks end the step, or none does */
            share_failure(queue, rhs->halo, rhs->control);
    }
    if (rhs->end)
        step_end_conclude_cuda(queue, matrix->rows, rhs->end);
}

extern "C" void rhs_cuda(struct queue *queue, const struct packed *matrix, const struct rhs *rhs)
{
    assert(matrix->group == CUDA_GROUP && matrix->height == CUDA_HEIGHT &&
           (!rhs->end || (rhs->start == START_SOLVED && rhs->end->v)));
    if (shape_of(matrix) == MANY_ROWS)
        launch<MANY_ROWS>(queue, matrix, rhs);
    else
        launch<FEW_ROWS>(queue, matrix, rhs);
}
