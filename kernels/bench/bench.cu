/* bench.cu: tables of what each backend can measure; operations on whole vectors; timing. */
#include "kernels/bench/terms.h"

BENCH_C_BEGIN
#include "kernels/bench/bench.h"
BENCH_C_END

#ifdef HOST_PART

#include <string.h>

#include "kernels/base/clock.h"

#define FORMAT_ENTRY(name) &format_##name,
const struct format *const format_list[] = {FORMATS(FORMAT_ENTRY) NULL};

static void copy_cpu(struct queue *queue, int64_t count, const double *in, double *out64, float *out32)
{
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (int64_t i = 0; i < count; i++) {
        if (out64)
            out64[i] = in[i];
        if (out32)
            out32[i] = (float)in[i];
    }
}

static void gather_cpu(struct queue *queue, int64_t count, const int32_t *order, const double *in,
                       double *out)
{
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (int64_t i = 0; i < count; i++)
        out[i] = in[order[i]];
}

static double time_cpu(struct queue *queue, void (*body)(void *), void *argument, int runs)
{
    (void)queue;
    double begin = clock_seconds();
    for (int k = 0; k < runs; k++)
        body(argument);
    return (clock_seconds() - begin) / runs;
}

/* dense, rows: the clones used for the loops over whole vectors and over rows */
#define CPU_TABLE(title, which, dense, rows)                                                                 \
    {                                                                                                        \
        .name = title, .code = which, .reads = 1u << READS_PLAIN, .ablation = ablation_cpu_##rows,           \
        .copy = copy_cpu, .gather = gather_cpu, .stream = stream_cpu_##dense, .gemm = gemm_cpu_##dense,      \
        .time = time_cpu, .blas_name = "OpenBLAS", .blas_open = vendor_blas_open_cpu,                        \
        .blas_close = vendor_blas_close_cpu, .blas_gemm = vendor_blas_gemm_cpu,                              \
        .vendor_copy = vendor_copy_cpu,                                                                      \
    }

static const struct bench_device devices[] = {
#ifdef CARDIAC_CUDA
    {
        .name = "cuda",
        .code = FORMAT_CUDA,
        .reads = 1u << READS_PLAIN | 1u << READS_CACHED | 1u << READS_TEXTURE | 1u << READS_SHARED,
        .ablation = ablation_cuda,
        .copy = bench_copy_cuda,
        .gather = bench_gather_cuda,
        .stream = stream_cuda,
        .gemm = gemm_cuda,
        .texture = bench_texture_cuda,
        .texture_free = bench_texture_free_cuda,
        .time = bench_time_cuda,
        .kernel_takes = bench_kernel_takes_cuda,
        .constant = format_constant_cuda,
        .blas_name = "cuBLAS",
        .blas_open = vendor_blas_open_cuda,
        .blas_close = vendor_blas_close_cuda,
        .blas_gemm = vendor_blas_gemm_cuda,
        .vendor_copy = vendor_copy_cuda,
        .vendor_new = vendor_new_cuda,
        .vendor_run = vendor_run_cuda,
        .vendor_free = vendor_free_cuda,
    },
#endif
#ifdef CARDIAC_CLONES_AVX512
    CPU_TABLE("cpu-avx512", FORMAT_AVX512, avx512, avx512),
    CPU_TABLE("cpu-avx512-loads", FORMAT_AVX512_LOADS, avx512, avx512_loads),
#endif
#ifdef CARDIAC_CLONES_X86
    CPU_TABLE("cpu-avx2", FORMAT_AVX2, avx2, avx2),
#endif
    CPU_TABLE("cpu-plain", FORMAT_PLAIN, plain, plain),
};

const struct bench_device *bench_device(const struct backend *backend)
{
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++)
        if (strcmp(devices[k].name, backend->name) == 0)
            return devices + k;
    return NULL;
}

#endif
#ifdef __CUDACC__

static __global__ void copy_all(int64_t count, const double *in, double *out64, float *out32)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
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
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < count)
        out[i] = in[order[i]];
}

extern "C" void bench_copy_cuda(struct queue *queue, int64_t count, const double *in, double *out64,
                                float *out32)
{
    if (count > 0)
        copy_all<<<blocks_for(count, BLOCK_THREADS), BLOCK_THREADS, 0, cuda(queue)->stream>>>(count, in,
                                                                                              out64, out32);
    CUDA_LAUNCHED(queue);
}

extern "C" void bench_gather_cuda(struct queue *queue, int64_t count, const int32_t *order, const double *in,
                                  double *out)
{
    if (count > 0)
        gather_all<<<blocks_for(count, BLOCK_THREADS), BLOCK_THREADS, 0, cuda(queue)->stream>>>(count, order,
                                                                                                in, out);
    CUDA_LAUNCHED(queue);
}

extern "C" uint64_t bench_texture_cuda(struct queue *queue, const void *memory, int64_t count, int size)
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

extern "C" void bench_texture_free_cuda(struct queue *queue, uint64_t texture)
{
    if (texture)
        queue_note(queue, cudaDestroyTextureObject((cudaTextureObject_t)texture), "freeing a texture");
}

/* Captures `runs` calls of body as one graph; NULL if that fails. As in the graphs of a simulation
 * (kernels/device/graph.h), each kernel may start while the previous one ends. */
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

extern "C" double bench_time_cuda(struct queue *queue, void (*body)(void *), void *argument, int runs)
{
    cudaEvent_t begin = NULL, end = NULL;
    float milliseconds = 0;
    cudaGraphExec_t graph = record_runs(queue, body, argument, runs);
    queue_note(queue, cudaEventCreate(&begin), "timing");
    queue_note(queue, cudaEventCreate(&end), "timing");
    if (graph) /* uploads the graph before, so that the upload is not timed */
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

extern "C" void bench_kernel_takes_cuda(const void *kernel, int *registers, int *spilled)
{
    cudaFuncAttributes of = {};
    if (cudaFuncGetAttributes(&of, kernel) != cudaSuccess)
        cudaGetLastError(); /* 0 = unknown */
    *registers = of.numRegs;
    *spilled = (int)of.localSizeBytes;
}

#endif
