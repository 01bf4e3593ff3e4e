/* case.c: permuted rows, random vectors, the reference. */
#include "app/bench/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "kernels/base/compare.h"
#include "kernels/bench/cachelines.h"

struct entry {
    int32_t column;
    double value;
};

/* One row under its new number: columns renumbered and ascending again */
static void permute_row(struct bench_case *c, const struct csr *from, int64_t i, int64_t k,
                        const int32_t *place, struct entry *entry)
{
    int64_t begin = from->start[i], count = from->start[i + 1] - begin;
    for (int64_t e = 0; e < count; e++) {
        int32_t column = from->column[begin + e];
        entry[e] = (struct entry){place ? place[column] : column, from->value[begin + e]};
    }
    if (place && count > 1)
        qsort(entry, (size_t)count, sizeof *entry, compare_int32);
    for (int64_t e = 0; e < count; e++) {
        c->rows.column[c->rows.start[k] + e] = entry[e].column;
        c->rows.value[c->rows.start[k] + e] = entry[e].value;
    }
}

/* All of them, in parallel */
static enum status permute_all(struct bench_case *c, const struct csr *from, const int32_t *place,
                               struct error *error)
{
    int failed = 0;
#pragma omp parallel reduction(| : failed)
    {
        struct entry *entry = malloc(((size_t)c->longest + 1) * sizeof *entry);
        failed = !entry;
#pragma omp for schedule(static)
        for (int64_t k = 0; k < from->rows; k++)
            if (entry)
                permute_row(c, from, c->order ? c->order[k] : k, k, place, entry);
        free(entry);
    }
    return failed ? error_memory(error, "the permuted matrix", 16.0 * (double)c->longest) : STATUS_OK;
}

static enum status permute(struct bench_case *c, const struct csr *from, enum permuted permuted,
                           struct error *error)
{
    static const char what[] = "the permuted matrix";
    int64_t n = from->rows, entries = from->start[n];
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < n; i++)
        if (from->start[i + 1] - from->start[i] > c->longest)
            c->longest = from->start[i + 1] - from->start[i];
    bool renumber = c->order && permuted == PERMUTED_SYMMETRIC;
    int32_t *place = renumber ? array_new(n, sizeof *place, what, &status, error) : NULL;
    c->rows.rows = n;
    c->rows.columns = from->columns;
    c->rows.start = array_new(n + 1, sizeof *c->rows.start, what, &status, error);
    c->rows.column = array_new(entries, sizeof *c->rows.column, what, &status, error);
    c->rows.value = array_new(entries, sizeof *c->rows.value, what, &status, error);
    if (!status) {
        for (int64_t k = 0; renumber && k < n; k++)
            place[c->order[k]] = (int32_t)k;
        c->rows.start[0] = 0;
        for (int64_t k = 0; k < n; k++) {
            int64_t i = c->order ? c->order[k] : k;
            c->rows.start[k + 1] = c->rows.start[k] + from->start[i + 1] - from->start[i];
        }
        status = permute_all(c, from, place, error);
    }
    free(place);
    return status;
}

/* Random numbers that belong to the mesh's rows, so that every order computes the same thing */
static void fill_vectors(struct bench_case *c, enum permuted permuted)
{
    const struct bench_matrix *m = c->matrix;
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < m->columns; j++) {
        int64_t node = c->order && permuted == PERMUTED_SYMMETRIC ? c->order[j] : j;
        c->x[j] = bits_random_signed((uint64_t)node);
    }
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < (c->sweep ? m->rows : 0); k++) {
        int64_t node = c->order ? c->order[k] : k;
        c->inverse[k] = 1 / m->diagonal[node];
        c->b[k] = bits_random_signed((uint64_t)(node + m->rows)) * m->diagonal[node];
    }
    format_reference(c->want, c->size, &c->rows, c->x, c->b, c->inverse);
}

