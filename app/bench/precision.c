/* precision.c: fp64, fp32 and mixtures of both, by entry, by row and by slice.
 *
 * Rows are chosen in two ways. Tezcan et al. (SBAC-PAD 2022): a row is in fp32 if at least p % of its entries are
 * below a range r; r is compared with |e_ij| / d_i here, so it has no unit. Ours: a row is in fp32 if that changes V
 * by at most a budget in mV a step (solver/matrix/rows.h). p is 90 by default. Without --range or --budget, three
 * ranges or budgets are chosen such that about all, half and a twentieth of the rows are in fp32. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/order.h"
#include "app/bench/packed.h"
#include "kernels/base/compare.h"

/* A choice of rows or entries in fp32 */
struct choice {
    char name[60];
    uint8_t *single;      /* [rows] mesh order */
    double range;         /* of entries; NaN if rows are chosen by a budget */
    double share;         /* fraction of rows in fp32 */
    const int32_t *local; /* [rows] row order of the slices */
};

/* A product of two matrices: rows [0, separator) in mixed precision, and the other rows, `second`, in fp64 */
struct split_product {
    struct bench_product product;
    struct stored second;
    int64_t separator;
};

static void run_two(void *argument)
{
    struct split_product *p = argument;
    const struct bench *bench = p->product.bench;
    struct way way = {.lanes = p->product.way.lanes, .numbers = NUMBERS_DOUBLE};
    struct operands second = p->product.operands;
    second.b += p->separator;
    second.inverse += p->separator;
    second.y64 += p->separator;
    bench_product_run(&p->product);
    p->second.format->run[bench->device->code](bench->queue, &p->second, &way, &second);
}

static enum status check_two(void *argument, struct bench *bench, double *found, struct error *error)
{
    return bench_product_check(&((struct split_product *)argument)->product, bench, found, error);
}

/* Bytes in addition to those of fp32 values: 4 for each fp64 value, and x in fp64 if there are any */
static double wide_bytes(const struct bench_case *c, double singles)
{
    double entries = (double)c->rows.start[c->matrix->rows];
    return (entries - singles) * 4 + (singles < entries ? 8 * (double)c->matrix->rows : 0);
}

/* Measures a format in mixed precision; shape->single: rows or entries in fp32, `share`: their fraction */
static enum status measure_mixed(struct bench *bench, const struct bench_case *c, const struct format *format,
                                 const struct shape *shape, const char *variant, double share,
                                 struct error *error)
{
    struct bench_product p = {.bench = bench, .c = c};
    TRY(bench_store(bench, &p.matrix, format, &c->rows, shape, error));
    p.way = (struct way){.lanes = format_lanes(c->rows.rows, p.matrix.entries), .numbers = NUMBERS_MIXED};
    TRY(bench_product_trial(&p, variant, 4, wide_bytes(c, (double)p.matrix.singles), error));
    bench_figure(bench_last_row(bench), "single %", 100 * share);
    return STATUS_OK;
}

static enum status measure_uniform(struct bench *bench, const struct bench_case *c, struct error *error)
{
    static const char *const name[NUMBERS_KINDS] = {"CSR vector, fp64", "CSR vector, values fp32, sums fp64",
                                                    "CSR vector, the same, x cast", "CSR vector, all fp32"};
    struct bench_product p = {.bench = bench, .c = c};
    TRY(bench_store(bench, &p.matrix, &format_csr, &c->rows, NULL, error));
    for (enum numbers k = NUMBERS_DOUBLE; k < NUMBERS_KINDS; k++) {
        p.way = (struct way){.lanes = format_lanes(p.matrix.rows, p.matrix.entries), .numbers = k};
        TRY(bench_product_trial(&p, name[k], 4, 0, error));
        bench_figure(bench_last_row(bench), "single %", k == NUMBERS_DOUBLE ? 0 : 100);
    }
    return STATUS_OK;
}

static double entry_size(const struct bench_matrix *m, int64_t i, int64_t k)
{
    return fabs(m->off.value[k] / m->diagonal[i]);
}

/* The smallest range below which at least `percent` of row i's entries lie; size[]: scratch for the row */
static double range_of_row(const struct bench_matrix *m, int64_t i, double percent, double *size)
{
    int64_t count = m->off.start[i + 1] - m->off.start[i];
    for (int64_t k = 0; k < count; k++)
        size[k] = entry_size(m, i, m->off.start[i] + k);
    qsort(size, (size_t)count, sizeof *size, compare_double);
    int64_t enough = (int64_t)ceil(percent / 100 * (double)count);
    return enough > 0 ? nextafter(size[enough - 1], INFINITY) : 0;
}

