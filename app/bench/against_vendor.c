/* against_vendor.c: the sweep of a run, timed as a run executes it, over its rivals on the same matrix.
 *
 * Ours: kernels/ops/solve.h in pairs of which the second is tested, as a step lays them out, in several
 * orders and sorting windows, with the rows in fp32 that the budget allows, and all in fp64 on the same
 * offsets. Theirs: the library's CSR product with an update kernel, and CSR vector, each in the same orders.
 * The best sweep of ours is 1 in the column `over best`; what another row says there is how many times it
 * takes.
 *
 * Bytes: true entries with value and offset, b, 1/d, y, x once, y rounded where it is written, and x in fp64
 * where the test reads it, which is every second sweep. Padding and weights of the test are not counted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/as_run.h"
#include "app/bench/vendor.h"
#include "kernels/bench/csr.h"

struct work {
    struct bench *bench;
    struct bench_packed *p;
    double *want; /* [nodes] after a step */
    /* of CSR vector */
    struct csr csr;
    struct csr_way way;
    struct operands operands;
    const struct bench_case *c;
};

static void run_step(void *argument)
{
    const struct work *work = argument;
    as_run_solve(work->bench, work->p, work->p->b, AS_RUN_SWEEPS);
}

/* want <- AS_RUN_SWEEPS sweeps, row by row, values and x rounded where the row is single; of the matrix
 * itself, so that an error planted into the case is seen */
static enum status reference(struct work *work, const uint8_t *single, struct error *error)
{
    const struct bench_case *c = work->p->c;
    int64_t n = c->matrix->rows;
    double *to = malloc(((size_t)n + 1) * sizeof *to), *from = malloc(((size_t)n + 1) * sizeof *from);
    if (!to || !from) {
        free(to);
        free(from);
        return error_memory(error, "the reference", 16.0 * (double)n);
    }
    memcpy(to, c->x, (size_t)n * sizeof *to);
    for (int k = 0; k < AS_RUN_SWEEPS; k++) {
        double *kept = from;
        from = to;
        to = kept;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int32_t e = c->start[i]; e < c->start[i + 1]; e++) {
                double x = from[c->column[e]], value = c->matrix->off_value[e];
                sum += single[i] ? (double)(float)value * (double)(float)x : value * x;
            }
            to[i] = (c->b[i] - sum) * c->inverse[i];
        }
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
    enum status status = bench->backend->download(bench->queue, x, p->x64, 8 * (size_t)rows, error);
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
                                .sweeps = AS_RUN_SWEEPS,
                                .nan_fill = {p->y64},
                                .nan_fill_bytes = {8 * (size_t)p->layout.rows},
                                .flops = 2 * all + 2 * n};
    p->update = update;
    p->test = true;
    trial.bytes = 8 * (double)p->entries[0] + 4 * (double)p->entries[1] + 2 * (double)p->narrow +
                  4 * (all - (double)p->narrow) + n * (24 + (singles ? 4 + 4 : 0) + (doubles ? 8 : 4));
    enum status status = bench_packed_restart(p, bench, error);
    if (!status)
        status = bench_trial(bench, &trial, NULL, error);
    struct bench_row *row = status ? NULL : &bench->report.row[bench->report.rows - 1];
    report_figure(row, "padding", (double)p->packing.stored / fmax(1, (double)p->packing.entries));
    report_figure(row, "16-bit %", 100 * (double)p->narrow / fmax(1, all));
    report_figure(row, "single %", 100 * (double)p->entries[1] / fmax(1, all));
    return status;
}

/* One order and window: fused and hybrid with those rows in fp32; with none, in fp64 */
static enum status our_sweeps(struct bench *bench, const struct bench_case *c, const uint8_t *single,
                              const char *order_name, const int32_t *order, int64_t window, bool mixed,
                              struct error *error)
{
    struct bench_packed packed;
    struct work work = {.bench = bench, .p = &packed};
    char name[80];
    enum status status = bench_packed_make(&packed, bench, c, single, order, window, error);
    if (status)
        return status;
    status = reference(&work, single, error);
    for (int hybrid = 0; hybrid < (mixed ? 2 : 1) && !status; hybrid++) {
        snprintf(name, sizeof name, "%s%s, %s sorted in %lld", mixed ? "mixed" : "our fp64",
                 !mixed   ? ""
                 : hybrid ? " hybrid"
                          : " fused",
                 order_name, (long long)window);
        status = try_update(&work, name,
                            !mixed   ? PACKED_ALONE
                            : hybrid ? PACKED_HYBRID
                                     : PACKED_FUSED,
                            error);
    }
    free(work.want);
    bench_packed_free(&packed, bench);
    return status;
}

