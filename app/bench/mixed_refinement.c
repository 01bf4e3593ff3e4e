/* mixed_refinement.c: multi-precision Jacobi: sweeps begin in fp32, go on with fp32 values and fp64 sums, and
 * end in fp64, as the update between two sweeps falls.
 *
 * A x = b with the right side of a known x, from 0, until no entry moves by more than 1e-13 of the largest.
 * Pure fp64 beside it; both must reach the known x. How many sweeps each stage takes is found once, by
 * looking at the update; what is timed is that schedule without the looks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/case.h"
#include "kernels/bench/sell.h"

enum { SWEEPS_MAX = 4000, LOOK = 2 /* sweeps between two looks at the update */, STAGES = 3 };

struct work {
    struct bench *bench;
    struct bench_case *c;
    struct sell sell;
    double *known;      /* [rows] host */
    double *zero64;     /* [rows] host, zeros: where every solve begins */
    int sweeps[STAGES]; /* in fp32, mixed and fp64; even */
};

static const enum numbers stage_numbers[STAGES] = {NUMBERS_SINGLE, NUMBERS_MIXED, NUMBERS_DOUBLE};

/* x -> y, or y -> x. Every sweep but the all-fp32 ones leaves both y64 and y32. */
static void sweep(const struct work *work, enum numbers numbers, bool back)
{
    const struct bench_case *c = work->c;
    struct sell_way way = {.numbers = numbers, .narrow = work->sell.offset != NULL};
    struct operands operands = bench_case_operands(c, numbers, true);
    if (back) {
        operands.x64 = c->y64;
        operands.x32 = c->y32;
        operands.y64 = c->x64;
        operands.y32 = c->x32;
    }
    work->bench->device->sell(work->bench->queue, &work->sell, &way, &operands);
}

/* The schedule. A mixed pair reads x32 alone, so it takes over from fp32 sweeps; an fp64 sweep reads x64,
 * which the mixed ones have written. */
static void solve(void *argument)
{
    struct work *work = argument;
    for (int stage = 0; stage < STAGES; stage++)
        for (int k = 0; k < work->sweeps[stage]; k++)
            sweep(work, stage_numbers[stage], k % 2);
}

static enum status restart(struct work *work, struct error *error)
{
    const struct bench *bench = work->bench;
    size_t n = (size_t)work->c->matrix->rows;
    enum status status = device_upload(bench->queue, work->c->x64, work->zero64, 8 * n, error);
    return status ? status : device_upload(bench->queue, work->c->x32, work->zero64, 4 * n, error);
}

/* *update <- max |x_i - y_i| of the last pair, of the vectors that the stage writes */
static enum status look(const struct work *work, bool narrow, double *update, struct error *error)
{
    const struct bench *bench = work->bench;
    const struct bench_case *c = work->c;
    int64_t n = c->matrix->rows;
    size_t bytes = (size_t)n * (narrow ? 4 : 8);
    void *x = malloc(bytes + 8), *y = malloc(bytes + 8);
    enum status status = x && y ? STATUS_OK : error_memory(error, "the update", 2 * (double)bytes);
    AND(device_download(bench->queue, x, narrow ? (void *)c->x32 : c->x64, bytes, error));
    AND(device_download(bench->queue, y, narrow ? (void *)c->y32 : c->y64, bytes, error));
    *update = 0;
    for (int64_t i = 0; i < n && !status; i++) {
        double apart = narrow ? fabs((double)((float *)x)[i] - (double)((float *)y)[i])
                              : fabs(((double *)x)[i] - ((double *)y)[i]);
        *update = apart <= *update ? *update : apart;
    }
    free(x);
    free(y);
    return status;
}

/* Sweeps of each stage until its update is small enough, or no longer falls */
static enum status find_schedule(struct work *work, bool staged, bool *converged, struct error *error)
{
    const double enough[STAGES] = {4 * 0x1p-23, 4 * 0x1p-23, 1e-13};
    enum status status = restart(work, error);
    memset(work->sweeps, 0, sizeof work->sweeps);
    *converged = false;
    for (int stage = staged ? 0 : 2; stage < STAGES && !status; stage++) {
        double update = INFINITY, before;
        do {
            before = update;
            for (int k = 0; k < LOOK; k++)
                sweep(work, stage_numbers[stage], k % 2);
            work->sweeps[stage] += LOOK;
            status = look(work, stage == 0, &update, error);
        } while (!status && update > enough[stage] && update < before && work->sweeps[stage] < SWEEPS_MAX);
        *converged = update <= enough[stage];
    }
    return status;
}

