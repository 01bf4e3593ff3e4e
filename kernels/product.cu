/* product.cu: right side and starting guess on the GPU, one row a thread. */
#include "kernels/row_sums.cuh"

extern "C" {
#include "kernels/product.h"
}

template <int G>
static __global__ void __launch_bounds__(BLOCK)
    product_rows(const struct packed matrix, const struct product product)
{
    struct control *control = product.control;
    if (control->failure)
        return;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < matrix.rows) {
        double v = product.v[i], sum = 0, x = 0;
        if (product.start == START_PREVIOUS || product.start == START_EXTRAPOLATE)
            x = product.delta_1[i];
        if (product.start == START_EXTRAPOLATE)
            x = 2 * x - product.delta_2[i];
        if (product.scale != 0) {
            row_place place = place_row<G>(matrix, i);
            sum = sum_row<G>(matrix, place, i, matrix.product + place.slice.product,
                             times_difference{product.v, v});
        }
        double b = product.scale * sum;
        if (product.base)
            b = product.base[i] * v + b;
        if (product.start == START_SOLVED)
            x = b * product.inverse[i];
        if (product.add_v)
            x = v + x;
        product.b[i] = b;
        product.x64[i] = x;
        if (product.x32)
            product.x32[i] = (float)x;
        if (fabs(x) > product.bound)
            atomicOr(&control->beyond, 1u);
    }
    if (arrives_last(control)) {
        control->converged = product.start == START_SOLVED;
        control->sweep = 0;
        if (atomicExch(&control->beyond, 0u))
            control->failure = FAILURE_BOUND;
    }
}

extern "C" void product_cuda(struct queue *queue, const struct packed *matrix, const struct product *product)
{
    unsigned blocks = blocks_for(matrix->rows, BLOCK);
    if (matrix->group == 4)
        product_rows<4><<<blocks, BLOCK, 0, queue->stream>>>(*matrix, *product);
    else if (matrix->group == 2)
        product_rows<2><<<blocks, BLOCK, 0, queue->stream>>>(*matrix, *product);
    else
        product_rows<1><<<blocks, BLOCK, 0, queue->stream>>>(*matrix, *product);
    CUDA_LAUNCHED(queue);
}
