/* bench.c: the tables of what each backend can measure. */
#include "kernels/bench/bench.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

#include "kernels/bench/ablation.h"
#include "kernels/bench/blas.h"
#include "kernels/bench/csr.h"
#include "kernels/bench/csr_classes.h"
#include "kernels/bench/csr_split.h"
#include "kernels/bench/gemm.h"
#include "kernels/bench/jds.h"
#include "kernels/bench/sell.h"
#include "kernels/bench/stream.h"
#include "kernels/bench/vectors.h"
#include "kernels/bench/vendor.h"

/* What the CPU has no memory of its own for */
static void csr_constant_cpu(struct queue *queue, const struct csr_device *matrix)
{
    (void)queue, (void)matrix;
}

#define CPU_TABLE(clone)                                                                                     \
    {                                                                                                        \
        .name = "cpu-" #clone, .reads = 1u << READS_PLAIN, .csr = csr_cpu_##clone,                           \
        .csr_classes = csr_classes_cpu_##clone, .csr_split = csr_split_cpu_##clone, .jds = jds_cpu_##clone,  \
        .sell = sell_cpu_##clone, .ablation = ablation_cpu_##clone, .copy = vectors_copy_cpu,                \
        .gather = vectors_gather_cpu, .stream = stream_cpu_##clone, .gemm = gemm_cpu_##clone,                \
        .texture = vectors_texture_cpu, .texture_free = vectors_texture_free_cpu, .time = vectors_time_cpu,  \
        .csr_constant = csr_constant_cpu, .blas_name = "OpenBLAS", .blas_open = blas_open_cpu,               \
        .blas_close = blas_close_cpu, .blas_gemm = blas_gemm_cpu, .vendor_copy = vendor_copy_cpu,            \
    }

static const struct bench_device devices[] = {
#ifdef CARDIAC_CUDA
    {
        .name = "cuda",
        .reads = 1u << READS_PLAIN | 1u << READS_CACHED | 1u << READS_TEXTURE | 1u << READS_SHARED,
        .csr = csr_cuda,
        .csr_classes = csr_classes_cuda,
        .csr_split = csr_split_cuda,
        .jds = jds_cuda,
        .sell = sell_cuda,
        .ablation = ablation_cuda,
        .copy = vectors_copy_cuda,
        .gather = vectors_gather_cuda,
        .stream = stream_cuda,
        .gemm = gemm_cuda,
        .texture = vectors_texture_cuda,
        .texture_free = vectors_texture_free_cuda,
        .time = vectors_time_cuda,
        .kernel_takes = vectors_kernel_takes_cuda,
        .csr_constant = csr_constant_cuda,
        .blas_name = "cuBLAS",
        .blas_open = blas_open_cuda,
        .blas_close = blas_close_cuda,
        .blas_gemm = blas_gemm_cuda,
        .vendor_copy = vendor_copy_cuda,
        .vendor_new = vendor_new_cuda,
        .vendor_run = vendor_run_cuda,
        .vendor_free = vendor_free_cuda,
    },
#endif
#ifdef CARDIAC_CLONES_X86
    CPU_TABLE(avx512),
    CPU_TABLE(avx2),
#endif
    CPU_TABLE(plain),
};

const struct bench_device *bench_device(const struct backend *backend)
{
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++)
        if (strcmp(devices[k].name, backend->name) == 0)
            return devices + k;
    return NULL;
}

void *bench_upload(struct queue *queue, const void *host, int64_t count, size_t size, enum status *status,
                   struct error *error)
{
    size_t bytes = (size_t)count * size;
    void *memory = device_array(queue, (int64_t)bytes + 16, 1, "a matrix to measure", status, error);
    if (!*status && host)
        *status = device_upload(queue, memory, host, bytes, error);
    return memory;
}

int32_t *bench_upload_starts(struct queue *queue, const struct csr *from, enum status *status,
                             struct error *error)
{
    int32_t *start = array_new(from->rows + 1, sizeof *start, "compressed rows", status, error);
    for (int64_t i = 0; i <= from->rows && !*status; i++)
        start[i] = (int32_t)from->start[i];
    int32_t *device = bench_upload(queue, start, from->rows + 1, sizeof *start, status, error);
    free(start);
    return device;
}
