/* jacobi.c: one sweep on the CPU. A thread takes a run of slices, LANES rows step through their entries side
 * by side. */
#include "kernels/jacobi.h"

#include <math.h>

#include "kernels/bits.h"
#include "kernels/row_sums.h"

/* What a sweep under test has seen. */
struct seen {
    uint64_t residual, change;
    int beyond;
};

/* y_i of the rows of one strip from their sums */
LANES_FN void update(const struct sweep *sweep, double a, double c, int64_t row, const double sum[LANES],
                     struct seen *seen)
{
    for (int r = 0; r < LANES; r++) {
        int64_t i = row + r;
        double z = (sweep->b[i] - sum[r]) * sweep->inverse[i];
        double y = z;
        if (sweep->kind != SWEEP_PLAIN) {
            double x = sweep->x64[i];
            y = x + a * (z - x);
            if (sweep->kind == SWEEP_MOMENTUM)
                y += c * (x - sweep->previous[i]);
        }
        if (sweep->test) {
            uint64_t residual = bits_of(fabs(z - sweep->x64[i]) * (double)sweep->weight[i]);
            uint64_t change = bits_of(fabs(y - sweep->x64[i]));
            seen->residual = residual > seen->residual ? residual : seen->residual;
            seen->change = change > seen->change ? change : seen->change;
        }
        seen->beyond |= fabs(y) > sweep->bound;
        sweep->y64[i] = y;
        if (sweep->y32)
            sweep->y32[i] = (float)y;
    }
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
    uint64_t residual = 0, change = 0;
    int beyond = 0;
#pragma omp parallel for num_threads(queue_threads(queue)) schedule(static) reduction(max                    \
                                                                                      : residual, change)    \
    reduction(|                                                                                              \
              : beyond)
    for (int64_t s = 0; s < matrix->slices; s++) {
        struct seen seen = {residual, change, beyond};
        for (int r = 0; r < matrix->height; r += LANES) {
            double sum[LANES];
            lanes_store(sum, matrix->slice[s].single ? row_sums_single(matrix, s, r, sweep->x32, sweep->x64)
                                                     : row_sums_double(matrix, s, r, sweep->x64));
            update(sweep, a, c, s * matrix->height + r, sum, &seen);
        }
        residual = seen.residual;
        change = seen.change;
        beyond = seen.beyond;
    }
    control->sweep++;
    control->sweeps++;
    if (beyond)
        control->failure = FAILURE_BOUND;
    if (sweep->test) {
        control->residual = residual;
        control->change = change;
        judge(sweep);
    }
}