/* need[i] <- range_of_row() for every row */
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

/* The value below which a fraction `share` of the sorted numbers lie */
static double quantile(const double *sorted, int64_t count, double share)
{
    int64_t at = (int64_t)(share * (double)count) - 1;
    return count ? nextafter(sorted[at < 0 ? 0 : at], INFINITY) : 0;
}

static void choose_rows(struct choice *choice, const double *need, int64_t rows, double given)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) {
        choice->single[i] = need[i] <= given;
        count += choice->single[i];
    }
    choice->share = (double)count / fmax(1, (double)rows);
}

/* order[] <- the rows in fp32, then the others; returns the number in fp32 */
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
    uint8_t *small = bench_array(bench, entries, 1);
    char name[80];
    TRY(bench_check(bench, error));
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t k = m->off.start[i]; k < m->off.start[i + 1]; k++) {
            small[k] = entry_size(m, i, k) < choice->range;
            singles += small[k];
        }
    const struct shape shape = {.single = small};
    snprintf(name, sizeof name, "entry-wise split, |e|/d < %.3g", choice->range);
    return measure_mixed(bench, c, &format_csr_split, &shape, name,
                         (double)singles / fmax(1, (double)entries), error);
}

/* Measures two matrices, one for each class; the case is permuted by class. */
static enum status row_wise_split(struct bench *bench, const struct bench_case *c,
                                  const struct choice *choice, int64_t singles, struct error *error)
{
    struct split_product p = {.product = {.bench = bench, .c = c}, .separator = singles};
    struct measurement trial = {.body = run_two, .argument = &p, .check = check_two};
    char name[80];
    int64_t rest = c->rows.rows - singles, base = c->rows.start[singles];
    int64_t *start = bench_array(bench, rest + 1, sizeof *start);
    TRY(bench_check(bench, error));
    for (int64_t i = 0; i <= rest; i++)
        start[i] = c->rows.start[singles + i] - base;
    struct csr low = c->rows, high = c->rows;
    low.rows = singles;
    high.rows = rest;
    high.start = start;
    high.column += base;
    high.value += base;
    TRY(bench_store(bench, &p.product.matrix, &format_csr, &low, NULL, error));
    TRY(bench_store(bench, &p.second, &format_csr, &high, NULL, error));
    p.product.way = (struct way){.lanes = format_lanes(c->rows.rows, c->rows.start[c->rows.rows]),
                                 .numbers = NUMBERS_MIXED};
    p.product.operands = bench_case_operands(c, NUMBERS_MIXED, false);
    snprintf(name, sizeof name, "row-wise split, %s", choice->name);
    trial.variant = name;
    bench_case_trial(c, NUMBERS_MIXED, 4, &trial);
    trial.bytes += wide_bytes(c, (double)base);
    TRY(bench_trial(bench, &trial, NULL, error));
    bench_figure(bench_last_row(bench), "single %", 100 * choice->share);
    return STATUS_OK;
}

/* Measures `composite` (the case is permuted by class, separator >= 0) or `dual` (it is not, -1). */
static enum status by_classes(struct bench *bench, const struct bench_case *c, const struct choice *choice,
                              int64_t separator, struct error *error)
{
    char name[80];
    int64_t n = c->rows.rows;
    uint8_t *single = bench_array(bench, n, 1);
    TRY(bench_check(bench, error));
    for (int64_t k = 0; k < n; k++)
        single[k] = choice->single[c->order ? c->order[k] : k];
    const struct shape shape = {.single = single, .separator = separator};
    snprintf(name, sizeof name, "row-wise %s, %s", separator < 0 ? "dual" : "composite", choice->name);
    return measure_mixed(bench, c, &format_csr_classes, &shape, name, choice->share, error);
}

