/* cg.cu: conjugate gradients on the GPU. A yardstick: every iteration waits for the host, which reads
 * whether it was the last. */
#include "kernels/ops/row_sums.cuh"

extern "C" {
#include "kernels/base/bits.h"
#include "kernels/device/cuda_device.h"
#include "kernels/ops/cg.h"
#include "kernels/ops/convergence.h"
}

enum { ENERGY, NEXT, CURVATURE }; /* places in the queue's scratch */

/* y = A x */
static __global__ void __launch_bounds__(BLOCK)
    multiply(const struct packed matrix, const double *diagonal, const double *x, double *y)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= (int)matrix.rows)
        return;
    row_location at = locate_row<ANY_HEIGHT>(matrix, i);
    double sum = sum_row<ANY_HEIGHT>(matrix, at, i, matrix.value + at.slice.value, times_double<double>{x});
    y[i] = diagonal[i] * x[i] + sum;
}

/* The block's sum by halves; the result is thread 0's */
static __device__ double sum_block(double sum)
{
    __shared__ double of[BLOCK];
    of[threadIdx.x] = sum;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            of[threadIdx.x] += of[threadIdx.x + half];
    }
    return of[0];
}

/* block_sum[] <- sums of a_i b_i [/ d_i] over blocks of rows */
static __global__ void __launch_bounds__(BLOCK)
    dot_blocks(int64_t rows, int64_t share, const double *a, const double *b, const double *divisor,
               double *block_sum)
{
    double sum = 0;
    for (int64_t i = blockIdx.x * share + threadIdx.x; i < rows && i < (blockIdx.x + 1) * share; i += BLOCK)
        sum += divisor ? a[i] * b[i] / divisor[i] : a[i] * b[i];
    sum = sum_block(sum);
    if (threadIdx.x == 0)
        block_sum[blockIdx.x] = sum;
}

static __global__ void __launch_bounds__(BLOCK) dot_end(int64_t blocks, const double *block_sum, double *out)
{
    double sum = 0;
    for (int64_t k = threadIdx.x; k < blocks; k += BLOCK)
        sum += block_sum[k];
    sum = sum_block(sum);
    if (threadIdx.x == 0)
        *out = sum;
}

/* residual = b - A x, direction = residual / d */
static __global__ void __launch_bounds__(BLOCK) start_rows(int64_t rows, const struct conjugate cg)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= rows)
        return;
    cg.residual[i] = cg.b[i] - cg.image[i];
    cg.direction[i] = cg.residual[i] / cg.diagonal[i];
}

static __global__ void __launch_bounds__(BLOCK)
    advance_rows(int64_t rows, const struct conjugate cg, const double *scalar)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= rows)
        return;
    double step = scalar[ENERGY] / scalar[CURVATURE];
    cg.x[i] += step * cg.direction[i];
    cg.residual[i] -= step * cg.image[i];
}

static __global__ void __launch_bounds__(BLOCK)
    turn_rows(int64_t rows, const struct conjugate cg, double *scalar)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < rows)
        cg.direction[i] = cg.residual[i] / cg.diagonal[i] + scalar[NEXT] / scalar[ENERGY] * cg.direction[i];
    if (arrives_last(&cg.control->arrived))
        scalar[ENERGY] = scalar[NEXT];
}

/* The test of the iterate at hand; `counts` after an iteration */
static __global__ void __launch_bounds__(BLOCK) test_rows(int64_t rows, const struct conjugate cg, int counts)
{
    struct control *control = cg.control;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    block_maximum(&control->seen, i < rows ? bits_of(fabs(cg.residual[i]) / cg.mass[i]) : 0);
    if (!arrives_last(&control->arrived))
        return;
    control->sweep += counts;
    control->sweeps += counts;
    control->residual = atomicExch((unsigned long long *)&control->seen, 0ull);
    control->tested = convergence_tested(cg.beta, false, control->residual, 0);
    control->converged = convergence_reached(control->tested, cg.tolerance, &control->failure);
}

static void apply(struct queue *queue, const struct packed *matrix, const double *diagonal, const double *x,
                  double *y)
{
    unsigned blocks = blocks_for(matrix->rows, BLOCK);
    multiply<<<blocks, BLOCK, 0, cuda(queue)->stream>>>(*matrix, diagonal, x, y);
}

static void dot(struct queue *queue, int64_t rows, const struct conjugate *cg, const double *a,
                const double *b, const double *divisor, int place)
{
    int64_t blocks = conjugate_blocks(rows), share = (rows + blocks - 1) / blocks;
    dot_blocks<<<(unsigned)blocks, BLOCK, 0, cuda(queue)->stream>>>(rows, share, a, b, divisor,
                                                                    cg->block_sum);
    dot_end<<<1, BLOCK, 0, cuda(queue)->stream>>>(blocks, cg->block_sum, cuda(queue)->scratch + place);
}

extern "C" void conjugate_cuda(struct queue *queue, const struct packed *matrix, const struct conjugate *cg)
{
    int64_t rows = matrix->rows;
    unsigned blocks = blocks_for(rows, BLOCK);
    struct control control;
    struct error ignored; /* the wait at the end of the steps reports it */
    if (cuda_download(queue, &control, cg->control, sizeof control, &ignored) || control.failure)
        return;
    apply(queue, matrix, cg->diagonal, cg->x, cg->image);
    start_rows<<<blocks, BLOCK, 0, cuda(queue)->stream>>>(rows, *cg);
    dot(queue, rows, cg, cg->residual, cg->residual, cg->diagonal, ENERGY);
    for (int k = 0;; k++) {
        test_rows<<<blocks, BLOCK, 0, cuda(queue)->stream>>>(rows, *cg, k > 0);
        CUDA_LAUNCHED(queue);
        if (cuda_download(queue, &control, cg->control, sizeof control, &ignored) || control.converged ||
            control.failure || control.sweep >= cg->most)
            return;
        apply(queue, matrix, cg->diagonal, cg->direction, cg->image);
        dot(queue, rows, cg, cg->direction, cg->image, NULL, CURVATURE);
        advance_rows<<<blocks, BLOCK, 0, cuda(queue)->stream>>>(rows, *cg, cuda(queue)->scratch);
        dot(queue, rows, cg, cg->residual, cg->residual, cg->diagonal, NEXT);
        turn_rows<<<blocks, BLOCK, 0, cuda(queue)->stream>>>(rows, *cg, cuda(queue)->scratch);
    }
}
