/* rhs.cu: right side and starting guess on the GPU, one row a thread. */
#include "kernels/ops/row_sums.cuh"

#include <assert.h>

extern "C" {
#include "kernels/ops/rhs.h"
}

#define LOAD(array) (array)[i]

/* What is read behind the sum */
static __device__ __forceinline__ void prefetch_guess(const struct rhs &rhs, int i)
{
    for (int k = 0; k < RHS_HISTORY; k++)
        if (rhs.history[k])
            prefetch(rhs.history[k] + i);
    if (rhs.predictor_weight != 0)
        prefetch(rhs.inverse + i);
}

template <enum shape SHAPE>
static __global__ void ROW_BOUNDS(SHAPE) rhs_rows(const struct packed matrix, const struct rhs rhs)
{
    struct control *control = rhs.control;
    int i = blockIdx.x * BLOCK + threadIdx.x, rows = (int)matrix.rows;
    row_location at = locate_row<SHAPE>(matrix, i < rows ? i : 0);
    if (i < rows)
        prefetch_guess(rhs, i);
    pdl_wait();
    if (control->failure || control->beyond) {
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
        double v = rhs.v[i], sum = 0, x = 0;
        if (rhs.scale != 0) {
            sum = at.slice.product32 ? sum_row<SHAPE>(matrix, at, i, matrix.value32 + at.slice.product,
                                                      times_difference<float>{rhs.v, v})
                                     : sum_row<SHAPE>(matrix, at, i, matrix.product + at.slice.product,
                                                      times_difference<double>{rhs.v, v});
        }
        double b = rhs.scale * sum;
        if (rhs.base)
            b = rhs.base[i] * v + b;
        RHS_GUESS(&rhs, LOAD, v, b, x);
        if (rhs.b)
            rhs.b[i] = b;
        rhs.x64[i] = x;
        if (rhs.x32)
            rhs.x32[i] = (float)x;
        if (fabs(x) > rhs.bound) /* blocks that have not begun leave it at that */
            control->failure = FAILURE_BOUND;
        if (fabs(v) > rhs.limit)
            control->failure = FAILURE_VOLTAGE;
    }
}

extern "C" void rhs_cuda(struct queue *queue, const struct packed *matrix, const struct rhs *rhs)
{
    unsigned blocks = blocks_for(matrix->rows, BLOCK);
    assert(matrix->group == CUDA_GROUP);
    switch (shape_of(matrix)) {
    case MANY_ROWS:
        launch_kernel(queue, rhs_rows<MANY_ROWS>, blocks, BLOCK, *matrix, *rhs);
        break;
    case FEW_ROWS:
        launch_kernel(queue, rhs_rows<FEW_ROWS>, blocks, BLOCK, *matrix, *rhs);
        break;
    default:
        launch_kernel(queue, rhs_rows<ANY_HEIGHT>, blocks, BLOCK, *matrix, *rhs);
    }
}
