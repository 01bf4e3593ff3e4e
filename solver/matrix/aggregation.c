/* aggregation.c: aggregates, their smoothed prolongation, and Galerkin's product. */
#include "solver/matrix/aggregation.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernels/base/array.h"

static const char what[] = "a coarser matrix";

enum { BLOCK = 1024 }; /* rows of a thread's task */

void aggregation_matrix_free(struct aggregation_matrix *matrix)
{
    csr_free(&matrix->off);
    free(matrix->diagonal);
    *matrix = (struct aggregation_matrix){0};
}

void aggregation_free(struct aggregation *aggregation)
{
    csr_free(&aggregation->to_fine);
    csr_free(&aggregation->to_coarse);
    aggregation_matrix_free(&aggregation->coarse);
}

/* The r-th row */
static int64_t row_at(const struct aggregation_matrix *a, int64_t r)
{
    return a->order ? a->order[r] : r;
}

static bool is_strong(const struct aggregation_matrix *a, int64_t i, int64_t k, double theta)
{
    double value = a->off.value[k], other = a->diagonal[a->off.column[k]];
    return value < 0 && other > 0 && value * value > theta * theta * a->diagonal[i] * other;
}

/* Whether the row is not left out, has strong neighbours, and neither the row nor these have an aggregate */
static bool is_free(const struct aggregation_matrix *a, const int32_t *of, int64_t i, double theta)
{
    bool some = false;
    if (of[i] >= 0 || !(a->diagonal[i] > 0))
        return false;
    for (int64_t k = a->off.start[i]; k < a->off.start[i + 1]; k++)
        if (is_strong(a, i, k, theta)) {
            some = true;
            if (of[a->off.column[k]] >= 0)
                return false;
        }
    return some;
}

static void fill_aggregate(const struct aggregation_matrix *a, int32_t *of, int64_t i, int32_t aggregate,
                           double theta)
{
    of[i] = aggregate;
    for (int64_t k = a->off.start[i]; k < a->off.start[i + 1]; k++)
        if (is_strong(a, i, k, theta) && of[a->off.column[k]] < 0)
            of[a->off.column[k]] = aggregate;
}

/* Successive rows are scattered in memory, so those of a later row are prefetched. */
static void ask_ahead(const struct aggregation_matrix *a, const int32_t *of, int64_t r)
{
    enum { NEAR = 8, FAR = 16 };
    if (r + FAR >= a->off.rows)
        return;
    int64_t near = row_at(a, r + NEAR), at = a->off.start[near];
    __builtin_prefetch(&a->off.start[row_at(a, r + FAR)]);
    __builtin_prefetch(a->off.column + at);
    __builtin_prefetch(a->off.value + at);
    __builtin_prefetch(&of[near]);
    __builtin_prefetch(&a->diagonal[near]);
}

/* of[row] <- its aggregate, -1 for rows left out; returns the number of aggregates. joined[] contains the
 * rows of the second pass, so that no row joins one that was itself only joined. */
static int64_t aggregate(const struct aggregation_matrix *a, int32_t *of, int32_t *joined, double theta)
{
    int64_t rows = a->off.rows, count = 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++)
        of[i] = joined[i] = -1;
    for (int64_t r = 0; r < rows; r++) {
        ask_ahead(a, of, r);
        if (is_free(a, of, row_at(a, r), theta))
            fill_aggregate(a, of, row_at(a, r), (int32_t)count++, theta);
    }
#pragma omp parallel for schedule(dynamic, BLOCK)
    for (int64_t i = 0; i < rows; i++) {
        double strongest = 0;
        for (int64_t k = a->off.start[i]; of[i] < 0 && a->diagonal[i] > 0 && k < a->off.start[i + 1]; k++)
            if (of[a->off.column[k]] >= 0 && is_strong(a, i, k, theta) && a->off.value[k] < strongest) {
                strongest = a->off.value[k];
                joined[i] = of[a->off.column[k]];
            }
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++)
        of[i] = joined[i] >= 0 ? joined[i] : of[i];
    for (int64_t r = 0; r < rows; r++)
        if (of[row_at(a, r)] < 0 && a->diagonal[row_at(a, r)] > 0)
            fill_aggregate(a, of, row_at(a, r), (int32_t)count++, theta);
    return count;
}

/* A row of a product under construction */
struct row {
    int32_t *column, *index; /* index[columns of the product] position in column[], -1 = none */
    double *value;
    int64_t count;
};

static void row_add(struct row *row, int32_t column, double value)
{
    int32_t at = row->index[column];
    if (at < 0) {
        at = row->index[column] = (int32_t)row->count++;
        row->column[at] = column;
        row->value[at] = 0;
    }
    row->value[at] += value;
}

