/* ablation.cu: sweeps with parts omitted, on CPUs and GPUs, and a row-by-row reference. */
#include "kernels/bench/terms.h"

BENCH_C_BEGIN
#include "kernels/bench/ablation.h"
BENCH_C_END

#ifdef HOST_PART

static double entry_value(const struct packed *m, const struct slice *slice, int64_t k, int64_t r)
{
    int group = slice->fp32 ? m->group : packed_group64(m->group);
    int64_t at = slice->value + packed_index(k, r, slice->width, m->height, group);
    return slice->fp32 ? (double)m->value32[at] : m->value[at];
}

void ablation_expected(double *y, unsigned what, const struct packed *m, const double *b,
                       const double *inverse, const double *x)
{
    for (int64_t i = 0; i < m->rows; i++) {
        const struct slice *slice = m->slice + i / m->height;
        double sum = 0;
        for (int64_t k = 0; k < slice->width; k++) {
            int64_t at = packed_index(k, i % m->height, slice->width, m->height, m->group);
            int64_t j = slice->index32 ? m->column[slice->index + at] : i + m->offset[slice->index + at];
            if (what == ABLATION_GATHER)
                j = i;
            else if (what == ABLATION_COLUMNS)
                j = ablation_column(i, k, m->rows);
            double e = what == ABLATION_VALUES ? b[i] : entry_value(m, slice, k, i % m->height);
            sum += e * (slice->fp32 ? (double)(float)x[j] : x[j]);
        }
        y[i] = (b[i] - sum) * inverse[i];
    }
}

#endif
#ifdef CLONE

#include "kernels/ops/row_sums.h"

/* Makes the compiler keep a load. */
#ifdef __AVX2__
#define KEEP_INDEX(index) __asm__ volatile("" : : "x"(index))
#else
#define KEEP_INDEX(index) __asm__ volatile("" : : "r"((index).at[0]), "r"((index).at[1]))
#endif

/* sum over the entries of rows [r, r + LANES) of slice s, with x of type float or double */
LANES_FN lanes_real sums_without(const struct ablation *w, int64_t s, int r, const int what)
{
    const struct packed *m = w->matrix;
    const struct slice *slice = m->slice + s;
    struct strip strip = strip_of(m, s, r);
    int64_t row = s * m->height + r, apart = m->height;
    int single = slice->fp32;
    lanes_real sum = {0}, own = lanes_load64(w->b + row), held = {0};
    if (what & ABLATION_GATHER)
        held = single ? lanes_load32(w->x32 + row) : lanes_load64(w->x64 + row);
    for (int64_t k = 0; k < slice->width; k++) {
        int64_t at = slice->value + r + k * apart;
        lanes_real e = what & ABLATION_VALUES ? own
                       : single               ? lanes_load32(m->value32 + at)
                                              : lanes_load64(m->value + at);
        lanes_real x = held;
        if (what & ABLATION_COLUMNS) {
            int64_t from = k % 2 ? row - (k + 1) / 2 : row + (k + 1) / 2;
            if (from < 0 || from + LANES > m->rows) {
                double at_edge[LANES];
                for (int l = 0; l < LANES; l++) {
                    int64_t j = ablation_column(row + l, k, m->rows);
                    at_edge[l] = single ? (double)w->x32[j] : w->x64[j];
                }
                x = lanes_load64(at_edge);
            } else {
                x = single ? lanes_load32(w->x32 + from) : lanes_load64(w->x64 + from);
            }
        } else if (!(what & ABLATION_GATHER)) {
            lanes_index index = strip_index(&strip, k * apart);
            x = single ? lanes_gather32(w->x32 + strip.base, index)
                       : lanes_gather64(w->x64 + strip.base, index);
        } else {
            /* columns are still read: only the gather is omitted */
            lanes_index index = strip_index(&strip, k * apart);
            KEEP_INDEX(index);
        }
        sum += e * x;
    }
    return sum;
}

