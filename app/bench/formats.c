/* formats.c: the same product, or the same sweep, in every format and by every way of reading x. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/case.h"
#include "app/bench/vendor.h"
#include "kernels/bench/cachelines.h"
#include "kernels/bench/csr.h"
#include "kernels/bench/jds.h"
#include "kernels/bench/sell.h"

/* One variant at work */
struct work {
    struct bench *bench;
    const struct bench_case *c;
    struct operands operands;
    const struct csr_device *csr;
    struct csr_way csr_way;
    const struct jds *jds;
    const struct sell *sell;
    struct sell_way sell_way;
    enum numbers numbers;
};

static void run_csr(void *argument)
{
    struct work *work = argument;
    work->bench->device->csr(work->bench->queue, work->csr, &work->csr_way, &work->operands);
}

static void run_jds(void *argument)
{
    struct work *work = argument;
    work->bench->device->jds(work->bench->queue, work->jds, work->numbers, &work->operands);
}

static void run_sell(void *argument)
{
    struct work *work = argument;
    work->bench->device->sell(work->bench->queue, work->sell, &work->sell_way, &work->operands);
}

static enum status check(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct work *work = argument;
    return bench_case_error(work->c, bench, work->numbers == NUMBERS_SINGLE, found, error);
}

static enum status try_it(struct work *work, const char *variant, void (*body)(void *), enum numbers numbers,
                          double index_bytes, struct error *error)
{
    struct measurement trial = {.variant = variant, .body = body, .argument = work, .check = check};
    work->numbers = numbers;
    work->operands = bench_case_operands(work->c, numbers, false);
    bench_case_trial(work->c, numbers, index_bytes, &trial);
    return bench_trial(work->bench, &trial, NULL, error);
}

/* Lines of the pattern that the variant reads, in its row */
static enum status add_lines(struct bench *bench, const struct bench_case *c, int lanes, double padding,
                             enum numbers numbers, struct error *error)
{
    struct bench_report *report = &bench->report;
    struct bench_row *row = report->rows ? &report->row[report->rows - 1] : NULL;
    struct lines lines;
    int bytes = numbers == NUMBERS_DOUBLE ? 8 : 4;
    enum status status = lines_count(&lines, &c->rows, lanes, bytes, bytes, error);
    if (status)
        return status;
    if (padding > 0)
        report_figure(row, "padding", padding);
    report_figure(row, "x 128B", lines.x_128);
    report_figure(row, "x 32B", lines.x_32);
    report_figure(row, "mat 128B", lines.matrix_128);
    report_figure(row, "warp x 32B", lines.warp_x_32);
    return STATUS_OK;
}

static const char *const reads_name[READS_KINDS] = {"", ", x read-only", ", x texture", ", x shared"};

static bool has(const struct bench *bench, enum reads reads)
{
    return bench->device->reads >> reads & 1;
}

static enum status csr_variants(struct work *work, struct error *error)
{
    struct bench *bench = work->bench;
    struct csr_device csr;
    char name[80];
    enum status status = csr_device_make(&csr, &work->c->rows, bench->queue, error);
    if (status)
        return status;
    work->csr = &csr;
    int best = csr_lanes(&work->c->rows);
    for (int lanes = 1; lanes <= 32 && !status; lanes *= 2) {
        work->csr_way = (struct csr_way){.lanes = lanes};
        snprintf(name, sizeof name, lanes == 1 ? "CSR scalar" : "CSR vector %d%s", lanes,
                 lanes == best ? " (by mean length)" : "");
        status = try_it(work, name, run_csr, NUMBERS_DOUBLE, 4, error);
        AND(add_lines(bench, work->c, lanes, 0, NUMBERS_DOUBLE, error));
    }
    for (enum reads reads = READS_CACHED; reads <= READS_TEXTURE && !status; reads++) {
        work->csr_way = (struct csr_way){.lanes = best, .reads = reads};
        snprintf(name, sizeof name, "CSR vector %d%s", best, reads_name[reads]);
        if (has(bench, reads))
            status = try_it(work, name, run_csr, NUMBERS_DOUBLE, 4, error);
    }
    work->csr_way = (struct csr_way){.lanes = best, .constant = true};
    snprintf(name, sizeof name, "CSR vector %d, starts constant", best);
    if (has(bench, READS_CACHED) && csr.rows <= CSR_CONSTANT_MAX && !status) {
        bench->device->csr_constant(bench->queue, &csr);
        status = try_it(work, name, run_csr, NUMBERS_DOUBLE, 4, error);
    } else if (has(bench, READS_CACHED) && !status) {
        bench_blank(bench, name, "more rows than constant memory holds");
    }
    const enum numbers others[] = {NUMBERS_MIXED, NUMBERS_CAST, NUMBERS_SINGLE};
    const char *const title[] = {"values and x fp32", "values fp32, x cast", "all fp32"};
    for (int k = 0; k < 3 && !status; k++) {
        work->csr_way = (struct csr_way){.lanes = best, .numbers = others[k]};
        snprintf(name, sizeof name, "CSR vector %d, %s", best, title[k]);
        status = try_it(work, name, run_csr, others[k], 4, error);
    }
    csr_device_free(&csr, bench->queue);
    return status;
}