static void row_end(const struct row *row)
{
    for (int64_t k = 0; k < row->count; k++)
        row->index[row->column[k]] = -1;
}

/* The factors of a product: P from A and the aggregates, or (D + A) B */
struct factors {
    const struct csr *a, *b;
    const double *diagonal; /* NULL: 0 */
    const struct aggregation_matrix *matrix;
    const int32_t *of;
    double theta;
};

static void smooth_row(const struct factors *from, int64_t i, struct row *row)
{
    const struct aggregation_matrix *a = from->matrix;
    double own = a->diagonal[i], sum = 0;
    if (from->of[i] < 0)
        return;
    for (int64_t k = a->off.start[i]; k < a->off.start[i + 1]; k++)
        if (from->of[a->off.column[k]] < 0)
            continue;
        else if (is_strong(a, i, k, from->theta))
            sum -= a->off.value[k];
        else
            own += a->off.value[k];
    if (!(own > 0))
        own = a->diagonal[i];
    double scale = 4 / (3 * (own + sum));
    row_add(row, from->of[i], 1 - scale * own);
    for (int64_t k = a->off.start[i]; k < a->off.start[i + 1]; k++)
        if (from->of[a->off.column[k]] >= 0 && is_strong(a, i, k, from->theta))
            row_add(row, from->of[a->off.column[k]], -scale * a->off.value[k]);
}

static void product_row(const struct factors *from, int64_t i, struct row *row)
{
    const struct csr *a = from->a, *b = from->b;
    for (int64_t k = b->start[i]; from->diagonal && k < b->start[i + 1]; k++)
        row_add(row, b->column[k], from->diagonal[i] * b->value[k]);
    for (int64_t j = a->start[i]; j < a->start[i + 1]; j++) {
        int64_t from_row = a->column[j];
        for (int64_t k = b->start[from_row]; k < b->start[from_row + 1]; k++)
            row_add(row, b->column[k], a->value[j] * b->value[k]);
    }
}

/* A block of rows: each block is computed in its own memory, and the blocks are then concatenated */
struct block {
    int32_t *column;
    double *value;
    int64_t count, room;
};

/* Reserves memory for `more` entries of the block; false if out of memory */
static bool block_reserve(struct block *block, int64_t more)
{
    if (block->count + more <= block->room)
        return true;
    int64_t room = 2 * (block->count + more);
    int32_t *column = realloc(block->column, array_bytes(room, sizeof *column));
    block->column = column ? column : block->column;
    double *value = realloc(block->value, array_bytes(room, sizeof *value));
    block->value = value ? value : block->value;
    block->room = column && value ? room : block->room;
    return column && value;
}

/* Upper bound on the entries of row i */
static int64_t row_bound(const struct factors *from, int64_t i)
{
    if (from->of)
        return 1 + from->matrix->off.start[i + 1] - from->matrix->off.start[i];
    const struct csr *a = from->a, *b = from->b;
    int64_t most = from->diagonal ? b->start[i + 1] - b->start[i] : 0;
    for (int64_t j = a->start[i]; j < a->start[i + 1]; j++)
        most += b->start[a->column[j] + 1] - b->start[a->column[j]];
    return most < b->columns ? most : b->columns;
}

static bool make_block(const struct factors *from, int64_t first, int64_t last, int32_t *index,
                       struct block *block, int64_t *start)
{
    for (int64_t i = first; i < last; i++) {
        if (!block_reserve(block, row_bound(from, i)))
            return false;
        struct row row = {block->column + block->count, index, block->value + block->count, 0};
        if (from->of)
            smooth_row(from, i, &row);
        else
            product_row(from, i, &row);
        row_end(&row);
        start[i + 1] = row.count;
        block->count += row.count;
    }
    return true;
}

static void copy_block(struct csr *to, const struct block *block, int64_t at)
{
    for (int64_t k = 0; k < block->count; k++) {
        to->column[at + k] = block->column[k];
        to->value[at + k] = block->value[k];
    }
}

static enum status make_rows(struct csr *to, const struct factors *from, int64_t rows, int64_t columns,
                             struct error *error)
{
    enum status status = STATUS_OK;
    int64_t blocks = (rows + BLOCK - 1) / BLOCK;
    int threads = omp_get_max_threads();
    bool full = true;
    *to = (struct csr){.rows = rows, .columns = columns};
    to->start = array_zeroed(rows + 1, sizeof *to->start, what, &status, error);
    int32_t *index = array_new(threads * columns, sizeof *index, what, &status, error);
    struct block *block = array_zeroed(blocks, sizeof *block, what, &status, error);
    TRY_DONE(status);
#pragma omp parallel num_threads(threads) reduction(&& : full)
    {
        int32_t *own = index + (int64_t)omp_get_thread_num() * columns;
        for (int64_t j = 0; j < columns; j++)
            own[j] = -1;
#pragma omp for schedule(dynamic)
        for (int64_t b = 0; b < blocks; b++)
            full = make_block(from, b * BLOCK, (b + 1) * BLOCK < rows ? (b + 1) * BLOCK : rows, own,
                              block + b, to->start) &&
                   full;
    }
    for (int64_t i = 0; i < rows; i++)
        to->start[i + 1] += to->start[i];
    if (!full)
        TRY_DONE(error_memory(error, what, (double)to->start[rows] * 12));
    to->column = array_new(to->start[rows], sizeof *to->column, what, &status, error);
    to->value = array_new(to->start[rows], sizeof *to->value, what, &status, error);
    TRY_DONE(status);
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < blocks; b++)
        copy_block(to, block + b, to->start[b * BLOCK]);
