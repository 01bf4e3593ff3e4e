/* sweep_update.cu: exchange and copies between sweeps or stages. */
#include "kernels/ops/sweep_update.cuh"

static __global__ void __launch_bounds__(BLOCK_THREADS)
    copy_rows(int64_t rows, const struct control *control, const struct sweep sweep,
              const struct convergence_gate gate)
{
    pdl_wait();
    bool goes_on = convergence_open(&gate);
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (!control->failure && i < rows && goes_on)
        copy_row(sweep, i);
}

/* Whether the exchange after a sweep also rounds x32 of the own rows while it waits. Not needed after the
 * last sweep, because with several ranks no further sweep reads x32. */
static bool rounded_along(const struct sweeps &all, const struct sweep &sweep)
{
    return all.halo && sweep.copy32;
}

void sweep_update_halo(struct queue *queue, const struct sweeps &all, const struct sweep &sweep,
                       const struct convergence_gate *before, uint64_t *leave)
{
    const struct halo_along along = {before, leave, rounded_along(all, sweep)};
    halo_exchange_along_cuda(queue, all.halo, sweep.y64, along.rounds ? sweep.copy32 : sweep.y32, &along);
}

void sweep_update_copy(struct queue *queue, int64_t rows, const struct sweeps &all, const struct sweep &sweep,
                       const struct convergence_gate &gate)
{
    if (sweep.copy32 && !all.halo)
        launch_kernel(queue, copy_rows, blocks_for(rows, BLOCK_THREADS), BLOCK_THREADS, rows, all.control,
                      sweep, gate);
}
