/* case.c: permuted rows, random vectors, the reference. */
#include "app/bench/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    int32_t column;
    double value;
};

static int by_column(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    return (left->column > right->column) - (left->column < right->column);
}

/* One row in its new place: columns renumbered and ascending again */
static void place_row(struct bench_case *c, const struct csr *from, int64_t i, int64_t k,
                      const int32_t *place, struct entry *entry)
{
    int64_t begin = from->start[i], count = from->start[i + 1] - begin;
    for (int64_t e = 0; e < count; e++) {
        int32_t column = from->column[begin + e];
        entry[e] = (struct entry){place ? place[column] : column, from->value[begin + e]};
    }
    if (place && count > 1)
        qsort(entry, (size_t)count, sizeof *entry, by_column);
    for (int64_t e = 0; e < count; e++) {
        c->rows.column[c->rows.start[k] + e] = entry[e].column;
        c->rows.value[c->rows.start[k] + e] = entry[e].value;
    }
}

/* All of them, shared among threads */
static enum status place_rows(struct bench_case *c, const struct csr *from, const int32_t *place,
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
                place_row(c, from, c->order ? c->order[k] : k, k, place, entry);
        free(entry);
    }
    return failed ? error_memory(error, "the permuted matrix", 16.0 * (double)c->longest) : STATUS_OK;
}

static enum status permute(struct bench_case *c, const struct csr *from, enum permuted permuted,
                           struct error *error)
{
    int64_t n = from->rows, entries = from->start[n];
    for (int64_t i = 0; i < n; i++)
        if (from->start[i + 1] - from->start[i] > c->longest)
            c->longest = from->start[i + 1] - from->start[i];
    bool renumber = c->order && permuted == PERMUTED_SYMMETRIC;
    int32_t *place = renumber ? malloc(((size_t)n + 1) * sizeof *place) : NULL;
    c->rows.rows = n;
    c->rows.columns = from->columns;
    c->rows.start = malloc(((size_t)n + 1) * sizeof *c->rows.start);
    c->rows.column = malloc(((size_t)entries + 1) * sizeof *c->rows.column);
    c->rows.value = malloc(((size_t)entries + 1) * sizeof *c->rows.value);
    enum status status = STATUS_OK;
    if ((renumber && !place) || !c->rows.start || !c->rows.column || !c->rows.value) {
        status = error_memory(error, "the permuted matrix", 12.0 * (double)entries);
    } else {
        for (int64_t k = 0; renumber && k < n; k++)
            place[c->order[k]] = (int32_t)k;
        c->rows.start[0] = 0;
        for (int64_t k = 0; k < n; k++) {
            int64_t i = c->order ? c->order[k] : k;
            c->rows.start[k + 1] = c->rows.start[k] + from->start[i + 1] - from->start[i];
        }
        status = place_rows(c, from, place, error);
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
        c->x[j] = bench_random((uint64_t)node);
    }
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < (c->sweep ? m->rows : 0); k++) {
        int64_t node = c->order ? c->order[k] : k;
        c->inverse[k] = 1 / m->diagonal[node];
        c->b[k] = bench_random((uint64_t)(node + m->rows)) * m->diagonal[node];
    }
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < m->rows; k++) {
        double sum = 0, size = 0;
        for (int64_t e = c->rows.start[k]; e < c->rows.start[k + 1]; e++) {
            double term = c->rows.value[e] * c->x[c->rows.column[e]];
            sum += term;
            size += fabs(term);
        }
        c->want[k] = c->sweep ? (c->b[k] - sum) * c->inverse[k] : sum;
        c->size[k] = c->sweep ? (fabs(c->b[k]) + size) * fabs(c->inverse[k]) : size;
        c->size[k] = c->size[k] > 0 ? c->size[k] : 1; /* an empty row */
    }
}

static float *rounded(const double *from, int64_t count)
{
    float *to = malloc(((size_t)count + 1) * sizeof *to);
    for (int64_t i = 0; to && i < count; i++)
        to[i] = (float)from[i];
    return to;
}