LANES_FN void sweep_without(struct queue *queue, const struct ablation *w, const int what)
{
    const struct packed *m = w->matrix;
    int64_t blocks = (m->rows + ABLATION_BLOCK - 1) / ABLATION_BLOCK;
    BENCH_PARALLEL for (int64_t block = 0; block < blocks; block++)
    {
        int64_t end = (block + 1) * ABLATION_BLOCK < m->rows ? (block + 1) * ABLATION_BLOCK : m->rows;
        lanes_real total = {0};
        for (int64_t row = block * ABLATION_BLOCK; row < end; row += LANES) {
            int64_t s = row / m->height;
            lanes_real sum = sums_without(w, s, (int)(row - s * m->height), what);
            lanes_real y = (lanes_load64(w->b + row) - sum) * lanes_load64(w->inverse + row);
            if (what & ABLATION_WRITES) {
                total += y;
                continue;
            }
            lanes_store(w->y64 + row, y);
            if (w->y32)
                lanes_store32(w->y32 + row, y);
        }
        if (what & ABLATION_WRITES) {
            double all = 0;
            for (int l = 0; l < LANES; l++)
                all += total[l];
            w->y64[block] = all;
        }
    }
}

void CLONE_NAME(ablation_cpu)(struct queue *queue, const struct ablation *sweep)
{
    switch (sweep->what) {
    case ABLATION_GATHER:
        sweep_without(queue, sweep, ABLATION_GATHER);
        break;
    case ABLATION_VALUES:
        sweep_without(queue, sweep, ABLATION_VALUES);
        break;
    case ABLATION_COLUMNS:
        sweep_without(queue, sweep, ABLATION_COLUMNS);
        break;
    case ABLATION_WRITES:
        sweep_without(queue, sweep, ABLATION_WRITES);
        break;
    default:
        sweep_without(queue, sweep, ABLATION_NOTHING);
    }
}

#endif
#ifdef __CUDACC__

/* Makes the compiler keep a load. */
static __device__ __forceinline__ void keep(int value)
{
    asm volatile("" ::"r"(value));
}

/* x of entry k of row i; its column may not have been loaded */
template <int WHAT, typename X>
static __device__ __forceinline__ X x_without(int column, int k, int64_t base, int64_t i, int64_t rows,
                                              X mine, const X *x)
{
    if (WHAT == ABLATION_GATHER) {
        keep(column);
        return mine;
    }
    return x[WHAT == ABLATION_COLUMNS ? ablation_column(i, k, rows) : base + column];
}

/* The sum of a row over its slice's entries, as in kernels/ops/row_sums.cuh but without the omitted part;
 * groups of G, of doubles in words of H */
template <int G, int WHAT, typename V, typename X, typename Index>
static __device__ __forceinline__ double sum_without(const V *value, const Index *index, int width, int lane,
                                                     int height, int64_t base, int64_t i, int64_t rows,
                                                     double own, const X *x)
{
    enum { H = sizeof(V) == 8 && G > 1 ? G / 2 : G };
    double sum = 0;
    X mine = WHAT == ABLATION_GATHER ? x[i] : (X)0;
    int over = width % G;
    for (int k = 0; k < over; k++) {
        int column = WHAT == ABLATION_COLUMNS ? 0 : (int)index[packed_index(k, lane, width, height, G)];
        double e = WHAT == ABLATION_VALUES ? own : (double)value[packed_index(k, lane, width, height, H)];
        sum += e * (double)x_without<WHAT>(column, k, base, i, rows, mine, x);
    }
    value += over * height + lane * H;
    index += over * height + lane * G;
    for (int first = over; first < width; first += AT_ONCE) {
        entries_of<V, H> e[AT_ONCE / H];
        entries_of<Index, G> column[AT_ONCE / G];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u / G * G < width) {
                if (WHAT != ABLATION_COLUMNS && u % G == 0)
                    column[u / G] = *(const entries_of<Index, G> *)(index + u * height);
                if (WHAT != ABLATION_VALUES && u % H == 0)
                    e[u / H] = *(const entries_of<V, H> *)(value + u * height);
            }
        X xs[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u / G * G < width)
                xs[u] = x_without<WHAT>(WHAT == ABLATION_COLUMNS ? 0 : (int)column[u / G].of[u % G],
                                        first + u, base, i, rows, mine, x);
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u / G * G < width)
                sum += (WHAT == ABLATION_VALUES ? own : (double)e[u / H].of[u % H]) * (double)xs[u];
        value += AT_ONCE * height;
        index += AT_ONCE * height;
    }
    return sum;
}

