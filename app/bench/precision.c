/* precision.c: fp64, fp32 and what lies between, entry by entry, row by row and slice by slice.
 *
 * Rows are chosen in two ways. Tezcan et al. (SBAC-PAD 2022): a row is single when at least p % of its
 * entries lie under a range r; r counts |e_ij| / d_i here, so that it has no unit. Ours: a row is single when
 * reading it in fp32 moves V by at most a budget in mV a step (solver/matrix/rows.h). Without --percent,
 * --range or
 * --budget the ranges and budgets are chosen so that about all, half and a twentieth of the rows are single.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/packed.h"
#include "kernels/bench/csr.h"
#include "kernels/bench/csr_classes.h"
#include "kernels/bench/csr_split.h"

/* The choice of a row or an entry, and what it is called */
struct choice {
    char name[60];
    uint8_t *single;      /* [rows] mesh order */
    double range;         /* of entries, NaN when rows are chosen by a budget */
    double share;         /* of single rows */
    const int32_t *local; /* [rows] the order that slices are made in */
};

struct work {
    struct bench *bench;
    const struct bench_case *c;
    struct operands operands;
    const struct csr_device *csr, *second;
    const struct csr_classes *classes;
    const struct csr_split *split;
    struct csr_way way;
    int64_t separator;
    enum numbers numbers;
};

static void run_csr(void *argument)
{
    struct work *work = argument;
    work->bench->device->csr(work->bench->queue, work->csr, &work->way, &work->operands);
}

static void run_classes(void *argument)
{
    struct work *work = argument;
    work->bench->device->csr_classes(work->bench->queue, work->classes, work->way.lanes, &work->operands);
}

static void run_split(void *argument)
{
    struct work *work = argument;
    work->bench->device->csr_split(work->bench->queue, work->split, work->way.lanes, &work->operands);
}

/* One matrix a class: rows [0, separator) in fp32, the others in fp64 */
static void run_two(void *argument)
{
    struct work *work = argument;
    const struct bench *bench = work->bench;
    struct csr_way way = {.lanes = work->way.lanes, .numbers = NUMBERS_MIXED};
    struct operands second = work->operands;
    bench->device->csr(bench->queue, work->csr, &way, &work->operands);
    way.numbers = NUMBERS_DOUBLE;
    second.b += work->separator;
    second.inverse += work->separator;
    second.y64 += work->separator;
    bench->device->csr(bench->queue, work->second, &way, &second);
}

static enum status check(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct work *work = argument;
    return bench_case_error(work->c, bench, work->numbers == NUMBERS_SINGLE, found, error);
}

static enum status try_it(struct work *work, const char *variant, void (*body)(void *), enum numbers numbers,
                          double single_entries, double share, struct error *error)
{
    struct measurement trial = {.variant = variant, .body = body, .argument = work, .check = check};
    work->numbers = numbers;
    work->operands = bench_case_operands(work->c, numbers, false);
    bench_case_trial(work->c, numbers, 4, &trial);
    double entries = (double)work->c->rows.start[work->c->matrix->rows];
    if (numbers == NUMBERS_MIXED) /* 8 bytes a value but for those in fp32; x in both */
        trial.bytes += (entries - single_entries) * 4 +
                       (single_entries < entries ? 8 * (double)work->c->matrix->rows : 0);
    enum status status = bench_trial(work->bench, &trial, NULL, error);
    if (!status)
        report_figure(&work->bench->report.row[work->bench->report.rows - 1], "single %", 100 * share);
    return status;
}

static enum status uniform(struct bench *bench, const struct bench_case *c, struct error *error)
{
    static const char *const name[NUMBERS_KINDS] = {"CSR vector, fp64", "CSR vector, values fp32, sums fp64",
                                                    "CSR vector, the same, x cast", "CSR vector, all fp32"};
    struct csr_device csr;
    struct work work = {.bench = bench, .c = c, .csr = &csr};
    enum status status = csr_device_make(&csr, &c->rows, bench->queue, error);
    double entries = (double)c->rows.start[c->matrix->rows];
    for (enum numbers k = NUMBERS_DOUBLE; k < NUMBERS_KINDS && !status; k++) {
        work.way = (struct csr_way){.lanes = csr_lanes(&c->rows), .numbers = k};
        status = try_it(&work, name[k], run_csr, k, entries, k != NUMBERS_DOUBLE, error);
    }
    csr_device_free(&csr, bench->queue);
    return status;
}

