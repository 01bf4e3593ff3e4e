/* formats.c: the same product, or the same sweep, in every format and with every way of reading x. */
#include <math.h>
#include <stdio.h>

#include "app/bench/case.h"

/* Adds the rows of all variants of a format in one shape. */
static enum status measure_shape(struct bench *bench, const struct bench_case *c, const struct format *format,
                                 const struct shape *shape, struct error *error)
{
    struct bench_product p = {.bench = bench, .c = c};
    struct variant variant;
    const int64_t pieces = bench->pieces;
    enum status status = bench_store(bench, &p.matrix, format, &c->rows, shape, error);
    if (status) {
        char title[40] = "";
        if (format->title)
            format->title(shape, title);
        return bench_blank_input(bench, title, status, error);
    }
    double padding = p.matrix.padded ? (double)p.matrix.padded / fmax(1, (double)p.matrix.entries) : 0;
    for (int k = 0; format->variant(&variant, k, &p.matrix, bench->queue->backend->slice_height); k++) {
        if (!(bench->device->reads >> variant.way.reads & 1) ||
            (variant.way.constant && !bench->device->constant))
            continue;
        if (variant.missing) {
            bench_blank(bench, variant.name, variant.missing);
            continue;
        }
        if (variant.way.constant)
            bench->device->constant(bench->queue, &p.matrix);
        p.way = variant.way;
        TRY(bench_product_trial(&p, variant.name, variant.index_bytes, 0, error));
        if (variant.lines >= 0)
            TRY(bench_add_lines(bench, c, variant.lines, padding, error));
    }
    bench_release(bench, pieces);
    return STATUS_OK;
}

enum status bench_formats(struct bench *bench, struct bench_case *c, struct error *error)
{
    for (const struct format *const *format = format_list; *format; format++)
        for (int k = 0; k < (*format)->shape_count; k++)
            TRY(measure_shape(bench, c, *format, &(*format)->shapes[k], error));
    return bench_rivals(bench, c, error);
}

/* The vendor's libraries */
struct rival {
    struct bench_product product; /* bench, case, numbers and operands */
    struct vendor *library;
};

static void run_rival(void *argument)
{
    struct rival *rival = argument;
    const struct bench *bench = rival->product.bench;
    bench->device->vendor_run(bench->queue, rival->library, &rival->product.operands);
}

static enum status check_rival(void *argument, struct bench *bench, double *found, struct error *error)
{
    return bench_product_check(&((struct rival *)argument)->product, bench, found, error);
}

static enum status measure_rival(struct bench *bench, const struct bench_case *c, const char *name,
                                 const struct stored *matrix, enum numbers numbers, bool prepared,
                                 struct error *error)
{
    struct rival rival = {.product = {.bench = bench, .c = c, .way = {.numbers = numbers}}};
    struct measurement trial = {.variant = name, .body = run_rival, .argument = &rival, .check = check_rival};
    rival.library = bench->device->vendor_new(bench->queue, matrix, c->matrix->columns, numbers, prepared);
    if (!rival.library) {
        bench_blank(bench, name, "not installed, or it cannot do this");
        return STATUS_OK;
    }
    rival.product.operands = bench_case_operands(c, numbers, false);
    bench_case_trial(c, numbers, 4, &trial);
    enum status status = bench_trial(bench, &trial, NULL, error);
    bench->device->vendor_free(rival.library);
    return status;
}

enum status bench_rival_csr(struct bench *bench, const struct bench_case *c, const char *suffix,
                            struct error *error)
{
    static const char *const name[] = {"cuSPARSE CSR", "cuSPARSE CSR, values fp32", "cuSPARSE CSR, all fp32"};
    static const enum numbers numbers[] = {NUMBERS_DOUBLE, NUMBERS_CAST, NUMBERS_SINGLE};
    const int64_t pieces = bench->pieces;
    struct stored csr;
    if (!bench->device->vendor_new)
        return STATUS_OK;
    TRY(bench_store(bench, &csr, &format_csr, &c->rows, NULL, error));
    for (int k = 0; k < (bench->vendor ? 6 : 3); k++) {
        char variant[80];
        bool prepared = k >= 3;
        snprintf(variant, sizeof variant, "%s%s%s", name[k % 3], prepared ? ", prepared" : "", suffix);
        TRY(measure_rival(bench, c, variant, &csr, numbers[k % 3], prepared, error));
    }
    bench_release(bench, pieces);
    return STATUS_OK;
}

enum status bench_rivals(struct bench *bench, const struct bench_case *c, struct error *error)
{
    static const char name[] = "cuSPARSE sliced ELL";
    const struct shape shape = {.height = 32, .group = 1};
    struct stored sell;
    if (!bench->device->vendor_new)
        return STATUS_OK;
    TRY(bench_rival_csr(bench, c, "", error));
    enum status status = bench_store(bench, &sell, &format_sell, &c->rows, &shape, error);
    if (status)
        return bench_blank_input(bench, name, status, error);
    TRY(measure_rival(bench, c, name, &sell, NUMBERS_DOUBLE, false, error));
    return measure_rival(bench, c, "cuSPARSE sliced ELL, all fp32", &sell, NUMBERS_SINGLE, false, error);
}
