/* layouts.c: the sweep of a run with several orders, windows, updates and precisions, and compared with its rivals
 * on the same matrix.
 *
 * bench_layouts: two orders, sorted in narrow and wide windows, both vector updates, all rows in fp32 and all in
 * fp64. bench_against_vendor: rows in fp32 as the budget allows, and all rows in fp64 with the same offsets, compared
 * with the library's CSR product plus an update kernel and with CSR vector, in the same orders. Column `over best`:
 * time relative to our fastest mixed sweep. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/order.h"
#include "app/bench/packed.h"
#include "solver/matrix/rows.h"

enum status bench_layouts(struct bench *bench, struct bench_case *c, struct error *error)
{
    static const char *const name[] = {"rcm", "hilbert"};
    static const struct packed_title fp32[] = {{"fp32 hybrid", PACKED_HYBRID}, {"fp32 fused", PACKED_FUSED}},
                                     fp64 = {"fp64 swapped", PACKED_ALONE};
    const int64_t n = c->matrix->rows, height = bench->queue->backend->slice_height;
    const int64_t window[] = {height, 8 * height, layout_window((int)height), 64 * height};
    int32_t *order = bench_array(bench, n, sizeof *order);
    uint8_t *all = bench_array(bench, n, 1), *none = bench_array(bench, n, 1);
    TRY(bench_check(bench, error));
    memset(all, PACKING_FP32, (size_t)n);
    for (int k = 0; k < 2; k++) {
        const char *why;
        TRY(order_by_name(c->matrix, name[k], order, &why, error));
        if (why)
            bench_blank(bench, name[k], why);
        for (int w = 0; w < 4 && !why; w++) {
            struct packed_order sorted = {name[k], order, window[w]};
            TRY(bench_packed_steps(bench, c, all, &sorted, fp32, 2, error));
            TRY(bench_packed_steps(bench, c, none, &sorted, &fp64, 1, error));
        }
    }
    return STATUS_OK;
}

/* Measures CSR vector and the library, with that order of rows and columns. */
static enum status measure_rivals(struct bench *bench, const struct bench_matrix *matrix,
                                  const char *order_name, const int32_t *order, struct error *error)
{
    const int64_t pieces = bench->pieces;
    struct bench_case *c;
    char name[80];
    TRY(bench_case_make(&c, bench, matrix, true, order, PERMUTED_SYMMETRIC, error));
    struct bench_product p = {.bench = bench, .c = c};
    TRY(bench_store(bench, &p.matrix, &format_csr, &c->rows, NULL, error));
    p.way.lanes = format_lanes(p.matrix.rows, p.matrix.entries);
    snprintf(name, sizeof name, "CSR vector %d fp64, %s", p.way.lanes, order_name);
    TRY(bench_product_trial(&p, name, 4, 0, error));
    snprintf(name, sizeof name, ", %s", order_name);
    TRY(bench_rival_csr(bench, c, name, error));
    bench_release(bench, pieces);
    return STATUS_OK;
}

/* Adds `over best` to each row: its time relative to the fastest mixed sweep. */
static void compare_with_best(struct bench_report *report)
{
    double best = INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < report->rows; r++) {
            struct bench_row *row = &report->row[r];
            double us = bench_value(row, "us");
            if (pass == 0 && strncmp(row->variant, "mixed", 5) == 0 && us < best)
                best = us;
            if (pass == 1 && us > 0 && isfinite(best))
                bench_figure(row, "over best", us / best);
        }
}

/* single[rows] <- 1 for rows that the budget allows in fp32 (all rows of a file) */
static void classify_rows(const struct bench *bench, const struct bench_matrix *m, uint8_t *single)
{
    double budget = isnan(bench->budget) ? m->budget : bench->budget;
    for (int64_t i = 0; i < m->rows; i++)
        single[i] = !m->rate || rows_may_round(m->rate[i], m->bound, m->beta, budget);
}

enum status bench_against_vendor(struct bench *bench, struct bench_case *c, struct error *error)
{
    static const char *const name[] = {"rcm", "hilbert", "metis"};
    static const struct packed_title mixed[] = {{"mixed fused", PACKED_FUSED},
                                                {"mixed hybrid", PACKED_HYBRID}},
                                     fp64 = {"our fp64", PACKED_ALONE};
    const struct bench_matrix *matrix = c->matrix;
    const int64_t n = matrix->rows, few = layout_window(bench->queue->backend->slice_height), many = 2 * few;
    int32_t *order = bench_array(bench, n, sizeof *order);
    uint8_t *single = bench_array(bench, n, 1), *none = bench_array(bench, n, 1);
    TRY(bench_check(bench, error));
    classify_rows(bench, matrix, single);
    for (int k = 0; k < 3; k++) {
        const char *why;
        TRY(order_by_name(matrix, name[k], order, &why, error));
        if (why) {
            bench_blank(bench, name[k], why);
            continue;
        }
        struct packed_order sorted[] = {{name[k], order, few}, {name[k], order, many}};
        for (int window = k > 0; window < 2; window++)
            TRY(bench_packed_steps(bench, c, single, &sorted[window], mixed, 2, error));
        for (int window = k > 0; window < 2; window++)
            TRY(bench_packed_steps(bench, c, none, &sorted[window], &fp64, 1, error));
        TRY(measure_rivals(bench, matrix, name[k], order, error));
    }
    compare_with_best(&bench->report);
    return STATUS_OK;
}
