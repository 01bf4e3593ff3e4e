/* cg.c: conjugate gradients on the CPU. */
#include "kernels/ops/cg.h"

#include <math.h>

#include "kernels/base/bits.h"
#include "kernels/ops/convergence.h"

enum { BLOCK = 4096 };

int64_t conjugate_blocks(int64_t rows)
{
    return (rows + BLOCK - 1) / BLOCK;
}

/* sum_i a_i b_i [/ d_i]: inside blocks of fixed size from left to right, then over the blocks */
static double dot(struct queue *queue, int64_t rows, const double *a, const double *b, const double *divisor,
                  double *block_sum)
{
    int64_t blocks = conjugate_blocks(rows);
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (int64_t k = 0; k < blocks; k++) {
        int64_t end = (k + 1) * BLOCK < rows ? (k + 1) * BLOCK : rows;
        double sum = 0;
        for (int64_t i = k * BLOCK; i < end; i++)
            sum += divisor ? a[i] * b[i] / divisor[i] : a[i] * b[i];
        block_sum[k] = sum;
    }
    double sum = 0;
    for (int64_t k = 0; k < blocks; k++)
        sum += block_sum[k];
    return sum;
}

/* y = A x */
static void multiply(struct queue *queue, const struct packed *matrix, const double *diagonal,
                     const double *x, double *y)
{
    int32_t height = matrix->height;
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (int64_t s = 0; s < matrix->slices; s++) {
        const struct slice *slice = matrix->slice + s;
        for (int r = 0; r < height; r++) {
            int64_t i = s * height + r;
            double sum = diagonal[i] * x[i];
            for (int64_t k = 0; k < slice->width; k++) {
                int64_t at = k * height + r;
                int64_t j = slice->index32 ? matrix->column[slice->index + at]
                                           : i + matrix->offset[slice->index + at];
                sum += matrix->value[slice->value + at] * x[j];
            }
            y[i] = sum;
        }
    }
}

/* Bit pattern of max_i |r_i| / m_i */
static uint64_t largest_residual(struct queue *queue, int64_t rows, const double *residual,
                                 const double *mass)
{
    uint64_t top = 0;
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static) reduction(max : top)
    for (int64_t i = 0; i < rows; i++) {
        uint64_t bits = bits_of(fabs(residual[i]) / mass[i]);
        top = bits > top ? bits : top;
    }
    return top;
}

void conjugate_cpu(struct queue *queue, const struct packed *matrix, const struct conjugate *cg)
{
    struct control *control = cg->control;
    int threads = cpu_threads(queue);
    int64_t rows = matrix->rows;
    if (control->failure)
        return;
    multiply(queue, matrix, cg->diagonal, cg->x, cg->image);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        cg->residual[i] = cg->b[i] - cg->image[i];
        cg->direction[i] = cg->residual[i] / cg->diagonal[i];
    }
    double energy = dot(queue, rows, cg->residual, cg->residual, cg->diagonal, cg->block_sum);
    for (;;) {
        control->residual = largest_residual(queue, rows, cg->residual, cg->mass);
        control->tested = convergence_tested(cg->beta, false, control->residual, 0);
        control->converged = convergence_reached(control->tested, cg->tolerance, &control->failure);
        if (control->converged || control->failure || control->sweep >= cg->most)
            return;
        multiply(queue, matrix, cg->diagonal, cg->direction, cg->image);
        double step = energy / dot(queue, rows, cg->direction, cg->image, NULL, cg->block_sum);
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int64_t i = 0; i < rows; i++) {
            cg->x[i] += step * cg->direction[i];
            cg->residual[i] -= step * cg->image[i];
        }
        double next = dot(queue, rows, cg->residual, cg->residual, cg->diagonal, cg->block_sum);
        double keep = next / energy;
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int64_t i = 0; i < rows; i++)
            cg->direction[i] = cg->residual[i] / cg->diagonal[i] + keep * cg->direction[i];
        energy = next;
        control->sweep++;
        control->sweeps++;
    }
}
