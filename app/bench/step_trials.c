/* step_trials.c: the step as a whole, and every part of it alone, checked and timed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/step.h"

/* What a part writes, and the whole step too; its end does so in place */
static double *written_by(const struct step_parts *p)
{
    return p->alone && p->parts == STEP_RHS ? p->b : p->u;
}

/* Every word of it is a number, every one was written, nothing failed on the way. */
static enum status check_whole(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct step_parts *p = argument;
    struct control control, recorded = {0};
    int64_t n = p->packed.layout.rows;
    double *u = malloc(8 * (size_t)(n + 1));
    if (!u)
        return error_memory(error, "the validation", 8.0 * (double)n);
    enum status status = device_download(bench->queue, &control, p->packed.control, sizeof control, error);
    AND(device_download(bench->queue, &recorded, p->converged, sizeof recorded, error));
    AND(device_download(bench->queue, u, written_by(p), 8 * (size_t)n, error));
    *found = control.failure || recorded.failure || recorded.beyond || bench->inject;
    for (int64_t i = 0; i < n && !status; i++)
        if (!isfinite(u[i]))
            *found = NAN;
    free(u);
    return status;
}

enum status step_trial_whole(struct bench *bench, struct step_parts *p, const char *title, double *seconds,
                             struct error *error)
{
    struct measurement trial = {.variant = title, .body = step_run, .argument = p, .check = check_whole};
    trial.nan_fill[0] = p->u;
    trial.nan_fill_bytes[0] = 8 * (size_t)p->packed.layout.rows;
    return bench_trial(bench, &trial, seconds, error);
}

/* A copy of the packed matrix on the host */
struct host_matrix {
    struct packed packed;
    void *memory[6];
};

/* *host <- count words of device memory */
static void *fetch(struct bench *bench, const void *device, int64_t count, size_t size, enum status *status,
                   struct error *error)
{
    void *host = *status ? NULL : malloc((size_t)count * size + 8);
    if (!host && !*status)
        *status = error_memory(error, "the matrix", (double)count * (double)size);
    if (host && count)
        *status = device_download(bench->queue, host, device, (size_t)count * size, error);
    return host;
}

static enum status fetch_matrix(struct host_matrix *host, struct bench *bench, const struct packed *m,
                                struct error *error)
{
    enum status status = STATUS_OK;
    int64_t narrow = 0, wide = 0, singles = 0, doubles = 0;
    memset(host, 0, sizeof *host);
    struct slice *slice = host->memory[0] =
        fetch(bench, m->slice, m->slices, sizeof *m->slice, &status, error);
    for (int64_t s = 0; s < m->slices && !status; s++) {
        int64_t size = (int64_t)slice[s].width * m->height;
        int64_t *index = slice[s].index32 ? &wide : &narrow, *value = slice[s].fp32 ? &singles : &doubles;
        *index = slice[s].index + size > *index ? slice[s].index + size : *index;
        *value = slice[s].value + size > *value ? slice[s].value + size : *value;
    }
    host->packed = *m;
    host->packed.slice = slice;
    host->packed.offset = host->memory[1] = fetch(bench, m->offset, narrow, 2, &status, error);
    host->packed.column = host->memory[2] = fetch(bench, m->column, wide, 4, &status, error);
    host->packed.value32 = host->memory[3] = fetch(bench, m->value32, singles, 4, &status, error);
    host->packed.value = host->memory[4] = fetch(bench, m->value, doubles, 8, &status, error);
    return status;
}

/* One sweep with a part left out, alone */
struct alone {
    struct step_parts *p;
    struct ablation sweep;
    double *want; /* [rows] host, or of ABLATION_WRITES the totals of blocks */
    int64_t count;
    double *size; /* [count] what errors are relative to */
};

static void run_alone(void *argument)
{
    struct alone *alone = argument;
    alone->p->bench->device->ablation(alone->p->bench->queue, &alone->sweep);
}

static enum status check_alone(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct alone *alone = argument;
    double *y = malloc(8 * (size_t)(alone->count + 1));
    if (!y)
        return error_memory(error, "the validation", 8.0 * (double)alone->count);
    enum status status = device_download(bench->queue, y, alone->sweep.y64, 8 * (size_t)alone->count, error);
    *found = 0;
    for (int64_t i = 0; i < alone->count && !status; i++) {
        double apart = fabs(y[i] - alone->want[i]) / alone->size[i] + bench->inject;
        if (!(apart <= *found))
            *found = apart;
        if (isnan(apart))
            break;
    }
    free(y);
    return status;
}

