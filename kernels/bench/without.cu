/* without.cu: a run's sweep with parts left out, on the GPU. */
#include "kernels/bench/words.cuh"
#include "kernels/cuda.cuh"

extern "C" {
#include "kernels/bench/without.h"
}

/* What was loaded counts as used. */
static __device__ __forceinline__ void keep(int value)
{
    asm volatile("" ::"r"(value));
}

/* Sum of a row over its slice's entries: as kernels/row_sums.cuh, but for what is left out */
template <int G, int WHAT, typename V, typename X, typename Index>
static __device__ __forceinline__ double sum_without(const V *value, const Index *index, int width, int apart,
                                                     int64_t base, int64_t i, int64_t rows, double own,
                                                     const X *x)
{
    double sum = 0;
    X mine = WHAT == WITHOUT_GATHER ? x[i] : (X)0;
    for (int first = 0; first < width; first += AT_ONCE) {
        entries_of<V, G> e[AT_ONCE / G];
        entries_of<Index, G> column[AT_ONCE / G];
#pragma unroll
        for (int u = 0; u < AT_ONCE / G; u++)
            if (first + u * G < width) {
                if (WHAT != WITHOUT_COLUMNS)
                    column[u] = *(const entries_of<Index, G> *)(index + u * apart);
                if (WHAT != WITHOUT_VALUES)
                    e[u] = *(const entries_of<V, G> *)(value + u * apart);
            }
        X xs[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u / G * G < width) {
                if (WHAT == WITHOUT_GATHER) {
                    keep((int)column[u / G].of[u % G]);
                    xs[u] = mine;
                } else if (WHAT == WITHOUT_COLUMNS) {
                    xs[u] = x[without_column(i, first + u, rows)];
                } else {
                    xs[u] = x[base + column[u / G].of[u % G]];
                }
            }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u / G * G < width)
                sum += (WHAT == WITHOUT_VALUES ? own : (double)e[u / G].of[u % G]) * (double)xs[u];
        value += AT_ONCE / G * apart;
        index += AT_ONCE / G * apart;
    }
    return sum;
}

/* Where row i lies */
struct row_at {
    struct slice slice;
    int64_t start; /* of its entries within the slice's */
    int apart;
};

template <int G> static __device__ __forceinline__ row_at find_row(const packed &matrix, int64_t i)
{
    unsigned height = (unsigned)matrix.height;
    row_at place;
    place.slice = matrix.slice[(unsigned)i / height];
    place.start = (int64_t)((unsigned)i % height) * G;
    place.apart = matrix.height * G;
    return place;
}

template <int G, int WHAT, typename V, typename X>
static __device__ __forceinline__ double row_without(const packed &m, const row_at &place, int64_t i,
                                                     const V *value, double own, const X *x)
{
    const struct slice &slice = place.slice;
    if (slice.wide)
        return sum_without<G, WHAT>(value + place.start, m.column + slice.index + place.start, slice.width,
                                    place.apart, 0, i, m.rows, own, x);
    return sum_without<G, WHAT>(value + place.start, m.offset + slice.index + place.start, slice.width,
                                place.apart, i, i, m.rows, own, x);
}

/* One number for each block of rows, where rows themselves are not to be written */
static __device__ __forceinline__ void write_total(double *total, double y)
{
    __shared__ double of_thread[BLOCK];
    of_thread[threadIdx.x] = y;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *total = of_thread[0];
}

template <int G, int WHAT>
static __global__ void __launch_bounds__(BLOCK) sweep_without(const packed m, const without w)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    double y = 0;
    if (i < m.rows) {
        row_at place = find_row<G>(m, i);
        double b = w.b[i], inverse = w.inverse[i];
        double sum = place.slice.single
                         ? row_without<G, WHAT>(m, place, i, m.single + place.slice.value, b, w.x32)
                         : row_without<G, WHAT>(m, place, i, m.value + place.slice.value, b, w.x64);
        y = (b - sum) * inverse;
        if (WHAT != WITHOUT_WRITES) {
            w.y64[i] = y;
            if (w.y32)
                w.y32[i] = (float)y;
        }
    }
    if (WHAT == WITHOUT_WRITES)
        write_total(w.y64 + blockIdx.x, y);
}

static_assert((int)BLOCK == (int)WITHOUT_BLOCK, "a block of threads is a block of rows");

template <int G> static void launch(cudaStream_t stream, const without &w)
{
    const packed &m = *w.matrix;
    unsigned blocks = blocks_for(m.rows, BLOCK);
    if (w.what == WITHOUT_GATHER)
        sweep_without<G, WITHOUT_GATHER><<<blocks, BLOCK, 0, stream>>>(m, w);
    else if (w.what == WITHOUT_VALUES)
        sweep_without<G, WITHOUT_VALUES><<<blocks, BLOCK, 0, stream>>>(m, w);
    else if (w.what == WITHOUT_COLUMNS)
        sweep_without<G, WITHOUT_COLUMNS><<<blocks, BLOCK, 0, stream>>>(m, w);
    else if (w.what == WITHOUT_WRITES)
        sweep_without<G, WITHOUT_WRITES><<<blocks, BLOCK, 0, stream>>>(m, w);
    else
        sweep_without<G, WITHOUT_NOTHING><<<blocks, BLOCK, 0, stream>>>(m, w);
}

extern "C" void without_cuda(struct queue *queue, const struct without *w)
{
    if (w->matrix->group == 4)
        launch<4>(queue->stream, *w);
    else if (w->matrix->group == 2)
        launch<2>(queue->stream, *w);
    else
        launch<1>(queue->stream, *w);
    CUDA_LAUNCHED(queue);
}
