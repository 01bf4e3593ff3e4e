/* gemm.c: `bench gemm`: the matrix product step by step and with parts left out.
 *
 * Rates: bytes to and from global memory count A, B and C once (4 (mk + kn + mn)); bytes to the cores count one word
 * for each multiply-add (4 mnk); flops are 2 mnk. A step that does less is counted in full as well. */
#include <math.h>
#include <stdio.h>

#include "app/bench/bench.h"
#include "kernels/base/bits.h"

struct gemm_operands {
    struct bench *bench;
    struct gemm gemm, host;
    struct vendor_blas *blas;
};

static void run_gemm(void *argument)
{
    struct gemm_operands *operands = argument;
    operands->bench->device->gemm(operands->bench->queue, &operands->gemm);
}

/* Checks that every element of C was written, and compares samples with the step's expected result. */
static enum status check_gemm(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct gemm_operands *operands = argument;
    const struct gemm *host = &operands->host;
    int64_t count = host->m * host->n, samples = bench->quick ? 2000 : 4000;
    float *c = bench_fetch(bench, operands->gemm.c, count, sizeof *c);
    TRY(bench_check(bench, error));
    *found = 0;
    for (int64_t k = 0; k < count; k++)
        if (isnan(c[k]))
            *found = NAN;
    for (int64_t k = 0; k < samples && !isnan(*found); k++) {
        int64_t at = (int64_t)((bits_random_signed((uint64_t)k) + 1) / 2 * (double)count);
        double size, want = gemm_expected(operands->gemm.step, host, at / host->n, at % host->n, &size);
        *found = fmax(*found, fabs((double)c[at] - want) / fmax(1, size));
    }
    return STATUS_OK;
}

static enum status measure_step(struct gemm_operands *operands, enum gemm_step step, const char *title,
                                void (*body)(void *), struct error *error)
{
    struct bench *bench = operands->bench;
    double m = (double)operands->gemm.m, n = (double)operands->gemm.n, k = (double)operands->gemm.k, seconds;
    struct measurement trial = {.variant = title, .body = body, .argument = operands, .check = check_gemm};
    operands->gemm.step = step;
    trial.expect_wrong = step == GEMM_TRAP;
    trial.limit = (k + 4) * 0x1p-24;
    trial.nan_fill[0] = operands->gemm.c;
    trial.nan_fill_bytes[0] = 4 * (size_t)(operands->gemm.m * operands->gemm.n);
    trial.flops = 2 * m * n * k;
    enum status status = bench_trial(bench, &trial, &seconds, error);
    struct bench_row *row = bench_last_row(bench);
    if (seconds > 0) {
        bench_figure(row, "global GB/s", 4e-9 * (m * k + k * n + m * n) / seconds);
        bench_figure(row, "cores GB/s", 4e-9 * m * n * k / seconds);
    } else if (!status && step == GEMM_TRAP && !bench->inject) {
        snprintf(row->note, sizeof row->note,
                 "C was never written: the compiler dropped the work; not timed");
    }
    return status;
}

static void run_blas(void *argument)
{
    struct gemm_operands *operands = argument;
    operands->bench->device->blas_gemm(operands->blas, &operands->gemm);
}

static enum status measure_library(struct gemm_operands *operands, struct error *error)
{
    struct bench *bench = operands->bench;
    const struct bench_device *device = bench->device;
    enum status status = STATUS_OK;
    operands->blas = device->blas_open(bench->queue);
    if (operands->blas)
        status = measure_step(operands, GEMM_NAIVE, device->blas_name, run_blas, error);
    else
        bench_blank(bench, device->blas_name, "not installed");
    device->blas_close(operands->blas);
    return status;
}

/* Every step on matrices of m x k and k x n, which are not square on purpose */
static enum status measure_size(struct bench *bench, int64_t m, int64_t n, int64_t k, struct error *error)
{
    float *a = bench_array(bench, m * k, sizeof *a), *b = bench_array(bench, k * n, sizeof *b);
    TRY(bench_check(bench, error));
    for (int64_t i = 0; i < m * k; i++)
        a[i] = (float)bits_random_signed(1 + (uint64_t)i);
    for (int64_t i = 0; i < k * n; i++)
        b[i] = (float)bits_random_signed(77777777 + (uint64_t)i);
    struct gemm_operands operands = {.bench = bench,
                                     .gemm = {.m = m,
                                              .n = n,
                                              .k = k,
                                              .a = bench_upload(bench, NULL, a, m * k, sizeof *a),
                                              .b = bench_upload(bench, NULL, b, k * n, sizeof *b),
                                              .c = bench_upload(bench, NULL, NULL, m * n, sizeof *a)},
                                     .host = {.m = m, .n = n, .k = k, .a = a, .b = b}};
    TRY(bench_check(bench, error));
    for (int64_t i = 0; bench->inject && i < m * k; i++)
        a[i] += 0.5f; /* makes the host's copy differ from what the device multiplies */
    for (enum gemm_step step = GEMM_NAIVE; step < GEMM_COUNT; step++) {
        bool fixed = step >= GEMM_WRITE && step <= GEMM_WRITE_WIDE; /* constant: no error can show */
        if (bench->is_cpu && !gemm_on_cpu(step))
            bench_blank(bench, gemm_title(step), "has no meaning on a CPU");
        else if (!bench->inject || !(fixed || step == GEMM_TRAP))
            TRY(measure_step(&operands, step, gemm_title(step), run_gemm, error));
    }
    TRY(measure_library(&operands, error));
    bench_release(bench, 0);
    return STATUS_OK;
}

enum status bench_gemm(struct bench *bench, struct error *error)
{
    int64_t largest = bench->quick ? 128 : bench->is_cpu ? 512 : 4096;
    for (int64_t m = largest; m >= largest / 4 && m >= GEMM_TILE; m /= 4) {
        int64_t n = 2 * m, k = bench->quick ? 48 : m + 128;
        char title[72];
        snprintf(title, sizeof title, "%lld x %lld x %lld", (long long)m, (long long)n, (long long)k);
        bench_section(bench, "gemm", title, "C = A B in fp32");
        TRY(measure_size(bench, m, n, k, error));
    }
    return STATUS_OK;
}
