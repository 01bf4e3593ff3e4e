/* jds.c: jagged diagonals on the CPU: a strip of rows walks down the diagonals that reach it. */
#include "kernels/bench/jds.h"

#include "kernels/bench/terms.h"

enum { STRIP = 16 };

#define DEFINE_JDS(name, value_t, x_t, rounded_t, sum_t)                                                     \
    TERM_FN void strip_##name(const struct jds *m, const struct operands *o, int64_t first)                  \
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
    static void jds_##name(struct queue *queue, const struct jds *m, const struct operands *o)               \
    {                                                                                                        \
        BENCH_PARALLEL for (int64_t first = 0; first < m->rows; first += STRIP) strip_##name(m, o, first);   \
    }
BENCH_TERMS(DEFINE_JDS)

void CLONE_NAME(jds_cpu)(struct queue *queue, const struct jds *matrix, enum numbers numbers,
                         const struct operands *operands)
{
    static void (*const kernel[NUMBERS_KINDS])(struct queue *, const struct jds *,
                                               const struct operands *) = {jds_double, jds_mixed, jds_cast,
                                                                           jds_single};
    kernel[numbers](queue, matrix, operands);
}