static double entry_size(const struct bench_matrix *m, int64_t i, int64_t k)
{
    return fabs(m->off.value[k] / m->diagonal[i]);
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The smallest range under which at least `percent` of row i's entries lie; size[] is room for them */
static double range_of_row(const struct bench_matrix *m, int64_t i, double percent, double *size)
{
    int64_t count = m->off.start[i + 1] - m->off.start[i];
    for (int64_t k = 0; k < count; k++)
        size[k] = entry_size(m, i, m->off.start[i] + k);
    qsort(size, (size_t)count, sizeof *size, ascending);
    int64_t enough = (int64_t)ceil(percent / 100 * (double)count);
    return enough > 0 ? nextafter(size[enough - 1], INFINITY) : 0;
}

/* need[i] <- the smallest range under which at least `percent` of row i's entries lie */
static enum status ranges_of_rows(const struct bench_matrix *m, double percent, double *need,
                                  struct error *error)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < m->rows; i++)
        longest =
            m->off.start[i + 1] - m->off.start[i] > longest ? m->off.start[i + 1] - m->off.start[i] : longest;
    int failed = 0;
#pragma omp parallel reduction(| : failed)
    {
        double *size = malloc(((size_t)longest + 1) * sizeof *size);
        failed = !size;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < m->rows; i++)
            if (size)
                need[i] = range_of_row(m, i, percent, size);
        free(size);
    }
    return failed ? error_memory(error, "the choice of rows", 8.0 * (double)longest) : STATUS_OK;
}

/* The value under which `share` of the numbers lie */
static double quantile(const double *value, int64_t count, double share, double *work)
{
    memcpy(work, value, (size_t)count * sizeof *work);
    qsort(work, (size_t)count, sizeof *work, ascending);
    int64_t at = (int64_t)(share * (double)count) - 1;
    return count ? nextafter(work[at < 0 ? 0 : at], INFINITY) : 0;
}

static void choose(struct choice *choice, const double *need, int64_t rows, double given)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) {
        choice->single[i] = need[i] <= given;
        count += choice->single[i];
    }
    choice->share = (double)count / fmax(1, (double)rows);
}

/* order[] <- the single rows, then the others; returns how many are single */
static int64_t order_by_class(const struct choice *choice, int64_t rows, int32_t *order)
{
    int64_t at = 0, singles;
    for (int64_t i = 0; i < rows; i++)
        if (choice->single[i])
            order[at++] = (int32_t)i;
    singles = at;
    for (int64_t i = 0; i < rows; i++)
        if (!choice->single[i])
            order[at++] = (int32_t)i;
    return singles;
}

static enum status entry_wise(struct bench *bench, const struct bench_case *c, const struct choice *choice,
                              struct error *error)
{
    const struct bench_matrix *m = c->matrix;
    int64_t entries = m->off.start[m->rows], singles = 0;
    uint8_t *small = malloc((size_t)entries + 1);
    char name[80];
    if (!small)
        return error_memory(error, "the split", (double)entries);
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t k = m->off.start[i]; k < m->off.start[i + 1]; k++) {
            small[k] = entry_size(m, i, k) < choice->range;
            singles += small[k];
        }
    struct csr_split split;
    struct work work = {.bench = bench, .c = c, .split = &split, .way = {.lanes = csr_lanes(&c->rows)}};
    enum status status = csr_split_make(&split, &c->rows, small, bench->queue, error);
    snprintf(name, sizeof name, "entry-wise split, |e|/d < %.3g", choice->range);
    AND(try_it(&work, name, run_split, NUMBERS_MIXED, (double)singles,
               (double)singles / fmax(1, (double)entries), error));
    csr_split_free(&split, bench->queue);
    free(small);
    return status;
}

