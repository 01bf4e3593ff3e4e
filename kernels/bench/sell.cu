/* sell.cu: sliced ELLPACK with any slice height C and grouping, 32-bit columns or 16-bit offsets from the
 * row, and a single type of values.
 *
 * This is kernels/ops/packed.h with free parameters. C = all rows is plain ELLPACK. Entry k of row r of a
 * slice is at the slice's start + (k / group) C group + r group + k % group, so that a thread loads pairs or
 * quads of a row as one word. Rows that fill up the last slice have no entries; padding has value 0 and the
 * column of its own row. */
#include "kernels/bench/terms.h"

#ifdef HOST_PART

#include <stdio.h>
#include <stdlib.h>

enum { PADDING_MAX = 10, PADDING_FREE = 1 << 20 };

static int64_t row_length(const struct csr *from, int64_t i)
{
    return i < from->rows ? from->start[i + 1] - from->start[i] : 0;
}

static void plan_slices(struct stored *m, const struct csr *from)
{
    int64_t at = 0, group = m->shape.group;
    for (int64_t s = 0; s < m->slices; s++) {
        int64_t width = 0;
        for (int64_t i = s * m->height; i < (s + 1) * m->height; i++)
            width = row_length(from, i) > width ? row_length(from, i) : width;
        m->slice[s] = at;
        at += (width + group - 1) / group * group * m->height;
    }
    m->slice[m->slices] = m->padded = at;
}

/* Stores entry k of row r of slice s; returns whether its offset fits 16 bits */
static bool fill_entry(struct stored *m, const struct csr *from, int64_t s, int64_t r, int64_t k)
{
    int64_t group = m->shape.group, i = s * m->height + r;
    int64_t at = m->slice[s] + k / group * m->height * group + r * group + k % group;
    bool is_entry = k < row_length(from, i);
    int64_t entry = is_entry ? from->start[i] + k : 0;
    int64_t column = is_entry ? from->column[entry] : i < from->columns + FORMAT_SLACK ? i : 0;
    double value = is_entry ? from->value[entry] : 0;
    m->column[at] = (int32_t)column;
    m->offset[at] = (int16_t)(column - i);
    m->value[at] = value;
    m->single[at] = (float)value;
    return column - i >= INT16_MIN && column - i <= INT16_MAX;
}

static enum status fill_sell(struct draft *draft, const struct csr *from, struct error *error)
{
    struct stored *m = &draft->host;
    int64_t all = (from->rows + 63) / 64 * 64; /* columns of the one slice are padded to 256 bytes and more */
    bool narrow = true;
    m->height = (int32_t)(m->shape.height ? m->shape.height : all ? all : 64);
    m->slices = (from->rows + m->height - 1) / m->height;
    TRY(format_room(draft, FORMAT_SLICE, m->slices + 1, 8, error));
    plan_slices(m, from);
    if (m->padded > PADDING_FREE && m->padded > PADDING_MAX * m->entries)
        return error_set(error, STATUS_INPUT,
                         "slices of %d rows would store %.1f times the matrix: its rows are too unequal",
                         m->height, (double)m->padded / (double)m->entries);
    TRY(format_room(draft, FORMAT_COLUMN, m->padded, 4, error));
    TRY(format_room(draft, FORMAT_OFFSET, m->padded, 2, error));
    TRY(format_room(draft, FORMAT_VALUE, m->padded, 8, error));
    TRY(format_room(draft, FORMAT_SINGLE, m->padded, 4, error));
#pragma omp parallel for schedule(static) reduction(&& : narrow)
    for (int64_t s = 0; s < m->slices; s++) {
        int64_t width = (m->slice[s + 1] - m->slice[s]) / m->height;
        for (int64_t r = 0; r < m->height; r++)
            for (int64_t k = 0; k < width; k++)
                narrow = fill_entry(m, from, s, r, k) && narrow;
    }
    if (!narrow) {
        free(m->offset);
        m->offset = NULL;
    }
    return STATUS_OK;
}

static void sell_title(const struct shape *shape, char title[40])
{
    static const char *const grouped[] = {"", "", " pairs", "", " quads"};
    if (shape->height)
        snprintf(title, 40, "SELL-%d%s", shape->height, grouped[shape->group]);
    else
        snprintf(title, 40, "ELL (one slice)%s", grouped[shape->group]);
}

/* First fp64; then, for a simulation's slice height and for 32, the ways of reading x, 16-bit offsets and the
 * other kinds of numbers */
