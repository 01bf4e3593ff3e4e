/* packed.c: packs a matrix as a run does, and sweeps.
 *
 * Bytes of a sweep: entries without padding (value and offset), b, 1/d, y and x once, y rounded if it is written, and
 * x in fp64 if the test of every second sweep reads it. Padding and the test's weights are not counted. */
#include "app/bench/packed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/ops/solve.h"

/* device[layout rows] <- of[node of each row]; `otherwise` in padding rows, or everywhere if of is NULL */
static void *upload_packed(const struct bench_packed *p, const double *of, double otherwise, bool narrow)
{
    struct bench *bench = p->bench;
    int64_t rows = p->layout.rows;
    double *wide = bench_array(bench, rows, sizeof *wide);
    float *single = bench_array(bench, rows, sizeof *single);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < (bench->lack.status ? 0 : rows); k++) {
        wide[k] = p->layout.node[k] < 0 || !of ? otherwise : of[p->layout.node[k]];
        single[k] = (float)wide[k];
    }
    return bench_upload(bench, NULL, narrow ? (void *)single : wide, rows, narrow ? 4 : 8);
}

static void release_packed(struct queue *queue, void *packed)
{
    struct bench_packed *p = packed;
    packing_free(&p->packing, queue);
    layout_free(&p->layout);
}

static void count_entries(struct bench_packed *p, const struct bench_matrix *m, int height)
{
    for (int64_t k = 0; k < p->layout.rows; k++) {
        int32_t node = p->layout.node[k];
        if (node >= 0)
            p->entries[p->layout.classes[k / height] & PACKING_FP32] +=
                m->off.start[node + 1] - m->off.start[node];
    }
    double wide = (double)p->packing.index32_slices / fmax(1, (double)p->packing.matrix.slices);
    p->narrow = (int64_t)((1 - wide) * (double)(p->entries[0] + p->entries[1]));
}

enum status bench_packed_make(struct bench_packed **out, struct bench *bench, const struct bench_case *c,
                              const uint8_t *single, const int32_t *order, int64_t window,
                              struct error *error)
{
    const struct bench_matrix *m = c->matrix;
    const struct scheme_length of = {.lumping = 1, .theta_dt = 1};
    const struct control zero = {0};
    struct system system = {.k = m->off}; /* its entries are the e_ij */
    const int height = bench->queue->backend->slice_height;
    struct bench_packed *p = *out = bench_array(bench, 1, sizeof *p);
    TRY(bench_check(bench, error));
    *p = (struct bench_packed){.bench = bench, .c = c, .test = true};
    bench_keep(bench, bench->queue, release_packed, p);
    TRY(bench_check(bench, error));
    if (bench->inject) /* the case's rows contain the planted error */
        system.k.value = c->rows.value;
    window = window < height ? height : window / height * height;
    TRY(layout_make(&p->layout, &system, order, single, height, window, error));
    TRY(packing_make(&p->packing, &system, &p->layout, &of, NULL, 1, height, bench->queue, error));
    count_entries(p, m, height);
    p->b = upload_packed(p, c->b, 0, false);
    p->inverse = upload_packed(p, c->inverse, 1, false);
    p->x64 = upload_packed(p, c->x, 0, false);
    p->x32 = upload_packed(p, c->x, 0, true);
    p->weight = upload_packed(p, NULL, 1, true);
    p->y64 = bench_upload(bench, NULL, NULL, p->layout.rows, 8);
    p->y32 = bench_upload(bench, NULL, NULL, p->layout.rows, 4);
    p->control = bench_upload(bench, NULL, &zero, 1, sizeof zero);
    return bench_check(bench, error);
}

void bench_packed_solve(const struct bench_packed *p, const double *b, int sweeps)
{
    struct sweeps all = {
        .kind = SWEEP_PLAIN,
        .fused = p->update == PACKED_FUSED,
        .x = p->x64,
        .y = p->y64,
        .x32 = p->update == PACKED_ALONE ? NULL : p->x32,
        .y32 = p->y32,
        .b = b,
        .inverse = p->inverse,
        .weight = p->weight,
        .beta = 1,
        .tolerance = -1,
        .bound = INFINITY,
        .max_sweeps = sweeps,
        .expected = sweeps,
        .untested = !p->test,
        .control = p->control,
    };
    p->bench->queue->backend->solve(p->bench->queue, &p->packing.matrix, &all);
}

static void run_step(void *argument)
{
    const struct bench_packed *p = argument;
    bench_packed_solve(p, p->b, BENCH_PACKED_SWEEPS);
}

/* x64 and x32 <- the input of the case's reference, control <- zeros */
static enum status restart_packed(struct bench_packed *p, struct error *error)
{
    struct bench *bench = p->bench;
    int64_t rows = p->layout.rows;
    double *x = bench_array(bench, rows, sizeof *x);
    struct control zero = {0};
    TRY(bench_check(bench, error));
    for (int64_t k = 0; k < rows; k++)
        if (p->layout.node[k] >= 0)
            x[k] = p->c->x[p->layout.node[k]];
    TRY(device_upload(bench->queue, p->x64, x, 8 * (size_t)rows, error));
    bench->device->copy(bench->queue, rows, p->x64, NULL, p->x32);
    return device_upload(bench->queue, p->control, &zero, sizeof zero, error);
}

