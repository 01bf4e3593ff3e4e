/* jds.cu: jagged diagonals (Y. Saad, SIAM J. Sci. Stat. Comput. 10, 1989, 1200).
 *
 * All rows are sorted by descending length, and their k-th entries are stored together as the k-th
 * "diagonal". Nothing is padded, but the sort over the whole matrix scatters x and the results.
 *
 *   start[diagonals + 1]   first entry of each; diagonal k has start[k + 1] - start[k] rows
 *   row[rows]              where the result of the i-th sorted row belongs */
#include "kernels/bench/terms.h"

#ifdef HOST_PART

#include <stdio.h>
#include <string.h>

/* row[] <- rows by descending length, a stable counting sort; start[] <- the start of each diagonal: diagonal
 * d has one entry for each row with more than d entries */
static void sort_rows(struct stored *m, const struct csr *from)
{
    int64_t n = from->rows;
    int32_t diagonals = m->diagonals;
    memset(m->start, 0, ((size_t)diagonals + 2) * sizeof *m->start);
    for (int64_t i = 0; i < n; i++)
        m->start[diagonals - (from->start[i + 1] - from->start[i]) + 1]++;
    for (int32_t d = 1; d <= diagonals + 1; d++)
        m->start[d] += m->start[d - 1];
    for (int64_t i = 0; i < n; i++)
        m->row[m->start[diagonals - (from->start[i + 1] - from->start[i])]++] = (int32_t)i;
    int64_t at = 0, reach = n;
    for (int32_t d = 0; d <= diagonals; d++) {
        m->start[d] = (int32_t)at;
        while (reach > 0 && from->start[m->row[reach - 1] + 1] - from->start[m->row[reach - 1]] <= d)
            reach--;
        at += reach;
    }
}

static enum status fill_jds(struct draft *draft, const struct csr *from, struct error *error)
{
    struct stored *m = &draft->host;
    for (int64_t i = 0; i < m->rows; i++)
        if (from->start[i + 1] - from->start[i] > m->diagonals)
            m->diagonals = (int32_t)(from->start[i + 1] - from->start[i]);
    TRY(format_room(draft, FORMAT_START, m->diagonals + 1, 4, error));
    TRY(format_room(draft, FORMAT_ROW, m->rows, 4, error));
    TRY(format_room(draft, FORMAT_COLUMN, m->entries, 4, error));
    TRY(format_room(draft, FORMAT_VALUE, m->entries, 8, error));
    TRY(format_room(draft, FORMAT_SINGLE, m->entries, 4, error));
    sort_rows(m, from);
    for (int32_t d = 0; d < m->diagonals; d++)
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < m->start[d + 1] - m->start[d]; i++) {
            int64_t entry = from->start[m->row[i]] + d, at = m->start[d] + i;
            m->column[at] = from->column[entry];
            m->value[at] = from->value[entry];
            m->single[at] = (float)from->value[entry];
        }
    return STATUS_OK;
}

static bool jds_variant(struct variant *variant, int k, const struct stored *m, int slice_height)
{
    (void)m, (void)slice_height;
    const enum numbers numbers[] = {NUMBERS_DOUBLE, NUMBERS_MIXED};
    *variant = (struct variant){.index_bytes = 4, .lines = -1};
    if (k >= 2)
        return false;
    variant->way.numbers = numbers[k];
    snprintf(variant->name, sizeof variant->name, "JDS%s", k ? ", values and x fp32" : "");
    return true;
}

static const struct shape any_shape = {0};
const struct format format_jds = {.run = FORMAT_RUNS(jds),
                                  .fill = fill_jds,
                                  .shapes = &any_shape,
                                  .shape_count = 1,
                                  .variant = jds_variant};

#endif
#ifdef CLONE

/* Rows are processed in strips, each over the diagonals that reach it. */
enum { STRIP = 16 };

#define DEFINE_JDS(name, value_t, x_t, rounded_t, sum_t)                                                     \
    TERM_FN void strip_##name(const struct stored *m, const struct operands *o, int64_t first)               \
    {                                                                                                        \
        const value_t *value = VALUE_##name(m);                                                              \
        const x_t *x = X_##name(o);                                                                          \
        sum_t sum[STRIP] = {0};                                                                              \
        for (int32_t d = 0; d < m->diagonals; d++) {                                                         \
            int64_t reach = m->start[d + 1] - m->start[d] - first, at = m->start[d] + first;                 \
            if (reach <= 0)                                                                                  \
                break;                                                                                       \
            if (reach >= STRIP)                                                                              \
                BENCH_SIMD for (int r = 0; r < STRIP; r++) sum[r] +=                                         \
                    (sum_t)value[at + r] * (sum_t)(rounded_t)x[m->column[at + r]];                           \
            else                                                                                             \
                for (int r = 0; r < reach; r++)                                                              \
                    sum[r] += (sum_t)value[at + r] * (sum_t)(rounded_t)x[m->column[at + r]];                 \
        }                                                                                                    \
        for (int r = 0; r < STRIP && first + r < m->rows; r++)                                               \
            FINISH_##name(o, m->row[first + r], sum[r]);                                                     \
    }                                                                                                        \
                                                                                                             \
    static void jds_##name(struct queue *queue, const struct stored *m, const struct operands *o)            \
    {                                                                                                        \
        BENCH_PARALLEL for (int64_t first = 0; first < m->rows; first += STRIP) strip_##name(m, o, first);   \
    }
BENCH_TERMS(DEFINE_JDS)

void CLONE_NAME(format_jds)(struct queue *queue, const struct stored *matrix, const struct way *way,
                            const struct operands *operands)
{
    static void (*const kernel[NUMBERS_KINDS])(struct queue *, const struct stored *,
                                               const struct operands *) = {jds_double, jds_mixed, jds_cast,
                                                                           jds_single};
    kernel[way->numbers](queue, matrix, operands);
}

#endif
#ifdef __CUDACC__

/* One row per thread; every thread reads the starts of the diagonals, the first STARTS of them from shared
 * memory. */
enum { STARTS = 1024 };

template <int NUMBERS>
static __global__ void __launch_bounds__(BLOCK_THREADS) diagonals_of(const stored m, const operands o)
{
    __shared__ int32_t start[STARTS];
    for (int d = threadIdx.x; d <= m.diagonals && d < STARTS; d += BLOCK_THREADS)
        start[d] = m.start[d];
    __syncthreads();
    int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
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

template <int NUMBERS> static void launch(cudaStream_t stream, const stored &m, const operands &o)
{
    diagonals_of<NUMBERS><<<blocks_for(m.rows, BLOCK_THREADS), BLOCK_THREADS, 0, stream>>>(m, o);
}

extern "C" void format_jds_cuda(struct queue *queue, const struct stored *matrix, const struct way *way,
                                const struct operands *o)
{
    if (matrix->rows > 0)
        LAUNCH_BY_NUMBERS(launch, way->numbers, cuda(queue)->stream, *matrix, *o);
    CUDA_LAUNCHED(queue);
}

#endif
