/* sweep_loop.cuh: the pairs of sweeps of a step that are not laid out one by one, as one kernel. */
#ifndef CARDIAC_KERNELS_OPS_SWEEP_LOOP_CUH
#define CARDIAC_KERNELS_OPS_SWEEP_LOOP_CUH

#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/ops/jacobi.h"
#include "kernels/ops/packed.h"
#include "kernels/ops/vector_copy.h"
}

/* One pair as it was placed: two sweeps, and behind each the copy that some update schemes make (y64 NULL =
 * none) */
struct loop {
    struct packed matrix;
    struct sweep sweep[2];
    struct vector_copy copy[2];
    int sweeps;           /* placed so far */
    int laid_out;         /* pairs that were placed one by one before */
    int most;             /* pairs in all */
    const uint64_t *seen; /* [laid_out][2] what those found */
    struct loop_state *state;
};

/* Notes an operation of a pair instead of placing it. */
void loop_add_sweep(struct loop *loop, const struct packed *matrix, const struct sweep *sweep);
void loop_add_copy(struct loop *loop, const struct vector_copy *copy);

/* Places what control learns from the pairs that were laid out, and more pairs until it has converged or
 * `most` are done. */
void loop_place(struct queue *queue, const struct loop *loop);

/* Whether that was placed last */
bool loop_is_last(const struct queue *queue);

#endif