static enum status jds_variants(struct work *work, struct error *error)
{
    struct bench *bench = work->bench;
    struct jds jds;
    enum status status = jds_make(&jds, &work->c->rows, bench->queue, error);
    if (status)
        return status;
    work->jds = &jds;
    status = try_it(work, "JDS", run_jds, NUMBERS_DOUBLE, 4, error);
    AND(try_it(work, "JDS, values and x fp32", run_jds, NUMBERS_MIXED, 4, error));
    jds_free(&jds, bench->queue);
    return status;
}

/* All that is asked of one height and grouping */
static enum status sell_variants(struct work *work, int height, int group, bool in_full, struct error *error)
{
    struct bench *bench = work->bench;
    struct sell sell;
    char name[80], base[60];
    static const char *const grouped[] = {"", "", " pairs", "", " quads"};
    if (height)
        snprintf(base, sizeof base, "SELL-%d%s", height, grouped[group]);
    else
        snprintf(base, sizeof base, "ELL (one slice)%s", grouped[group]);
    enum status status = sell_make(&sell, &work->c->rows, height, group, bench->queue, error);
    if (status == STATUS_INPUT) {
        bench_blank(bench, base, error ? error->text : "too much padding");
        if (error)
            memset(error, 0, sizeof *error);
        return STATUS_OK;
    }
    if (status)
        return status;
    work->sell = &sell;
    work->sell_way = (struct sell_way){0};
    double padding = (double)sell.stored / fmax(1, (double)sell.entries);
    status = try_it(work, base, run_sell, NUMBERS_DOUBLE, 4, error);
    AND(add_lines(bench, work->c, 0, padding, NUMBERS_DOUBLE, error));
    for (enum reads reads = READS_CACHED; reads < READS_KINDS && in_full && !status; reads++) {
        work->sell_way = (struct sell_way){.reads = reads};
        snprintf(name, sizeof name, "%s%s", base, reads_name[reads]);
        if (has(bench, reads))
            status = try_it(work, name, run_sell, NUMBERS_DOUBLE, 4, error);
    }
    work->sell_way = (struct sell_way){.narrow = true};
    snprintf(name, sizeof name, "%s, 16-bit offsets", base);
    if (sell.offset && in_full && !status)
        status = try_it(work, name, run_sell, NUMBERS_DOUBLE, 2, error);
    const enum numbers others[] = {NUMBERS_MIXED, NUMBERS_CAST, NUMBERS_SINGLE};
    const char *const title[] = {"values and x fp32", "values fp32, x cast", "all fp32"};
    for (int k = 0; k < 3 && in_full && !status; k++) {
        work->sell_way = (struct sell_way){.numbers = others[k], .narrow = sell.offset != NULL};
        snprintf(name, sizeof name, "%s%s, %s", base, sell.offset ? ", 16-bit offsets" : "", title[k]);
        status = try_it(work, name, run_sell, others[k], sell.offset ? 2 : 4, error);
    }
    sell_free(&sell, bench->queue);
    return status;
}

enum status bench_formats(struct bench *bench, const struct bench_matrix *matrix, bool sweep,
                          struct error *error)
{
    struct bench_case c;
    report_section(&bench->report, sweep ? "jacobi" : "spmv", matrix->name, "formats");
    enum status status = bench_case_make(&c, bench, matrix, sweep, NULL, PERMUTED_SYMMETRIC, error);
    if (status)
        return status;
    struct work work = {.bench = bench, .c = &c};
    status = csr_variants(&work, error);
    AND(jds_variants(&work, error));
    const int height[] = {8, 16, 32, 64, 128, 0};
    for (int k = 0; k < 6 && !status; k++)
        status = sell_variants(&work, height[k], 1,
                               height[k] == bench->queue->backend->slice_height || height[k] == 32, error);
    const int grouped[] = {2, 4};
    for (int k = 0; k < 2 && !status; k++)
        status = sell_variants(&work, 32, grouped[k], true, error);
    AND(sell_variants(&work, 0, 4, false, error));
    AND(bench_rivals(bench, &c, error));
    bench_case_free(&c, bench);
    return status;
}
