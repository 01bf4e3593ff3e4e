/* sell.c: slices on the CPU, STRIP rows of a slice side by side. */
#include "kernels/bench/sell.h"

#include "kernels/bench/terms.h"

enum { STRIP = 8 };

/* A strip: rows [first, first + STRIP) of slice s, its entries at `at` and then every height * group */
#define DEFINE_SELL(name, value_t, x_t, rounded_t, sum_t)                                                    \
    TERM_FN void strip_##name(const struct sell *m, const struct operands *o, int64_t first,                 \
                              const int group, const int narrow)                                             \
    {                                                                                                        \
        const value_t *value = VALUE_##name(m);                                                              \
        const x_t *x = X_##name(o);                                                                          \
        int64_t s = first / m->height, end = m->start[s + 1];                                                \
        sum_t sum[STRIP] = {0};                                                                              \
        for (int64_t at = m->start[s] + first % m->height * group; at < end;                                 \
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
    TERM_FN void all_##name(struct queue *queue, const struct sell *m, const struct operands *o,             \
                            const int group, const int narrow)                                               \
    {                                                                                                        \
        BENCH_PARALLEL for (int64_t first = 0; first < m->rows; first += STRIP)                              \
            strip_##name(m, o, first, group, narrow);                                                        \
    }                                                                                                        \
                                                                                                             \
    static void sell_##name(struct queue *queue, const struct sell *m, const struct operands *o, int narrow) \
    {                                                                                                        \
        if (m->group == 4)                                                                                   \
            narrow ? all_##name(queue, m, o, 4, 1) : all_##name(queue, m, o, 4, 0);                          \
        else if (m->group == 2)                                                                              \
            narrow ? all_##name(queue, m, o, 2, 1) : all_##name(queue, m, o, 2, 0);                          \
        else                                                                                                 \
            narrow ? all_##name(queue, m, o, 1, 1) : all_##name(queue, m, o, 1, 0);                          \
    }
BENCH_TERMS(DEFINE_SELL)

void CLONE_NAME(sell_cpu)(struct queue *queue, const struct sell *matrix, const struct sell_way *way,
                          const struct operands *operands)
{
    static void (*const kernel[NUMBERS_KINDS])(struct queue *, const struct sell *, const struct operands *,
                                               int) = {sell_double, sell_mixed, sell_cast, sell_single};
    kernel[way->numbers](queue, matrix, operands, way->narrow);
}
