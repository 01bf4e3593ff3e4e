/* packed.c: packs a matrix of the bench as a run would, and sweeps.
 *
 * Bytes of a sweep: true entries with value and offset, b, 1/d, y, x once, y rounded where it is written, and
 * x in fp64 where the test of every second sweep reads it. Padding and weights of the test are not counted.
 */
#include "app/bench/packed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/ops/solve.h"

/* device[layout rows] <- of[node of each row], padding rows get `otherwise` */
static void *upload_packed(const struct bench_packed *p, const double *of, double otherwise, bool narrow,
                           enum status *status, struct error *error)
{
    int64_t rows = p->layout.rows;
    double *wide = array_new(rows, sizeof *wide, "the vectors", status, error);
    float *single = array_new(rows, sizeof *single, "the vectors", status, error);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < (*status ? 0 : rows); k++) {
        wide[k] = p->layout.node[k] < 0 || !of ? otherwise : of[p->layout.node[k]];
        single[k] = (float)wide[k];
    }
    void *device =
        format_upload(p->bench->queue, narrow ? (void *)single : wide, rows, narrow ? 4 : 8, status, error);
    free(wide);
    free(single);
    return device;
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

enum status bench_packed_make(struct bench_packed *p, struct bench *bench, const struct bench_case *c,
                              const uint8_t *single, const int32_t *order, int64_t window,
                              struct error *error)
{
    const struct bench_matrix *m = c->matrix;
    struct coefficients coefficients = {0, 1, 1};
    struct control zero = {0};
    struct system system = {.k = m->off}; /* whose e_ij are its entries */
    int height = bench->queue->backend->slice_height;
    memset(p, 0, sizeof *p);
    p->bench = bench;
    p->c = c;
    p->test = true;
    window = window < height ? height : window / height * height;
    if (bench->inject) /* the case's rows hold the planted error */
        system.k.value = c->rows.value;
    enum status status = layout_make(&p->layout, &system, order, single, height, window, error);
    if (!status)
        status = packing_make(&p->packing, &system, &p->layout, &coefficients, NULL, 1, height, bench->queue,
                              error);
    if (!status) {
        count_entries(p, m, height);
        p->b = upload_packed(p, c->b, 0, false, &status, error);
        p->inverse = upload_packed(p, c->inverse, 1, false, &status, error);
        p->x64 = upload_packed(p, c->x, 0, false, &status, error);
        p->x32 = upload_packed(p, c->x, 0, true, &status, error);
        p->weight = upload_packed(p, NULL, 1, true, &status, error);
        p->y64 = format_upload(bench->queue, NULL, p->layout.rows, 8, &status, error);
        p->y32 = format_upload(bench->queue, NULL, p->layout.rows, 4, &status, error);
        p->control = format_upload(bench->queue, &zero, 1, sizeof zero, &status, error);
    }
    if (status)
        bench_packed_free(p, bench);
    return status;
}

void bench_packed_free(struct bench_packed *p, struct bench *bench)
{
    void *memory[] = {p->b, p->inverse, p->x64, p->y64, p->weight, p->x32, p->y32, p->control};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        device_release(bench->queue, memory[k]);
    packing_free(&p->packing, bench->queue);
    layout_free(&p->layout);
    free(p->want);
    memset(p, 0, sizeof *p);
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

/* x64 and x32 <- what the case's reference is of, control <- zeros */
static enum status restart_packed(struct bench_packed *p, struct error *error)
{
    const struct bench *bench = p->bench;
    int64_t rows = p->layout.rows;
    enum status status = STATUS_OK;
    double *x = array_zeroed(rows, sizeof *x, "the vectors", &status, error);
    struct control zero = {0};
    if (status)
        return status;
    for (int64_t k = 0; k < rows; k++)
        if (p->layout.node[k] >= 0)
            x[k] = p->c->x[p->layout.node[k]];
    status = device_upload(bench->queue, p->x64, x, 8 * (size_t)rows, error);
    bench->device->copy(bench->queue, rows, p->x64, NULL, p->x32);
    free(x);
    return status ? status : device_upload(bench->queue, p->control, &zero, sizeof zero, error);
}

/* The first sweep of a pair against the reference */
static enum status check_sweep(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct bench_packed *p = argument;
    TRY(restart_packed(p, error));
    bench_packed_solve(p, p->b, 2);
    double *y = bench_fetch(bench, p->y64, p->layout.rows, sizeof *y, error);
    if (!y)
        return STATUS_RUN;
    *found = 0;
    for (int64_t k = 0; k < p->layout.rows; k++) {
        int32_t node = p->layout.node[k];
        if (node >= 0)
            *found = bench_worse(*found, fabs(y[k] - p->c->want[node]) / p->c->size[node]);
    }
    free(y);
    return STATUS_OK;
}

/* limit, NaN, bytes and flops of a trial of p as it is set up */
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

/* sum_j e_ij x_j of row i, rounded as the kernels read it */
static double row_sum(const struct system *system, uint8_t classes, int64_t i, const double *x)
{
    double sum = 0;
    for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++) {
        double e = system->k.value[k], xj = x[system->k.column[k]];
        sum += classes & PACKING_FP32 ? (double)(float)e * (double)(float)xj : e * xj;
    }
    return sum;
}

