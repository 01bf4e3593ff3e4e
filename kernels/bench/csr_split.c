/* csr_split.c: the entry-wise split on the CPU. */
#include "kernels/bench/csr_split.h"

#include "kernels/bench/csr_row.h"

TERM_FN void rows_of_both(struct queue *queue, const struct csr_split *m, const struct operands *o,
                          const int lanes)
{
    BENCH_PARALLEL for (int64_t i = 0; i < m->rows; i++)
    {
        int64_t from = m->start32[i], to = m->start32[i + 1];
        double sum = csr_row_double(m->value, m->column64, m->start64[i], m->start64[i + 1], o->x64, lanes);
        sum += o->x32 ? csr_row_mixed(m->single, m->column32, from, to, o->x32, lanes)
                      : csr_row_cast(m->single, m->column32, from, to, o->x64, lanes);
        finish_wide(o, i, sum);
    }
}

void CLONE_NAME(csr_split_cpu)(struct queue *queue, const struct csr_split *matrix, int lanes,
                               const struct operands *operands)
{
    CSR_BY_LANES(rows_of_both, lanes, queue, matrix, operands)
}
