/* gemm_expected.c: what each step must leave in C. */
#include "kernels/bench/gemm.h"

#include <math.h>

const char *gemm_title(enum gemm_step step)
{
    static const char *const title[] = {
#define X(name, title, cpu) title,
        GEMM_STEPS(X)
#undef X
    };
    return title[step];
}

bool gemm_on_cpu(enum gemm_step step)
{
    static const bool on_cpu[] = {
#define X(name, title, cpu) cpu,
        GEMM_STEPS(X)
#undef X
    };
    return on_cpu[step];
}

double gemm_expected(enum gemm_step step, const struct gemm *host, int64_t i, int64_t j, double *size)
{
    bool same_a = step == GEMM_NO_A || step == GEMM_NO_AB, same_b = step == GEMM_NO_B || step == GEMM_NO_AB;
    double sum = 0;
    *size = 0;
    if (step >= GEMM_WRITE && step <= GEMM_WRITE_WIDE)
        return 123;
    if (step == GEMM_NO_SUM) /* the row of A that was loaded once, in place of the row of C */
        return (double)host->a[i * host->k + j % 16];
    for (int64_t k = 0; k < host->k; k++) {
        double a = (double)host->a[i * host->k + (same_a ? k % 16 : k)];
        double term = a * (double)host->b[(same_b ? k % 16 : k) * host->n + j];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}
