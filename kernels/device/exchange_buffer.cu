/* exchange_buffer.cu: memory shared between processes. */
#include "kernels/device/cuda.cuh"

#include <stdlib.h>

extern "C" {
#include "kernels/device/cuda_device.h"
#include "kernels/device/exchange_buffer.h"
}

/* Whether `can` is true on all ranks */
static bool all_can(const struct comm *comm, bool can)
{
    uint64_t cannot = !can;
    comm->engine->largest(comm, COMM_STEPS, &cannot, 1);
    return cannot == 0;
}

/* *handle <- what other processes need to map a buffer; false if there is no buffer or no handle for it */
static bool show(const char *own, cudaIpcMemHandle_t *handle)
{
    return own && cudaIpcGetMemHandle(handle, (void *)own) == cudaSuccess;
}

static bool reach(struct exchange_buffer *buffer, int rank, cudaIpcMemHandle_t handle)
{
    void *memory = NULL;
    bool can = cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess;
    buffer->of[rank] = can ? (char *)memory : NULL;
    return can;
}

extern "C" bool exchange_buffer_open_cuda(struct queue *queue, const struct comm *comm, size_t bytes,
                                          struct exchange_buffer *buffer)
{
    buffer->own = (char *)cuda_alloc(queue, bytes);
    buffer->of = (char **)calloc((size_t)comm->size, sizeof *buffer->of);
    buffer->ranks = comm->size;
    cudaIpcMemHandle_t own = {};
    bool can = buffer->of && comm->local_size == comm->size && show(buffer->own, &own);
    can = cudaStreamSynchronize(cuda(queue)->stream) == cudaSuccess && can; /* it is zeroed */
    can = all_can(comm, can);
    for (int r = 0; r < comm->size && can; r++) {
        cudaIpcMemHandle_t handle = own;
        comm->engine->broadcast(comm, COMM_STEPS, r, &handle, sizeof handle);
        if (r == comm->rank)
            buffer->of[r] = buffer->own;
        can = all_can(comm, r == comm->rank || reach(buffer, r, handle));
    }
    cudaGetLastError(); /* failing is allowed */
    if (!can)
        exchange_buffer_close_cuda(queue, comm, buffer);
    return can;
}

extern "C" void exchange_buffer_close_cuda(struct queue *queue, const struct comm *comm,
                                           struct exchange_buffer *buffer)
{
    for (int r = 0; r < buffer->ranks && buffer->of; r++)
        if (r != comm->rank && buffer->of[r])
            cudaIpcCloseMemHandle(buffer->of[r]);
    cudaGetLastError();    /* a lost device has been reported before */
    if (buffer->ranks > 0) /* freed once no rank has it mapped */
        comm_meet(comm);
    cuda_release(queue, buffer->own);
    free(buffer->of);
    *buffer = {};
}
