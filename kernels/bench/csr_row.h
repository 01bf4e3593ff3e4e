/* csr_row.h: the sum of one compressed row by `lanes` partial sums; read by csr.c, csr_classes.c and
 * csr_split.c. */
#ifndef CARDIAC_KERNELS_BENCH_CSR_ROW_H
#define CARDIAC_KERNELS_BENCH_CSR_ROW_H

#include "kernels/bench/terms.h"

/* sum over entries [k, end) of e x */
#define DEFINE_ROW(name, value_t, x_t, rounded_t, sum_t)                                                     \
    TERM_FN sum_t csr_row_##name(const value_t *value, const int32_t *column, int64_t k, int64_t end,        \
                                 const x_t *x, const int lanes)                                              \
    {                                                                                                        \
        sum_t part[32] = {0};                                                                                \
        for (; k + lanes <= end; k += lanes)                                                                 \
            BENCH_SIMD for (int l = 0; l < lanes; l++) part[l] +=                                            \
                (sum_t)value[k + l] * (sum_t)(rounded_t)x[column[k + l]];                                    \
        for (int l = 0; k < end; k++, l++)                                                                   \
            part[l] += (sum_t)value[k] * (sum_t)(rounded_t)x[column[k]];                                     \
        for (int half = lanes / 2; half > 0; half /= 2)                                                      \
            for (int l = 0; l < half; l++)                                                                   \
                part[l] += part[l + half];                                                                   \
        return part[0];                                                                                      \
    }
BENCH_TERMS(DEFINE_ROW)

/* kernel(..., lanes) with lanes a constant that the compiler sees */
#define CSR_BY_LANES(kernel, lanes, ...)                                                                     \
    switch (lanes) {                                                                                         \
    case 2:                                                                                                  \
        kernel(__VA_ARGS__, 2);                                                                              \
        break;                                                                                               \
    case 4:                                                                                                  \
        kernel(__VA_ARGS__, 4);                                                                              \
        break;                                                                                               \
    case 8:                                                                                                  \
        kernel(__VA_ARGS__, 8);                                                                              \
        break;                                                                                               \
    case 16:                                                                                                 \
        kernel(__VA_ARGS__, 16);                                                                             \
        break;                                                                                               \
    case 32:                                                                                                 \
        kernel(__VA_ARGS__, 32);                                                                             \
        break;                                                                                               \
    default:                                                                                                 \
        kernel(__VA_ARGS__, 1);                                                                              \
    }

#endif
