/* cuda_device.cu: GPUs, their queue (a stream) and their memory. */
#include "kernels/device/cuda.cuh"

#include <stdlib.h>

#include "kernels/base/array.h"

extern "C" {
#include "kernels/device/cuda_device.h"

int cuda_devices(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return count;
}

enum status cuda_device_describe(struct cuda_device *device, int k, struct error *error)
{
    struct cudaDeviceProp found;
    int clock = 0, mem_clock = 0, mem_bits = 0;
    cudaError_t failed = cudaGetDeviceProperties(&found, k);
    if (failed == cudaSuccess)
        failed = cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, k);
    if (failed == cudaSuccess)
        failed = cudaDeviceGetAttribute(&mem_clock, cudaDevAttrMemoryClockRate, k);
    if (failed == cudaSuccess)
        failed = cudaDeviceGetAttribute(&mem_bits, cudaDevAttrGlobalMemoryBusWidth, k);
    if (failed != cudaSuccess)
        return error_set(error, STATUS_RUN, "cuda:%d does not answer: %s", k, cudaGetErrorString(failed));
    snprintf(device->name, sizeof device->name, "%s", found.name);
    static_assert(sizeof device->id == sizeof found.uuid.bytes, "a UUID");
    memcpy(device->id, found.uuid.bytes, sizeof device->id);
    device->major = found.major;
    device->minor = found.minor;
    device->multiprocessors = found.multiProcessorCount;
    device->warp = found.warpSize;
    device->memory = (double)found.totalGlobalMem;
    device->second_cache = (double)found.l2CacheSize;
    device->clock = 1e3 * clock;
    device->mem_rate = 2e3 * mem_clock * (mem_bits / 8.0);
    device->threads = found.maxThreadsPerMultiProcessor;
    device->blocks = found.maxBlocksPerMultiProcessor;
    device->block_threads = found.maxThreadsPerBlock;
    device->shared = (double)found.sharedMemPerMultiprocessor;
    device->shared_block = (double)found.sharedMemPerBlockOptin;
    device->constant = (double)found.totalConstMem;
    device->registers = found.regsPerMultiprocessor;
    device_cores(device);
    return STATUS_OK;
}

static __global__ void probe(void)
{
    pdl_wait();
}

/* Whether device and code support programmatic dependent launches: both must have compute capability 9.0 */
static bool code_chains(int ordinal)
{
    struct cudaFuncAttributes code;
    int major = 0;
    return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal) == cudaSuccess &&
           major >= 9 && cudaFuncGetAttributes(&code, probe) == cudaSuccess && code.ptxVersion >= 90;
}

enum status cuda_queue_new(struct queue **out, int ordinal, struct error *error)
{
    int devices = cuda_devices();
    *out = NULL;
    if (ordinal < 0 || ordinal >= devices)
        return error_set(error, STATUS_INPUT, "there is no GPU cuda:%d here; the driver sees %d", ordinal,
                         devices);
    struct queue *queue = (struct queue *)calloc(1, sizeof(struct cuda_queue));
    if (!queue)
        return error_memory(error, "the queue", sizeof(struct cuda_queue));
    cuda(queue)->device = ordinal;
    cudaError_t failed = cudaSetDevice(ordinal);
    if (failed == cudaSuccess)
        failed = cudaStreamCreateWithFlags(&cuda(queue)->stream, cudaStreamNonBlocking);
    if (failed == cudaSuccess)
        failed = cudaMallocHost((void **)&cuda(queue)->pinned, PINNED_BYTES);
    if (failed == cudaSuccess)
        failed = cudaMalloc((void **)&cuda(queue)->seen, PAIRS_MOST * 2 * sizeof *cuda(queue)->seen);
    if (failed == cudaSuccess)
        failed = cudaMemsetAsync(cuda(queue)->seen, 0, PAIRS_MOST * 2 * sizeof *cuda(queue)->seen,
                                 cuda(queue)->stream);
    if (failed == cudaSuccess)
        failed = cudaMalloc((void **)&cuda(queue)->loop_state, sizeof *cuda(queue)->loop_state);
    if (failed == cudaSuccess)
        failed =
            cudaMemsetAsync(cuda(queue)->loop_state, 0, sizeof *cuda(queue)->loop_state, cuda(queue)->stream);
    cuda(queue)->chains = failed == cudaSuccess && code_chains(ordinal);
    if (failed != cudaSuccess) {
        cuda_queue_free(queue);
        return error_set(error, STATUS_RUN, "GPU cuda:%d cannot be used: %s%s", ordinal,
                         cudaGetErrorString(failed),
                         failed == cudaErrorInitializationError
                             ? "; a process forked from one that used a GPU has none: start it by spawn"
                             : "");
    }
    *out = queue;
    return STATUS_OK;
}

