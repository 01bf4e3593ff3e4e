/* product.c: right side and starting guess on the CPU. */
#include "kernels/product.h"

#include <math.h>

#include "kernels/row_sums.h"

/* b_i and x_i of row i from its sum; returns whether |x_i| passes the bound */
LANES_FN int finish_row(const struct product *product, int64_t i, double sum)
{
    double v = product->v[i];
    double b = product->scale * sum;
    if (product->base)
        b = product->base[i] * v + b;
    double x = 0;
    if (product->start == START_PREVIOUS)
        x = product->delta_1[i];
    else if (product->start == START_EXTRAPOLATE)
        x = 2 * product->delta_1[i] - product->delta_2[i];
    else if (product->start == START_SOLVED)
        x = b * product->inverse[i];
    if (product->add_v)
        x = v + x;
    product->b[i] = b;
    product->x64[i] = x;
    if (product->x32)
        product->x32[i] = (float)x;
    return fabs(x) > product->bound;
}

void CLONE_NAME(product_cpu)(struct queue *queue, const struct packed *matrix, const struct product *product)
{
    struct control *control = product->control;
    if (control->failure)
        return;
    int beyond = 0;
#pragma omp parallel for num_threads(queue_threads(queue)) schedule(static) reduction(| : beyond)
    for (int64_t s = 0; s < matrix->slices; s++)
        for (int r = 0; r < matrix->height; r += LANES) {
            double sum[LANES] = {0};
            if (product->scale != 0)
                lanes_store(sum, row_sums_difference(matrix, s, r, product->v));
            for (int k = 0; k < LANES; k++)
                beyond |= finish_row(product, s * matrix->height + r + k, sum[k]);
        }
    control->converged = product->start == START_SOLVED;
    control->sweep = 0;
    if (beyond)
        control->failure = FAILURE_BOUND;
}
