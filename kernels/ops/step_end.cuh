/* step_end.cuh: the work of a thread at the end of its row's step; used by step_end.cu, observer.cu, and
 * stages.cu, whose last stage may end a step. */
#ifndef CARDIAC_KERNELS_OPS_STEP_END_CUH
#define CARDIAC_KERNELS_OPS_STEP_END_CUH

#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/ops/step_end.h"
}

/* Whether a kernel ends the step, and whether it then only marks rows, for an observer that cannot undo
 * what it recorded and so waits until all rows are known to be within the limit */
enum ending_kind { ENDS_NOT, ENDS, ENDS_MARKING };

static inline enum ending_kind ending_of(const struct step_end *end)
{
    return !end ? ENDS_NOT : step_end_marks(end) ? ENDS_MARKING : ENDS;
}

/* A failure on any rank, set before or at the end of a step, is shared by all ranks. */
static inline void share_failure(struct queue *queue, const struct halo *halo, struct control *control)
{
    static_assert(offsetof(struct control, beyond) == offsetof(struct control, failure) + 4, "side by side");
    halo_largest_cuda(queue, halo, &control->failure, 4);
}

/* Called by one thread, when no other thread reads these counters any more */
static __device__ __forceinline__ void count_step(struct control *control)
{
    control->step++;
    control->most = control->sweep > control->most ? control->sweep : control->most;
    control->recent = control->sweep > control->recent ? control->sweep : control->recent;
}

/* The end of step n of row i, from v to u; returns whether the row must be marked */
template <enum ending_kind KIND>
static __device__ __forceinline__ bool end_row(const struct step_end &end, int64_t rows, int64_t i, int64_t n,
                                               double v, double u)
{
    if (!(fabs(u) <= end.limit))
        end.control->beyond = 1;
    if (KIND == ENDS_MARKING)
        return observer_due(&end.observer, rows, i, end.dt, v, u);
    if (end.v && end.observer.count)
        observer_note_crossing(&end.observer, rows, i, n, end.dt, v, u);
    return false;
}

/* Must be called by all threads of a warp. */
template <enum ending_kind KIND>
static __device__ __forceinline__ void mark_rows(const struct step_end &end, int64_t rows, int64_t i,
                                                 bool due)
{
    if (KIND != ENDS_MARKING)
        return;
    unsigned word = __ballot_sync(0xffffffffu, due);
    if (i < rows && i % 32 == 0)
        end.observer.due[i / 32] = word;
}

#endif
