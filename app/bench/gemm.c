/* gemm.c: `bench gemm`: the matrix product step by step and with parts left out.
 *
 * Rates as in the notes: bytes to and from global memory count A, B and C once (4 (mk + kn + mn)); bytes to
 * the cores count one word for each multiply-add (4 mnk); flops are 2 mnk; also where a step does less than
 * that. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/bench.h"
#include "kernels/bench/blas.h"

struct work {
    struct bench *bench;
    struct gemm gemm, host;
    struct blas *blas;
};

static void run(void *argument)
{
    struct work *work = argument;
    work->bench->device->gemm(work->bench->queue, &work->gemm);
}

/* Every element of C against the step's own result at samples; and every element must have been written. */
static enum status check(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct work *work = argument;
    const struct gemm *host = &work->host;
    int64_t count = host->m * host->n, samples = bench->quick ? 2000 : 4000;
    float *c = malloc((size_t)count * sizeof *c);
    if (!c)
        return error_memory(error, "the validation", 4.0 * (double)count);
    enum status status = device_download(bench->queue, c, work->gemm.c, (size_t)count * 4, error);
    *found = 0;
    for (int64_t k = 0; k < count && !status; k++)
        if (isnan(c[k]))
            *found = NAN;
    for (int64_t k = 0; k < samples && !status && *found == *found; k++) {
        int64_t at = (int64_t)((bench_random((uint64_t)k) + 1) / 2 * (double)count);
        double size, want = gemm_expected(work->gemm.step, host, at / host->n, at % host->n, &size);
        *found = fmax(*found, fabs((double)c[at] - want) / fmax(1, size));
    }
    free(c);
    return status;
}

static enum status try_step(struct work *work, enum gemm_step step, const char *title, void (*body)(void *),
                            struct error *error)
{
    struct bench *bench = work->bench;
    double m = (double)work->gemm.m, n = (double)work->gemm.n, k = (double)work->gemm.k, seconds;
    struct measurement trial = {.variant = title, .body = body, .argument = work, .check = check};
    work->gemm.step = step;
    trial.expect_wrong = step == GEMM_TRAP;
    trial.limit = (k + 4) * 0x1p-24;
    trial.nan_fill[0] = work->gemm.c;
    trial.nan_fill_bytes[0] = 4 * (size_t)(work->gemm.m * work->gemm.n);
    trial.flops = 2 * m * n * k;
    enum status status = bench_trial(bench, &trial, &seconds, error);
    struct bench_row *row = &bench->report.row[bench->report.rows - 1];
    if (seconds > 0) {
        report_figure(row, "global GB/s", 4e-9 * (m * k + k * n + m * n) / seconds);
        report_figure(row, "cores GB/s", 4e-9 * m * n * k / seconds);
    } else if (!status && step == GEMM_TRAP && !bench->inject) {
        snprintf(row->note, sizeof row->note,
                 "C was never written: the compiler dropped the work; not timed");
    }
    return status;
}

static void run_blas(void *argument)
{
    struct work *work = argument;
    work->bench->device->blas_gemm(work->blas, &work->gemm);
}

static enum status ceiling(struct work *work, struct error *error)
{
    struct bench *bench = work->bench;
    const struct bench_device *device = bench->device;
    enum status status = STATUS_OK;
    work->blas = device->blas_open(bench->queue);
    if (work->blas)
        status = try_step(work, GEMM_NAIVE, device->blas_name, run_blas, error);
    else
        bench_blank(bench, device->blas_name, "not installed");
    device->blas_close(work->blas);
    return status;
}

static float *random_matrix(int64_t count, uint64_t seed)
{
    float *value = malloc((size_t)count * sizeof *value);
    for (int64_t k = 0; value && k < count; k++)
        value[k] = (float)bench_random(seed + (uint64_t)k);
    return value;
}

/* Every step on matrices of m x k and k x n, unequal on purpose */
static enum status gemm_of(struct bench *bench, int64_t m, int64_t n, int64_t k, struct error *error)
{
    bool is_cpu = strncmp(bench->queue->backend->name, "cpu", 3) == 0;
    enum status status = STATUS_OK;
    struct work work = {.bench = bench, .host = {.m = m, .n = n, .k = k}};
    float *a = random_matrix(m * k, 1), *b = random_matrix(k * n, 77777777);
    float *device_a = NULL, *device_b = NULL;
    if (!a || !b)
        status = error_memory(error, "the matrices", 4.0 * (double)(m * k + k * n));
    if (!status) {
        device_a = bench_upload(bench->queue, a, m * k, 4, &status, error);
        device_b = bench_upload(bench->queue, b, k * n, 4, &status, error);
        work.gemm = (struct gemm){.m = m, .n = n, .k = k, .a = device_a, .b = device_b};
        work.gemm.c = bench_upload(bench->queue, NULL, m * n, 4, &status, error);
        work.host.a = a;
        work.host.b = b;
    }
    for (int64_t i = 0; bench->inject && i < m * k && !status; i++)
        a[i] += 0.5f; /* the host's copy no longer is what the device multiplies */
    for (enum gemm_step step = GEMM_NAIVE; step < GEMM_COUNT && !status; step++) {
        bool fixed = step >= GEMM_WRITE && step <= GEMM_WRITE_WIDE; /* nothing planted can show */
        if (is_cpu && !gemm_on_cpu(step))
            bench_blank(bench, gemm_title(step), "has no meaning on a CPU");
        else if (!bench->inject || !(fixed || step == GEMM_TRAP))
            status = try_step(&work, step, gemm_title(step), run, error);
    }
    AND(ceiling(&work, error));
    device_release(bench->queue, device_a);
    device_release(bench->queue, device_b);
    device_release(bench->queue, work.gemm.c);
    free(a);
    free(b);
    return status;
}

enum status bench_gemm(struct bench *bench, struct error *error)
{
    bool is_cpu = strncmp(bench->queue->backend->name, "cpu", 3) == 0;
    int64_t largest = bench->quick ? 128 : is_cpu ? 512 : 4096;
    enum status status = STATUS_OK;
    for (int64_t m = largest; m >= largest / 4 && m >= GEMM_TILE && !status; m /= 4) {
        int64_t n = 2 * m, k = bench->quick ? 48 : m + 128;
        char title[72];
        snprintf(title, sizeof title, "%lld x %lld x %lld", (long long)m, (long long)n, (long long)k);
        report_section(&bench->report, "gemm", title, "C = A B in fp32");
        status = gemm_of(bench, m, n, k, error);
    }
    return status;
}
