/* csr.c: compressed rows on the CPU. The lanes of a row are partial sums that the compiler keeps in vector
 * registers. */
#include "kernels/bench/csr.h"

#include "kernels/bench/csr_row.h"

#define DEFINE_ROWS(name, value_t, x_t, rounded_t, sum_t)                                                    \
    TERM_FN void rows_##name(struct queue *queue, const struct csr_device *m, const struct operands *o,      \
                             const int lanes)                                                                \
    {                                                                                                        \
        const value_t *value = VALUE_##name(m);                                                              \
        const x_t *x = X_##name(o);                                                                          \
        BENCH_PARALLEL for (int64_t i = 0; i < m->rows; i++)                                                 \
            FINISH_##name(o, i, csr_row_##name(value, m->column, m->start[i], m->start[i + 1], x, lanes));   \
    }                                                                                                        \
                                                                                                             \
    static void csr_##name(struct queue *queue, const struct csr_device *m, const struct operands *o,        \
                           int lanes)                                                                        \
    {                                                                                                        \
        CSR_BY_LANES(rows_##name, lanes, queue, m, o)                                                        \
    }
BENCH_TERMS(DEFINE_ROWS)

void CLONE_NAME(csr_cpu)(struct queue *queue, const struct csr_device *matrix, const struct csr_way *way,
                         const struct operands *operands)
{
    static void (*const kernel[NUMBERS_KINDS])(struct queue *, const struct csr_device *,
                                               const struct operands *,
                                               int) = {csr_double, csr_mixed, csr_cast, csr_single};
    kernel[way->numbers](queue, matrix, operands, way->lanes);
}
