/* rhs.cu: right-hand side and initial guess on the GPU, one thread per row. */
#include "kernels/ops/row_sums.cuh"
#include "kernels/ops/step_end.cuh"
#include "kernels/ops/sweep_update.cuh"

#include <assert.h>

extern "C" {
#include "kernels/ops/rhs.h"
}

#define LOAD(array) (array)[i]

/* Prefetches what is read after the sum */
static __device__ __forceinline__ void prefetch_guess(const struct rhs &rhs, int i)
{
    for (int k = 0; k < RHS_HISTORY; k++)
        if (rhs.history[k])
            prefetch(rhs.history[k] + i);
    if (rhs.predictor_weight != 0)
        prefetch(rhs.inverse + i);
}

/* Calls sum(i, ready) for row i; ready() waits for the previous kernel and returns whether there is
 * anything to do. The result is meaningless beyond the last row. */
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
        return true; /* a needless read is harmless, and need not wait for those two */
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
        control->converged = 0;
        control->sweep = 0;
    }
    if (i < rows) {
        double x = 0, v = rhs.v[i];
        double b = rhs.scale * sum;
        RHS_GUESS(&rhs, LOAD, b, x);
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

template <enum shape SHAPE>
static void launch(struct queue *queue, const struct packed *matrix, const struct rhs *rhs)
{
    unsigned blocks = blocks_for(matrix->rows, BLOCK_THREADS);
    launch_kernel(queue, rhs_rows<SHAPE>, blocks, BLOCK_THREADS, *matrix, *rhs);
    if (rhs->limit < INFINITY && rhs->x64) /* either all ranks end the step or none does */
        share_failure(queue, rhs->halo, rhs->control);
}

extern "C" void rhs_cuda(struct queue *queue, const struct packed *matrix, const struct rhs *rhs)
{
    assert(matrix->group == CUDA_GROUP && matrix->height == CUDA_HEIGHT);
    if (shape_of(matrix) == MANY_ROWS)
        launch<MANY_ROWS>(queue, matrix, rhs);
    else
        launch<FEW_ROWS>(queue, matrix, rhs);
}
