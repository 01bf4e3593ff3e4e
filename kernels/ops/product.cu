/* product.cu: right side and starting guess on the GPU, one row a thread. */
#include "kernels/ops/row_sums.cuh"

#include <assert.h>

extern "C" {
#include "kernels/ops/product.h"
}

/* What is read behind the sum */
static __device__ __forceinline__ void ask_for_guess(const struct product &product, int i)
{
    for (int k = 0; k < HISTORY_MOST; k++)
        if (product.change[k])
            ask_for(product.change[k] + i);
    if (product.share != 0)
        ask_for(product.inverse + i);
}

template <enum shape SHAPE>
static __global__ void ROW_BOUNDS(SHAPE)
    product_rows(const struct packed matrix, const struct product product)
{
    struct control *control = product.control;
    int i = blockIdx.x * BLOCK + threadIdx.x, rows = (int)matrix.rows;
    row_place place = place_row<SHAPE>(matrix, i < rows ? i : 0);
    if (i < rows)
        ask_for_guess(product, i);
    take_turn();
    if (control->failure || control->beyond) {
        if (i == 0)
            control_settle(control);
        return;
    }
    if (i == 0) { /* no block of this kernel reads them */
        control->recorded = control->step;
        control->converged = product.start == START_SOLVED;
        control->sweep = 0;
    }
    if (i < rows) {
        double v = product.v[i], sum = 0, x = 0;
        if (product.scale != 0) {
            sum = sum_row<SHAPE>(matrix, place, i, matrix.product + place.slice.product,
                                 times_difference{product.v, v});
        }
        double b = product.scale * sum;
        if (product.base)
            b = product.base[i] * v + b;
        const double *const *c = product.change;
        if (product.start == START_PREVIOUS)
            x = c[0][i];
        else if (product.start == START_LINEAR)
            x = 2 * c[0][i] - c[1][i];
        else if (product.start == START_QUADRATIC)
            x = 3 * (c[0][i] - c[1][i]) + c[2][i];
        else if (product.start == START_SOLVED)
            x = b * product.inverse[i];
        if (product.share != 0)
            x = x + product.share * (b * product.inverse[i]);
        if (product.add_v)
            x = v + x;
        product.b[i] = b;
        product.x64[i] = x;
        if (product.x32)
            product.x32[i] = (float)x;
        if (fabs(x) > product.bound)
            control->failure = FAILURE_BOUND; /* blocks that have not begun leave it at that */
    }
}

extern "C" void product_cuda(struct queue *queue, const struct packed *matrix, const struct product *product)
{
    unsigned blocks = blocks_for(matrix->rows, BLOCK);
    assert(matrix->group == CUDA_GROUP);
    switch (shape_of(matrix)) {
    case MANY_ROWS:
        place_kernel(queue, product_rows<MANY_ROWS>, blocks, BLOCK, *matrix, *product);
        break;
    case FEW_ROWS:
        place_kernel(queue, product_rows<FEW_ROWS>, blocks, BLOCK, *matrix, *product);
        break;
    default:
        place_kernel(queue, product_rows<ANY_HEIGHT>, blocks, BLOCK, *matrix, *product);
    }
}
