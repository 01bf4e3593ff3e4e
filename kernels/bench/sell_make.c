/* sell_make.c: widths of the slices, then their entries. */
#include "kernels/bench/sell.h"

#include <stdlib.h>
#include <string.h>

enum { PADDING_MAX = 10, PADDING_FREE = 1 << 20 };

struct draft {
    int64_t *start;
    int32_t *column;
    int16_t *offset;
    double *value;
    float *single;
};

static int64_t length_of(const struct csr *from, int64_t i)
{
    return i < from->rows ? from->start[i + 1] - from->start[i] : 0;
}

static void plan(struct sell *sell, const struct csr *from, int64_t *start)
{
    int64_t at = 0, group = sell->group;
    for (int64_t s = 0; s < sell->slices; s++) {
        int64_t width = 0;
        for (int64_t i = s * sell->height; i < (s + 1) * sell->height; i++)
            width = length_of(from, i) > width ? length_of(from, i) : width;
        start[s] = at;
        at += (width + group - 1) / group * group * sell->height;
    }
    start[sell->slices] = sell->stored = at;
}

/* Entry k of row r of slice s; returns whether its offset fits 16 bits */
static bool fill_entry(struct draft *draft, const struct sell *sell, const struct csr *from, int64_t s,
                       int64_t r, int64_t k)
{
    int64_t group = sell->group, i = s * sell->height + r;
    int64_t at = draft->start[s] + k / group * sell->height * group + r * group + k % group;
    bool is_entry = k < length_of(from, i);
    int64_t entry = is_entry ? from->start[i] + k : 0;
    int64_t column = is_entry ? from->column[entry] : i < from->columns + BENCH_SLACK ? i : 0;
    double value = is_entry ? from->value[entry] : 0;
    draft->column[at] = (int32_t)column;
    draft->offset[at] = (int16_t)(column - i);
    draft->value[at] = value;
    draft->single[at] = (float)value;
    return column - i >= INT16_MIN && column - i <= INT16_MAX;
}

static bool fill(struct draft *draft, const struct sell *sell, const struct csr *from)
{
    bool narrow = true;
#pragma omp parallel for schedule(static) reduction(&& : narrow)
    for (int64_t s = 0; s < sell->slices; s++) {
        int64_t width = (draft->start[s + 1] - draft->start[s]) / sell->height;
        for (int64_t r = 0; r < sell->height; r++)
            for (int64_t k = 0; k < width; k++)
                narrow = fill_entry(draft, sell, from, s, r, k) && narrow;
    }
    return narrow;
}

static enum status fill_and_place(struct sell *sell, struct draft *draft, const struct csr *from,
                                  struct queue *queue, struct error *error)
{
    enum status status = STATUS_OK;
    size_t count = (size_t)sell->stored + 1;
    draft->column = malloc(4 * count);
    draft->offset = malloc(2 * count);
    draft->value = malloc(8 * count);
    draft->single = malloc(4 * count);
    if (!draft->column || !draft->offset || !draft->value || !draft->single)
        return error_memory(error, "the slices", 18.0 * (double)count);
    bool narrow = fill(draft, sell, from);
    sell->start = bench_upload(queue, draft->start, sell->slices + 1, 8, &status, error);
    sell->column = bench_upload(queue, draft->column, sell->stored, 4, &status, error);
    if (narrow)
        sell->offset = bench_upload(queue, draft->offset, sell->stored, 2, &status, error);
    sell->value = bench_upload(queue, draft->value, sell->stored, 8, &status, error);
    sell->single = bench_upload(queue, draft->single, sell->stored, 4, &status, error);
    return status;
}

enum status sell_make(struct sell *sell, const struct csr *from, int height, int group, struct queue *queue,
                      struct error *error)
{
    int64_t all = (from->rows + 63) / 64 * 64; /* columns of the one slice are padded to 256 bytes and more */
    memset(sell, 0, sizeof *sell);
    sell->rows = from->rows;
    sell->entries = from->start[from->rows];
    sell->height = (int32_t)(height ? height : all ? all : 64);
    sell->group = group;
    sell->slices = (from->rows + sell->height - 1) / sell->height;
    struct draft draft = {.start = malloc(((size_t)sell->slices + 1) * sizeof *draft.start)};
    enum status status = STATUS_OK;
    if (!draft.start)
        return error_memory(error, "the slices", 8.0 * (double)sell->slices);
    plan(sell, from, draft.start);
    if (sell->stored > PADDING_FREE && sell->stored > PADDING_MAX * sell->entries)
        status = error_set(error, STATUS_INPUT,
                           "slices of %d rows would store %.1f times the matrix: its rows are too unequal",
                           sell->height, (double)sell->stored / (double)sell->entries);
    AND(fill_and_place(sell, &draft, from, queue, error));
    if (status)
        sell_free(sell, queue);
    free(draft.start);
    free(draft.column);
    free(draft.offset);
    free(draft.value);
    free(draft.single);
    return status;
}

void sell_free(struct sell *sell, struct queue *queue)
{
    void *memory[] = {sell->start, sell->column, sell->offset, sell->value, sell->single};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        device_release(queue, memory[k]);
    memset(sell, 0, sizeof *sell);
}