done:
    for (int64_t b = 0; block && b < blocks; b++) {
        free(block[b].column);
        free(block[b].value);
    }
    free(block);
    free(index);
    return status;
}

/* to <- the transpose of P, its columns in the order of the fine rows: entries are counted per column for
 * each range of rows, then the ranges are filled in */
static enum status transpose(struct csr *to, const struct csr *from, const struct aggregation_matrix *fine,
                             struct error *error)
{
    enum status status = STATUS_OK;
    int64_t entries = from->start[from->rows], columns = from->columns, runs = omp_get_max_threads();
    *to = (struct csr){.rows = columns, .columns = from->rows};
    to->start = array_zeroed(columns + 1, sizeof *to->start, what, &status, error);
    to->column = array_new(entries, sizeof *to->column, what, &status, error);
    to->value = array_new(entries, sizeof *to->value, what, &status, error);
    int64_t *next = array_zeroed(runs * columns, sizeof *next, what, &status, error);
    for (int pass = 0; pass < 2 && !status; pass++) {
#pragma omp parallel for schedule(static, 1)
        for (int64_t t = 0; t < runs; t++)
            for (int64_t r = from->rows * t / runs; r < from->rows * (t + 1) / runs; r++)
                for (int64_t i = row_at(fine, r), k = from->start[i]; k < from->start[i + 1]; k++) {
                    int64_t at = next[t * columns + from->column[k]]++;
                    if (pass == 0)
                        continue;
                    to->column[at] = (int32_t)i;
                    to->value[at] = from->value[k];
                }
        for (int64_t j = 0, at = 0; j < columns && pass == 0; j++) {
            to->start[j] = at;
            for (int64_t t = 0; t < runs; t++) {
                int64_t count = next[t * columns + j];
                next[t * columns + j] = at;
                at += count;
            }
            to->start[j + 1] = at;
        }
    }
    free(next);
    return status;
}

/* Moves the diagonal out of off */
static enum status split_diagonal(struct aggregation_matrix *matrix, struct error *error)
{
    enum status status = STATUS_OK;
    struct csr *off = &matrix->off;
    int64_t count = 0, begin = 0;
    matrix->diagonal = array_zeroed(off->rows, sizeof *matrix->diagonal, what, &status, error);
    TRY(status);
    for (int64_t i = 0; i < off->rows; i++) {
        int64_t end = off->start[i + 1];
        for (int64_t k = begin; k < end; k++)
            if (off->column[k] == i) {
                matrix->diagonal[i] = off->value[k];
            } else {
                off->column[count] = off->column[k];
                off->value[count++] = off->value[k];
            }
        begin = end;
        off->start[i + 1] = count;
    }
    return STATUS_OK;
}

enum status aggregation_create(struct aggregation *to, const struct aggregation_matrix *fine, double theta,
                               struct error *error)
{
    enum status status = STATUS_OK;
    int64_t rows = fine->off.rows, coarse = 0;
    struct csr half = {0};
    *to = (struct aggregation){0};
    int32_t *of = array_new(rows, sizeof *of, what, &status, error);
    int32_t *joined = array_new(rows, sizeof *joined, what, &status, error);
    TRY_DONE(status);
    coarse = aggregate(fine, of, joined, theta);
    const struct factors smoothing = {.matrix = fine, .of = of, .theta = theta};
    TRY_DONE(make_rows(&to->to_fine, &smoothing, rows, coarse, error));
    TRY_DONE(transpose(&to->to_coarse, &to->to_fine, fine, error));
    const struct factors right = {.a = &fine->off, .diagonal = fine->diagonal, .b = &to->to_fine};
    TRY_DONE(make_rows(&half, &right, rows, coarse, error));
    const struct factors left = {.a = &to->to_coarse, .b = &half};
    TRY_DONE(make_rows(&to->coarse.off, &left, coarse, coarse, error));
    status = split_diagonal(&to->coarse, error);
done:
    csr_free(&half);
    free(joined);
    free(of);
    return status;
}