static bool sell_variant(struct variant *variant, int k, const struct stored *m, int slice_height)
{
    static const char *const title[] = {"",
                                        ", x read-only",
                                        ", x texture",
                                        ", x shared",
                                        ", 16-bit offsets",
                                        ", values and x fp32",
                                        ", values fp32, x cast",
                                        ", all fp32"};
    static const struct way way[] = {{0},
                                     {.reads = READS_CACHED},
                                     {.reads = READS_TEXTURE},
                                     {.reads = READS_SHARED},
                                     {.narrow = true},
                                     {.numbers = NUMBERS_MIXED},
                                     {.numbers = NUMBERS_CAST},
                                     {.numbers = NUMBERS_SINGLE}};
    bool in_full = m->shape.height == slice_height || m->shape.height == 32;
    char base[40];
    sell_title(&m->shape, base);
    if (k >= 4 && !m->offset) /* no row for 16-bit offsets */
        k++;
    if (k >= (in_full ? 8 : 1))
        return false;
    *variant = (struct variant){.way = way[k], .index_bytes = 4, .lines = k == 0 ? 0 : -1};
    if (k >= 4 && m->offset) {
        variant->way.narrow = true;
        variant->index_bytes = 2;
    }
    snprintf(variant->name, sizeof variant->name, "%s%s%s", base, k > 4 && m->offset ? title[4] : "",
             title[k]);
    return true;
}

static const struct shape shapes[] = {
    {.height = 8, .group = 1},  {.height = 16, .group = 1},  {.height = 32, .group = 1},
    {.height = 64, .group = 1}, {.height = 128, .group = 1}, {.height = 0, .group = 1},
    {.height = 32, .group = 2}, {.height = 32, .group = 4},  {.height = 0, .group = 4}};
const struct format format_sell = {.run = FORMAT_RUNS(sell),
                                   .fill = fill_sell,
                                   .shapes = shapes,
                                   .shape_count = sizeof shapes / sizeof *shapes,
                                   .title = sell_title,
                                   .variant = sell_variant};

#endif
#ifdef CLONE

/* STRIP adjacent rows of a slice at a time */
enum { STRIP = 8 };

/* A strip: rows [first, first + STRIP) of slice s, its entries at `at` and then every height * group */
#define DEFINE_SELL(name, value_t, x_t, rounded_t, sum_t)                                                    \
    TERM_FN void strip_##name(const struct stored *m, const struct operands *o, int64_t first,               \
                              const int group, const int narrow)                                             \
    {                                                                                                        \
        const value_t *value = VALUE_##name(m);                                                              \
        const x_t *x = X_##name(o);                                                                          \
        int64_t s = first / m->height, end = m->slice[s + 1];                                                \
        sum_t sum[STRIP] = {0};                                                                              \
        for (int64_t at = m->slice[s] + first % m->height * group; at < end;                                 \
             at += (int64_t)m->height * group)                                                               \
            for (int g = 0; g < group; g++)                                                                  \
                BENCH_SIMD for (int r = 0; r < STRIP; r++)                                                   \
                {                                                                                            \
                    int64_t k = at + r * group + g;                                                          \
                    int64_t j = narrow ? first + r + m->offset[k] : m->column[k];                            \
                    sum[r] += (sum_t)value[k] * (sum_t)(rounded_t)x[j];                                      \
                }                                                                                            \
        for (int r = 0; r < STRIP && first + r < m->rows; r++)                                               \
            FINISH_##name(o, first + r, sum[r]);                                                             \
    }                                                                                                        \
                                                                                                             \
    TERM_FN void all_##name(struct queue *queue, const struct stored *m, const struct operands *o,           \
                            const int group, const int narrow)                                               \
    {                                                                                                        \
        BENCH_PARALLEL for (int64_t first = 0; first < m->rows; first += STRIP)                              \
            strip_##name(m, o, first, group, narrow);                                                        \
    }                                                                                                        \
                                                                                                             \
    static void sell_##name(struct queue *queue, const struct stored *m, const struct operands *o,           \
                            int narrow)                                                                      \
    {                                                                                                        \
        if (m->shape.group == 4)                                                                             \
            narrow ? all_##name(queue, m, o, 4, 1) : all_##name(queue, m, o, 4, 0);                          \
        else if (m->shape.group == 2)                                                                        \
            narrow ? all_##name(queue, m, o, 2, 1) : all_##name(queue, m, o, 2, 0);                          \
        else                                                                                                 \
            narrow ? all_##name(queue, m, o, 1, 1) : all_##name(queue, m, o, 1, 0);                          \
    }
BENCH_TERMS(DEFINE_SELL)

void CLONE_NAME(format_sell)(struct queue *queue, const struct stored *matrix, const struct way *way,
                             const struct operands *operands)
{
    static void (*const kernel[NUMBERS_KINDS])(struct queue *, const struct stored *, const struct operands *,
                                               int) = {sell_double, sell_mixed, sell_cast, sell_single};
    kernel[way->numbers](queue, matrix, operands, way->narrow);
}