static int64_t entries_of(const struct bench_case *c, int64_t rows)
{
    return c->rows.start[rows];
}

/* Two matrices of rows, permuted by class */
static enum status row_wise_split(struct bench *bench, const struct bench_case *c,
                                  const struct choice *choice, int64_t singles, struct error *error)
{
    struct csr_device first = {0}, second = {0};
    char name[80];
    int64_t rest = c->rows.rows - singles;
    int64_t base = c->rows.start[singles], *start = malloc(((size_t)rest + 1) * sizeof *start);
    if (!start)
        return error_memory(error, "the split", 8.0 * (double)rest);
    for (int64_t i = 0; i <= rest; i++)
        start[i] = c->rows.start[singles + i] - base;
    struct csr low = c->rows, high = c->rows;
    low.rows = singles;
    high.rows = rest;
    high.start = start;
    high.column += base;
    high.value += base;
    struct work work = {.bench = bench,
                        .c = c,
                        .csr = &first,
                        .second = &second,
                        .separator = singles,
                        .way = {.lanes = csr_lanes(&c->rows)}};
    enum status status = csr_device_make(&first, &low, bench->queue, error);
    AND(csr_device_make(&second, &high, bench->queue, error));
    snprintf(name, sizeof name, "row-wise split, %s", choice->name);
    AND(try_it(&work, name, run_two, NUMBERS_MIXED, (double)entries_of(c, singles), choice->share, error));
    csr_device_free(&first, bench->queue);
    csr_device_free(&second, bench->queue);
    free(start);
    return status;
}

/* Composite where the case is permuted by class, dual where it is not */
static enum status by_classes(struct bench *bench, const struct bench_case *c, const struct choice *choice,
                              int64_t separator, struct error *error)
{
    struct csr_classes classes;
    char name[80];
    int64_t n = c->rows.rows;
    uint8_t *single = malloc((size_t)n + 1);
    if (!single)
        return error_memory(error, "the classes", (double)n);
    for (int64_t k = 0; k < n; k++)
        single[k] = choice->single[c->order ? c->order[k] : k];
    struct work work = {.bench = bench, .c = c, .classes = &classes, .way = {.lanes = csr_lanes(&c->rows)}};
    enum status status = csr_classes_make(&classes, &c->rows, single, separator, bench->queue, error);
    snprintf(name, sizeof name, "row-wise %s, %s", separator < 0 ? "dual" : "composite", choice->name);
    AND(try_it(&work, name, run_classes, NUMBERS_MIXED, (double)classes.singles, choice->share, error));
    csr_classes_free(&classes, bench->queue);
    free(single);
    return status;
}

/* Our slices, in that order and the windows of a run */
static enum status slice_wise(struct bench *bench, const struct bench_case *c, const struct choice *choice,
                              const char *title, struct error *error)
{
    struct bench_packed packed;
    char name[80];
    bool rounds = choice->share > 0;
    enum status status = bench_packed_make(&packed, bench, c, choice->single, choice->local,
                                           layout_window(bench->queue->backend->slice_height), error);
    if (status)
        return status;
    for (int k = 0; k < (rounds ? 3 : 2) && !status; k++) {
        const enum packed_update update[] = {PACKED_FUSED, PACKED_FUSED, PACKED_HYBRID};
        static const char *const as[] = {", fused", ", fused, stopping test", ", hybrid"};
        snprintf(name, sizeof name, "%s%s", title, rounds ? as[k] : k == 0 ? "" : ", stopping test");
        status =
            bench_packed_trial(&packed, bench, name, k == 1, rounds ? update[k] : PACKED_ALONE, NULL, error);
        struct bench_row *row = &bench->report.row[bench->report.rows - 1];
        if (!status) {
            report_figure(row, "single %", 100 * choice->share);
            report_figure(row, "padding",
                          (double)packed.packing.stored / fmax(1, (double)packed.packing.entries));
        }
    }
    bench_packed_free(&packed, bench);
    return status;
}

