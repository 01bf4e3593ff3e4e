/* jacobi.cu: one sweep on the GPU, one row a thread. */
#include "kernels/row_sums.cuh"

extern "C" {
#include "kernels/bits.h"
#include "kernels/jacobi.h"
}

/* The decision of a sweep under test, by the last block */
static __device__ void judge(const struct sweep &sweep)
{
    struct control *control = sweep.control;
    control->residual = atomicExch((unsigned long long *)&control->seen_residual, 0ull);
    control->change = atomicExch((unsigned long long *)&control->seen_change, 0ull);
    double tested = sweep.beta * bits_to_real(control->residual);
    if (sweep.kind == SWEEP_MOMENTUM)
        tested += bits_to_real(control->change);
    control->tested = tested;
    control->converged = tested <= sweep.tolerance;
    if (tested != tested)
        control->failure = FAILURE_VOLTAGE;
}

/* What a sweep leaves in control, by the last block */
static __device__ void conclude(const struct sweep &sweep, bool test, cudaGraphConditionalHandle gate,
                                int most)
{
    struct control *control = sweep.control;
    control->sweep++;
    control->sweeps++;
    if (atomicExch(&control->beyond, 0u))
        control->failure = FAILURE_BOUND;
    if (test)
        judge(sweep);
    if (most)
        cudaGraphSetConditional(gate, !control->converged && !control->failure && control->sweep < most);
}

/* sum_j e_ij x_j of row i */
template <int G>
static __device__ __forceinline__ double row_sum(const struct packed &matrix, const struct sweep &sweep,
                                                 int64_t i)
{
    row_place place = place_row<G>(matrix, i);
    if (!place.slice.single)
        return sum_row<G>(matrix, place, i, matrix.value + place.slice.value, times_double{sweep.x64, 0});
    const float *value = matrix.single + place.slice.value;
    return sweep.x32 ? sum_row<G>(matrix, place, i, value, times_single{sweep.x32, 0})
                     : sum_row<G>(matrix, place, i, value, times_cast{sweep.x64, 0});
}

template <int G, bool TEST>
static __global__ void __launch_bounds__(BLOCK)
    sweep_rows(const struct packed matrix, const struct sweep sweep, cudaGraphConditionalHandle gate,
               int most)
{
    struct control *control = sweep.control;
    if (control->converged || control->failure) {
        if (most && blockIdx.x == 0 && threadIdx.x == 0)
            cudaGraphSetConditional(gate, 0);
        return;
    }
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    uint64_t residual = 0, change = 0;
    if (i < matrix.rows) {
        double b = sweep.b[i], inverse = sweep.inverse[i];
        double x = TEST || sweep.kind != SWEEP_PLAIN ? sweep.x64[i] : 0;
        double sum = row_sum<G>(matrix, sweep, i);
        double z = (b - sum) * inverse, y = z;
        if (sweep.kind != SWEEP_PLAIN) {
            const double *coefficient = sweep.coefficient + 2 * control->sweep;
            y = x + coefficient[0] * (z - x);
            if (sweep.kind == SWEEP_MOMENTUM)
                y += coefficient[1] * (x - sweep.previous[i]);
        }
        if (TEST) {
            residual = bits_of(fabs(z - x) * (double)sweep.weight[i]);
            change = bits_of(fabs(y - x));
        }
        if (fabs(y) > sweep.bound)
            atomicOr(&control->beyond, 1u);
        sweep.y64[i] = y;
        if (sweep.y32)
            sweep.y32[i] = (float)y;
    }
    if (TEST) {
        block_maximum(&control->seen_residual, residual);
        if (sweep.kind == SWEEP_MOMENTUM)
            block_maximum(&control->seen_change, change);
    }
    if (arrives_last(control))
        conclude(sweep, TEST, gate, most);
}

template <int G>
static void launch(struct queue *queue, const struct packed *matrix, const struct sweep *sweep)
{
    unsigned blocks = blocks_for(matrix->rows, BLOCK);
    if (sweep->test)
        sweep_rows<G, true>
            <<<blocks, BLOCK, 0, queue->stream>>>(*matrix, *sweep, queue->gate, queue->gate_most);
    else
        sweep_rows<G, false><<<blocks, BLOCK, 0, queue->stream>>>(*matrix, *sweep, 0, 0);
}

extern "C" void jacobi_sweep_cuda(struct queue *queue, const struct packed *matrix, const struct sweep *sweep)
{
    if (matrix->group == 4)
        launch<4>(queue, matrix, sweep);
    else if (matrix->group == 2)
        launch<2>(queue, matrix, sweep);
    else
        launch<1>(queue, matrix, sweep);
    CUDA_LAUNCHED(queue);
}
