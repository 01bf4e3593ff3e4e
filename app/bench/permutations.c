/* permutations.c: the gain of a row order, and the cost of not applying it to the vectors.
 *
 * none: original order. Rows only: rows are permuted but x is not, so results must be gathered back before they can
 * be the next x. Symmetric: x is permuted too, and nothing is gathered. Inside windows rows are sorted by length,
 * which saves padding and costs locality. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/case.h"
#include "app/bench/order.h"

/* A product and, if only rows are permuted, the gather of its result */
struct permuted_product {
    struct bench_product product;
    int32_t *back; /* rows only: index of each mesh row's result; else NULL */
    double *gathered;
};

static void run_permuted(void *argument)
{
    struct permuted_product *p = argument;
    const struct bench *bench = p->product.bench;
    bench_product_run(&p->product);
    if (p->back)
        bench->device->gather(bench->queue, p->product.matrix.rows, p->back, p->product.c->y64, p->gathered);
}

/* Rows only: checks that the gathered vector has the rows' results. */
static enum status check_permuted(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct permuted_product *p = argument;
    const struct bench_case *c = p->product.c;
    TRY(bench_case_error(c, bench, false, found, error));
    if (!p->back)
        return STATUS_OK;
    double *back = bench_fetch(bench, p->gathered, c->matrix->rows, sizeof *back);
    TRY(bench_check(bench, error));
    for (int64_t k = 0; k < c->matrix->rows; k++) {
        int64_t node = c->order ? c->order[k] : k;
        *found = bench_worse(*found, fabs(back[node] - c->want[k]) / c->size[k]);
    }
    return STATUS_OK;
}

static enum status measure_format(struct permuted_product *p, const struct format *format,
                                  const char *variant, struct error *error)
{
    struct bench *bench = p->product.bench;
    const struct bench_case *c = p->product.c;
    const struct shape shape = {.height = bench->queue->backend->slice_height, .group = 1};
    struct measurement trial = {
        .variant = variant, .body = run_permuted, .argument = p, .check = check_permuted};
    struct stored *m = &p->product.matrix;
    TRY(bench_store(bench, m, format, &c->rows, &shape, error));
    p->product.way.lanes = format_lanes(m->rows, m->entries);
    p->product.operands = bench_case_operands(c, NUMBERS_DOUBLE, false);
    bench_case_trial(c, NUMBERS_DOUBLE, 4, &trial);
    trial.nan_fill[1] = p->gathered;
    trial.nan_fill_bytes[1] = p->gathered ? 8 * (size_t)c->matrix->rows : 0;
    TRY(bench_trial(bench, &trial, NULL, error));
    double padding = m->slice ? (double)m->padded / fmax(1, (double)m->entries) : 1;
    return bench_add_lines(bench, c, m->slice ? 0 : p->product.way.lanes, padding, error);
}

/* Uploads back[] and allocates the vector into which results are gathered. */
static enum status prepare_gather(struct permuted_product *p, const int32_t *order, struct error *error)
{
    struct bench *bench = p->product.bench;
    int64_t n = p->product.c->matrix->rows;
    int32_t *back = bench_array(bench, n, sizeof *back);
    TRY(bench_check(bench, error));
    for (int64_t k = 0; k < n; k++)
        back[order[k]] = (int32_t)k;
    p->back = bench_upload(bench, NULL, back, n, sizeof *back);
    p->gathered = bench_upload(bench, NULL, NULL, n, sizeof *p->gathered);
    return bench_check(bench, error);
}

/* Measures both formats in an order that is sorted by length inside windows. plain: the case whose matrix and kind
 * (sweep or product) are used */
static enum status measure_order(struct bench *bench, const struct bench_case *plain, const char *name,
                                 const int32_t *order, int64_t window, bool rows_only, struct error *error)
{
    const struct bench_matrix *matrix = plain->matrix;
    struct bench_case *c;
    char sorted[40] = "", variant[80];
    if (window == matrix->rows)
        snprintf(sorted, sizeof sorted, ", sorted");
    else if (window > 1)
        snprintf(sorted, sizeof sorted, ", windows of %lld", (long long)window);
    TRY(bench_case_make(&c, bench, matrix, plain->sweep, order,
                        rows_only ? PERMUTED_ROWS : PERMUTED_SYMMETRIC, error));
    struct permuted_product p = {.product = {.bench = bench, .c = c}};
    if (rows_only)
        TRY(prepare_gather(&p, order, error));
    for (int slices = 0; slices < 2; slices++) {
        snprintf(variant, sizeof variant, "%s%s%s, %s", name, rows_only ? ", rows only" : "", sorted,
                 slices ? "SELL" : "CSR vector");
        TRY(measure_format(&p, slices ? &format_sell : &format_csr, variant, error));
    }
    return STATUS_OK;
}

enum status bench_permutations(struct bench *bench, struct bench_case *c, struct error *error)
{
    static const char *const name[] = {"none", "rcm", "hilbert", "metis", "windows", "random"};
    const int64_t n = c->matrix->rows, window[] = {0, 256, 1024, n};
    int32_t *local = bench_array(bench, n, sizeof *local), *order = bench_array(bench, n, sizeof *order);
    const int64_t pieces = bench->pieces;
    TRY(bench_check(bench, error));
    for (int k = 0; k < 6; k++) {
        const char *why_not;
        TRY(order_by_name(c->matrix, name[k], local, &why_not, error));
        if (why_not)
            bench_blank(bench, name[k], why_not);
        for (int w = 0; w < (k < 4 ? 4 : 1) && !why_not; w++) { /* shuffles are not sorted */
            const bool narrow = w == 1 || w == 2;
            if (narrow && (k == 0 || window[w] >= n)) /* a run would not sort the original order in windows */
                continue;
            memcpy(order, local, (size_t)n * sizeof *order);
            TRY(order_sort(c->matrix, window[w], order, error));
            for (int rows_only = 0; rows_only <= (!narrow && (k > 0 || w > 0)); rows_only++) {
                enum status status = measure_order(bench, c, name[k], order, window[w], rows_only, error);
                TRY(bench_blank_input(bench, name[k], status, error));
                bench_release(bench, pieces);
            }
        }
    }
    return STATUS_OK;
}
