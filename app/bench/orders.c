/* orders.c: what an order of the rows buys, and what it costs not to carry it into the vectors.
 *
 * none: rows as they are. Rows only: rows are permuted, x is not, so results must be gathered back before
 * they can be the next x. Symmetric: x is permuted too, and nothing goes back. Inside windows rows are sorted
 * by length, which saves padding and costs locality. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/case.h"
#include "kernels/bench/cachelines.h"
#include "kernels/bench/csr.h"
#include "kernels/bench/sell.h"

struct work {
    struct bench *bench;
    struct bench_case c;
    struct csr_device csr;
    struct csr_way csr_way;
    struct sell sell;
    struct sell_way sell_way;
    struct operands operands;
    int32_t *back; /* rows only: where each mesh row's result stands */
    double *gathered;
};

static void run_csr(void *argument)
{
    struct work *work = argument;
    const struct bench *bench = work->bench;
    bench->device->csr(bench->queue, &work->csr, &work->csr_way, &work->operands);
    if (work->back)
        bench->device->gather(bench->queue, work->csr.rows, work->back, work->c.y64, work->gathered);
}

static void run_sell(void *argument)
{
    struct work *work = argument;
    const struct bench *bench = work->bench;
    bench->device->sell(bench->queue, &work->sell, &work->sell_way, &work->operands);
    if (work->back)
        bench->device->gather(bench->queue, work->sell.rows, work->back, work->c.y64, work->gathered);
}

/* Rows only: what has been gathered back must be what the rows gave. */
static enum status check(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct work *work = argument;
    int64_t n = work->c.matrix->rows;
    enum status status = bench_case_error(&work->c, bench, false, found, error);
    if (status || !work->back)
        return status;
    double *back = malloc(((size_t)n + 1) * sizeof *back);
    if (!back)
        return error_memory(error, "the validation", 8.0 * (double)n);
    status = device_download(bench->queue, back, work->gathered, (size_t)n * sizeof *back, error);
    for (int64_t k = 0; k < n && !status; k++) {
        int64_t node = work->c.order ? work->c.order[k] : k;
        double apart = fabs(back[node] - work->c.want[k]) / work->c.size[k];
        if (!(apart <= *found))
            *found = apart;
        if (isnan(apart))
            break;
    }
    free(back);
    return status;
}

static enum status try_formats(struct work *work, const char *name, int64_t window, bool rows_only,
                               struct error *error)
{
    struct bench *bench = work->bench;
    struct lines lines;
    char variant[80];
    enum status status = STATUS_OK;
    for (int format = 0; format < 2 && !status; format++) {
        struct measurement trial = {.body = format ? run_sell : run_csr, .argument = work, .check = check};
        trial.variant = variant;
        snprintf(variant, sizeof variant, "%s%s%s, %s", name, rows_only ? ", rows only" : "",
                 window == work->c.matrix->rows ? ", sorted" : "", format ? "SELL" : "CSR vector");
        if (window > 1 && window < work->c.matrix->rows)
            snprintf(variant, sizeof variant, "%s, windows of %lld, %s", name, (long long)window,
                     format ? "SELL" : "CSR vector");
        bench_case_trial(&work->c, NUMBERS_DOUBLE, 4, &trial);
        trial.nan_fill[1] = work->gathered;
        trial.nan_fill_bytes[1] = work->gathered ? 8 * (size_t)work->c.matrix->rows : 0;
        status = bench_trial(bench, &trial, NULL, error);
        AND(lines_count(&lines, &work->c.rows, format ? 0 : work->csr_way.lanes, 8, 8, error));
        struct bench_row *row = &bench->report.row[bench->report.rows - 1];
        if (status)
            break;
        if (format)
            report_figure(row, "padding", (double)work->sell.stored / fmax(1, (double)work->sell.entries));
        else
            report_figure(row, "padding", 1);
        report_figure(row, "x 128B", lines.x_128);
        report_figure(row, "x 32B", lines.x_32);
        report_figure(row, "mat 128B", lines.matrix_128);
        report_figure(row, "warp x 32B", lines.warp_x_32);
    }
    return status;
}

