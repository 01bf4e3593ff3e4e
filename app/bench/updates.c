/* updates.c: the four ways to keep x32 beside x64: naive, cast, fused, hybrid.
 *
 * Two sweeps, x -> y -> x, so that the result stands where it began whatever a scheme does with pointers.
 * None of them changes a bit: after the two sweeps all must hold the same x64 and the same x32. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/case.h"
#include "kernels/bench/csr.h"
#include "kernels/bench/sell.h"

enum scheme { NAIVE, CAST, FUSED, HYBRID, SCHEMES };

struct work {
    struct bench *bench;
    struct bench_case *c;
    enum scheme scheme;
    bool sell_format;
    struct csr_device csr;
    struct sell sell;
    int lanes;
    double *x64, *y64, *want; /* want: host, after two sweeps */
    float *x32, *y32;
};

/* y <- one sweep of x */
static void sweep(struct work *work, const double *x64, const float *x32, double *y64, float *y32)
{
    const struct bench *bench = work->bench;
    enum numbers numbers = x32 ? NUMBERS_MIXED : NUMBERS_CAST;
    struct operands operands = {.x64 = x64,
                                .x32 = x32,
                                .y64 = y64,
                                .y32 = y32,
                                .b = work->c->b64,
                                .inverse = work->c->inverse64,
                                .columns = work->c->matrix->columns};
    struct sell_way sell_way = {.numbers = numbers, .narrow = work->sell.offset != NULL};
    struct csr_way csr_way = {.lanes = work->lanes, .numbers = numbers};
    if (work->sell_format)
        bench->device->sell(bench->queue, &work->sell, &sell_way, &operands);
    else
        bench->device->csr(bench->queue, &work->csr, &csr_way, &operands);
}

static void two_sweeps(void *argument)
{
    struct work *work = argument;
    const struct bench *bench = work->bench;
    int64_t n = work->c->matrix->rows;
    switch (work->scheme) {
    case NAIVE:
        for (int k = 0; k < 2; k++) {
            sweep(work, work->x64, work->x32, work->y64, NULL);
            bench->device->copy(bench->queue, n, work->y64, work->x64, work->x32);
        }
        break;
    case CAST:
        sweep(work, work->x64, NULL, work->y64, NULL);
        sweep(work, work->y64, NULL, work->x64, NULL);
        break;
    case FUSED:
        sweep(work, work->x64, work->x32, work->y64, work->y32);
        sweep(work, work->y64, work->y32, work->x64, work->x32);
        break;
    default:
        sweep(work, work->x64, work->x32, work->y64, NULL);
        bench->device->copy(bench->queue, n, work->y64, NULL, work->x32);
        sweep(work, work->y64, work->x32, work->x64, NULL);
        bench->device->copy(bench->queue, n, work->x64, NULL, work->x32);
    }
}

static enum status restart(struct work *work, struct error *error)
{
    struct bench *bench = work->bench;
    int64_t n = work->c->matrix->rows;
    enum status status = device_upload(bench->queue, work->x64, work->c->x, 8 * (size_t)n, error);
    bench->device->copy(bench->queue, n, work->x64, NULL, work->x32);
    return status ? status : bench->queue->backend->wait(bench->queue, error);
}

/* want <- two sweeps with values and x rounded, sums in fp64, row by row */
static enum status reference(struct work *work, struct error *error)
{
    const struct bench_case *c = work->c;
    int64_t n = c->matrix->rows;
    double *between = malloc(((size_t)n + 1) * sizeof *between);
    work->want = malloc(((size_t)n + 1) * sizeof *work->want);
    if (!between || !work->want) {
        free(between);
        return error_memory(error, "the reference", 16.0 * (double)n);
    }
    for (int step = 0; step < 2; step++) {
        const double *x = step ? between : c->x;
        double *y = step ? work->want : between;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t k = c->rows.start[i]; k < c->rows.start[i + 1]; k++)
                sum += (double)(float)c->rows.value[k] * (double)(float)x[c->rows.column[k]];
            y[i] = c->sweep ? (c->b[i] - sum) * c->inverse[i] : sum;
        }
    }
    if (work->bench->inject)
        work->want[n / 2] += 1;
    free(between);
    return STATUS_OK;
}

