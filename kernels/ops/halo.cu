/* halo.cu: ghosts on GPUs: the border is gathered, travels, and arrives where it is read. */
#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/ops/halo.h"
}

static __global__ void __launch_bounds__(BLOCK)
    gather_border(int64_t border, const int32_t *row, const double *x, double *out)
{
    int64_t k = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    int32_t at = k < border ? row[k] : 0;
    pdl_wait();
    if (k < border)
        out[k] = x[at];
}

static __global__ void __launch_bounds__(BLOCK) round_ghosts(int64_t ghosts, const double *x, float *x32)
{
    int64_t k = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    pdl_wait();
    if (k < ghosts)
        x32[k] = (float)x[k];
}

/* What NCCL said, for the next wait; the kernel that is placed next waits for all of it. */
static void note(struct queue *queue, const char *failure)
{
    if (failure)
        queue_note(queue, cudaErrorUnknown, failure);
    cuda(queue)->last = NULL;
}

extern "C" void halo_exchange_cuda(struct queue *queue, const struct halo *halo, double *x, float *x32)
{
    if (!halo || halo->links == 0)
        return;
    launch_kernel(queue, gather_border, blocks_for(halo->border, BLOCK), BLOCK, halo->border, halo->row, x,
                  halo->out);
    note(queue, halo->comm->engine->device_exchange(halo->comm, cuda(queue)->stream, halo->link, halo->links,
                                                    halo->out, x + halo->rows));
    if (x32)
        launch_kernel(queue, round_ghosts, blocks_for(halo->ghosts, BLOCK), BLOCK, halo->ghosts,
                      x + halo->rows, x32 + halo->rows);
}

extern "C" void halo_largest_cuda(struct queue *queue, const struct halo *halo, void *value, int count,
                                  size_t size)
{
    if (halo)
        note(queue, halo->comm->engine->device_largest(halo->comm, cuda(queue)->stream, value, count, size));
}