/* host[count] in fp64 and rounded on the device, with room for what fills up a slice */
static void place_both(struct bench *bench, const double *host, int64_t count, double **wide, float **narrow,
                       enum status *status, struct error *error)
{
    float *single = rounded(host, count);
    if (!single && !*status)
        *status = error_memory(error, "the vectors", 4.0 * (double)count);
    *wide = bench_upload(bench->queue, NULL, count + BENCH_SLACK, 8, status, error);
    *narrow = bench_upload(bench->queue, NULL, count + BENCH_SLACK, 4, status, error);
    if (!*status)
        *status = device_upload(bench->queue, *wide, host, 8 * (size_t)count, error);
    if (!*status)
        *status = device_upload(bench->queue, *narrow, single, 4 * (size_t)count, error);
    free(single);
}

static enum status place_vectors(struct bench_case *c, struct bench *bench, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t n = c->matrix->rows, columns = c->matrix->columns;
    place_both(bench, c->x, columns, &c->x64, &c->x32, &status, error);
    if (c->sweep) {
        place_both(bench, c->b, n, &c->b64, &c->b32, &status, error);
        place_both(bench, c->inverse, n, &c->inverse64, &c->inverse32, &status, error);
    }
    c->y64 = bench_upload(bench->queue, NULL, n + BENCH_SLACK, 8, &status, error);
    c->y32 = bench_upload(bench->queue, NULL, n + BENCH_SLACK, 4, &status, error);
    if (!status) {
        c->texture64 = bench->device->texture(bench->queue, c->x64, columns, 8);
        c->texture32 = bench->device->texture(bench->queue, c->x32, columns, 4);
    }
    return status;
}

/* With --inject one entry of the matrix is off by a tenth of its row. */
static void plant(struct bench_case *c)
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
    size_t n = (size_t)matrix->rows + 1, columns = (size_t)matrix->columns + 1;
    memset(c, 0, sizeof *c);
    c->matrix = matrix;
    c->sweep = sweep;
    c->order = order;
    c->x = malloc(columns * sizeof *c->x);
    c->want = malloc(n * sizeof *c->want);
    c->size = malloc(n * sizeof *c->size);
    c->b = sweep ? malloc(n * sizeof *c->b) : NULL;
    c->inverse = sweep ? malloc(n * sizeof *c->inverse) : NULL;
    enum status status = STATUS_OK;
    if (!c->x || !c->want || !c->size || (sweep && (!c->b || !c->inverse)))
        status = error_memory(error, "the vectors", 40.0 * (double)n);
    AND(permute(c, sweep ? &matrix->off : &matrix->full, permuted, error));
    if (!status) {
        fill_vectors(c, permuted);
        if (bench->inject)
            plant(c);
        status = place_vectors(c, bench, error);
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
    bench->device->texture_free(bench->queue, c->texture64);
    bench->device->texture_free(bench->queue, c->texture32);
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
    size_t bytes = (size_t)n * (narrow ? 4 : 8);
    double *wide = malloc(bytes + 8);
    if (!wide)
        return error_memory(error, "the validation", (double)bytes);
    enum status status = device_download(bench->queue, wide, narrow ? (void *)c->y32 : c->y64, bytes, error);
    double largest = 0;
    for (int64_t i = 0; i < n && !status; i++) {
        double y = wide[narrow ? 0 : i];
        if (narrow) {
            float single;
            memcpy(&single, (const char *)wide + 4 * i, sizeof single);
            y = (double)single;
        }
        double apart = fabs(y - c->want[i]) / c->size[i];
        if (!(apart <= largest)) /* NaN stays */
            largest = apart;
        if (isnan(apart))
            break;
    }
    free(wide);
    *found = status ? NAN : largest;
    return status;
}

double bench_case_limit(const struct bench_case *c, enum numbers numbers)
{
    if (numbers == NUMBERS_DOUBLE)
        return 1e-13;
    if (numbers == NUMBERS_SINGLE)
        return (double)(c->longest + 4) * 0x1p-23;
    return 0x1p-22; /* value and x are rounded once each */
}

double bench_case_bytes(const struct bench_case *c, enum numbers numbers, double index_bytes)
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
    trial->limit = bench_case_limit(c, numbers);
    trial->nan_fill[0] = narrow ? (void *)c->y32 : c->y64;
    trial->nan_fill_bytes[0] = (size_t)c->matrix->rows * (narrow ? 4 : 8);
    trial->bytes = bench_case_bytes(c, numbers, index_bytes);
    trial->flops = 2 * (double)c->rows.start[c->matrix->rows] + (c->sweep ? 2 * (double)c->matrix->rows : 0);
}