/* back[] and the vector that results are gathered into */
static enum status prepare_gather(struct work *work, const int32_t *order, struct error *error)
{
    int64_t n = work->c.matrix->rows;
    int32_t *back = malloc(((size_t)n + 1) * sizeof *back);
    enum status status = back ? STATUS_OK : error_memory(error, "the permutation", 4.0 * (double)n);
    for (int64_t k = 0; k < n && back; k++)
        back[order[k]] = (int32_t)k;
    work->back = bench_upload(work->bench->queue, back, n, 4, &status, error);
    work->gathered = bench_upload(work->bench->queue, NULL, n, 8, &status, error);
    free(back);
    return status;
}

static enum status try_order(struct bench *bench, const struct bench_matrix *matrix, bool sweep,
                             const char *name, const int32_t *order, int64_t window, bool rows_only,
                             struct error *error)
{
    struct work work = {.bench = bench};
    int height = bench->queue->backend->slice_height;
    enum status status = bench_case_make(&work.c, bench, matrix, sweep, order,
                                         rows_only ? PERMUTED_ROWS : PERMUTED_SYMMETRIC, error);
    if (status)
        return status;
    work.operands = bench_case_operands(&work.c, NUMBERS_DOUBLE, false);
    work.csr_way.lanes = csr_lanes(&work.c.rows);
    status = csr_device_make(&work.csr, &work.c.rows, bench->queue, error);
    AND(sell_make(&work.sell, &work.c.rows, height, 1, bench->queue, error));
    if (!status && rows_only)
        status = prepare_gather(&work, order, error);
    AND(try_formats(&work, name, window, rows_only, error));
    device_release(bench->queue, work.back);
    device_release(bench->queue, work.gathered);
    csr_device_free(&work.csr, bench->queue);
    sell_free(&work.sell, bench->queue);
    bench_case_free(&work.c, bench);
    if (status == STATUS_INPUT && error) { /* too much padding */
        bench_blank(bench, name, error->text);
        memset(error, 0, sizeof *error);
        status = STATUS_OK;
    }
    return status;
}

enum status bench_orders(struct bench *bench, const struct bench_matrix *matrix, bool sweep,
                         struct error *error)
{
    static const char *const name[] = {"none", "rcm", "hilbert", "metis", "windows", "random"};
    const int64_t n = matrix->rows, window[] = {0, 256, 1024, n};
    int32_t *local = malloc(((size_t)n + 1) * sizeof *local),
            *order = malloc(((size_t)n + 1) * sizeof *order);
    enum status status = local && order ? STATUS_OK : error_memory(error, "the ordering", 8.0 * (double)n);
    report_section(&bench->report, sweep ? "jacobi" : "spmv", matrix->name, "permutations");
    for (int k = 0; k < 6 && !status; k++) {
        const char *why_not;
        bool sorted = k >= 1 && k <= 3; /* the orders that a run would sort in windows */
        status = bench_order(matrix, name[k], local, &why_not, error);
        for (int w = 0; w < (sorted || k == 0 ? 4 : 1) && !status && !why_not; w++) {
            if (k == 0 && w != 0 && w != 3)
                continue;
            if (window[w] >= n && w > 0 && w < 3)
                continue;
            memcpy(order, local, (size_t)n * sizeof *order);
            status = bench_sort(matrix, window[w], order, error);
            for (int rows_only = 0; rows_only < 2 && !status; rows_only++)
                if (!rows_only || (w == 0 && k > 0) || w == 3)
                    status = try_order(bench, matrix, sweep, name[k], order, window[w], rows_only, error);
        }
        if (!status && why_not)
            bench_blank(bench, name[k], why_not);
    }
    free(local);
    free(order);
    return status;
}
