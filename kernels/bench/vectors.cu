/* vectors.cu: whole vectors, textures and the clock on the GPU. */
#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/bench/vectors.h"
}

static __global__ void copy_all(int64_t count, const double *in, double *out64, float *out32)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count)
        return;
    double value = in[i];
    if (out64)
        out64[i] = value;
    if (out32)
        out32[i] = (float)value;
}

static __global__ void gather_all(int64_t count, const int32_t *order, const double *in, double *out)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] = in[order[i]];
}

extern "C" void vectors_copy_cuda(struct queue *queue, int64_t count, const double *in, double *out64,
                                  float *out32)
{
    if (count > 0)
        copy_all<<<blocks_for(count, BLOCK), BLOCK, 0, cuda(queue)->stream>>>(count, in, out64, out32);
    CUDA_LAUNCHED(queue);
}

extern "C" void vectors_gather_cuda(struct queue *queue, int64_t count, const int32_t *order,
                                    const double *in, double *out)
{
    if (count > 0)
        gather_all<<<blocks_for(count, BLOCK), BLOCK, 0, cuda(queue)->stream>>>(count, order, in, out);
    CUDA_LAUNCHED(queue);
}

extern "C" uint64_t vectors_texture_cuda(struct queue *queue, const void *memory, int64_t count, int size)
{
    cudaTextureObject_t texture = 0;
    cudaResourceDesc resource;
    cudaTextureDesc description;
    memset(&resource, 0, sizeof resource);
    memset(&description, 0, sizeof description);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)(uintptr_t)memory;
    resource.res.linear.desc = size == 8 ? cudaCreateChannelDesc<int2>() : cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = (size_t)count * (size_t)size;
    description.readMode = cudaReadModeElementType;
    queue_note(queue, cudaCreateTextureObject(&texture, &resource, &description, NULL), "making a texture");
    return texture;
}

extern "C" void vectors_texture_free_cuda(struct queue *queue, uint64_t texture)
{
    if (texture)
        queue_note(queue, cudaDestroyTextureObject((cudaTextureObject_t)texture), "freeing a texture");
}

/* body, `runs` times, as one graph; NULL where it cannot be captured. The kernels of a run are placed as in
 * its own graphs (kernels/device/graph.h): sweeps laid out, each started while the last one ends. */
static cudaGraphExec_t record_runs(struct queue *queue, void (*body)(void *), void *argument, int runs)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    if (cudaStreamBeginCapture(cuda(queue)->stream, cudaStreamCaptureModeRelaxed) != cudaSuccess)
        return NULL;
    cuda(queue)->recording = 1;
    cuda(queue)->last = NULL;
    for (int k = 0; k < runs; k++)
        body(argument);
    cuda(queue)->recording = 0;
    if (cudaStreamEndCapture(cuda(queue)->stream, &graph) == cudaSuccess && graph &&
        cudaGraphInstantiate(&ready, graph, 0) != cudaSuccess)
        ready = NULL;
    if (graph)
        cudaGraphDestroy(graph);
    cudaGetLastError();
    return ready;
}

extern "C" double vectors_time_cuda(struct queue *queue, void (*body)(void *), void *argument, int runs)
{
    cudaEvent_t begin = NULL, end = NULL;
    float milliseconds = 0;
    cudaGraphExec_t graph = record_runs(queue, body, argument, runs);
    queue_note(queue, cudaEventCreate(&begin), "timing");
    queue_note(queue, cudaEventCreate(&end), "timing");
    if (graph) /* once before, so that the upload of the graph is not timed */
        queue_note(queue, cudaGraphUpload(graph, cuda(queue)->stream), "timing");
    queue_note(queue, cudaEventRecord(begin, cuda(queue)->stream), "timing");
    if (graph)
        queue_note(queue, cudaGraphLaunch(graph, cuda(queue)->stream), "timing");
    for (int k = 0; !graph && k < runs; k++)
        body(argument);
    queue_note(queue, cudaEventRecord(end, cuda(queue)->stream), "timing");
    queue_note(queue, cudaEventSynchronize(end), "timing");
    cudaError_t failed = cudaEventElapsedTime(&milliseconds, begin, end);
    queue_note(queue, failed, "timing");
    if (graph)
        cudaGraphExecDestroy(graph);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return cuda(queue)->failed == cudaSuccess ? 1e-3 * (double)milliseconds / runs : (double)NAN;
}

extern "C" void vectors_kernel_takes_cuda(const void *kernel, int *registers, int *spilled)
{
    cudaFuncAttributes of = {};
    if (cudaFuncGetAttributes(&of, kernel) != cudaSuccess)
        cudaGetLastError(); /* a code that says nothing of itself: 0 */
    *registers = of.numRegs;
    *spilled = (int)of.localSizeBytes;
}