/* Measures our slices, in the choice's order and with the windows of a run. */
static enum status slice_wise(struct bench *bench, const struct bench_case *c, const struct choice *choice,
                              const char *title, struct error *error)
{
    struct bench_packed *packed;
    char name[80];
    bool rounds = choice->share > 0;
    TRY(bench_packed_make(&packed, bench, c, choice->single, choice->local,
                          layout_window(bench->queue->backend->slice_height), error));
    for (int k = 0; k < (rounds ? 3 : 2); k++) {
        const enum packed_update update[] = {PACKED_FUSED, PACKED_FUSED, PACKED_HYBRID};
        static const char *const as[] = {", fused", ", fused, stopping test", ", hybrid"};
        snprintf(name, sizeof name, "%s%s", title, rounds ? as[k] : k == 0 ? "" : ", stopping test");
        TRY(bench_packed_trial(packed, bench, name, k == 1, rounds ? update[k] : PACKED_ALONE, error));
        bench_figure(bench_last_row(bench), "single %", 100 * choice->share);
        bench_figure(bench_last_row(bench), "padding",
                     (double)packed->packing.stored / fmax(1, (double)packed->packing.entries));
    }
    return STATUS_OK;
}

/* Measures all schemes for one choice of rows. */
static enum status measure_schemes(struct bench *bench, const struct bench_case *plain,
                                   const struct choice *choice, struct error *error)
{
    const int64_t pieces = bench->pieces, rows = plain->matrix->rows;
    struct bench_case *sorted;
    char name[80];
    int32_t *order = bench_array(bench, rows, sizeof *order);
    TRY(bench_check(bench, error));
    int64_t singles = order_by_class(choice, rows, order);
    if (!isnan(choice->range))
        TRY(entry_wise(bench, plain, choice, error));
    TRY(bench_case_make(&sorted, bench, plain->matrix, true, order, PERMUTED_SYMMETRIC, error));
    TRY(row_wise_split(bench, sorted, choice, singles, error));
    TRY(by_classes(bench, sorted, choice, singles, error));
    TRY(by_classes(bench, plain, choice, -1, error));
    snprintf(name, sizeof name, "slice-wise, %s", choice->name);
    TRY(slice_wise(bench, plain, choice, name, error));
    bench_release(bench, pieces);
    return STATUS_OK;
}

/* Measures the choices need[i] <= limit, for the given limit or for three quantiles. Names show the limit times
 * `scale`: for ranges after the percentage of entries below it, for budgets (percent NaN) in mV. */
static enum status each_choice(struct bench *bench, const struct bench_case *plain, struct choice *choice,
                               const double *need, double given, double scale, double percent,
                               struct error *error)
{
    const double share[] = {1, 0.5, 0.05};
    const int64_t rows = plain->matrix->rows;
    double *sorted = bench_array(bench, rows, sizeof *sorted);
    TRY(bench_check(bench, error));
    memcpy(sorted, need, (size_t)rows * sizeof *sorted);
    qsort(sorted, (size_t)rows, sizeof *sorted, compare_double);
    for (int k = 0; k < (isnan(given) ? 3 : 1); k++) {
        double limit = isnan(given) ? quantile(sorted, rows, share[k]) : given / scale, shown = limit * scale;
        choose_rows(choice, need, rows, limit);
        choice->range = isnan(percent) ? (double)NAN : limit;
        if (isnan(percent))
            snprintf(choice->name, sizeof choice->name, "%.3g mV", shown);
        else
            snprintf(choice->name, sizeof choice->name, "%.3g%% < %.3g", percent, shown);
        TRY(measure_schemes(bench, plain, choice, error));
    }
    return STATUS_OK;
}

enum status bench_precision(struct bench *bench, struct bench_case *c, struct error *error)
{
    const struct bench_matrix *matrix = c->matrix;
    const int64_t n = matrix->rows;
    const double percent = isnan(bench->percent) ? 90 : bench->percent;
    const char *why_not;
    int32_t *local = bench_array(bench, n, sizeof *local);
    struct choice choice = {.single = bench_array(bench, n, 1), .local = local};
    double *need = bench_array(bench, n, sizeof *need);
    TRY(bench_check(bench, error));
    TRY(order_by_name(matrix, "rcm", local, &why_not, error));
    TRY(measure_uniform(bench, c, error));
    TRY(slice_wise(bench, c, &choice, "slices, all fp64", error));
    TRY(ranges_of_rows(matrix, percent, need, error));
    TRY(each_choice(bench, c, &choice, need, bench->range, 1, percent, error));
    return matrix->rate ? each_choice(bench, c, &choice, matrix->rate, bench->budget,
                                      0x1p-23 * matrix->bound * matrix->beta, NAN, error)
                        : STATUS_OK;
}
