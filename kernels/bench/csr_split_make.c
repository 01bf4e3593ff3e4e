/* csr_split_make.c: entries sorted into two matrices. */
#include "kernels/bench/csr_split.h"

#include <stdlib.h>
#include <string.h>

struct draft {
    int32_t *start32, *start64, *column32, *column64;
    float *single;
    double *value;
};

static void fill(struct draft *draft, const struct csr *from, const uint8_t *small)
{
    int32_t singles = 0, doubles = 0;
    for (int64_t i = 0; i < from->rows; i++) {
        draft->start32[i] = singles;
        draft->start64[i] = doubles;
        for (int64_t k = from->start[i]; k < from->start[i + 1]; k++)
            if (small[k]) {
                draft->column32[singles] = from->column[k];
                draft->single[singles++] = (float)from->value[k];
            } else {
                draft->column64[doubles] = from->column[k];
                draft->value[doubles++] = from->value[k];
            }
    }
    draft->start32[from->rows] = singles;
    draft->start64[from->rows] = doubles;
}

enum status csr_split_make(struct csr_split *csr, const struct csr *from, const uint8_t *small,
                           struct queue *queue, struct error *error)
{
    int64_t n = from->rows;
    size_t entries = (size_t)from->start[n] + 1, starts = (size_t)n + 1;
    enum status status = STATUS_OK;
    struct draft draft = {malloc(4 * starts),  malloc(4 * starts),  malloc(4 * entries),
                          malloc(4 * entries), malloc(4 * entries), malloc(8 * entries)};
    memset(csr, 0, sizeof *csr);
    if (!draft.start32 || !draft.start64 || !draft.column32 || !draft.column64 || !draft.single ||
        !draft.value) {
        status = error_memory(error, "the split matrix", 20.0 * (double)entries);
        goto done;
    }
    fill(&draft, from, small);
    csr->rows = n;
    csr->singles = draft.start32[n];
    csr->doubles = draft.start64[n];
    csr->start32 = bench_upload(queue, draft.start32, n + 1, 4, &status, error);
    csr->start64 = bench_upload(queue, draft.start64, n + 1, 4, &status, error);
    csr->column32 = bench_upload(queue, draft.column32, csr->singles, 4, &status, error);
    csr->column64 = bench_upload(queue, draft.column64, csr->doubles, 4, &status, error);
    csr->single = bench_upload(queue, draft.single, csr->singles, 4, &status, error);
    csr->value = bench_upload(queue, draft.value, csr->doubles, 8, &status, error);
    if (status)
        csr_split_free(csr, queue);
done:
    free(draft.start32);
    free(draft.start64);
    free(draft.column32);
    free(draft.column64);
    free(draft.single);
    free(draft.value);
    return status;
}

void csr_split_free(struct csr_split *csr, struct queue *queue)
{
    void *memory[] = {csr->start32, csr->start64, csr->column32, csr->column64, csr->single, csr->value};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        device_release(queue, memory[k]);
    memset(csr, 0, sizeof *csr);
}
