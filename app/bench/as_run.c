/* as_run.c: pairs of sweeps in place, checked after a whole step.
 *
 * Bytes: true entries with value and offset, b, 1/d, y, x once, y rounded where it is written, and x in fp64
 * where the test reads it, which is every second sweep. Padding and weights of the test are not counted. */
#include "app/bench/as_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/solve.h"

struct work {
    struct bench *bench;
    struct bench_packed *p;
    double *want; /* [nodes] after a step */
};

static void run_step(void *argument)
{
    const struct work *work = argument;
    bench_solve(work->bench, work->p, work->p->b, BENCH_SOLVE_SWEEPS);
}

/* sum_j e_ij x_j of row i as it is read */
static double row_sum(const struct system *system, uint8_t classes, int64_t i, const double *x)
{
    const struct coefficients same = {0, 1, 1};
    float unit = classes & PACKING_INT16 ? packing_unit(&same, system, i) : 1;
    double sum = 0;
    for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++) {
        double e = system->k.value[k], xj = x[system->k.column[k]];
        double stored = classes & PACKING_INT16 ? packing_whole(e, unit) : (double)(float)e;
        sum += classes & PACKING_FP32 ? stored * (double)(float)xj : e * xj;
    }
    return (double)unit * sum;
}

/* want <- BENCH_SOLVE_SWEEPS sweeps, row by row, in the classes of the rows; of the matrix itself, so that an
 * error planted into the case is seen */
static enum status reference(struct work *work, const uint8_t *classes, struct error *error)
{
    const struct bench_case *c = work->p->c;
    const struct system system = {.k = c->matrix->off};
    int64_t n = c->matrix->rows;
    double *to = malloc(((size_t)n + 1) * sizeof *to), *from = malloc(((size_t)n + 1) * sizeof *from);
    if (!to || !from) {
        free(to);
        free(from);
        return error_memory(error, "the reference", 16.0 * (double)n);
    }
    memcpy(to, c->x, (size_t)n * sizeof *to);
    for (int k = 0; k < BENCH_SOLVE_SWEEPS; k++) {
        double *kept = from;
        from = to;
        to = kept;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++)
            to[i] = (c->b[i] - row_sum(&system, classes[i], i, from)) * c->inverse[i];
    }
    free(from);
    work->want = to;
    return STATUS_OK;
}

/* Every word of x64 against the reference, relative to its largest */
static enum status check_step(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct work *work = argument;
    const struct bench_packed *p = work->p;
    int64_t rows = p->layout.rows;
    double *x = malloc(((size_t)rows + 1) * sizeof *x), largest = 0, apart = 0;
    if (!x)
        return error_memory(error, "the validation", 8.0 * (double)rows);
    enum status status = device_download(bench->queue, x, p->x64, 8 * (size_t)rows, error);
    for (int64_t k = 0; k < rows && !status && !isnan(apart); k++) {
        int32_t node = p->layout.node[k];
        if (node < 0)
            continue;
        largest = fmax(largest, fabs(work->want[node]));
        if (!(fabs(x[k] - work->want[node]) <= apart))
            apart = fabs(x[k] - work->want[node]);
    }
    *found = apart / fmax(largest, 1e-300);
    free(x);
    return status;
}

static enum status try_update(struct work *work, const char *variant, enum packed_update update,
                              struct error *error)
{
    struct bench *bench = work->bench;
    struct bench_packed *p = work->p;
    double n = (double)p->c->matrix->rows, all = (double)(p->entries[0] + p->entries[1]);
    bool singles = p->entries[1] > 0, doubles = p->entries[0] > 0;
    struct measurement trial = {.variant = variant,
                                .body = run_step,
                                .argument = work,
                                .check = check_step,
                                .limit = singles ? 0x1p-22 : 1e-13,
                                .sweeps = BENCH_SOLVE_SWEEPS,
                                .nan_fill = {p->y64},
                                .nan_fill_bytes = {8 * (size_t)p->layout.rows},
                                .flops = 2 * all + 2 * n};
    p->update = update;
    p->test = true;
    double whole = (double)p->packing.int16_slices / fmax(1, (double)p->packing.matrix.slices);
    trial.bytes = 8 * (double)p->entries[0] + (4 - 2 * whole) * (double)p->entries[1] +
                  2 * (double)p->narrow + 4 * (all - (double)p->narrow) +
                  n * (24 + 4 * whole + (singles ? 4 + 4 : 0) + (doubles ? 8 : 4));
    enum status status = bench_packed_restart(p, bench, error);
    AND(bench_trial(bench, &trial, NULL, error));
    struct bench_row *row = status ? NULL : &bench->report.row[bench->report.rows - 1];
    report_figure(row, "padding", (double)p->packing.stored / fmax(1, (double)p->packing.entries));
    report_figure(row, "16-bit %", 100 * (double)p->narrow / fmax(1, all));
    report_figure(row, "single %", 100 * (double)p->entries[1] / fmax(1, all));
    return status;
}

enum status as_run_sweeps(struct bench *bench, const struct bench_case *c, const uint8_t *classes,
                          const struct as_run_order *order, const struct as_run_update *update, int updates,
                          struct error *error)
{
    struct bench_packed packed;
    struct work work = {.bench = bench, .p = &packed};
    char name[80];
    enum status status = bench_packed_make(&packed, bench, c, classes, order->order, order->window, error);
    if (status)
        return status;
    status = reference(&work, classes, error);
    for (int k = 0; k < updates && !status; k++) {
        snprintf(name, sizeof name, "%s, %s sorted in %lld", update[k].title, order->name,
                 (long long)order->window);
        status = try_update(&work, name, update[k].update, error);
    }
    free(work.want);
    bench_packed_free(&packed, bench);
    return status;
}
