/* mailbox.cu: memory that processes share. */
#include "kernels/device/cuda.cuh"

#include <stdlib.h>

extern "C" {
#include "kernels/device/cuda_device.h"
#include "kernels/device/mailbox.h"
}

/* Of all ranks, or of none */
static bool all_can(const struct comm *comm, bool can)
{
    uint64_t cannot = !can;
    comm->engine->largest(comm, COMM_STEPS, &cannot, 1);
    return cannot == 0;
}

/* What other processes get of a mailbox */
static bool show(const char *own, cudaIpcMemHandle_t *handle)
{
    return own && cudaIpcGetMemHandle(handle, (void *)own) == cudaSuccess;
}

static bool reach(struct mailbox *mailbox, int rank, cudaIpcMemHandle_t handle)
{
    void *memory = NULL;
    bool can = cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess;
    mailbox->of[rank] = can ? (char *)memory : NULL;
    return can;
}

extern "C" bool mailbox_open_cuda(struct queue *queue, const struct comm *comm, size_t bytes,
                                  struct mailbox *mailbox)
{
    mailbox->own = (char *)cuda_alloc(queue, bytes);
    mailbox->of = (char **)calloc((size_t)comm->size, sizeof *mailbox->of);
    mailbox->ranks = comm->size;
    cudaIpcMemHandle_t own = {};
    bool can = mailbox->of && comm->local_size == comm->size && show(mailbox->own, &own);
    can = cudaStreamSynchronize(cuda(queue)->stream) == cudaSuccess && can; /* it is zeroed */
    can = all_can(comm, can);
    for (int r = 0; r < comm->size && can; r++) {
        cudaIpcMemHandle_t handle = own;
        comm->engine->broadcast(comm, COMM_STEPS, r, &handle, sizeof handle);
        if (r == comm->rank)
            mailbox->of[r] = mailbox->own;
        can = all_can(comm, r == comm->rank || reach(mailbox, r, handle));
    }
    cudaGetLastError(); /* that it cannot is an answer */
    if (!can)
        mailbox_close_cuda(queue, comm, mailbox);
    return can;
}

extern "C" void mailbox_close_cuda(struct queue *queue, const struct comm *comm, struct mailbox *mailbox)
{
    for (int r = 0; r < mailbox->ranks && mailbox->of; r++)
        if (r != comm->rank && mailbox->of[r])
            cudaIpcCloseMemHandle(mailbox->of[r]);
    cudaGetLastError();     /* what a lost device says here was said before */
    if (mailbox->ranks > 0) /* no rank has it mapped when it is freed */
        comm_meet(comm, COMM_STEPS);
    cuda_release(queue, mailbox->own);
    free(mailbox->of);
    *mailbox = {};
}
