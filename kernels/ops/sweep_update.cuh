/* sweep_update.cuh: what one sweep or stage on the GPU passes to the next: values for other ranks, copies
 * of x, and the largest value beyond a bound; used by rhs.cu, solve.cu and stages.cu. */
#ifndef CARDIAC_KERNELS_OPS_SWEEP_UPDATE_CUH
#define CARDIAC_KERNELS_OPS_SWEEP_UPDATE_CUH

#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/base/bits.h"
#include "kernels/ops/convergence.h"
#include "kernels/ops/solve.h"
}

/* Records an |x| beyond the bound of values that the next sweep reads in fp32 */
static __device__ __forceinline__ void note_beyond(struct control *control, double x, double bound)
{
    if (fabs(x) > bound)
        atomicMax((unsigned long long *)&control->passed, (unsigned long long)bits_of(fabs(x)));
}

/* Rounds the value of row i that the next sweep reads */
static __device__ __forceinline__ void copy_row(const struct sweep &sweep, int64_t i)
{
    sweep.copy32[i] = (float)sweep.y64[i];
}

/* Sends y to the ranks that read it, unless gate `before` is closed; leave[2] <- the maxima over all ranks
 * (NULL: no maxima) */
void sweep_update_halo(struct queue *queue, const struct sweeps &all, const struct sweep &sweep,
                       const struct convergence_gate *before, uint64_t *leave);

/* Makes the copies after a sweep, unless the exchange has made them */
void sweep_update_copy(struct queue *queue, int64_t rows, const struct sweeps &all, const struct sweep &sweep,
                       const struct convergence_gate &gate);

/* The stages of an explicit step (stages.cu) */
void stages_cuda(struct queue *queue, const struct packed *matrix, const struct sweeps *all);

/* Whether the last kernel queued is a stage that does not end the step */
bool stages_is_last(struct queue *queue);

#endif
