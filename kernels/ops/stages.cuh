/* stages.cuh: the stages of an explicit step on the GPU (kernels/ops/solve.h); read by solve.cu. */
#ifndef CARDIAC_KERNELS_OPS_STAGES_CUH
#define CARDIAC_KERNELS_OPS_STAGES_CUH

extern "C" {
#include "kernels/ops/solve.h"
}

void stages_cuda(struct queue *queue, const struct packed *matrix, const struct sweeps *all);

/* Whether the kernel that was placed last is one of them, the step's end not done by it */
bool stages_is_last(struct queue *queue);

#endif