/* host[count] in fp64 and rounded on the device, with room for what fills up a slice */
static void upload_both(struct bench *bench, const double *host, int64_t count, double **wide, float **narrow,
                        enum status *status, struct error *error)
{
    float *single = array_new(count, sizeof *single, "the vectors", status, error);
    for (int64_t i = 0; i < count && !*status; i++)
        single[i] = (float)host[i];
    *wide = format_upload(bench->queue, NULL, count + FORMAT_SLACK, 8, status, error);
    *narrow = format_upload(bench->queue, NULL, count + FORMAT_SLACK, 4, status, error);
    if (!*status)
        *status = device_upload(bench->queue, *wide, host, 8 * (size_t)count, error);
    if (!*status)
        *status = device_upload(bench->queue, *narrow, single, 4 * (size_t)count, error);
    free(single);
}

static enum status upload_vectors(struct bench_case *c, struct bench *bench, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t n = c->matrix->rows, columns = c->matrix->columns;
    upload_both(bench, c->x, columns, &c->x64, &c->x32, &status, error);
    if (c->sweep) {
        upload_both(bench, c->b, n, &c->b64, &c->b32, &status, error);
        upload_both(bench, c->inverse, n, &c->inverse64, &c->inverse32, &status, error);
    }
    c->y64 = format_upload(bench->queue, NULL, n + FORMAT_SLACK, 8, &status, error);
    c->y32 = format_upload(bench->queue, NULL, n + FORMAT_SLACK, 4, &status, error);
    if (!status && bench->device->texture) {
        c->texture64 = bench->device->texture(bench->queue, c->x64, columns, 8);
        c->texture32 = bench->device->texture(bench->queue, c->x32, columns, 4);
    }
    return status;
}

/* With --inject one entry of the matrix is off by a tenth of its row. */
static void plant_error(struct bench_case *c)
{
    int64_t row = c->rows.rows / 2;
    while (row < c->rows.rows && c->rows.start[row] == c->rows.start[row + 1])
        row++;
    if (row == c->rows.rows)
        return;
    double scale = c->sweep ? fabs(c->inverse[row]) : 1, xj = c->x[c->rows.column[c->rows.start[row]]];
    c->rows.value[c->rows.start[row]] += 0.1 * c->size[row] / scale / (fabs(xj) > 1e-3 ? xj : 1e-3);
}

enum status bench_case_make(struct bench_case *c, struct bench *bench, const struct bench_matrix *matrix,
                            bool sweep, const int32_t *order, enum permuted permuted, struct error *error)
{
    static const char what[] = "the vectors";
    int64_t n = matrix->rows;
    enum status status = STATUS_OK;
    memset(c, 0, sizeof *c);
    c->matrix = matrix;
    c->sweep = sweep;
    c->order = order;
    c->x = array_new(matrix->columns, sizeof *c->x, what, &status, error);
    c->want = array_new(n, sizeof *c->want, what, &status, error);
    c->size = array_new(n, sizeof *c->size, what, &status, error);
    c->b = sweep ? array_new(n, sizeof *c->b, what, &status, error) : NULL;
    c->inverse = sweep ? array_new(n, sizeof *c->inverse, what, &status, error) : NULL;
    if (!status)
        status = permute(c, sweep ? &matrix->off : &matrix->full, permuted, error);
    if (!status) {
        fill_vectors(c, permuted);
        if (bench->inject)
            plant_error(c);
        status = upload_vectors(c, bench, error);
    }
    if (status)
        bench_case_free(c, bench);
    return status;
}

void bench_case_free(struct bench_case *c, struct bench *bench)
{
    void *host[] = {c->x, c->b, c->inverse, c->want, c->size};
    csr_free(&c->rows);
    void *device[] = {c->x64, c->x32, c->b64, c->b32, c->inverse64, c->inverse32, c->y64, c->y32};
    for (size_t k = 0; k < sizeof host / sizeof *host; k++)
        free(host[k]);
    if (bench->device->texture_free) {
        bench->device->texture_free(bench->queue, c->texture64);
        bench->device->texture_free(bench->queue, c->texture32);
    }
    for (size_t k = 0; k < sizeof device / sizeof *device; k++)
        device_release(bench->queue, device[k]);
    memset(c, 0, sizeof *c);
}

struct operands bench_case_operands(const struct bench_case *c, enum numbers numbers, bool with_y32)
{
    bool narrow = numbers == NUMBERS_SINGLE, reads_narrow = narrow || numbers == NUMBERS_MIXED;
    return (struct operands){
        .x64 = c->x64,
        .x32 = numbers == NUMBERS_CAST ? NULL : c->x32,
        .y64 = c->y64,
        .y32 = narrow || with_y32 ? c->y32 : NULL,
        .b = c->b64,
        .inverse = c->inverse64,
        .b32 = c->b32,
        .inverse32 = c->inverse32,
        .columns = c->matrix->columns,
        .texture = reads_narrow ? c->texture32 : c->texture64,
    };
}