/* x64 against the reference, relative to its largest; and x32 must be x64 rounded, where the scheme has it */
static enum status check(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct work *work = argument;
    int64_t n = work->c->matrix->rows;
    double *x64 = malloc(((size_t)n + 1) * sizeof *x64), largest = 0, apart = 0;
    float *x32 = malloc(((size_t)n + 1) * sizeof *x32);
    enum status status = x64 && x32 ? STATUS_OK : error_memory(error, "the validation", 12.0 * (double)n);
    AND(device_download(bench->queue, x64, work->x64, 8 * (size_t)n, error));
    AND(device_download(bench->queue, x32, work->x32, 4 * (size_t)n, error));
    for (int64_t i = 0; i < n && !status; i++) {
        largest = fmax(largest, fabs(work->want[i]));
        if (!(fabs(x64[i] - work->want[i]) <= apart))
            apart = fabs(x64[i] - work->want[i]);
        if (work->scheme != CAST && x32[i] != (float)x64[i])
            apart = INFINITY;
        if (isnan(apart))
            break;
    }
    *found = apart / fmax(largest, 1e-300);
    free(x64);
    free(x32);
    return status;
}

static enum status try_schemes(struct work *work, struct error *error)
{
    static const char *const name[SCHEMES] = {"naive", "cast", "fused", "hybrid"};
    enum status status = STATUS_OK;
    struct bench *bench = work->bench;
    for (int format = 0; format < 2 && !status; format++)
        for (enum scheme s = NAIVE; s < SCHEMES && !status; s++) {
            char variant[60];
            snprintf(variant, sizeof variant, "%s, %s", format ? "SELL" : "CSR vector", name[s]);
            struct measurement trial = {
                .variant = variant, .body = two_sweeps, .argument = work, .check = check};
            work->scheme = s;
            work->sell_format = format;
            if (format && s == NAIVE)
                bench->report.baseline = 0; /* each format against its own naive scheme */
            bench_case_trial(work->c, NUMBERS_MIXED, format && work->sell.offset ? 2 : 4, &trial);
            /* x rounding between the sweeps may tip one unit in the last place of fp32 */
            trial.limit = 0x1p-22;
            trial.sweeps = 2;
            trial.nan_fill[0] = work->y64;
            trial.nan_fill[1] = NULL;
            status = restart(work, error);
            AND(bench_trial(bench, &trial, NULL, error));
        }
    return status;
}

enum status bench_updates(struct bench *bench, const struct bench_matrix *matrix, bool sweeps,
                          struct error *error)
{
    struct bench_case c;
    int64_t n = matrix->rows + BENCH_SLACK;
    report_section(&bench->report, sweeps ? "jacobi" : "spmv", matrix->name, "vector updates");
    enum status status = bench_case_make(&c, bench, matrix, sweeps, NULL, PERMUTED_SYMMETRIC, error);
    if (status)
        return status;
    struct work work = {.bench = bench, .c = &c, .lanes = csr_lanes(&c.rows)};
    work.x64 = bench_upload(bench->queue, NULL, n, 8, &status, error);
    work.y64 = bench_upload(bench->queue, NULL, n, 8, &status, error);
    work.x32 = bench_upload(bench->queue, NULL, n, 4, &status, error);
    work.y32 = bench_upload(bench->queue, NULL, n, 4, &status, error);
    AND(reference(&work, error));
    AND(csr_device_make(&work.csr, &c.rows, bench->queue, error));
    AND(sell_make(&work.sell, &c.rows, bench->queue->backend->slice_height, bench->queue->backend->group,
                  bench->queue, error));
    if (status == STATUS_INPUT && error) { /* too much padding */
        bench_blank(bench, "SELL", error->text);
        memset(error, 0, sizeof *error);
        status = STATUS_OK;
    } else if (!status) {
        status = try_schemes(&work, error);
    }
    csr_device_free(&work.csr, bench->queue);
    sell_free(&work.sell, bench->queue);
    void *memory[] = {work.x64, work.y64, work.x32, work.y32};
    for (int k = 0; k < 4; k++)
        device_release(bench->queue, memory[k]);
    free(work.want);
    bench_case_free(&c, bench);
    return status;
}
