/* jds_make.c: rows sorted by falling length, then their entries diagonal by diagonal. */
#include "kernels/bench/jds.h"

#include <stdlib.h>
#include <string.h>

struct draft {
    int32_t *start, *row, *column;
    double *value;
    float *single;
};

/* row[] <- rows by falling length, equal lengths in their order; start[] <- of each diagonal (a counting
 * sort: diagonal d has as many rows as have more than d entries) */
static void sort_rows(struct draft *draft, const struct csr *from, int32_t diagonals)
{
    int64_t n = from->rows;
    memset(draft->start, 0, ((size_t)diagonals + 2) * sizeof *draft->start);
    for (int64_t i = 0; i < n; i++)
        draft->start[diagonals - (from->start[i + 1] - from->start[i]) + 1]++;
    for (int32_t d = 1; d <= diagonals + 1; d++)
        draft->start[d] += draft->start[d - 1];
    for (int64_t i = 0; i < n; i++)
        draft->row[draft->start[diagonals - (from->start[i + 1] - from->start[i])]++] = (int32_t)i;
    int64_t at = 0, reach = n;
    for (int32_t d = 0; d <= diagonals; d++) {
        draft->start[d] = (int32_t)at;
        while (reach > 0 && from->start[draft->row[reach - 1] + 1] - from->start[draft->row[reach - 1]] <= d)
            reach--;
        at += reach;
    }
}

static void fill(struct draft *draft, const struct csr *from, int32_t diagonals)
{
    for (int32_t d = 0; d < diagonals; d++)
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < draft->start[d + 1] - draft->start[d]; i++) {
            int64_t entry = from->start[draft->row[i]] + d, at = draft->start[d] + i;
            draft->column[at] = from->column[entry];
            draft->value[at] = from->value[entry];
            draft->single[at] = (float)from->value[entry];
        }
}

enum status jds_make(struct jds *jds, const struct csr *from, struct queue *queue, struct error *error)
{
    int64_t n = from->rows, entries = from->start[n];
    int32_t diagonals = 0;
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < n; i++)
        if (from->start[i + 1] - from->start[i] > diagonals)
            diagonals = (int32_t)(from->start[i + 1] - from->start[i]);
    size_t count = (size_t)entries + 1;
    struct draft draft = {malloc(4 * ((size_t)diagonals + 2)), malloc(4 * ((size_t)n + 1)), malloc(4 * count),
                          malloc(8 * count), malloc(4 * count)};
    memset(jds, 0, sizeof *jds);
    if (!draft.start || !draft.row || !draft.column || !draft.value || !draft.single) {
        status = error_memory(error, "jagged diagonals", 16.0 * (double)entries);
        goto done;
    }
    sort_rows(&draft, from, diagonals);
    fill(&draft, from, diagonals);
    jds->rows = n;
    jds->entries = entries;
    jds->diagonals = diagonals;
    jds->start = bench_upload(queue, draft.start, diagonals + 1, 4, &status, error);
    jds->row = bench_upload(queue, draft.row, n, 4, &status, error);
    jds->column = bench_upload(queue, draft.column, entries, 4, &status, error);
    jds->value = bench_upload(queue, draft.value, entries, 8, &status, error);
    jds->single = bench_upload(queue, draft.single, entries, 4, &status, error);
    if (status)
        jds_free(jds, queue);
done:
    free(draft.start);
    free(draft.row);
    free(draft.column);
    free(draft.value);
    free(draft.single);
    return status;
}

void jds_free(struct jds *jds, struct queue *queue)
{
    void *memory[] = {jds->start, jds->row, jds->column, jds->value, jds->single};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        device_release(queue, memory[k]);
    memset(jds, 0, sizeof *jds);
}
