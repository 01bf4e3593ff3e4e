/* rhs.c: right-hand side and initial guess on the CPU. */
#include "kernels/ops/rhs.h"

#include <math.h>

#include "kernels/base/bits.h"
#include "kernels/device/queue.h"
#include "kernels/ops/row_sums.h"

#define LOAD(array) lanes_load64((array) + row)

/* b_i and x_i of the LANES rows from `row` on, from their sums; returns x */
LANES_FN lanes_real finish_rows(const struct rhs *rhs, int64_t row, lanes_real sum)
{
    lanes_real b = rhs->scale * sum, x = {0};
    RHS_GUESS(rhs, LOAD, b, x);
    lanes_store(rhs->b + row, b);
    if (rhs->x64)
        lanes_store(rhs->x64 + row, x);
    if (rhs->x32)
        lanes_store32(rhs->x32 + row, x);
    return x;
}

void CLONE_NAME(rhs_cpu)(struct queue *queue, const struct packed *matrix, const struct rhs *rhs)
{
    struct control *control = rhs->control;
    if (control->failure)
        return;
    uint64_t top = 0, top_v = 0; /* bit patterns of the largest |x| and |v| */
#pragma omp parallel num_threads(cpu_threads(queue)) reduction(max : top, top_v)
    {
        lanes_bits seen = {0}, seen_v = {0};
#pragma omp for schedule(static) nowait
        for (int64_t s = 0; s < matrix->slices; s++)
            for (int r = 0; r < matrix->height; r += LANES) {
                lanes_real sum = row_sums_difference(matrix, s, r, rhs->v, NULL, 0);
                seen = lanes_larger(seen, finish_rows(rhs, s * matrix->height + r, sum));
                seen_v = lanes_larger(seen_v, lanes_load64(rhs->v + s * matrix->height + r));
            }
        top = lanes_largest(seen);
        top_v = lanes_largest(seen_v);
    }
    if (rhs->limit < INFINITY)
        halo_largest_cpu(queue, rhs->halo, &top_v, 1);
    control->converged = 0;
    control->sweep = 0;
    if (bits_to_real(top) > rhs->bound && top > control->passed)
        control->passed = top;
    if (bits_to_real(top_v) > rhs->limit)
        control->failure = FAILURE_VOLTAGE;
}
