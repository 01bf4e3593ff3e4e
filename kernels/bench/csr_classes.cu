/* csr_classes.cu: rows of two precision classes on the GPU: the lanes of a row branch together. */
#include "kernels/bench/csr_row.cuh"

extern "C" {
#include "kernels/bench/csr_classes.h"
}

template <int LANES>
static __global__ void __launch_bounds__(BLOCK) rows_by_class(const csr_classes m, const operands o)
{
    int lane;
    int64_t i = my_row<LANES>(&lane);
    double sum = 0;
    if (i < m.rows) {
        int from = m.start[i], count = m.start[i + 1] - from, at = m.place[i];
        const int32_t *column = m.column + from;
        bool single = m.flag ? m.flag[i] : i < m.separator;
        if (!single)
            sum = csr_row<NUMBERS_DOUBLE, LANES, READS_PLAIN>(m.value + at, column, 0, count, lane, o.x64, 0);
        else if (o.x32)
            sum = csr_row<NUMBERS_MIXED, LANES, READS_PLAIN>(m.single + at, column, 0, count, lane, o.x32, 0);
        else
            sum = csr_row<NUMBERS_CAST, LANES, READS_PLAIN>(m.single + at, column, 0, count, lane, o.x64, 0);
    }
    sum = add_lanes<LANES>(sum);
    if (lane == 0 && i < m.rows)
        finish<NUMBERS_DOUBLE>(o, i, sum);
}

template <int LANES> static void launch(cudaStream_t stream, const csr_classes &matrix, const operands &o)
{
    rows_by_class<LANES><<<blocks_for(matrix.rows * LANES, BLOCK), BLOCK, 0, stream>>>(matrix, o);
}

extern "C" void csr_classes_cuda(struct queue *queue, const struct csr_classes *matrix, int lanes,
                                 const struct operands *o)
{
    if (matrix->rows > 0)
        CSR_LAUNCH(launch, lanes, cuda(queue)->stream, *matrix, *o);
    CUDA_LAUNCHED(queue);
}