void cuda_queue_free(struct queue *queue)
{
    if (!queue)
        return;
    graph_drop_cuda(queue);
    if (cuda(queue)->stream)
        cudaStreamDestroy(cuda(queue)->stream);
    for (int k = 0; k < BACKEND_EVENTS; k++)
        if (cuda(queue)->mark[k])
            cudaEventDestroy(cuda(queue)->mark[k]);
    cudaFreeHost(cuda(queue)->pinned);
    cudaFree(cuda(queue)->seen);
    cudaFree(cuda(queue)->loop_state);
    cudaGetLastError(); /* clears the error: a lost device has been reported before */
    free(cuda(queue)->allocation);
    free(queue);
}

enum status cuda_wait(struct queue *queue, struct error *error)
{
    queue_note(queue, cudaStreamSynchronize(cuda(queue)->stream), "running the steps");
    if (cuda(queue)->failed == cudaSuccess)
        return STATUS_OK;
    if (cuda(queue)->lost && *cuda(queue)->lost)
        return error_set(error, STATUS_RUN,
                         "the GPU cuda:%d has waited too long for the rows of another rank: that one hangs",
                         cuda(queue)->device);
    enum status status = error_set(
        error, STATUS_RUN, "the GPU cuda:%d failed in %s: %s (%s)", cuda(queue)->device, cuda(queue)->what,
        cudaGetErrorString(cuda(queue)->failed), cudaGetErrorName(cuda(queue)->failed));
    cudaGetLastError();
    return status;
}

/* Selects the queue's device: each thread has its own current device, and another thread may have created
 * the queue. */
static void use_device(struct queue *queue)
{
    queue_note(queue, cudaSetDevice(cuda(queue)->device), "choosing the device");
}

/* Records the size of an allocation, for the peak; false if out of host memory */
static bool note_allocation(struct queue *queue, void *memory, double bytes)
{
    if (cuda(queue)->allocations == cuda(queue)->allocation_room) {
        int room = 2 * cuda(queue)->allocation_room + 16;
        struct allocation *allocation =
            (struct allocation *)realloc(cuda(queue)->allocation, (size_t)room * sizeof *allocation);
        if (!allocation)
            return false;
        cuda(queue)->allocation = allocation;
        cuda(queue)->allocation_room = room;
    }
    struct allocation added = {memory, bytes};
    cuda(queue)->allocation[cuda(queue)->allocations++] = added;
    cuda(queue)->used += bytes;
    cuda(queue)->peak = cuda(queue)->used > cuda(queue)->peak ? cuda(queue)->used : cuda(queue)->peak;
    return true;
}

