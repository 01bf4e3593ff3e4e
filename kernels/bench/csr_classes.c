/* csr_classes.c: rows of two precision classes on the CPU. */
#include "kernels/bench/csr_classes.h"

#include "kernels/bench/csr_row.h"

TERM_FN void rows_by_class(struct queue *queue, const struct csr_classes *m, const struct operands *o,
                           const int lanes)
{
    BENCH_PARALLEL for (int64_t i = 0; i < m->rows; i++)
    {
        int64_t count = m->start[i + 1] - m->start[i], at = m->place[i];
        const int32_t *column = m->column + m->start[i];
        bool single = m->flag ? m->flag[i] : i < m->separator;
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

void CLONE_NAME(csr_classes_cpu)(struct queue *queue, const struct csr_classes *matrix, int lanes,
                                 const struct operands *operands)
{
    CSR_BY_LANES(rows_by_class, lanes, queue, matrix, operands)
}
