/* jds.cu: jagged diagonals on the GPU: one row a thread; the starts of the diagonals, which every thread
 * walks through, come from shared memory as far as they fit. */
#include "kernels/bench/terms.cuh"

extern "C" {
#include "kernels/bench/jds.h"
}

enum { STARTS = 1024 };

template <int NUMBERS>
static __global__ void __launch_bounds__(BLOCK) diagonals_of(const jds m, const operands o)
{
    __shared__ int32_t start[STARTS];
    for (int d = threadIdx.x; d <= m.diagonals && d < STARTS; d += BLOCK)
        start[d] = m.start[d];
    __syncthreads();
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= m.rows)
        return;
    const typename kind<NUMBERS>::value *value = values_of<NUMBERS>(m);
    const typename kind<NUMBERS>::x *x = x_of<NUMBERS>(o);
    typename kind<NUMBERS>::sum sum = 0;
    for (int d = 0; d < m.diagonals; d++) {
        int begin = d < STARTS ? start[d] : m.start[d], end = d + 1 < STARTS ? start[d + 1] : m.start[d + 1];
        if (i >= end - begin)
            break;
        sum += term<NUMBERS>(value[begin + i], x[m.column[begin + i]]);
    }
    finish<NUMBERS>(o, m.row[i], sum);
}

extern "C" void jds_cuda(struct queue *queue, const struct jds *matrix, enum numbers numbers,
                         const struct operands *o)
{
    unsigned blocks = blocks_for(matrix->rows, BLOCK);
    if (blocks == 0)
        return;
    if (numbers == NUMBERS_DOUBLE)
        diagonals_of<NUMBERS_DOUBLE><<<blocks, BLOCK, 0, cuda(queue)->stream>>>(*matrix, *o);
    else if (numbers == NUMBERS_MIXED)
        diagonals_of<NUMBERS_MIXED><<<blocks, BLOCK, 0, cuda(queue)->stream>>>(*matrix, *o);
    else if (numbers == NUMBERS_CAST)
        diagonals_of<NUMBERS_CAST><<<blocks, BLOCK, 0, cuda(queue)->stream>>>(*matrix, *o);
    else
        diagonals_of<NUMBERS_SINGLE><<<blocks, BLOCK, 0, cuda(queue)->stream>>>(*matrix, *o);
    CUDA_LAUNCHED(queue);
}
