/* stages.cu: the stages of an explicit step on the GPU, one thread per row. */
#include "kernels/ops/sweep_update.cuh"
#include "kernels/ops/row_sums.cuh"
#include "kernels/ops/step_end.cuh"

#include <assert.h>

template <enum shape SHAPE, typename Value, typename Ready>
static __device__ __forceinline__ double difference_in(const struct packed &matrix, const Value *value,
                                                       const struct sweep &sweep, const row_location &at,
                                                       int i, const Ready &ready)
{
    return sum_row<SHAPE>(matrix, at, i, value + at.slice.value, times_difference32<Value>{sweep.x32}, ready);
}

/* x of the first stage if it is not stored in fp64: x_j = share b_j inverse_j */
template <typename Value> struct times_implied {
    const double *x; /* b */
    const double *inverse;
    double share, own;
    typedef double held;
    typedef Value value;
    __device__ void start(int at)
    {
        own = read(at);
    }
    __device__ double read(int at) const
    {
        return 0.0 + share * (x[at] * inverse[at]);
    }
    __device__ double add(double sum, Value e, double xj) const
    {
        return sum + (double)e * (xj - own);
    }
};

/* Its sum_j e_ij (x_j - x_i), with columns or, if NULL, with offsets. Rarely used, and not inlined so that
 * it takes no registers from the rest. */
template <enum shape SHAPE, typename Value>
static __device__ __noinline__ double implied_sum(const Value *e, const int32_t *column,
                                                  const int16_t *offset, int width, int i, const double *b,
                                                  const double *inverse, double share)
{
    row_location at = {};
    at.slice.width = width;
    at.lane = (int)((unsigned)i % CUDA_HEIGHT);
    times_implied<Value> times = {b, inverse, share};
    if (column)
        return sum_entries<SHAPE>(e, column, at, times, i, at_once{});
    times.x += i;
    times.inverse += i;
    return sum_entries<SHAPE>(e, offset, at, times, 0, at_once{});
}

template <enum shape SHAPE>
static __device__ __forceinline__ double
implied_product(const struct packed &matrix, const struct sweeps &all, const row_location &at, int i)
{
    const struct slice &slice = at.slice;
    const int32_t *column = slice.index32 ? matrix.column + slice.index : NULL;
    const int16_t *offset = matrix.offset + slice.index;
    if (!slice.whole32)
        return implied_sum<SHAPE>(matrix.product + slice.product, column, offset, slice.width, i, all.b,
                                  all.inverse, all.share);
    return packed_quantum32(quantum_of<SHAPE>(matrix, at, i)) *
           implied_sum<SHAPE>(matrix.whole32 + slice.product, column, offset, slice.width, i, all.b,
                              all.inverse, all.share);
}

/* sum_j e_ij (x_j - x_i) of row i */
template <enum shape SHAPE, typename Ready>
static __device__ __forceinline__ double row_difference(const struct packed &matrix, const struct sweeps &all,
                                                        const struct sweep &sweep, const row_location &at,
                                                        int i, const Ready &ready)
{
    if (!at.slice.fp32 && sweep.x64)
        return row_product<SHAPE>(matrix, sweep.x64, at, i, ready);
    if (!at.slice.fp32)
        return ready() ? implied_product<SHAPE>(matrix, all, at, i) : 0;
    if (at.slice.fp32 == 2) {
        double sum = difference_in<SHAPE>(matrix, matrix.whole32, sweep, at, i, ready);
        return packed_quantum32(quantum_of<SHAPE>(matrix, at, i)) * sum;
    }
    return difference_in<SHAPE>(matrix, matrix.value32, sweep, at, i, ready);
}

/* Kernels for few rows wait here, after loading their entries; those for many rows have waited before. */
template <enum shape SHAPE> struct in_order {
    __device__ bool operator()() const
    {
        if (SHAPE == FEW_ROWS)
            pdl_wait();
        return true;
    }
};

/* y_i in stage `number` of its step, from the row's sum */
static __device__ __forceinline__ double stage_row(const struct sweeps &all, const struct sweep &sweep, int i,
                                                   int number, double sum)
{
    const double *coefficient = all.coefficient + 4 * number;
    double b = all.b[i], inverse = all.inverse[i], right = coefficient[2] * b;
    if (all.b2)
        right += coefficient[3] * all.b2[i];
    double x = sweep.x64 ? sweep.x64[i] : 0.0 + all.share * (b * inverse);
    double y = SWEEP_ADVANCED(x, SWEEP_JACOBI(right, sum, inverse), coefficient[0]);
    if (sweep.previous)
        y += coefficient[1] * sweep.previous[i];
    return y;
}

