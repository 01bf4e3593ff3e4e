/* sell.cu: slices on the GPU, one row a thread. As in a run (kernels/ops/row_sums.cuh) the entries of a chunk
 * are all asked for before the first x, and pairs or quads of a row are one load. */
#include "kernels/bench/terms.cuh"
#include "kernels/bench/words.cuh"

extern "C" {
#include "kernels/bench/sell.h"
}

/* x_j from the block's window in shared memory where that holds it; both sides of the choice are cheap, and a
 * select does not diverge where the address is chosen */
template <typename T>
static __device__ __forceinline__ T read_window(const T *window, int64_t low, const T *x, int64_t j)
{
    uint64_t at = (uint64_t)(j - low);
    return at < SELL_WINDOW ? window[at] : x[j];
}

/* Loads x[low ... low + SELL_WINDOW) around the block's rows; returns low. */
template <typename T>
static __device__ __forceinline__ int64_t load_window(T *window, const T *x, int64_t columns)
{
    int64_t low = (int64_t)blockIdx.x * BLOCK + BLOCK / 2 - SELL_WINDOW / 2;
    low = low > columns - SELL_WINDOW ? columns - SELL_WINDOW : low;
    low = low < 0 ? 0 : low;
    for (int k = threadIdx.x; k < SELL_WINDOW; k += BLOCK)
        window[k] = low + k < columns ? x[low + k] : 0;
    __syncthreads();
    return low;
}

template <int NUMBERS, int G, int READS, typename Index>
static __device__ __forceinline__ typename kind<NUMBERS>::sum
row_sum(const typename kind<NUMBERS>::value *value, const Index *index, int width, int64_t apart,
        int64_t base, const typename kind<NUMBERS>::x *x, uint64_t texture,
        const typename kind<NUMBERS>::x *window, int64_t low)
{
    typename kind<NUMBERS>::sum sum = 0;
    for (int first = 0; first < width; first += AT_ONCE) {
        entries_of<typename kind<NUMBERS>::value, G> e[AT_ONCE / G];
        entries_of<Index, G> column[AT_ONCE / G];
#pragma unroll
        for (int u = 0; u < AT_ONCE / G; u++)
            if (first + u * G < width) {
                column[u] = *(const entries_of<Index, G> *)(index + u * apart);
                e[u] = *(const entries_of<typename kind<NUMBERS>::value, G> *)(value + u * apart);
            }
        typename kind<NUMBERS>::x xs[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u / G * G < width) {
                int64_t j = base + column[u / G].of[u % G];
                xs[u] = READS == READS_SHARED ? read_window(window, low, x, j) : read_x<READS>(x, texture, j);
            }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u / G * G < width)
                sum += term<NUMBERS>(e[u / G].of[u % G], xs[u]);
        value += AT_ONCE / G * apart;
        index += AT_ONCE / G * apart;
    }
    return sum;
}

template <int NUMBERS, int G, int READS, bool NARROW>
static __global__ void __launch_bounds__(BLOCK) slices_of(const sell m, const operands o)
{
    typedef typename kind<NUMBERS>::x x_type;
    __shared__ x_type window[READS == READS_SHARED ? SELL_WINDOW : 1];
    const x_type *x = x_of<NUMBERS>(o);
    int64_t low = READS == READS_SHARED ? load_window(window, x, o.columns) : 0;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= m.rows)
        return;
    unsigned height = (unsigned)m.height, s = (unsigned)i / height, r = (unsigned)i % height;
    int64_t begin = m.start[s], at = begin + (int64_t)r * G, apart = (int64_t)height * G;
    int width = (int)((m.start[s + 1] - begin) / height);
    const typename kind<NUMBERS>::value *value = values_of<NUMBERS>(m) + at;
    typename kind<NUMBERS>::sum sum =
        NARROW ? row_sum<NUMBERS, G, READS>(value, m.offset + at, width, apart, i, x, o.texture, window, low)
               : row_sum<NUMBERS, G, READS>(value, m.column + at, width, apart, 0, x, o.texture, window, low);
    finish<NUMBERS>(o, i, sum);
}

template <int NUMBERS, int G>
static void launch_plain(cudaStream_t stream, unsigned blocks, const sell &m, bool narrow, const operands &o)
{
    if (narrow)
        slices_of<NUMBERS, G, READS_PLAIN, true><<<blocks, BLOCK, 0, stream>>>(m, o);
    else
        slices_of<NUMBERS, G, READS_PLAIN, false><<<blocks, BLOCK, 0, stream>>>(m, o);
}

template <int G>
static void launch(cudaStream_t stream, const sell &m, const sell_way &way, const operands &o)
{
    unsigned blocks = blocks_for(m.rows, BLOCK);
    if (way.reads == READS_CACHED)
        slices_of<NUMBERS_DOUBLE, G, READS_CACHED, false><<<blocks, BLOCK, 0, stream>>>(m, o);
    else if (way.reads == READS_TEXTURE)
        slices_of<NUMBERS_DOUBLE, G, READS_TEXTURE, false><<<blocks, BLOCK, 0, stream>>>(m, o);
    else if (way.reads == READS_SHARED)
        slices_of<NUMBERS_DOUBLE, G, READS_SHARED, false><<<blocks, BLOCK, 0, stream>>>(m, o);
    else if (way.numbers == NUMBERS_DOUBLE)
        launch_plain<NUMBERS_DOUBLE, G>(stream, blocks, m, way.narrow, o);
    else if (way.numbers == NUMBERS_MIXED)
        launch_plain<NUMBERS_MIXED, G>(stream, blocks, m, way.narrow, o);
    else if (way.numbers == NUMBERS_CAST)
        launch_plain<NUMBERS_CAST, G>(stream, blocks, m, way.narrow, o);
    else
        launch_plain<NUMBERS_SINGLE, G>(stream, blocks, m, way.narrow, o);
}

extern "C" void sell_cuda(struct queue *queue, const struct sell *matrix, const struct sell_way *way,
                          const struct operands *o)
{
    if (matrix->rows == 0)
        return;
    if (matrix->group == 4)
        launch<4>(cuda(queue)->stream, *matrix, *way, *o);
    else if (matrix->group == 2)
        launch<2>(cuda(queue)->stream, *matrix, *way, *o);
    else
        launch<1>(cuda(queue)->stream, *matrix, *way, *o);
    CUDA_LAUNCHED(queue);
}