/* The position of row i */
struct row_at {
    struct slice slice;
    int lane;
};

static __device__ __forceinline__ row_at find_row(const packed &matrix, int64_t i)
{
    unsigned height = (unsigned)matrix.height;
    row_at location;
    location.slice = matrix.slice[(unsigned)i / height];
    location.lane = (int)((unsigned)i % height);
    return location;
}

template <int G, int WHAT, typename V, typename X>
static __device__ __forceinline__ double row_without(const packed &m, const row_at &location, int64_t i,
                                                     const V *value, double own, const X *x)
{
    const struct slice &slice = location.slice;
    if (slice.index32)
        return sum_without<G, WHAT>(value, m.column + slice.index, slice.width, location.lane, m.height, 0, i,
                                    m.rows, own, x);
    return sum_without<G, WHAT>(value, m.offset + slice.index, slice.width, location.lane, m.height, i, i,
                                m.rows, own, x);
}

template <int G, int WHAT>
static __global__ void __launch_bounds__(BLOCK_THREADS) sweep_without(const packed m, const ablation w)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    double y = 0;
    if (i < m.rows) {
        row_at location = find_row(m, i);
        double b = w.b[i], inverse = w.inverse[i];
        double sum = location.slice.fp32
                         ? row_without<G, WHAT>(m, location, i, m.value32 + location.slice.value, b, w.x32)
                         : row_without<G, WHAT>(m, location, i, m.value + location.slice.value, b, w.x64);
        y = (b - sum) * inverse;
        if (WHAT != ABLATION_WRITES) {
            w.y64[i] = y;
            if (w.y32)
                w.y32[i] = (float)y;
        }
    }
    if (WHAT == ABLATION_WRITES)
        write_block_sum(w.y64 + blockIdx.x, y);
}

static_assert((int)BLOCK_THREADS == (int)ABLATION_BLOCK, "a block of threads is a block of rows");

template <int G> static void launch(cudaStream_t stream, const ablation &w)
{
    const packed &m = *w.matrix;
    unsigned blocks = blocks_for(m.rows, BLOCK_THREADS);
    if (w.what == ABLATION_GATHER)
        sweep_without<G, ABLATION_GATHER><<<blocks, BLOCK_THREADS, 0, stream>>>(m, w);
    else if (w.what == ABLATION_VALUES)
        sweep_without<G, ABLATION_VALUES><<<blocks, BLOCK_THREADS, 0, stream>>>(m, w);
    else if (w.what == ABLATION_COLUMNS)
        sweep_without<G, ABLATION_COLUMNS><<<blocks, BLOCK_THREADS, 0, stream>>>(m, w);
    else if (w.what == ABLATION_WRITES)
        sweep_without<G, ABLATION_WRITES><<<blocks, BLOCK_THREADS, 0, stream>>>(m, w);
    else
        sweep_without<G, ABLATION_NOTHING><<<blocks, BLOCK_THREADS, 0, stream>>>(m, w);
}

extern "C" void ablation_cuda(struct queue *queue, const struct ablation *w)
{
    if (w->matrix->group == 4)
        launch<4>(cuda(queue)->stream, *w);
    else
        launch<1>(cuda(queue)->stream, *w);
    CUDA_LAUNCHED(queue);
}

#endif
