/* csr_split.cu: entry-wise split: a matrix of the entries small enough for fp32 and one of the others in
 * fp64; each row sums both. x is rounded when read if operands->x32 is NULL. */
#include "kernels/bench/csr_row.h"

#ifdef HOST_PART

static enum status fill_split(struct draft *draft, const struct csr *from, struct error *error)
{
    struct stored *m = &draft->host;
    const uint8_t *small = m->shape.single;
    int32_t singles = 0, doubles = 0;
    for (int64_t k = 0; k < m->entries; k++)
        m->singles += small[k];
    TRY(format_room(draft, FORMAT_START32, m->rows + 1, 4, error));
    TRY(format_room(draft, FORMAT_START, m->rows + 1, 4, error));
    TRY(format_room(draft, FORMAT_COLUMN32, m->singles, 4, error));
    TRY(format_room(draft, FORMAT_COLUMN, m->entries - m->singles, 4, error));
    TRY(format_room(draft, FORMAT_SINGLE, m->singles, 4, error));
    TRY(format_room(draft, FORMAT_VALUE, m->entries - m->singles, 8, error));
    for (int64_t i = 0; i < m->rows; i++) {
        m->start32[i] = singles;
        m->start[i] = doubles;
        for (int64_t k = from->start[i]; k < from->start[i + 1]; k++)
            if (small[k]) {
                m->column32[singles] = from->column[k];
                m->single[singles++] = (float)from->value[k];
            } else {
                m->column[doubles] = from->column[k];
                m->value[doubles++] = from->value[k];
            }
    }
    m->start32[m->rows] = singles;
    m->start[m->rows] = doubles;
    return STATUS_OK;
}

const struct format format_csr_split = {.run = FORMAT_RUNS(csr_split), .fill = fill_split};

#endif
#ifdef CLONE

TERM_FN void rows_of_both(struct queue *queue, const struct stored *m, const struct operands *o,
                          const int lanes)
{
    BENCH_PARALLEL for (int64_t i = 0; i < m->rows; i++)
    {
        int64_t from = m->start32[i], to = m->start32[i + 1];
        double sum = csr_row_double(m->value, m->column, m->start[i], m->start[i + 1], o->x64, lanes);
        sum += o->x32 ? csr_row_mixed(m->single, m->column32, from, to, o->x32, lanes)
                      : csr_row_cast(m->single, m->column32, from, to, o->x64, lanes);
        finish_wide(o, i, sum);
    }
}

void CLONE_NAME(format_csr_split)(struct queue *queue, const struct stored *matrix, const struct way *way,
                                  const struct operands *operands)
{
    CSR_BY_LANES(rows_of_both, way->lanes, queue, matrix, operands)
}

#endif
#ifdef __CUDACC__

/* A row's lanes sum the fp64 entries, then the fp32 ones. */
template <int LANES>
static __global__ void __launch_bounds__(BLOCK_THREADS) rows_of_both(const stored m, const operands o)
{
    int lane;
    int64_t i = my_row<LANES>(&lane);
    double sum = 0;
    if (i < m.rows) {
        int from = m.start32[i], to = m.start32[i + 1];
        sum = csr_row<NUMBERS_DOUBLE, LANES, READS_PLAIN>(m.value, m.column, m.start[i], m.start[i + 1], lane,
                                                          o.x64, 0);
        sum +=
            o.x32 ? csr_row<NUMBERS_MIXED, LANES, READS_PLAIN>(m.single, m.column32, from, to, lane, o.x32, 0)
                  : csr_row<NUMBERS_CAST, LANES, READS_PLAIN>(m.single, m.column32, from, to, lane, o.x64, 0);
    }
    sum = add_lanes<LANES>(sum);
    if (lane == 0 && i < m.rows)
        finish<NUMBERS_DOUBLE>(o, i, sum);
}

template <int LANES> static void launch(cudaStream_t stream, const stored &matrix, const operands &o)
{
    rows_of_both<LANES>
        <<<blocks_for(matrix.rows * LANES, BLOCK_THREADS), BLOCK_THREADS, 0, stream>>>(matrix, o);
}

extern "C" void format_csr_split_cuda(struct queue *queue, const struct stored *matrix, const struct way *way,
                                      const struct operands *o)
{
    if (matrix->rows > 0)
        CSR_BY_LANES(launch, way->lanes, cuda(queue)->stream, *matrix, *o);
    CUDA_LAUNCHED(queue);
}

#endif