enum status bench_case_error(const struct bench_case *c, struct bench *bench, bool narrow, double *found,
                             struct error *error)
{
    int64_t n = c->matrix->rows;
    void *y = bench_fetch(bench, narrow ? (void *)c->y32 : c->y64, n, narrow ? 4 : 8, error);
    if (!y)
        return STATUS_RUN;
    *found = 0;
    for (int64_t i = 0; i < n; i++) {
        double value = narrow ? (double)((float *)y)[i] : ((double *)y)[i];
        *found = bench_worse(*found, fabs(value - c->want[i]) / c->size[i]);
    }
    free(y);
    return STATUS_OK;
}

/* How far right answers may be from the reference, by the numbers they are made of */
static double error_limit(const struct bench_case *c, enum numbers numbers)
{
    if (numbers == NUMBERS_DOUBLE)
        return 1e-13;
    if (numbers == NUMBERS_SINGLE)
        return (double)(c->longest + 4) * 0x1p-23;
    return 0x1p-22; /* value and x are rounded once each */
}

/* Entries of the matrix, vectors */
static double moved_bytes(const struct bench_case *c, enum numbers numbers, double index_bytes)
{
    double entries = (double)c->rows.start[c->matrix->rows], rows = (double)c->matrix->rows;
    double value = numbers == NUMBERS_DOUBLE ? 8 : 4,
           x = numbers == NUMBERS_MIXED || numbers == NUMBERS_SINGLE ? 4 : 8;
    double vector = numbers == NUMBERS_SINGLE ? 4 : 8;
    return entries * (value + index_bytes) + (double)c->matrix->columns * x +
           rows * vector * (c->sweep ? 3 : 1);
}

void bench_case_trial(const struct bench_case *c, enum numbers numbers, double index_bytes,
                      struct measurement *trial)
{
    bool narrow = numbers == NUMBERS_SINGLE;
    trial->limit = error_limit(c, numbers);
    trial->nan_fill[0] = narrow ? (void *)c->y32 : c->y64;
    trial->nan_fill_bytes[0] = (size_t)c->matrix->rows * (narrow ? 4 : 8);
    trial->bytes = moved_bytes(c, numbers, index_bytes);
    trial->flops = 2 * (double)c->rows.start[c->matrix->rows] + (c->sweep ? 2 * (double)c->matrix->rows : 0);
}

void bench_product_run(void *argument)
{
    struct bench_product *p = argument;
    const struct bench *bench = p->bench;
    p->matrix.format->run[bench->device->code](bench->queue, &p->matrix, &p->way, &p->operands);
}

enum status bench_product_check(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct bench_product *p = argument;
    return bench_case_error(p->c, bench, p->way.numbers == NUMBERS_SINGLE, found, error);
}

enum status bench_product_trial(struct bench_product *p, const char *variant, double index_bytes,
                                double more_bytes, struct error *error)
{
    struct measurement trial = {
        .variant = variant, .body = bench_product_run, .argument = p, .check = bench_product_check};
    p->operands = bench_case_operands(p->c, p->way.numbers, false);
    bench_case_trial(p->c, p->way.numbers, index_bytes, &trial);
    trial.bytes += more_bytes;
    return bench_trial(p->bench, &trial, NULL, error);
}

enum status bench_add_lines(struct bench *bench, const struct bench_case *c, int lanes, double padding,
                            struct error *error)
{
    struct bench_row *row = bench_last_row(bench);
    struct lines lines;
    TRY(lines_count(&lines, &c->rows, lanes, 8, 8, error));
    if (padding > 0)
        bench_figure(row, "padding", padding);
    bench_figure(row, "x 128B", lines.x_128);
    bench_figure(row, "x 32B", lines.x_32);
    bench_figure(row, "mat 128B", lines.matrix_128);
    bench_figure(row, "warp x 32B", lines.warp_x_32);
    return STATUS_OK;
}
