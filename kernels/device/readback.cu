/* readback.cu: frames of the GPU.
 *
 *   queue:  step step | copy beside | step step step ...        (a few microseconds, at the memory's speed)
 *   stream:                         | to pinned memory |        (at the bus's speed, beside the steps)
 *
 * One staging buffer serves all slots: the next frame's copy waits on the device until the last one has left.
 */
#include "kernels/device/cuda.cuh"

#include <stdlib.h>

extern "C" {
#include "kernels/device/cuda_device.h"
#include "kernels/device/readback.h"
}

struct readback {
    int device;
    cudaStream_t stream;
    char *staging;                      /* [bytes] device */
    size_t used;                        /* bytes of the frame being added */
    char *host;                         /* [slots][stride] pinned */
    size_t stride;                      /* distance between slots, bytes */
    cudaEvent_t copied;                 /* the frame is complete in staging */
    cudaEvent_t arrived[READBACK_MOST]; /* the frame is complete in its slot */
    int last;                           /* the slot sent last, -1 = none */
};

static cudaError_t make(struct readback *fetch, size_t bytes, int slots)
{
    const unsigned quiet = cudaEventDisableTiming | cudaEventBlockingSync;
    cudaError_t failed = cudaStreamCreateWithFlags(&fetch->stream, cudaStreamNonBlocking);
    if (failed == cudaSuccess)
        failed = cudaEventCreateWithFlags(&fetch->copied, cudaEventDisableTiming);
    for (int slot = 0; slot < slots && failed == cudaSuccess; slot++)
        failed = cudaEventCreateWithFlags(&fetch->arrived[slot], quiet);
    fetch->stride = (bytes + 64) / 64 * 64;
    if (failed == cudaSuccess)
        failed = cudaMallocHost((void **)&fetch->host, (size_t)slots * fetch->stride);
    return failed;
}

extern "C" enum status readback_new_cuda(struct queue *queue, size_t bytes, int slots, struct readback **out,
                                         struct error *error)
{
    struct readback *fetch = (struct readback *)calloc(1, sizeof *fetch);
    *out = NULL;
    if (!fetch)
        return error_memory(error, "the frames", sizeof *fetch);
    fetch->device = cuda(queue)->device;
    fetch->last = -1;
    fetch->staging = (char *)cuda_alloc(queue, bytes);
    if (!fetch->staging) {
        readback_free_cuda(queue, fetch);
        return error_memory(error, "a frame on the GPU", (double)bytes);
    }
    cudaError_t failed = make(fetch, bytes, slots);
    if (failed != cudaSuccess) {
        readback_free_cuda(queue, fetch);
        cudaGetLastError();
        return error_set(error, STATUS_RUN, "no %d frames of %.1f MB in pinned memory: %s (%s)", slots,
                         (double)bytes / 1e6, cudaGetErrorString(failed), cudaGetErrorName(failed));
    }
    *out = fetch;
    return STATUS_OK;
}

extern "C" void readback_free_cuda(struct queue *queue, struct readback *fetch)
{
    if (!fetch)
        return;
    if (fetch->stream) {
        cudaStreamSynchronize(fetch->stream);
        cudaStreamDestroy(fetch->stream);
    }
    if (fetch->copied)
        cudaEventDestroy(fetch->copied);
    for (int slot = 0; slot < READBACK_MOST; slot++)
        if (fetch->arrived[slot])
            cudaEventDestroy(fetch->arrived[slot]);
    cudaFreeHost(fetch->host);
    cudaGetLastError(); /* a lost device has been reported before */
    cuda_release(queue, fetch->staging);
    free(fetch);
}

extern "C" void readback_add_cuda(struct queue *queue, struct readback *fetch, int slot, size_t at,
                                  const void *device, size_t bytes)
{
    (void)slot;
    if (fetch->used == 0 && fetch->last >= 0)
        queue_note(queue, cudaStreamWaitEvent(cuda(queue)->stream, fetch->arrived[fetch->last], 0),
                   "waiting for the last frame");
    queue_note(
        queue,
        cudaMemcpyAsync(fetch->staging + at, device, bytes, cudaMemcpyDeviceToDevice, cuda(queue)->stream),
        "copying a frame");
    fetch->used = at + bytes > fetch->used ? at + bytes : fetch->used;
}

extern "C" enum status readback_send_cuda(struct queue *queue, struct readback *fetch, int slot,
                                          struct error *error)
{
    static const char what[] = "copying a frame to the host";
    queue_note(queue, cudaEventRecord(fetch->copied, cuda(queue)->stream), what);
    queue_note(queue, cudaStreamWaitEvent(fetch->stream, fetch->copied, 0), what);
    queue_note(queue,
               cudaMemcpyAsync(fetch->host + (size_t)slot * fetch->stride, fetch->staging, fetch->used,
                               cudaMemcpyDeviceToHost, fetch->stream),
               what);
    queue_note(queue, cudaEventRecord(fetch->arrived[slot], fetch->stream), what);
    fetch->used = 0;
    fetch->last = slot;
    return cuda(queue)->failed == cudaSuccess ? STATUS_OK : cuda_wait(queue, error);
}

extern "C" enum status readback_arrive_cuda(struct readback *fetch, int slot, const void **host,
                                            struct error *error)
{
    cudaError_t failed = cudaSetDevice(fetch->device);
    if (failed == cudaSuccess)
        failed = cudaEventSynchronize(fetch->arrived[slot]);
    *host = fetch->host + (size_t)slot * fetch->stride;
    if (failed == cudaSuccess)
        return STATUS_OK;
    return error_set(error, STATUS_RUN, "the GPU cuda:%d failed before a frame was copied: %s (%s)",
                     fetch->device, cudaGetErrorString(failed), cudaGetErrorName(failed));
}