static void run_csr(void *argument)
{
    struct work *work = argument;
    work->bench->device->csr(work->bench->queue, &work->csr, &work->way, &work->operands);
}

static enum status check_csr(void *argument, struct bench *bench, double *found, struct error *error)
{
    return bench_case_error(((struct work *)argument)->c, bench, false, found, error);
}

/* CSR vector and the library, in that order of rows and columns */
static enum status their_sweeps(struct bench *bench, const struct bench_matrix *matrix,
                                const char *order_name, const int32_t *order, struct error *error)
{
    struct bench_case c;
    struct work work = {.bench = bench, .c = &c};
    char name[80], suffix[40];
    enum status status = bench_case_make(&c, bench, matrix, true, order, PERMUTED_SYMMETRIC, error);
    if (status)
        return status;
    status = csr_make(&work.csr, &c.rows, bench->backend, bench->queue, error);
    struct measurement trial = {.variant = name, .body = run_csr, .argument = &work, .check = check_csr};
    work.way.lanes = csr_lanes(&c.rows);
    work.operands = bench_case_operands(&c, NUMBERS_DOUBLE, false);
    bench_case_trial(&c, NUMBERS_DOUBLE, 4, &trial);
    snprintf(name, sizeof name, "CSR vector %d fp64, %s", work.way.lanes, order_name);
    if (!status)
        status = bench_trial(bench, &trial, NULL, error);
    csr_free(&work.csr, bench->backend, bench->queue);
    snprintf(suffix, sizeof suffix, ", %s", order_name);
    if (!status)
        status = bench_vendor_csr(bench, &c, suffix, error);
    bench_case_free(&c, bench);
    return status;
}

/* How many times the best mixed sweep each row takes */
static void compare_with_best(struct bench_report *report)
{
    double best = INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < report->rows; r++) {
            struct bench_row *row = &report->row[r];
            double us = report_value(row, "us");
            if (pass == 0 && strncmp(row->variant, "mixed", 5) == 0 && us < best)
                best = us;
            if (pass == 1 && us > 0 && isfinite(best))
                report_figure(row, "over best", us / best);
        }
}

/* single[rows] <- what the budget allows (all rows of a file) */
static void classify(const struct bench *bench, const struct bench_matrix *m, uint8_t *single)
{
    double budget = isnan(bench->budget) ? m->budget : bench->budget;
    for (int64_t i = 0; i < m->rows; i++)
        single[i] = !m->rate || 0x1p-23 * m->rate[i] * m->bound * m->beta <= budget;
}

enum status bench_targets(struct bench *bench, const struct bench_matrix *matrix, struct error *error)
{
    static const char *const name[] = {"rcm", "hilbert", "metis"};
    const int64_t few = layout_window(bench->backend->slice_height), many = 2 * few;
    struct bench_case plain;
    size_t n = (size_t)matrix->rows + 1;
    report_section(&bench->report, "jacobi", matrix->name, "targets");
    enum status status = bench_case_make(&plain, bench, matrix, true, NULL, PERMUTED_SYMMETRIC, error);
    if (status)
        return status;
    int32_t *order = malloc(n * sizeof *order);
    uint8_t *single = malloc(n), *none = calloc(n, 1);
    if (!order || !single || !none)
        status = error_memory(error, "the ordering", 6.0 * (double)n);
    else
        classify(bench, matrix, single);
    for (int k = 0; k < 3 && !status; k++) {
        const char *why;
        status = bench_order(matrix, name[k], order, &why, error);
        if (why)
            bench_blank(bench, name[k], why);
        for (int window = k > 0; window < 2 && !why && !status; window++)
            status = our_sweeps(bench, &plain, single, name[k], order, window ? many : few, true, error);
        for (int window = k > 0; window < 2 && !why && !status; window++)
            status = our_sweeps(bench, &plain, none, name[k], order, window ? many : few, false, error);
        if (!why && !status)
            status = their_sweeps(bench, matrix, name[k], order, error);
    }
    compare_with_best(&bench->report);
    free(order);
    free(single);
    free(none);
    bench_case_free(&plain, bench);
    return status;
}