void *cuda_alloc(struct queue *queue, size_t bytes)
{
    size_t rounded = (bytes + 255) / 256 * 256 + 256;
    void *memory = NULL;
    use_device(queue);
    if (cuda(queue)->failed != cudaSuccess || cudaMalloc(&memory, rounded) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    queue_note(queue, cudaMemsetAsync(memory, 0, rounded, cuda(queue)->stream), "clearing memory");
    if (!note_allocation(queue, memory, (double)rounded)) {
        cudaFree(memory);
        return NULL;
    }
    return memory;
}

void cuda_release(struct queue *queue, void *memory)
{
    if (!memory)
        return;
    for (int k = 0; k < cuda(queue)->allocations; k++)
        if (cuda(queue)->allocation[k].memory == memory) {
            cuda(queue)->used -= cuda(queue)->allocation[k].bytes;
            cuda(queue)->allocation[k] = cuda(queue)->allocation[--cuda(queue)->allocations];
        }
    queue_note(queue, cudaFree(memory), "releasing memory");
}

/* Copies through pinned memory, piece by piece: twice as fast as the driver, which copies with one thread. */
enum status cuda_upload(struct queue *queue, void *device, const void *host, size_t bytes,
                        struct error *error)
{
    enum status status = STATUS_OK;
    use_device(queue);
    for (size_t at = 0; at < bytes && !status; at += PINNED_BYTES) {
        size_t piece = bytes - at < PINNED_BYTES ? bytes - at : (size_t)PINNED_BYTES;
        status = cuda_wait(queue, error);
        array_copy(cuda(queue)->pinned, (const char *)host + at, piece);
        queue_note(queue,
                   cudaMemcpyAsync((char *)device + at, cuda(queue)->pinned, piece, cudaMemcpyHostToDevice,
                                   cuda(queue)->stream),
                   "copying to the device");
    }
    return status ? status : cuda_wait(queue, error);
}

enum status cuda_download(struct queue *queue, void *host, const void *device, size_t bytes,
                          struct error *error)
{
    enum status status = STATUS_OK;
    use_device(queue);
    for (size_t at = 0; at < bytes && !status; at += PINNED_BYTES) {
        size_t piece = bytes - at < PINNED_BYTES ? bytes - at : (size_t)PINNED_BYTES;
        queue_note(queue,
                   cudaMemcpyAsync(cuda(queue)->pinned, (const char *)device + at, piece,
                                   cudaMemcpyDeviceToHost, cuda(queue)->stream),
                   "copying from the device");
        status = cuda_wait(queue, error);
        if (!status)
            array_copy((char *)host + at, cuda(queue)->pinned, piece);
    }
    return status;
}

void cuda_event_record(struct queue *queue, int k)
{
    if (!cuda(queue)->mark[k])
        queue_note(queue, cudaEventCreate(&cuda(queue)->mark[k]), "making a mark");
    unsigned within = cuda(queue)->recording ? cudaEventRecordExternal : cudaEventRecordDefault;
    queue_note(queue, cudaEventRecordWithFlags(cuda(queue)->mark[k], cuda(queue)->stream, within),
               "placing a mark");
    cuda(queue)->last = NULL;
}

double cuda_event_elapsed(struct queue *queue, int k)
{
    float milliseconds = 0;
    queue_note(queue, cudaEventElapsedTime(&milliseconds, cuda(queue)->mark[k], cuda(queue)->mark[k + 1]),
               "reading a mark");
    return 1e-3 * (double)milliseconds;
}

void cuda_memory(struct queue *queue, double *available, double *peak)
{
    size_t unused = 0, total = 0;
    use_device(queue);
    queue_note(queue, cudaMemGetInfo(&unused, &total), "asking for the memory");
    *available = (double)unused;
    *peak = cuda(queue)->peak;
}

int cuda_architecture(struct queue *queue)
{
    int major = 0, minor = 0;
    queue_note(queue, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, cuda(queue)->device),
               "asking for the compute capability");
    queue_note(queue, cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, cuda(queue)->device),
               "asking for the compute capability");
    return 10 * major + minor;
}

#if CUDART_VERSION >= 12080
/* Kernels of a library are launched by their handles, others by their functions. */
enum status cuda_load(struct queue *queue, const void *image, const char *const *name, const void **kernel,
                      int count, struct error *error)
{
    cudaLibrary_t library;
    use_device(queue);
    cudaError_t failed = cudaLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0);
    for (int k = 0; k < count && failed == cudaSuccess; k++) {
        cudaKernel_t handle;
        failed = cudaLibraryGetKernel(&handle, library, name[k]);
        kernel[k] = (const void *)handle;
    }
    if (failed == cudaSuccess)
        return STATUS_OK;
    return error_set(error, STATUS_RUN, "the GPU does not take the code of %s: %s", name[0],
                     cudaGetErrorString(failed));
}
#else
enum status cuda_load(struct queue *queue, const void *image, const char *const *name, const void **kernel,
                      int count, struct error *error)
{
    (void)queue, (void)image, (void)kernel, (void)count;
    return error_set(error, STATUS_INPUT,
                     "%s: this program was built with CUDA %d.%d, and models of one's own need 12.8 on a GPU",
                     name[0], CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}
#endif
}
