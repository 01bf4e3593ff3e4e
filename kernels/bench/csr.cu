/* csr.cu: compressed rows, read by one thread per row (CSR scalar) or by 2 to 32 adjacent lanes (CSR vector:
 * N. Bell and M. Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented
 * processors", SC 2009).
 *
 * Lanes read adjacent words, but some are idle in a row with fewer entries than lanes, and only one lane
 * writes. On a CPU the lanes of a row are partial sums that the compiler keeps in vector registers. */
#include "kernels/bench/csr_row.h"

/* Maximum number of rows whose starts are kept in constant memory */
enum { CONSTANT_MAX = 16000 };

#ifdef HOST_PART

#include <stdio.h>
#include <string.h>

static enum status fill_csr(struct draft *draft, const struct csr *from, struct error *error)
{
    struct stored *m = &draft->host;
    TRY(format_copy_pattern(draft, from, error));
    TRY(format_room(draft, FORMAT_VALUE, m->entries, 8, error));
    TRY(format_room(draft, FORMAT_SINGLE, m->entries, 4, error));
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < m->entries; k++) {
        m->value[k] = from->value[k];
        m->single[k] = (float)from->value[k];
    }
    return STATUS_OK;
}

/* First 1 to 32 lanes; then, with the lanes of format_lanes, two ways of reading x, row starts in constant
 * memory, and the other kinds of numbers */
static bool csr_variant(struct variant *variant, int k, const struct stored *m, int slice_height)
{
    static const char *const title[] = {"x read-only",       "x texture",           "starts constant",
                                        "values and x fp32", "values fp32, x cast", "all fp32"};
    static const struct way way[] = {{.reads = READS_CACHED},   {.reads = READS_TEXTURE},
                                     {.constant = true},        {.numbers = NUMBERS_MIXED},
                                     {.numbers = NUMBERS_CAST}, {.numbers = NUMBERS_SINGLE}};
    int best = format_lanes(m->rows, m->entries);
    (void)slice_height;
    *variant = (struct variant){.index_bytes = 4, .lines = -1};
    if (k < 6) {
        variant->lines = variant->way.lanes = 1 << k;
        snprintf(variant->name, sizeof variant->name, k == 0 ? "CSR scalar" : "CSR vector %d%s", 1 << k,
                 1 << k == best ? " (by mean length)" : "");
        return true;
    }
    if (k >= 12)
        return false;
    variant->way = way[k - 6];
    variant->way.lanes = best;
    if (variant->way.constant && m->rows > CONSTANT_MAX)
        variant->missing = "more rows than constant memory holds";
    snprintf(variant->name, sizeof variant->name, "CSR vector %d, %s", best, title[k - 6]);
    return true;
}

static const struct shape any_shape = {0};
const struct format format_csr = {.run = FORMAT_RUNS(csr),
                                  .fill = fill_csr,
                                  .shapes = &any_shape,
                                  .shape_count = 1,
                                  .variant = csr_variant};

#endif
#ifdef CLONE

#define DEFINE_ROWS(name, value_t, x_t, rounded_t, sum_t)                                                    \
    TERM_FN void rows_##name(struct queue *queue, const struct stored *m, const struct operands *o,          \
                             const int lanes)                                                                \
    {                                                                                                        \
        const value_t *value = VALUE_##name(m);                                                              \
        const x_t *x = X_##name(o);                                                                          \
        BENCH_PARALLEL for (int64_t i = 0; i < m->rows; i++)                                                 \
            FINISH_##name(o, i, csr_row_##name(value, m->column, m->start[i], m->start[i + 1], x, lanes));   \
    }                                                                                                        \
                                                                                                             \
    static void csr_##name(struct queue *queue, const struct stored *m, const struct operands *o, int lanes) \
    {                                                                                                        \
        CSR_BY_LANES(rows_##name, lanes, queue, m, o)                                                        \
    }
BENCH_TERMS(DEFINE_ROWS)

void CLONE_NAME(format_csr)(struct queue *queue, const struct stored *matrix, const struct way *way,
                            const struct operands *operands)
{
    static void (*const kernel[NUMBERS_KINDS])(struct queue *, const struct stored *, const struct operands *,
                                               int) = {csr_double, csr_mixed, csr_cast, csr_single};
    kernel[way->numbers](queue, matrix, operands, way->lanes);
}

#endif
#ifdef __CUDACC__

/* All threads of a warp read the same few adjacent starts, which suits constant memory. */
static __constant__ int32_t constant_start[CONSTANT_MAX + 1];

template <int NUMBERS, int LANES, int READS, bool CONSTANT>
static __global__ void __launch_bounds__(BLOCK_THREADS) rows_of(const stored matrix, const operands o)
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
static void launch(cudaStream_t stream, const stored &matrix, const struct way &way, const operands &o)
{
    unsigned blocks = blocks_for(matrix.rows * LANES, BLOCK_THREADS);
    if (way.constant)
        rows_of<NUMBERS_DOUBLE, LANES, READS_PLAIN, true><<<blocks, BLOCK_THREADS, 0, stream>>>(matrix, o);
    else if (way.reads == READS_CACHED)
        rows_of<NUMBERS_DOUBLE, LANES, READS_CACHED, false><<<blocks, BLOCK_THREADS, 0, stream>>>(matrix, o);
    else if (way.reads == READS_TEXTURE)
        rows_of<NUMBERS_DOUBLE, LANES, READS_TEXTURE, false><<<blocks, BLOCK_THREADS, 0, stream>>>(matrix, o);
    else if (way.numbers == NUMBERS_DOUBLE)
        rows_of<NUMBERS_DOUBLE, LANES, READS_PLAIN, false><<<blocks, BLOCK_THREADS, 0, stream>>>(matrix, o);
    else if (way.numbers == NUMBERS_MIXED)
        rows_of<NUMBERS_MIXED, LANES, READS_PLAIN, false><<<blocks, BLOCK_THREADS, 0, stream>>>(matrix, o);
    else if (way.numbers == NUMBERS_CAST)
        rows_of<NUMBERS_CAST, LANES, READS_PLAIN, false><<<blocks, BLOCK_THREADS, 0, stream>>>(matrix, o);
    else
        rows_of<NUMBERS_SINGLE, LANES, READS_PLAIN, false><<<blocks, BLOCK_THREADS, 0, stream>>>(matrix, o);
}

extern "C" void format_csr_cuda(struct queue *queue, const struct stored *matrix, const struct way *way,
                                const struct operands *o)
{
    if (matrix->rows > 0)
        CSR_BY_LANES(launch, way->lanes, cuda(queue)->stream, *matrix, *way, *o);
    CUDA_LAUNCHED(queue);
}

extern "C" void format_constant_cuda(struct queue *queue, const struct stored *matrix)
{
    queue_note(queue,
               cudaMemcpyToSymbolAsync(constant_start, matrix->start, 4 * (size_t)(matrix->rows + 1), 0,
                                       cudaMemcpyDeviceToDevice, cuda(queue)->stream),
               "filling constant memory");
}

#endif
