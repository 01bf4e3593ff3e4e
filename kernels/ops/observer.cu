/* observer.cu: records beats of single rows, and of rows that the end of a step has marked, on the GPU. */
#include "kernels/ops/step_end.cuh"

/* Loads a point's record into the cache: only the observe() of the last step, which is complete, has
 * written it */
static __device__ __forceinline__ void prefetch_point(const struct observer *o, int64_t points, int64_t p)
{
    int32_t beat = o->count[p] - 1;
    prefetch(o->low + p);
    for (int k = 0; k < o->percents; k++)
        prefetch(o->fall_to[k] + p);
    if (beat >= 0 && beat < o->kept)
        prefetch(observer_value(&o->peak, points, p, beat));
}

/* Records the marked rows among `marked` rows, and all points, if every row is within the limit */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    observe(int64_t marked, const struct step_end end, const struct observer_points points)
{
    const struct control *control = end.control;
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x, p = i - marked;
    int32_t row = p >= 0 && p < points.points ? points.row[p] : -1;
    if (row >= 0)
        prefetch_point(&points.observer, points.points, p);
    pdl_wait();
    double v = row >= 0 ? end.v[row] : 0,
           u = row >= 0 ? end.u[row] : 0; /* loaded at the same time as the record */
    if (control->failure || control->beyond)
        return;
    if (row >= 0)
        observer_note(&points.observer, points.points, p, control->recorded, end.dt, v, u);
    if (i < marked && end.observer.due[i / 32] >> i % 32 & 1)
        observer_note(&end.observer, marked, i, control->recorded, end.dt, end.v[i], end.u[i]);
}

extern "C" bool step_end_marks(const struct step_end *end)
{
    return end->v && end->observer.count && !observer_can_withdraw(&end->observer);
}

extern "C" void step_end_conclude_cuda(struct queue *queue, int64_t rows, const struct step_end *end)
{
    share_failure(queue, end->halo, end->control);
    struct observer_points points = {};
    if (end->v && end->points)
        points = *end->points;
    int64_t marked = step_end_marks(end) ? rows : 0, all = marked + points.points;
    if (all > 0)
        launch_kernel(queue, observe, blocks_for(all, BLOCK_THREADS), BLOCK_THREADS, marked, *end, points);
}
