/* csr_classes.cu: compressed rows of two precision classes (E. Tezcan, T. Torun, F. Kosar, K. Kaya, D. Unat,
 * "Mixed and multi-precision SpMV for GPUs with row-wise precision selection", SBAC-PAD 2022).
 *
 *   composite   rows are permuted, the fp32 ones first; a row below `separator` reads fp32 values
 *   dual        rows stay in their order and flag[i] is 1 where row i reads fp32 values (separator -1)
 *
 * One index structure serves both classes. A row's values are stored once, in single[] or in value[], from
 * row[i] on. Sums are fp64. x is rounded when read if operands->x32 is NULL. */
#include "kernels/bench/csr_row.h"

#ifdef HOST_PART

#include <string.h>

static enum status fill_classes(struct draft *draft, const struct csr *from, struct error *error)
{
    struct stored *m = &draft->host;
    const uint8_t *single = m->shape.single;
    int64_t doubles = 0;
    for (int64_t i = 0; i < m->rows; i++)
        if (single[i])
            m->singles += from->start[i + 1] - from->start[i];
    TRY(format_copy_pattern(draft, from, error));
    TRY(format_room(draft, FORMAT_ROW, m->rows, 4, error));
    TRY(format_room(draft, FORMAT_VALUE, m->entries - m->singles, 8, error));
    TRY(format_room(draft, FORMAT_SINGLE, m->singles, 4, error));
    if (m->shape.separator < 0) {
        TRY(format_room(draft, FORMAT_FLAG, m->rows, 1, error));
        memcpy(m->flag, single, (size_t)m->rows);
    }
    m->singles = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        m->row[i] = (int32_t)(single[i] ? m->singles : doubles);
        for (int64_t k = from->start[i]; k < from->start[i + 1]; k++)
            if (single[i])
                m->single[m->singles++] = (float)from->value[k];
            else
                m->value[doubles++] = from->value[k];
    }
    return STATUS_OK;
}

const struct format format_csr_classes = {.run = FORMAT_RUNS(csr_classes), .fill = fill_classes};

#endif
#ifdef CLONE

TERM_FN void rows_by_class(struct queue *queue, const struct stored *m, const struct operands *o,
                           const int lanes)
{
    BENCH_PARALLEL for (int64_t i = 0; i < m->rows; i++)
    {
        int64_t count = m->start[i + 1] - m->start[i], at = m->row[i];
        const int32_t *column = m->column + m->start[i];
        bool single = m->flag ? m->flag[i] : i < m->shape.separator;
        double sum;
        if (!single)
            sum = csr_row_double(m->value + at, column, 0, count, o->x64, lanes);
        else if (o->x32)
            sum = csr_row_mixed(m->single + at, column, 0, count, o->x32, lanes);
        else
            sum = csr_row_cast(m->single + at, column, 0, count, o->x64, lanes);
        finish_wide(o, i, sum);
    }
}

void CLONE_NAME(format_csr_classes)(struct queue *queue, const struct stored *matrix, const struct way *way,
                                    const struct operands *operands)
{
    CSR_BY_LANES(rows_by_class, way->lanes, queue, matrix, operands)
}

#endif
#ifdef __CUDACC__

/* The lanes of a row branch together. */
template <int LANES>
static __global__ void __launch_bounds__(BLOCK_THREADS) rows_by_class(const stored m, const operands o)
{
    int lane;
    int64_t i = my_row<LANES>(&lane);
    double sum = 0;
    if (i < m.rows) {
        int from = m.start[i], count = m.start[i + 1] - from, at = m.row[i];
        const int32_t *column = m.column + from;
        bool single = m.flag ? m.flag[i] : i < m.shape.separator;
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

template <int LANES> static void launch(cudaStream_t stream, const stored &matrix, const operands &o)
{
    rows_by_class<LANES>
        <<<blocks_for(matrix.rows * LANES, BLOCK_THREADS), BLOCK_THREADS, 0, stream>>>(matrix, o);
}

extern "C" void format_csr_classes_cuda(struct queue *queue, const struct stored *matrix,
                                        const struct way *way, const struct operands *o)
{
    if (matrix->rows > 0)
        CSR_BY_LANES(launch, way->lanes, cuda(queue)->stream, *matrix, *o);
    CUDA_LAUNCHED(queue);
}

#endif