/* Stage `number` of its step; the last one sets `converged`. */
template <enum shape SHAPE>
static __global__ void ROW_BOUNDS(SHAPE) stage_rows(const struct packed matrix, const struct sweeps all,
                                                    const struct sweep sweep, const int number)
{
    struct control *control = all.control;
    int i = blockIdx.x * BLOCK_THREADS + threadIdx.x, rows = (int)matrix.rows;
    row_location at = locate_row<SHAPE>(matrix, i < rows ? i : 0, true);
    if (SHAPE != FEW_ROWS)
        pdl_wait();
    if (SHAPE != FEW_ROWS && i >= rows)
        return;
    if (i < rows) {
        prefetch(all.b + i);
        prefetch(all.inverse + i);
    }
    double sum = row_difference<SHAPE>(matrix, all, sweep, at, i < rows ? i : 0, in_order<SHAPE>{});
    i = thread_row();
    if (i >= rows || control->failure) /* not before: what is read in vain does no harm, and need not wait */
        return;
    double y = stage_row(all, sweep, i, number, sum);
    if (i == 0) { /* no block of this kernel reads them */
        control->sweep++;
        control->sweeps++;
        control->converged = number == all.max_sweeps - 1;
    }
    note_beyond(control, y, all.bound);
    sweep.y64[i] = y;
    if (sweep.y32)
        sweep.y32[i] = (float)y;
}

/* The last stage and the end of the step, u_i <- u_i + y_i; y_i is written only if it is read after the
 * step. Every row is processed, whatever another finds: what it records can then be undone (step_end.h). */
template <enum shape SHAPE, enum ending_kind KIND>
static __global__ void ROW_BOUNDS(SHAPE)
    last_stage_rows(const struct packed matrix, const struct sweeps all, const struct sweep sweep,
                    const int number, const struct step_end end)
{
    struct control *control = all.control;
    int i = blockIdx.x * BLOCK_THREADS + threadIdx.x, rows = (int)matrix.rows;
    row_location at = locate_row<SHAPE>(matrix, i < rows ? i : 0, true);
    if (i < rows) {
        prefetch(end.u + i);
        prefetch(end.v + i);
    }
    if (SHAPE != FEW_ROWS)
        pdl_wait();
    if (SHAPE != FEW_ROWS && i >= rows)
        return;
    if (i < rows) {
        prefetch(all.b + i);
        prefetch(all.inverse + i);
    }
    double sum = row_difference<SHAPE>(matrix, all, sweep, at, i < rows ? i : 0, in_order<SHAPE>{});
    i = thread_row();
    if (i >= rows || control->failure) /* not before: what is read in vain does no harm, and need not wait */
        return;
    double y = stage_row(all, sweep, i, number, sum);
    if (i == 0) { /* no block of this kernel reads them */
        control->sweep++;
        control->sweeps++;
        control->converged = 1;
        count_step(control);
    }
    note_beyond(control, y, all.bound);
    if (end.keeps)
        sweep.y64[i] = y;
    double u = end.u[i] + y;
    end.u[i] = u;
    mark_rows<KIND>(end, rows, i, end_row<KIND>(end, rows, i, control->recorded, end.v[i], u));
}

template <enum shape SHAPE>
static void launch_stage(struct queue *queue, const struct packed *matrix, const struct sweeps *all, int k)
{
    struct sweep sweep = sweep_of_stage(all, k);
    unsigned blocks = blocks_for(matrix->rows, BLOCK_THREADS);
    bool last = k == all->max_sweeps - 1;
    switch (ending_of(last ? all->end : NULL)) {
    case ENDS:
        launch_kernel(queue, last_stage_rows<SHAPE, ENDS>, blocks, BLOCK_THREADS, *matrix, *all, sweep, k,
                      *all->end);
        return;
    case ENDS_MARKING:
        launch_kernel(queue, last_stage_rows<SHAPE, ENDS_MARKING>, blocks, BLOCK_THREADS, *matrix, *all,
                      sweep, k, *all->end);
        return;
    default:
        launch_kernel(queue, stage_rows<SHAPE>, blocks, BLOCK_THREADS, *matrix, *all, sweep, k);
    }
    if (!last)
        sweep_update_halo(queue, *all, sweep, NULL, NULL);
    sweep_update_copy(queue, matrix->rows, *all, sweep, convergence_gate{});
}

template <enum shape SHAPE>
static void launch(struct queue *queue, const struct packed *matrix, const struct sweeps *all)
{
    for (int k = 0; k < all->max_sweeps; k++)
        launch_stage<SHAPE>(queue, matrix, all, k);
    if (all->end)
        step_end_conclude_cuda(queue, matrix->rows, all->end);
}

void stages_cuda(struct queue *queue, const struct packed *matrix, const struct sweeps *all)
{
    assert(!all->end || all->end->v);
    if (shape_of(matrix) == MANY_ROWS)
        launch<MANY_ROWS>(queue, matrix, all);
    else
        launch<FEW_ROWS>(queue, matrix, all);
}

bool stages_is_last(struct queue *queue)
{
    const void *last = cuda(queue)->last;
    return last == (const void *)stage_rows<MANY_ROWS> || last == (const void *)stage_rows<FEW_ROWS>;
}