static enum status check(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct work *work = argument;
    int64_t n = work->c->matrix->rows;
    double *x = malloc(((size_t)n + 1) * sizeof *x);
    if (!x)
        return error_memory(error, "the validation", 8.0 * (double)n);
    enum status status = device_download(bench->queue, x, work->c->x64, 8 * (size_t)n, error);
    *found = 0;
    for (int64_t i = 0; i < n && !status; i++) {
        double apart = fabs(x[i] - work->known[i]);
        if (!(apart <= *found))
            *found = apart;
        if (isnan(apart))
            break;
    }
    free(x);
    return status;
}

/* b <- A known, on the device in both kinds of numbers */
static enum status set_right_side(struct work *work, struct error *error)
{
    struct bench_case *c = work->c;
    const struct bench_matrix *m = c->matrix;
    int64_t n = m->rows;
    float *narrow = malloc(((size_t)n + 1) * sizeof *narrow);
    if (!narrow)
        return error_memory(error, "the right side", 4.0 * (double)n);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        double sum = m->diagonal[i] * work->known[i];
        for (int64_t k = m->off.start[i]; k < m->off.start[i + 1]; k++)
            sum += m->off.value[k] * work->known[m->off.column[k]];
        c->b[i] = sum;
        narrow[i] = (float)sum;
    }
    const struct bench *bench = work->bench;
    enum status status = device_upload(bench->queue, c->b64, c->b, 8 * (size_t)n, error);
    AND(device_upload(bench->queue, c->b32, narrow, 4 * (size_t)n, error));
    free(narrow);
    return status;
}

static enum status try_both(struct work *work, struct error *error)
{
    struct bench *bench = work->bench;
    enum status status = STATUS_OK;
    for (int staged = 0; staged < 2 && !status; staged++) {
        bool converged;
        const char *name = staged ? "Jacobi, fp32 then mixed then fp64" : "Jacobi, fp64";
        struct measurement trial = {
            .variant = name, .body = solve, .argument = work, .check = check, .limit = 1e-11};
        status = find_schedule(work, staged, &converged, error);
        if (!status && !converged && !bench->inject) {
            bench_blank(bench, name, "does not converge on this matrix");
            continue;
        }
        AND(restart(work, error));
        trial.nan_fill[0] = work->c->y64;
        trial.nan_fill_bytes[0] = 8 * (size_t)work->c->matrix->rows;
        AND(bench_trial(bench, &trial, NULL, error));
        static const char *const column[STAGES] = {"fp32 sweeps", "mixed", "fp64"};
        for (int k = 0; k < STAGES && !status; k++)
            report_figure(&bench->report.row[bench->report.rows - 1], column[k], work->sweeps[k]);
    }
    return status;
}

enum status bench_mixed_refinement(struct bench *bench, const struct bench_matrix *matrix,
                                   struct error *error)
{
    struct bench_case c;
    int64_t n = matrix->rows;
    report_section(&bench->report, "jacobi", matrix->name, "multi-precision Jacobi");
    enum status status = bench_case_make(&c, bench, matrix, true, NULL, PERMUTED_SYMMETRIC, error);
    if (status)
        return status;
    struct work work = {.bench = bench,
                        .c = &c,
                        .known = malloc(((size_t)n + 1) * sizeof(double)),
                        .zero64 = calloc((size_t)n + 1, sizeof(double))};
    if (!work.known || !work.zero64)
        status = error_memory(error, "the solution", 16.0 * (double)n);
    for (int64_t i = 0; i < n && !status; i++)
        work.known[i] = bench_random((uint64_t)i);
    AND(set_right_side(&work, error));
    AND(sell_make(&work.sell, &c.rows, bench->queue->backend->slice_height, 1, bench->queue, error));
    if (status == STATUS_INPUT && error) { /* too much padding */
        bench_blank(bench, "Jacobi", error->text);
        memset(error, 0, sizeof *error);
        status = STATUS_OK;
    } else if (!status) {
        status = try_both(&work, error);
    }
    sell_free(&work.sell, bench->queue);
    free(work.known);
    free(work.zero64);
    bench_case_free(&c, bench);
    return status;
}
