/* jacobi.c: one sweep on the CPU. A thread takes a run of slices, LANES rows step through their entries side
 * by side. */
#include "kernels/ops/jacobi.h"

#include "kernels/base/bits.h"
#include "kernels/ops/row_sums.h"

/* Bit patterns of the largest values that a thread has seen, in each lane */
struct seen {
    lanes_bits residual, change, size; /* |r_i| / m_i and |y_i - x_i| under test; |y_i| */
};

/* y_i of the LANES rows from `row` on, from their sums */
LANES_FN void update(const struct sweep *sweep, double a, double c, int64_t row, lanes_real sum,
                     struct seen *seen)
{
    lanes_real z = (lanes_load64(sweep->b + row) - sum) * lanes_load64(sweep->inverse + row), y = z;
    if (sweep->kind != SWEEP_PLAIN) {
        lanes_real x = lanes_load64(sweep->x64 + row);
        y = x + a * (z - x);
        if (sweep->kind == SWEEP_MOMENTUM)
            y += c * (x - lanes_load64(sweep->previous + row));
    }
    if (sweep->test) {
        lanes_real x = lanes_load64(sweep->x64 + row);
        seen->residual = lanes_larger(seen->residual, (z - x) * lanes_load32(sweep->weight + row));
        if (sweep->kind == SWEEP_MOMENTUM)
            seen->change = lanes_larger(seen->change, y - x);
    }
    seen->size = lanes_larger(seen->size, y);
    lanes_store(sweep->y64 + row, y);
    if (sweep->y32)
        lanes_store32(sweep->y32 + row, y);
}

/* The decision of a sweep under test, from the maxima over all rows */
static void judge(const struct sweep *sweep)
{
    struct control *control = sweep->control;
    double tested = sweep->beta * bits_to_real(control->residual);
    if (sweep->kind == SWEEP_MOMENTUM)
        tested += bits_to_real(control->change);
    control->tested = tested;
    control->converged = tested <= sweep->tolerance;
    if (tested != tested)
        control->failure = FAILURE_VOLTAGE;
}

void CLONE_NAME(jacobi_sweep_cpu)(struct queue *queue, const struct packed *matrix, const struct sweep *sweep)
{
    struct control *control = sweep->control;
    if (control->converged || control->failure)
        return;
    const double *coefficient =
        sweep->kind == SWEEP_PLAIN ? (const double[2]){1, 0} : sweep->coefficient + 2 * control->sweep;
    double a = coefficient[0], c = coefficient[1];
    uint64_t residual = 0, change = 0, size = 0;
#pragma omp parallel num_threads(cpu_threads(queue)) reduction(max : residual, change, size)
    {
        struct seen seen = {0};
#pragma omp for schedule(static)
        for (int64_t s = 0; s < matrix->slices; s++)
            for (int r = 0; r < matrix->height; r += LANES) {
                lanes_real sum = matrix->slice[s].fp32 ? row_sums_fp32(matrix, s, r, sweep->x32, sweep->x64)
                                                       : row_sums_fp64(matrix, s, r, sweep->x64);
                update(sweep, a, c, s * matrix->height + r, sum, &seen);
            }
        residual = lanes_largest(seen.residual);
        change = lanes_largest(seen.change);
        size = lanes_largest(seen.size);
    }
    control->sweep++;
    control->sweeps++;
    if (bits_to_real(size) > sweep->bound)
        control->failure = FAILURE_BOUND;
    if (sweep->test) {
        control->residual = residual;
        control->change = change;
        judge(sweep);
    }
}