/* Compares the first sweep of a pair with the reference. */
static enum status check_sweep(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct bench_packed *p = argument;
    TRY(restart_packed(p, error));
    bench_packed_solve(p, p->b, 2);
    double *y = bench_fetch(bench, p->y64, p->layout.rows, sizeof *y);
    TRY(bench_check(bench, error));
    *found = 0;
    for (int64_t k = 0; k < p->layout.rows; k++) {
        int32_t node = p->layout.node[k];
        if (node >= 0)
            *found = bench_worse(*found, fabs(y[k] - p->c->want[node]) / p->c->size[node]);
    }
    return STATUS_OK;
}

/* Fills limit, nan_fill, bytes and flops of a trial of p as it is currently configured. */
static void fill_trial(const struct bench_packed *p, struct measurement *trial)
{
    double all = (double)(p->entries[0] + p->entries[1]), n = (double)p->c->matrix->rows;
    bool singles = p->entries[1] > 0, doubles = p->entries[0] > 0;
    trial->sweeps = BENCH_PACKED_SWEEPS;
    trial->limit = singles ? 0x1p-22 : 1e-13;
    trial->nan_fill[0] = p->y64;
    trial->nan_fill_bytes[0] = 8 * (size_t)p->layout.rows;
    trial->bytes = 8 * (double)p->entries[0] + 4 * (double)p->entries[1] + 2 * (double)p->narrow +
                   4 * (all - (double)p->narrow) +
                   n * (24 + (singles ? 4 : 0) + (p->update == PACKED_ALONE ? 0 : 4) +
                        (doubles   ? 8
                         : p->test ? 4
                                   : 0));
    trial->flops = 2 * all + 2 * n;
}

enum status bench_packed_trial(struct bench_packed *p, struct bench *bench, const char *variant, bool test,
                               enum packed_update update, struct error *error)
{
    struct measurement trial = {.variant = variant, .body = run_step, .argument = p, .check = check_sweep};
    p->test = test;
    p->update = update;
    fill_trial(p, &trial);
    return bench_trial(bench, &trial, NULL, error);
}

/* sum_j e_ij x_j of row i, with e and x rounded as the kernels read them */
static double row_sum(const struct system *system, uint8_t classes, int64_t i, const double *x)
{
    double sum = 0;
    for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++) {
        double e = system->k.value[k], xj = x[system->k.column[k]];
        sum += classes & PACKING_FP32 ? (double)(float)e * (double)(float)xj : e * xj;
    }
    return sum;
}

/* p->want <- BENCH_PACKED_SWEEPS sweeps, row by row, in the precision of each row's class. Uses the original matrix,
 * so an error planted in the case is detected. */
static enum status compute_steps(struct bench_packed *p, const uint8_t *classes, struct error *error)
{
    const struct bench_case *c = p->c;
    const struct system system = {.k = c->matrix->off};
    int64_t n = c->matrix->rows;
    double *vector[2];
    for (int k = 0; k < 2; k++)
        vector[k] = bench_array(p->bench, n, sizeof **vector);
    TRY(bench_check(p->bench, error));
    memcpy(vector[0], c->x, (size_t)n * sizeof **vector);
    for (int k = 0; k < BENCH_PACKED_SWEEPS; k++) {
        const double *from = vector[k % 2];
        double *to = p->want = vector[(k + 1) % 2];
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++)
            to[i] = (c->b[i] - row_sum(&system, classes[i], i, from)) * c->inverse[i];
    }
    return STATUS_OK;
}

/* *found <- the largest error of x64, relative to the largest |want| */
static enum status check_step(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct bench_packed *p = argument;
    double largest = 0, apart = 0, *x = bench_fetch(bench, p->x64, p->layout.rows, sizeof *x);
    TRY(bench_check(bench, error));
    for (int64_t k = 0; k < p->layout.rows; k++) {
        int32_t node = p->layout.node[k];
        if (node < 0)
            continue;
        largest = fmax(largest, fabs(p->want[node]));
        apart = bench_worse(apart, fabs(x[k] - p->want[node]));
    }
    *found = apart / fmax(largest, 1e-300);
    return STATUS_OK;
}

enum status bench_packed_steps(struct bench *bench, const struct bench_case *c, const uint8_t *classes,
                               const struct packed_order *order, const struct packed_title *update,
                               int updates, struct error *error)
{
    const int64_t pieces = bench->pieces;
    struct bench_packed *p;
    char name[80];
    TRY(bench_packed_make(&p, bench, c, classes, order->order, order->window, error));
    TRY(compute_steps(p, classes, error));
    for (int k = 0; k < updates; k++) {
        struct measurement trial = {.variant = name, .body = run_step, .argument = p, .check = check_step};
        double all = (double)(p->entries[0] + p->entries[1]);
        snprintf(name, sizeof name, "%s, %s sorted in %lld", update[k].title, order->name,
                 (long long)order->window);
        p->update = update[k].update;
        p->test = true;
        fill_trial(p, &trial);
        TRY(restart_packed(p, error));
        TRY(bench_trial(bench, &trial, NULL, error));
        struct bench_row *row = bench_last_row(bench);
        bench_figure(row, "padding", (double)p->packing.stored / fmax(1, (double)p->packing.entries));
        bench_figure(row, "16-bit %", 100 * (double)p->narrow / fmax(1, all));
        bench_figure(row, "single %", 100 * (double)p->entries[1] / fmax(1, all));
    }
    bench_release(bench, pieces);
    return STATUS_OK;
}
