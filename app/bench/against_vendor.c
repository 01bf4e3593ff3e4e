/* against_vendor.c: the sweep of a run, timed as a run executes it, over its rivals on the same matrix.
 *
 * Ours: app/bench/as_run.h in several orders and sorting windows, with the rows in fp32 that the budget
 * allows, and all in fp64 on the same offsets. Theirs: the library's CSR product with an update kernel, and
 * CSR vector, each in the same orders. The best sweep of ours is 1 in the column `over best`; what another
 * row says there is how many times it takes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/as_run.h"
#include "app/bench/vendor.h"
#include "kernels/bench/csr.h"
#include "solver/matrix/rows.h"

struct work {
    struct csr_device csr;
    struct csr_way way;
    struct operands operands;
    const struct bench_case *c;
    struct bench *bench;
};

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
    status = csr_device_make(&work.csr, &c.rows, bench->queue, error);
    struct measurement trial = {.variant = name, .body = run_csr, .argument = &work, .check = check_csr};
    work.way.lanes = csr_lanes(&c.rows);
    work.operands = bench_case_operands(&c, NUMBERS_DOUBLE, false);
    bench_case_trial(&c, NUMBERS_DOUBLE, 4, &trial);
    snprintf(name, sizeof name, "CSR vector %d fp64, %s", work.way.lanes, order_name);
    AND(bench_trial(bench, &trial, NULL, error));
    csr_device_free(&work.csr, bench->queue);
    snprintf(suffix, sizeof suffix, ", %s", order_name);
    AND(bench_vendor_csr(bench, &c, suffix, error));
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
        single[i] = !m->rate || rows_may_round(m->rate[i], m->bound, m->beta, budget);
}

enum status bench_against_vendor(struct bench *bench, const struct bench_matrix *matrix, struct error *error)
{
    static const char *const name[] = {"rcm", "hilbert", "metis"};
    static const struct as_run_update mixed[] = {{"mixed fused", PACKED_FUSED},
                                                 {"mixed hybrid", PACKED_HYBRID}},
                                      fp64 = {"our fp64", PACKED_ALONE};
    const int64_t few = layout_window(bench->queue->backend->slice_height), many = 2 * few;
    struct bench_case plain;
    size_t n = (size_t)matrix->rows + 1;
    report_section(&bench->report, "jacobi", matrix->name, "against the vendor");
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
        struct as_run_order sorted[] = {{name[k], order, few}, {name[k], order, many}};
        for (int window = k > 0; window < 2 && !why && !status; window++)
            status = as_run_sweeps(bench, &plain, single, &sorted[window], mixed, 2, error);
        for (int window = k > 0; window < 2 && !why && !status; window++)
            status = as_run_sweeps(bench, &plain, none, &sorted[window], &fp64, 1, error);
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