/* want and size <- what the sweep must give, from host copies */
static enum status expect(struct alone *alone, struct bench *bench, const struct host_matrix *host,
                          unsigned what, struct error *error)
{
    const struct bench_packed *m = &alone->p->packed;
    int64_t n = m->layout.rows;
    enum status status = STATUS_OK;
    double *b = fetch(bench, alone->sweep.b, n, 8, &status, error);
    double *inverse = fetch(bench, m->inverse, n, 8, &status, error);
    double *x = fetch(bench, m->x64, n, 8, &status, error);
    if (!status)
        ablation_expected(alone->want, what, &host->packed, b, inverse, x);
    free(b);
    free(inverse);
    free(x);
    if (status)
        return status;
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(alone->want[i]));
    alone->count = n;
    if (what == ABLATION_WRITES) {
        alone->count = (n + ABLATION_BLOCK - 1) / ABLATION_BLOCK;
        for (int64_t block = 0; block < alone->count; block++) {
            double sum = 0;
            for (int64_t i = block * ABLATION_BLOCK; i < n && i < (block + 1) * ABLATION_BLOCK; i++)
                sum += alone->want[i];
            alone->want[block] = sum;
        }
        largest *= ABLATION_BLOCK;
    }
    for (int64_t i = 0; i < alone->count; i++)
        alone->size[i] = fmax(largest, 1e-300);
    return STATUS_OK;
}

static enum status sweeps_alone(struct bench *bench, struct step_parts *p, struct error *error)
{
    static const struct {
        const char *title;
        unsigned what;
    } kinds[] = {{"sweep minus nothing", ABLATION_NOTHING},
                 {"sweep minus gather", ABLATION_GATHER},
                 {"sweep minus values", ABLATION_VALUES},
                 {"sweep minus columns", ABLATION_COLUMNS},
                 {"sweep minus writes", ABLATION_WRITES}};
    const struct bench_packed *m = &p->packed;
    int64_t n = m->layout.rows;
    struct host_matrix host;
    struct alone alone = {.p = p, .want = malloc(8 * (size_t)(n + 1)), .size = malloc(8 * (size_t)(n + 1))};
    enum status status = fetch_matrix(&host, bench, &m->packing.matrix, error);
    if (!status && (!alone.want || !alone.size))
        status = error_memory(error, "the validation", 16.0 * (double)n);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !status; k++) {
        bool sums = kinds[k].what == ABLATION_WRITES;
        struct measurement trial = {.variant = kinds[k].title,
                                    .body = run_alone,
                                    .argument = &alone,
                                    .check = check_alone,
                                    .limit = 1e-13};
        alone.sweep = (struct ablation){.what = kinds[k].what,
                                        .matrix = &m->packing.matrix,
                                        .b = m->b,
                                        .inverse = m->inverse,
                                        .x64 = m->x64,
                                        .x32 = m->x32,
                                        .y64 = sums ? p->totals : m->y64,
                                        .y32 = sums ? NULL : m->y32};
        status = expect(&alone, bench, &host, kinds[k].what, error);
        trial.nan_fill[0] = alone.sweep.y64;
        trial.nan_fill_bytes[0] = 8 * (size_t)alone.count;
        AND(bench_trial(bench, &trial, NULL, error));
    }
    for (int k = 0; k < 5; k++)
        free(host.memory[k]);
    free(alone.want);
    free(alone.size);
    return status;
}

/* Bytes and flops of the parts: arrays that must come or go once */
static double part_bytes(const struct step_parts *p, unsigned part)
{
    const struct bench_packed *m = &p->packed;
    double n = (double)m->c->matrix->rows, all = (double)(m->entries[0] + m->entries[1]);
    double index = 2 * (double)m->narrow + 4 * (all - (double)m->narrow);
    if (part == STEP_IONIC)
        return n * (16.0 * p->cells.model->states + 16);
    if (part == STEP_RHS) /* r, columns, v, 1/d, three steps' changes; b, x, x32 */
        return 8 * all + index + n * 60;
    return n * 56; /* step end: u, x, v, b, 1/d read, u and x written */
}

enum status step_trial_parts(struct bench *bench, struct step_parts *p, struct error *error)
{
    static const struct {
        const char *title;
        unsigned part;
    } kinds[] = {{"ionic", STEP_IONIC}, {"rhs", STEP_RHS}, {"step end", STEP_END}};
    enum status status = sweeps_alone(bench, p, error);
    for (int test = 0; test < 2 && !status; test++)
        status =
            bench_packed_trial(&p->packed, bench, test ? "sweep of a run, stopping test" : "sweep of a run",
                               test, PACKED_FUSED, NULL, error);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !status; k++) {
        struct measurement trial = {.variant = kinds[k].title,
                                    .body = step_run,
                                    .argument = p,
                                    .check = check_whole,
                                    .bytes = part_bytes(p, kinds[k].part)};
        p->parts = kinds[k].part;
        p->what = ABLATION_NOTHING;
        p->alone = true;
        if (kinds[k].part != STEP_END)
            trial.nan_fill[0] = written_by(p);
        trial.nan_fill_bytes[0] = 8 * (size_t)p->packed.layout.rows;
        status = bench_trial(bench, &trial, NULL, error);
    }
    p->alone = false;
    return status;
}