#endif
#ifdef __CUDACC__

/* Entries of x in the shared memory of a block of rows */
enum { WINDOW = 4096 };

/* x_j from the block's window in shared memory if it is there. Both loads are cheap, and selecting an address
 * does not diverge. */
template <typename T>
static __device__ __forceinline__ T read_window(const T *window, int64_t low, const T *x, int64_t j)
{
    uint64_t at = (uint64_t)(j - low);
    return at < WINDOW ? window[at] : x[j];
}

/* Loads x[low ... low + WINDOW) around the block's rows; returns low. */
template <typename T>
static __device__ __forceinline__ int64_t load_window(T *window, const T *x, int64_t columns)
{
    int64_t low = (int64_t)blockIdx.x * BLOCK_THREADS + BLOCK_THREADS / 2 - WINDOW / 2;
    low = low > columns - WINDOW ? columns - WINDOW : low;
    low = low < 0 ? 0 : low;
    for (int k = threadIdx.x; k < WINDOW; k += BLOCK_THREADS)
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
static __global__ void __launch_bounds__(BLOCK_THREADS) slices_of(const stored m, const operands o)
{
    typedef typename kind<NUMBERS>::x x_type;
    __shared__ x_type window[READS == READS_SHARED ? WINDOW : 1];
    const x_type *x = x_of<NUMBERS>(o);
    int64_t low = READS == READS_SHARED ? load_window(window, x, o.columns) : 0;
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= m.rows)
        return;
    unsigned height = (unsigned)m.height, s = (unsigned)i / height, r = (unsigned)i % height;
    int64_t begin = m.slice[s], at = begin + (int64_t)r * G, apart = (int64_t)height * G;
    int width = (int)((m.slice[s + 1] - begin) / height);
    const typename kind<NUMBERS>::value *value = values_of<NUMBERS>(m) + at;
    typename kind<NUMBERS>::sum sum =
        NARROW ? row_sum<NUMBERS, G, READS>(value, m.offset + at, width, apart, i, x, o.texture, window, low)
               : row_sum<NUMBERS, G, READS>(value, m.column + at, width, apart, 0, x, o.texture, window, low);
    finish<NUMBERS>(o, i, sum);
}

template <int NUMBERS, int G>
static void launch_plain(cudaStream_t stream, unsigned blocks, const stored &m, bool narrow,
                         const operands &o)
{
    if (narrow)
        slices_of<NUMBERS, G, READS_PLAIN, true><<<blocks, BLOCK_THREADS, 0, stream>>>(m, o);
    else
        slices_of<NUMBERS, G, READS_PLAIN, false><<<blocks, BLOCK_THREADS, 0, stream>>>(m, o);
}

template <int G>
static void launch(cudaStream_t stream, const stored &m, const struct way &way, const operands &o)
{
    unsigned blocks = blocks_for(m.rows, BLOCK_THREADS);
    if (way.reads == READS_CACHED)
        slices_of<NUMBERS_DOUBLE, G, READS_CACHED, false><<<blocks, BLOCK_THREADS, 0, stream>>>(m, o);
    else if (way.reads == READS_TEXTURE)
        slices_of<NUMBERS_DOUBLE, G, READS_TEXTURE, false><<<blocks, BLOCK_THREADS, 0, stream>>>(m, o);
    else if (way.reads == READS_SHARED)
        slices_of<NUMBERS_DOUBLE, G, READS_SHARED, false><<<blocks, BLOCK_THREADS, 0, stream>>>(m, o);
    else if (way.numbers == NUMBERS_DOUBLE)
        launch_plain<NUMBERS_DOUBLE, G>(stream, blocks, m, way.narrow, o);
    else if (way.numbers == NUMBERS_MIXED)
        launch_plain<NUMBERS_MIXED, G>(stream, blocks, m, way.narrow, o);
    else if (way.numbers == NUMBERS_CAST)
        launch_plain<NUMBERS_CAST, G>(stream, blocks, m, way.narrow, o);
    else
        launch_plain<NUMBERS_SINGLE, G>(stream, blocks, m, way.narrow, o);
}

extern "C" void format_sell_cuda(struct queue *queue, const struct stored *matrix, const struct way *way,
                                 const struct operands *o)
{
    if (matrix->rows == 0)
        return;
    if (matrix->shape.group == 4)
        launch<4>(cuda(queue)->stream, *matrix, *way, *o);
    else if (matrix->shape.group == 2)
        launch<2>(cuda(queue)->stream, *matrix, *way, *o);
    else
        launch<1>(cuda(queue)->stream, *matrix, *way, *o);
    CUDA_LAUNCHED(queue);
}

#endif
