/* updates.c: the four ways to update x32 with x64: naive, cast, fused, hybrid.
 *
 * A trial makes two sweeps, x -> y -> x, so that the result is in x whatever a scheme does with pointers. The schemes
 * are equal bit for bit: after two sweeps all must have the same x64 and, except for cast, the same x32. */
#include <math.h>
#include <stdio.h>

#include "app/bench/case.h"

enum update_kind { NAIVE, CAST, FUSED, HYBRID, SCHEMES };

struct update_schemes {
    struct bench *bench;
    struct bench_case *c;
    enum update_kind scheme;
    struct stored *matrix; /* the current element of formats[] */
    struct stored formats[2];
    double *x64, *y64, *want; /* want: host, after two sweeps */
    float *x32, *y32;
};

/* y <- one sweep of x */
static void sweep_once(struct update_schemes *schemes, const double *x64, const float *x32, double *y64,
                       float *y32)
{
    const struct bench *bench = schemes->bench;
    const struct stored *m = schemes->matrix;
    struct operands operands = {.x64 = x64,
                                .x32 = x32,
                                .y64 = y64,
                                .y32 = y32,
                                .b = schemes->c->b64,
                                .inverse = schemes->c->inverse64,
                                .columns = schemes->c->matrix->columns};
    struct way way = {.numbers = x32 ? NUMBERS_MIXED : NUMBERS_CAST,
                      .lanes = format_lanes(m->rows, m->entries),
                      .narrow = m->offset != NULL};
    m->format->run[bench->device->code](bench->queue, m, &way, &operands);
}

static void two_sweeps(void *argument)
{
    struct update_schemes *schemes = argument;
    const struct bench *bench = schemes->bench;
    int64_t n = schemes->c->matrix->rows;
    switch (schemes->scheme) {
    case NAIVE:
        for (int k = 0; k < 2; k++) {
            sweep_once(schemes, schemes->x64, schemes->x32, schemes->y64, NULL);
            bench->device->copy(bench->queue, n, schemes->y64, schemes->x64, schemes->x32);
        }
        break;
    case CAST:
        sweep_once(schemes, schemes->x64, NULL, schemes->y64, NULL);
        sweep_once(schemes, schemes->y64, NULL, schemes->x64, NULL);
        break;
    case FUSED:
        sweep_once(schemes, schemes->x64, schemes->x32, schemes->y64, schemes->y32);
        sweep_once(schemes, schemes->y64, schemes->y32, schemes->x64, schemes->x32);
        break;
    default:
        sweep_once(schemes, schemes->x64, schemes->x32, schemes->y64, NULL);
        bench->device->copy(bench->queue, n, schemes->y64, NULL, schemes->x32);
        sweep_once(schemes, schemes->y64, schemes->x32, schemes->x64, NULL);
        bench->device->copy(bench->queue, n, schemes->x64, NULL, schemes->x32);
    }
}

static enum status restart_update(struct update_schemes *schemes, struct error *error)
{
    struct bench *bench = schemes->bench;
    int64_t n = schemes->c->matrix->rows;
    TRY(device_upload(bench->queue, schemes->x64, schemes->c->x, 8 * (size_t)n, error));
    bench->device->copy(bench->queue, n, schemes->x64, NULL, schemes->x32);
    return bench->queue->backend->wait(bench->queue, error);
}

/* want <- two sweeps with values and x rounded, sums in fp64, row by row */
static enum status compute_update(struct update_schemes *schemes, struct error *error)
{
    const struct bench_case *c = schemes->c;
    int64_t n = c->matrix->rows;
    double *between = bench_array(schemes->bench, n, sizeof *between);
    schemes->want = bench_array(schemes->bench, n, sizeof *schemes->want);
    TRY(bench_check(schemes->bench, error));
    for (int step = 0; step < 2; step++) {
        const double *x = step ? between : c->x;
        double *y = step ? schemes->want : between;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t k = c->rows.start[i]; k < c->rows.start[i + 1]; k++)
                sum += (double)(float)c->rows.value[k] * (double)(float)x[c->rows.column[k]];
            y[i] = c->sweep ? (c->b[i] - sum) * c->inverse[i] : sum;
        }
    }
    if (schemes->bench->inject)
        schemes->want[n / 2] += 1;
    return STATUS_OK;
}

/* *found <- the largest error of x64 relative to the largest |want|; x32 must be x64 rounded, if the scheme has it */
static enum status check_update(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct update_schemes *schemes = argument;
    int64_t n = schemes->c->matrix->rows;
    double largest = 0, apart = 0, *x64 = bench_fetch(bench, schemes->x64, n, sizeof *x64);
    float *x32 = bench_fetch(bench, schemes->x32, n, sizeof *x32);
    TRY(bench_check(bench, error));
    for (int64_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(schemes->want[i]));
        apart = bench_worse(apart, fabs(x64[i] - schemes->want[i]));
        if (schemes->scheme != CAST && x32[i] != (float)x64[i])
            apart = bench_worse(apart, INFINITY);
    }
    *found = apart / fmax(largest, 1e-300);
    return STATUS_OK;
}

static enum status measure_schemes(struct update_schemes *schemes, struct error *error)
{
    static const char *const name[SCHEMES] = {"naive", "cast", "fused", "hybrid"};
    struct bench *bench = schemes->bench;
    for (int format = 0; format < 2; format++)
        for (enum update_kind s = NAIVE; s < SCHEMES; s++) {
            char variant[60];
            snprintf(variant, sizeof variant, "%s, %s", format ? "SELL" : "CSR vector", name[s]);
            struct measurement trial = {
                .variant = variant, .body = two_sweeps, .argument = schemes, .check = check_update};
            schemes->scheme = s;
            schemes->matrix = &schemes->formats[format];
            if (format && s == NAIVE)
                bench->report.baseline = 0; /* each format relative to its own naive scheme */
            bench_case_trial(schemes->c, NUMBERS_MIXED, schemes->matrix->offset ? 2 : 4, &trial);
            /* rounding of x between the sweeps may differ by one unit in the last place of fp32 */
            trial.limit = 0x1p-22;
            trial.sweeps = 2;
            trial.nan_fill[0] = schemes->y64;
            trial.nan_fill[1] = NULL;
            TRY(restart_update(schemes, error));
            TRY(bench_trial(bench, &trial, NULL, error));
        }
    return STATUS_OK;
}

enum status bench_updates(struct bench *bench, struct bench_case *c, struct error *error)
{
    const struct backend *backend = bench->queue->backend;
    const struct shape shape = {.height = backend->slice_height, .group = backend->group};
    const int64_t n = c->matrix->rows + FORMAT_SLACK;
    struct update_schemes schemes = {.bench = bench,
                                     .c = c,
                                     .x64 = bench_upload(bench, NULL, NULL, n, 8),
                                     .y64 = bench_upload(bench, NULL, NULL, n, 8),
                                     .x32 = bench_upload(bench, NULL, NULL, n, 4),
                                     .y32 = bench_upload(bench, NULL, NULL, n, 4)};
    TRY(bench_check(bench, error));
    TRY(compute_update(&schemes, error));
    TRY(bench_store(bench, &schemes.formats[0], &format_csr, &c->rows, NULL, error));
    enum status status = bench_store(bench, &schemes.formats[1], &format_sell, &c->rows, &shape, error);
    if (status)
        return bench_blank_input(bench, "SELL", status, error);
    return measure_schemes(&schemes, error);
}