/* want <- BENCH_PACKED_SWEEPS sweeps, row by row, in the classes of the rows; of the matrix itself, so that
 * an error planted into the case is seen */
static enum status compute_steps(struct bench_packed *p, const uint8_t *classes, struct error *error)
{
    const struct bench_case *c = p->c;
    const struct system system = {.k = c->matrix->off};
    int64_t n = c->matrix->rows;
    enum status status = STATUS_OK;
    double *to = array_new(n, sizeof *to, "the reference", &status, error),
           *from = array_new(n, sizeof *from, "the reference", &status, error);
    if (!status)
        memcpy(to, c->x, (size_t)n * sizeof *to);
    for (int k = 0; k < BENCH_PACKED_SWEEPS && !status; k++) {
        double *swapped = from;
        from = to;
        to = swapped;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++)
            to[i] = (c->b[i] - row_sum(&system, classes[i], i, from)) * c->inverse[i];
    }
    free(from);
    p->want = to;
    return status;
}

/* Every word of x64 against the reference, relative to its largest */
static enum status check_step(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct bench_packed *p = argument;
    double largest = 0, apart = 0, *x = bench_fetch(bench, p->x64, p->layout.rows, sizeof *x, error);
    if (!x)
        return STATUS_RUN;
    for (int64_t k = 0; k < p->layout.rows; k++) {
        int32_t node = p->layout.node[k];
        if (node < 0)
            continue;
        largest = fmax(largest, fabs(p->want[node]));
        apart = bench_worse(apart, fabs(x[k] - p->want[node]));
    }
    *found = apart / fmax(largest, 1e-300);
    free(x);
    return STATUS_OK;
}

enum status bench_packed_steps(struct bench *bench, const struct bench_case *c, const uint8_t *classes,
                               const struct packed_order *order, const struct packed_title *update,
                               int updates, struct error *error)
{
    struct bench_packed p;
    char name[80];
    enum status status;
    TRY(bench_packed_make(&p, bench, c, classes, order->order, order->window, error));
    TRY_DONE(compute_steps(&p, classes, error));
    for (int k = 0; k < updates; k++) {
        struct measurement trial = {.variant = name, .body = run_step, .argument = &p, .check = check_step};
        double all = (double)(p.entries[0] + p.entries[1]);
        snprintf(name, sizeof name, "%s, %s sorted in %lld", update[k].title, order->name,
                 (long long)order->window);
        p.update = update[k].update;
        p.test = true;
        fill_trial(&p, &trial);
        TRY_DONE(restart_packed(&p, error));
        TRY_DONE(bench_trial(bench, &trial, NULL, error));
        struct bench_row *row = bench_last_row(bench);
        bench_figure(row, "padding", (double)p.packing.stored / fmax(1, (double)p.packing.entries));
        bench_figure(row, "16-bit %", 100 * (double)p.narrow / fmax(1, all));
        bench_figure(row, "single %", 100 * (double)p.entries[1] / fmax(1, all));
    }
done:
    bench_packed_free(&p, bench);
    return status;
}