/* All schemes for one choice of rows */
static enum status schemes(struct bench *bench, const struct bench_matrix *matrix,
                           const struct bench_case *plain, const struct choice *choice, struct error *error)
{
    struct bench_case sorted;
    char name[80];
    enum status status = STATUS_OK;
    int32_t *order = malloc(((size_t)matrix->rows + 1) * sizeof *order);
    if (!order)
        return error_memory(error, "the permutation", 4.0 * (double)matrix->rows);
    int64_t singles = order_by_class(choice, matrix->rows, order);
    if (!isnan(choice->range))
        status = entry_wise(bench, plain, choice, error);
    AND(bench_case_make(&sorted, bench, matrix, true, order, PERMUTED_SYMMETRIC, error));
    if (!status) {
        status = row_wise_split(bench, &sorted, choice, singles, error);
        AND(by_classes(bench, &sorted, choice, singles, error));
        bench_case_free(&sorted, bench);
    }
    free(order);
    AND(by_classes(bench, plain, choice, -1, error));
    snprintf(name, sizeof name, "slice-wise, %s", choice->name);
    AND(slice_wise(bench, plain, choice, name, error));
    return status;
}

/* The choices by need[]: a given limit, or those that make the three shares */
static enum status each_choice(struct bench *bench, const struct bench_matrix *matrix,
                               const struct bench_case *plain, struct choice *choice, const double *need,
                               double *work, double given, double scale, const char *format, bool by_range,
                               struct error *error)
{
    const double share[] = {1, 0.5, 0.05};
    enum status status = STATUS_OK;
    for (int k = 0; k < (isnan(given) ? 3 : 1) && !status; k++) {
        double limit = isnan(given) ? quantile(need, matrix->rows, share[k], work) : given / scale;
        choose(choice, need, matrix->rows, limit);
        choice->range = by_range ? limit : NAN;
        double shown = limit * scale;
        if (by_range)
            snprintf(choice->name, sizeof choice->name, "%.3g%% < %.3g",
                     isnan(bench->percent) ? 90 : bench->percent, shown);
        else
            snprintf(choice->name, sizeof choice->name, format, shown);
        status = schemes(bench, matrix, plain, choice, error);
    }
    return status;
}

enum status bench_precision(struct bench *bench, const struct bench_matrix *matrix, struct error *error)
{
    struct bench_case plain;
    int64_t n = matrix->rows;
    report_section(&bench->report, "jacobi", matrix->name, "precision");
    enum status status = bench_case_make(&plain, bench, matrix, true, NULL, PERMUTED_SYMMETRIC, error);
    if (status)
        return status;
    int32_t *local = malloc(((size_t)n + 1) * sizeof *local);
    struct choice choice = {.single = calloc((size_t)n + 1, 1), .local = local};
    const char *why_not;
    double *need = malloc(((size_t)n + 1) * sizeof *need), *work = malloc(((size_t)n + 1) * sizeof *work);
    if (!choice.single || !need || !work || !local)
        status = error_memory(error, "the choice of rows", 21.0 * (double)n);
    AND(bench_order(matrix, "rcm", local, &why_not, error));
    AND(uniform(bench, &plain, error));
    AND(slice_wise(bench, &plain, &choice, "slices, all fp64", error));
    AND(ranges_of_rows(matrix, isnan(bench->percent) ? 90 : bench->percent, need, error));
    AND(each_choice(bench, matrix, &plain, &choice, need, work, bench->range, 1, "", true, error));
    if (!status && matrix->rate)
        status = each_choice(bench, matrix, &plain, &choice, matrix->rate, work, bench->budget,
                             0x1p-23 * matrix->bound * matrix->beta, "%.3g mV", false, error);
    free(choice.single);
    free(local);
    free(need);
    free(work);
    bench_case_free(&plain, bench);
    return status;
}
