/* terms.h: what the CPU's formats share: the four kinds of numbers, and the end of a row.
 *
 * BENCH_TERMS(define) instantiates define(name, value type, x type, what x is rounded to, sum type) for each
 * kind of numbers. */
#ifndef CARDIAC_KERNELS_BENCH_TERMS_H
#define CARDIAC_KERNELS_BENCH_TERMS_H

#include "kernels/bench/bench.h"
#include "kernels/device/isa.h"
#include "kernels/device/cpu.h"

#define TERM_FN static inline __attribute__((always_inline, unused))

#define BENCH_TERMS(define)                                                                                  \
    define(double, double, double, double, double) define(mixed, float, float, float, double)                \
        define(cast, float, double, float, double) define(single, float, float, float, float)

#define BENCH_PARALLEL _Pragma("omp parallel for num_threads(cpu_threads(queue)) schedule(static)")
#define BENCH_SIMD _Pragma("omp simd")

/* x of each kind, values of each kind, by name */
#define X_double(operands) (operands)->x64
#define X_mixed(operands) (operands)->x32
#define X_cast(operands) (operands)->x64
#define X_single(operands) (operands)->x32
#define VALUE_double(matrix) (matrix)->value
#define VALUE_mixed(matrix) (matrix)->single
#define VALUE_cast(matrix) (matrix)->single
#define VALUE_single(matrix) (matrix)->single

TERM_FN void finish_wide(const struct operands *o, int64_t i, double sum)
{
    double y = o->b ? (o->b[i] - sum) * o->inverse[i] : sum;
    o->y64[i] = y;
    if (o->y32)
        o->y32[i] = (float)y;
}

TERM_FN void finish_narrow(const struct operands *o, int64_t i, float sum)
{
    o->y32[i] = o->b32 ? (o->b32[i] - sum) * o->inverse32[i] : sum;
}

#define FINISH_double finish_wide
#define FINISH_mixed finish_wide
#define FINISH_cast finish_wide
#define FINISH_single finish_narrow

#endif
