/* solve.c: sweeps and stages on the CPU. Each thread has a range of slices and processes LANES rows of a
 * slice at a time. */
#include "kernels/ops/solve.h"

#include <math.h>

#include "kernels/base/bits.h"
#include "kernels/device/queue.h"
#include "kernels/ops/convergence.h"
#include "kernels/ops/row_sums.h"

/* Bit patterns of the largest values found by a thread, in each lane */
struct seen {
    lanes_bits residual, change, size; /* |r_i| / m_i and |y_i - x_i|, if tested; |y_i| */
};

/* y_i of the LANES rows from `row` on, from their sums */
LANES_FN void update(const struct sweeps *all, const struct sweep *sweep, bool test, double a, double c,
                     int64_t row, lanes_real sum, struct seen *seen)
{
    lanes_real b = lanes_load64(all->b + row), inverse = lanes_load64(all->inverse + row);
    lanes_real z = SWEEP_JACOBI(b, sum, inverse), y = z, x = {0};
    if (test || all->kind == SWEEP_MOMENTUM)
        x = lanes_load64(sweep->x64 + row);
    if (all->kind == SWEEP_MOMENTUM)
        y = SWEEP_RELAXED(x, z, a) + SWEEP_PUSH(x, lanes_load64(sweep->previous + row), c);
    if (test) {
        seen->residual = lanes_larger(seen->residual, (z - x) * lanes_load32(all->weight + row));
        if (all->kind == SWEEP_MOMENTUM)
            seen->change = lanes_larger(seen->change, y - x);
    }
    seen->size = lanes_larger(seen->size, y);
    lanes_store(sweep->y64 + row, y);
    if (sweep->y32)
        lanes_store32(sweep->y32 + row, y);
}

/* Records the largest |x| that the next sweep reads in fp32, if it exceeds the bound */
static void note_size(const struct sweeps *all, uint64_t size)
{
    if (bits_to_real(size) > all->bound && size > all->control->passed)
        all->control->passed = size;
}

/* Sweep k of the step */
static void sweep_once(struct queue *queue, const struct packed *matrix, const struct sweeps *all,
                       const struct sweep *sweep, int k)
{
    struct control *control = all->control;
    bool test = k % 2 && !all->untested, momentum = all->kind == SWEEP_MOMENTUM;
    double a = momentum ? all->coefficient[2 * k] : 1, c = momentum ? all->coefficient[2 * k + 1] : 0;
    uint64_t residual = 0, change = 0, size = 0;
#pragma omp parallel num_threads(cpu_threads(queue)) reduction(max : residual, change, size)
    {
        struct seen seen = {0};
#pragma omp for schedule(static) nowait
        for (int64_t s = 0; s < matrix->slices; s++)
            for (int r = 0; r < matrix->height; r += LANES) {
                lanes_real sum = matrix->slice[s].fp32 ? row_sums_fp32(matrix, s, r, sweep->x32)
                                                       : row_sums_fp64(matrix, s, r, sweep->x64);
                update(all, sweep, test, a, c, s * matrix->height + r, sum, &seen);
            }
        residual = lanes_largest(seen.residual);
        change = lanes_largest(seen.change);
        size = lanes_largest(seen.size);
    }
    control->sweep++;
    control->sweeps++;
    note_size(all, size);
    if (!test)
        return;
    uint64_t largest[] = {residual, change};
    halo_largest_cpu(queue, all->halo, largest, 2);
    control->residual = largest[0];
    control->change = largest[1];
    control->tested = convergence_tested(all->beta, momentum, largest[0], largest[1]);
    control->converged = convergence_reached(control->tested, all->tolerance, &control->failure);
}

/* Stage k of the step */
static void stage_once(struct queue *queue, const struct packed *matrix, const struct sweeps *all,
                       const struct sweep *sweep, int k)
{
    struct control *control = all->control;
    const double *of = all->coefficient + 4 * k;
    double mu = of[0], nu = of[1], p = of[2], c = of[3];
    uint64_t size = 0;
#pragma omp parallel num_threads(cpu_threads(queue)) reduction(max : size)
    {
        lanes_bits seen = {0};
#pragma omp for schedule(static) nowait
        for (int64_t s = 0; s < matrix->slices; s++)
            for (int r = 0; r < matrix->height; r += LANES) {
                int64_t row = s * matrix->height + r;
                lanes_real sum = matrix->slice[s].fp32 ? row_sums_difference32(matrix, s, r, sweep->x32)
                                 : sweep->x64
                                     ? row_sums_difference(matrix, s, r, sweep->x64, NULL, 0)
                                     : row_sums_difference(matrix, s, r, all->b, all->inverse, all->share);
                lanes_real b = lanes_load64(all->b + row), inverse = lanes_load64(all->inverse + row);
                lanes_real x = 0.0 + all->share * (b * inverse);
                if (sweep->x64)
                    x = lanes_load64(sweep->x64 + row);
                lanes_real right = p * b;
                if (all->b2)
                    right += c * lanes_load64(all->b2 + row);
                lanes_real z = SWEEP_JACOBI(right, sum, inverse), y = SWEEP_ADVANCED(x, z, mu);
                if (sweep->previous)
                    y += nu * lanes_load64(sweep->previous + row);
                seen = lanes_larger(seen, y);
                lanes_store(sweep->y64 + row, y);
                if (sweep->y32)
                    lanes_store32(sweep->y32 + row, y);
            }
        size = lanes_largest(seen);
    }
    control->sweep++;
    control->sweeps++;
    control->converged = k == all->max_sweeps - 1;
    note_size(all, size);
}

static void copy_rows(struct queue *queue, int64_t rows, const struct sweep *sweep)
{
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (int64_t i = 0; i < rows; i++)
        sweep->copy32[i] = (float)sweep->y64[i];
}

void CLONE_NAME(solve_cpu)(struct queue *queue, const struct packed *matrix, const struct sweeps *all)
{
    struct control *control = all->control;
    bool stages = all->kind == SWEEP_STAGE;
    int most = stages ? all->max_sweeps : all->max_sweeps / 2 * 2;
    for (int k = 0; k < most && !control->converged && !control->failure; k++) {
        struct sweep sweep = stages ? sweep_of_stage(all, k) : sweep_of_pair(all, k % 2);
        (stages ? stage_once : sweep_once)(queue, matrix, all, &sweep, k);
        bool last = control->converged || control->failure || k == most - 1;
        if (!last)
            halo_exchange_cpu(queue, all->halo, sweep.y64, sweep.y32);
        if (sweep.copy32 && !last)
            copy_rows(queue, matrix->rows + halo_ghosts(all->halo), &sweep);
    }
    if (all->end)
        queue->backend->step_end(queue, matrix->rows, all->end);
}
