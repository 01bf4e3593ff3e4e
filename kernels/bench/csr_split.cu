/* csr_split.cu: the entry-wise split on the GPU: a row's lanes sum the fp64 entries, then the fp32 ones. */
#include "kernels/bench/csr_row.cuh"

extern "C" {
#include "kernels/bench/csr_split.h"
}

template <int LANES>
static __global__ void __launch_bounds__(BLOCK) rows_of_both(const csr_split m, const operands o)
{
    int lane;
    int64_t i = my_row<LANES>(&lane);
    double sum = 0;
    if (i < m.rows) {
        int from = m.start32[i], to = m.start32[i + 1];
        sum = csr_row<NUMBERS_DOUBLE, LANES, READS_PLAIN>(m.value, m.column64, m.start64[i], m.start64[i + 1],
                                                          lane, o.x64, 0);
        sum +=
            o.x32 ? csr_row<NUMBERS_MIXED, LANES, READS_PLAIN>(m.single, m.column32, from, to, lane, o.x32, 0)
                  : csr_row<NUMBERS_CAST, LANES, READS_PLAIN>(m.single, m.column32, from, to, lane, o.x64, 0);
    }
    sum = add_lanes<LANES>(sum);
    if (lane == 0 && i < m.rows)
        finish<NUMBERS_DOUBLE>(o, i, sum);
}

template <int LANES> static void launch(cudaStream_t stream, const csr_split &matrix, const operands &o)
{
    rows_of_both<LANES><<<blocks_for(matrix.rows * LANES, BLOCK), BLOCK, 0, stream>>>(matrix, o);
}

extern "C" void csr_split_cuda(struct queue *queue, const struct csr_split *matrix, int lanes,
                               const struct operands *o)
{
    if (matrix->rows > 0)
        CSR_LAUNCH(launch, lanes, cuda(queue)->stream, *matrix, *o);
    CUDA_LAUNCHED(queue);
}
