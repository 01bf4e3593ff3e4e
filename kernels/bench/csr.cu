/* csr.cu: compressed rows on the GPU. */
#include "kernels/bench/csr_row.cuh"

extern "C" {
#include "kernels/bench/csr.h"
}

/* All threads of a warp read the same few neighbouring starts: what constant memory is for. */
static __constant__ int32_t constant_start[CSR_CONSTANT_MAX + 1];

template <int NUMBERS, int LANES, int READS, bool CONSTANT>
static __global__ void __launch_bounds__(BLOCK) rows_of(const csr_device matrix, const operands o)
{
    int lane, from = 0, to = 0;
    int64_t i = my_row<LANES>(&lane);
    if (i < matrix.rows) {
        from = CONSTANT ? constant_start[i] : matrix.start[i];
        to = CONSTANT ? constant_start[i + 1] : matrix.start[i + 1];
    }
    typename kind<NUMBERS>::sum sum = csr_row<NUMBERS, LANES, READS>(
        values_of<NUMBERS>(matrix), matrix.column, from, to, lane, x_of<NUMBERS>(o), o.texture);
    sum = add_lanes<LANES>(sum);
    if (lane == 0 && i < matrix.rows)
        finish<NUMBERS>(o, i, sum);
}

template <int LANES>
static void launch(cudaStream_t stream, const csr_device &matrix, const csr_way &way, const operands &o)
{
    unsigned blocks = blocks_for(matrix.rows * LANES, BLOCK);
    if (way.constant)
        rows_of<NUMBERS_DOUBLE, LANES, READS_PLAIN, true><<<blocks, BLOCK, 0, stream>>>(matrix, o);
    else if (way.reads == READS_CACHED)
        rows_of<NUMBERS_DOUBLE, LANES, READS_CACHED, false><<<blocks, BLOCK, 0, stream>>>(matrix, o);
    else if (way.reads == READS_TEXTURE)
        rows_of<NUMBERS_DOUBLE, LANES, READS_TEXTURE, false><<<blocks, BLOCK, 0, stream>>>(matrix, o);
    else if (way.numbers == NUMBERS_DOUBLE)
        rows_of<NUMBERS_DOUBLE, LANES, READS_PLAIN, false><<<blocks, BLOCK, 0, stream>>>(matrix, o);
    else if (way.numbers == NUMBERS_MIXED)
        rows_of<NUMBERS_MIXED, LANES, READS_PLAIN, false><<<blocks, BLOCK, 0, stream>>>(matrix, o);
    else if (way.numbers == NUMBERS_CAST)
        rows_of<NUMBERS_CAST, LANES, READS_PLAIN, false><<<blocks, BLOCK, 0, stream>>>(matrix, o);
    else
        rows_of<NUMBERS_SINGLE, LANES, READS_PLAIN, false><<<blocks, BLOCK, 0, stream>>>(matrix, o);
}

extern "C" void csr_cuda(struct queue *queue, const struct csr_device *matrix, const struct csr_way *way,
                         const struct operands *o)
{
    if (matrix->rows > 0)
        CSR_LAUNCH(launch, way->lanes, cuda(queue)->stream, *matrix, *way, *o);
    CUDA_LAUNCHED(queue);
}

extern "C" void csr_constant_cuda(struct queue *queue, const struct csr_device *matrix)
{
    queue_note(queue,
               cudaMemcpyToSymbolAsync(constant_start, matrix->start, 4 * (size_t)(matrix->rows + 1), 0,
                                       cudaMemcpyDeviceToDevice, cuda(queue)->stream),
               "filling constant memory");
}
