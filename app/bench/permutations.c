/* permutations.c: what an order of the rows gains, and what it costs not to apply it to the vectors.
 *
 * none: rows as they are. Rows only: rows are permuted, x is not, so results must be gathered back before
 * they can be the next x. Symmetric: x is permuted too, and nothing goes back. Inside windows rows are sorted
 * by length, which saves padding and costs locality. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/case.h"
#include "app/bench/order.h"
#include "kernels/base/array.h"

/* A product, and for permuted rows the gathering of its result */
struct permuted_product {
    struct bench_product product;
    int32_t *back; /* rows only: where each mesh row's result stands */
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

/* Rows only: what has been gathered back must be what the rows gave. */
static enum status check_permuted(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct permuted_product *p = argument;
    const struct bench_case *c = p->product.c;
    TRY(bench_case_error(c, bench, false, found, error));
    if (!p->back)
        return STATUS_OK;
    double *back = bench_fetch(bench, p->gathered, c->matrix->rows, sizeof *back, error);
    if (!back)
        return STATUS_RUN;
    for (int64_t k = 0; k < c->matrix->rows; k++) {
        int64_t node = c->order ? c->order[k] : k;
        *found = bench_worse(*found, fabs(back[node] - c->want[k]) / c->size[k]);
    }
    free(back);
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
    TRY(format_make(m, format, &c->rows, &shape, bench->queue, error));
    p->product.way.lanes = format_lanes(m->rows, m->entries);
    p->product.operands = bench_case_operands(c, NUMBERS_DOUBLE, false);
    bench_case_trial(c, NUMBERS_DOUBLE, 4, &trial);
    trial.nan_fill[1] = p->gathered;
    trial.nan_fill_bytes[1] = p->gathered ? 8 * (size_t)c->matrix->rows : 0;
    enum status status = bench_trial(bench, &trial, NULL, error);
    double padding = m->slice ? (double)m->padded / fmax(1, (double)m->entries) : 1;
    if (!status)
        status = bench_add_lines(bench, c, m->slice ? 0 : p->product.way.lanes, padding, error);
    format_free(m, bench->queue);
    return status;
}

/* back[] and the vector that results are gathered into */
static enum status prepare_gather(struct permuted_product *p, const int32_t *order, struct error *error)
{
    int64_t n = p->product.c->matrix->rows;
    enum status status = STATUS_OK;
    int32_t *back = array_new(n, sizeof *back, "the permutation", &status, error);
    for (int64_t k = 0; k < n && !status; k++)
        back[order[k]] = (int32_t)k;
    p->back = format_upload(p->product.bench->queue, back, n, 4, &status, error);
    p->gathered = format_upload(p->product.bench->queue, NULL, n, 8, &status, error);
    free(back);
    return status;
}

static enum status measure_order(struct bench *bench, const struct bench_matrix *matrix, bool sweep,
                                 const char *name, const int32_t *order, int64_t window, bool rows_only,
                                 struct error *error)
{
    struct bench_case c;
    struct permuted_product p = {.product = {.bench = bench, .c = &c}};
    char sorted[40] = "", variant[80];
    enum status status = STATUS_OK;
    if (window == matrix->rows)
        snprintf(sorted, sizeof sorted, ", sorted");
    else if (window > 1)
        snprintf(sorted, sizeof sorted, ", windows of %lld", (long long)window);
    TRY(bench_case_make(&c, bench, matrix, sweep, order, rows_only ? PERMUTED_ROWS : PERMUTED_SYMMETRIC,
                        error));
    if (rows_only)
        TRY_DONE(prepare_gather(&p, order, error));
    for (int slices = 0; slices < 2; slices++) {
        snprintf(variant, sizeof variant, "%s%s%s, %s", name, rows_only ? ", rows only" : "", sorted,
                 slices ? "SELL" : "CSR vector");
        TRY_DONE(measure_format(&p, slices ? &format_sell : &format_csr, variant, error));
    }
done:
    device_release(bench->queue, p.back);
    device_release(bench->queue, p.gathered);
    bench_case_free(&c, bench);
    return bench_blank_input(bench, name, status, error);
}

enum status bench_permutations(struct bench *bench, const struct bench_matrix *matrix, bool sweep,
                               struct error *error)
{
    static const char *const name[] = {"none", "rcm", "hilbert", "metis", "windows", "random"};
    const int64_t n = matrix->rows, window[] = {0, 256, 1024, n};
    int32_t *local = malloc(((size_t)n + 1) * sizeof *local),
            *order = malloc(((size_t)n + 1) * sizeof *order);
    enum status status = local && order ? STATUS_OK : error_memory(error, "the ordering", 8.0 * (double)n);
    bench_section(bench, sweep ? "jacobi" : "spmv", matrix->name, "permutations");
    for (int k = 0; k < 6 && !status; k++) {
        const char *why_not;
        bool sorted = k >= 1 && k <= 3; /* the orders that a run would sort in windows */
        status = order_by_name(matrix, name[k], local, &why_not, error);
        for (int w = 0; w < (sorted || k == 0 ? 4 : 1) && !status && !why_not; w++) {
            if (k == 0 && w != 0 && w != 3)
                continue;
            if (window[w] >= n && w > 0 && w < 3)
                continue;
            memcpy(order, local, (size_t)n * sizeof *order);
            status = order_sort(matrix, window[w], order, error);
            for (int rows_only = 0; rows_only < 2 && !status; rows_only++)
                if (!rows_only || (w == 0 && k > 0) || w == 3)
                    status = measure_order(bench, matrix, sweep, name[k], order, window[w], rows_only, error);
        }
        if (!status && why_not)
            bench_blank(bench, name[k], why_not);
    }
    free(local);
    free(order);
    return status;
}
