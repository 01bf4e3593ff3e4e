/* case.c: permuted rows, random vectors, the reference. */
#include "app/bench/case.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "kernels/base/compare.h"
#include "kernels/bench/cachelines.h"

struct entry {
    int32_t column;
    double value;
};

/* Row k of the case <- row i of the matrix, columns renumbered and sorted again */
static void permute_row(struct bench_case *c, const struct csr *from, int64_t i, int64_t k,
                        const int32_t *new_index, struct entry *entry)
{
    int64_t begin = from->start[i], count = from->start[i + 1] - begin;
    for (int64_t e = 0; e < count; e++) {
        int32_t column = from->column[begin + e];
        entry[e] = (struct entry){new_index ? new_index[column] : column, from->value[begin + e]};
    }
    if (new_index && count > 1)
        qsort(entry, (size_t)count, sizeof *entry, compare_int32);
    for (int64_t e = 0; e < count; e++) {
        c->rows.column[c->rows.start[k] + e] = entry[e].column;
        c->rows.value[c->rows.start[k] + e] = entry[e].value;
    }
}

/* Permutes all rows in parallel. */
static enum status permute_all(struct bench_case *c, const struct csr *from, const int32_t *new_index,
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
                permute_row(c, from, c->order ? c->order[k] : k, k, new_index, entry);
        free(entry);
    }
    return failed ? error_memory(error, "the permuted matrix", 16.0 * (double)c->longest) : STATUS_OK;
}

static enum status permute(struct bench_case *c, struct bench *bench, const struct csr *from,
                           enum permuted permuted, struct error *error)
{
    int64_t n = from->rows, entries = from->start[n];
    bool renumber = c->order && permuted == PERMUTED_SYMMETRIC;
    int32_t *new_index = renumber ? bench_array(bench, n, sizeof *new_index) : NULL;
    c->rows = (struct csr){.rows = n,
                           .columns = from->columns,
                           .start = bench_array(bench, n + 1, sizeof *c->rows.start),
                           .column = bench_array(bench, entries, sizeof *c->rows.column),
                           .value = bench_array(bench, entries, sizeof *c->rows.value)};
    TRY(bench_check(bench, error));
    for (int64_t k = 0; renumber && k < n; k++)
        new_index[c->order[k]] = (int32_t)k;
    for (int64_t k = 0; k < n; k++) {
        int64_t i = c->order ? c->order[k] : k, length = from->start[i + 1] - from->start[i];
        c->rows.start[k + 1] = c->rows.start[k] + length;
        c->longest = length > c->longest ? length : c->longest;
    }
    return permute_all(c, from, new_index, error);
}

/* Random numbers that depend on the mesh's row only, so that every order computes the same result */
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

/* *wide, *narrow <- device copies of host[count] in fp64 and fp32, padded to whole slices */
static void upload_both(struct bench *bench, const double *host, int64_t count, double **wide, float **narrow)
{
    enum status *status = &bench->lack.status;
    float *single = array_new(count, sizeof *single, "the vectors", status, &bench->lack);
    *wide = bench_upload(bench, NULL, NULL, count + FORMAT_SLACK, 8);
    *narrow = bench_upload(bench, NULL, NULL, count + FORMAT_SLACK, 4);
    for (int64_t i = 0; i < count && !*status; i++)
        single[i] = (float)host[i];
    if (!*status)
        *status = device_upload(bench->queue, *wide, host, 8 * (size_t)count, &bench->lack);
    if (!*status)
        *status = device_upload(bench->queue, *narrow, single, 4 * (size_t)count, &bench->lack);
    free(single);
}

static void release_texture(struct queue *queue, void *texture)
{
    bench_device(queue->backend)->texture_free(queue, (uint64_t)(uintptr_t)texture);
}

/* A texture over count words of memory, released before them; 0 if the device has no textures */
static uint64_t add_texture(struct bench *bench, const void *memory, int64_t count, int size)
{
    if (!bench->device->texture || bench->lack.status)
        return 0;
    uint64_t texture = bench->device->texture(bench->queue, memory, count, size);
    return (uintptr_t)bench_keep(bench, bench->queue, release_texture, (void *)(uintptr_t)texture);
}

static void upload_vectors(struct bench_case *c, struct bench *bench)
{
    int64_t n = c->matrix->rows, columns = c->matrix->columns;
    upload_both(bench, c->x, columns, &c->x64, &c->x32);
    if (c->sweep) {
        upload_both(bench, c->b, n, &c->b64, &c->b32);
        upload_both(bench, c->inverse, n, &c->inverse64, &c->inverse32);
    }
    c->y64 = bench_upload(bench, NULL, NULL, n + FORMAT_SLACK, 8);
    c->y32 = bench_upload(bench, NULL, NULL, n + FORMAT_SLACK, 4);
    c->texture64 = add_texture(bench, c->x64, columns, 8);
    c->texture32 = add_texture(bench, c->x32, columns, 4);
}

/* With --inject: changes one entry so that its row's result is off by a tenth of c->size. */
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

enum status bench_case_make(struct bench_case **out, struct bench *bench, const struct bench_matrix *matrix,
                            bool sweep, const int32_t *order, enum permuted permuted, struct error *error)
{
    struct bench_case *c = *out = bench_array(bench, 1, sizeof *c);
    int64_t n = matrix->rows;
    TRY(bench_check(bench, error));
    *c = (struct bench_case){.matrix = matrix,
                             .sweep = sweep,
                             .order = order,
                             .x = bench_array(bench, matrix->columns, sizeof *c->x),
                             .want = bench_array(bench, n, sizeof *c->want),
                             .size = bench_array(bench, n, sizeof *c->size),
                             .b = sweep ? bench_array(bench, n, sizeof *c->b) : NULL,
                             .inverse = sweep ? bench_array(bench, n, sizeof *c->inverse) : NULL};
    TRY(permute(c, bench, sweep ? &matrix->off : &matrix->full, permuted, error));
    fill_vectors(c, permuted);
    if (bench->inject)
        plant_error(c);
    upload_vectors(c, bench);
    return bench_check(bench, error);
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
    void *y = bench_fetch(bench, narrow ? (void *)c->y32 : c->y64, n, narrow ? 4 : 8);
    TRY(bench_check(bench, error));
    *found = 0;
    for (int64_t i = 0; i < n; i++) {
        double value = narrow ? (double)((float *)y)[i] : ((double *)y)[i];
        *found = bench_worse(*found, fabs(value - c->want[i]) / c->size[i]);
    }
    return STATUS_OK;
}

/* The largest error of a correct result relative to the reference, by number types */
static double error_limit(const struct bench_case *c, enum numbers numbers)
{
    if (numbers == NUMBERS_DOUBLE)
        return 1e-13;
    if (numbers == NUMBERS_SINGLE)
        return (double)(c->longest + 4) * 0x1p-23;
    return 0x1p-22; /* value and x are rounded once each */
}

/* Bytes of the matrix's entries and of the vectors, each moved once */
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
