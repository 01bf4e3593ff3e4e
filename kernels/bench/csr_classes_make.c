/* csr_classes_make.c: values sorted into two arrays by their rows' classes. */
#include "kernels/bench/csr_classes.h"

#include <stdlib.h>
#include <string.h>

/* Host arrays under construction */
struct draft {
    int32_t *place;
    double *value;
    float *single;
    int64_t doubles, singles;
};

static void fill(struct draft *draft, const struct csr *from, const uint8_t *single)
{
    for (int64_t i = 0; i < from->rows; i++) {
        draft->place[i] = (int32_t)(single[i] ? draft->singles : draft->doubles);
        for (int64_t k = from->start[i]; k < from->start[i + 1]; k++)
            if (single[i])
                draft->single[draft->singles++] = (float)from->value[k];
            else
                draft->value[draft->doubles++] = from->value[k];
    }
}

enum status csr_classes_make(struct csr_classes *csr, const struct csr *from, const uint8_t *single,
                             int64_t separator, struct queue *queue, struct error *error)
{
    int64_t n = from->rows, entries = from->start[n];
    enum status status = STATUS_OK;
    struct draft draft = {.place = malloc(((size_t)n + 1) * sizeof *draft.place),
                          .value = malloc(((size_t)entries + 1) * sizeof *draft.value),
                          .single = malloc(((size_t)entries + 1) * sizeof *draft.single)};
    memset(csr, 0, sizeof *csr);
    if (!draft.place || !draft.value || !draft.single) {
        status = error_memory(error, "rows of two classes", 12.0 * (double)entries);
        goto done;
    }
    fill(&draft, from, single);
    csr->rows = n;
    csr->entries = entries;
    csr->singles = draft.singles;
    csr->separator = separator;
    for (int64_t i = 0; i < n; i++)
        csr->single_rows += single[i];
    if (separator < 0)
        csr->flag = bench_upload(queue, single, n, 1, &status, error);
    csr->start = bench_upload_starts(queue, from, &status, error);
    csr->place = bench_upload(queue, draft.place, n, 4, &status, error);
    csr->column = bench_upload(queue, from->column, entries, 4, &status, error);
    csr->value = bench_upload(queue, draft.value, draft.doubles, 8, &status, error);
    csr->single = bench_upload(queue, draft.single, draft.singles, 4, &status, error);
    if (status)
        csr_classes_free(csr, queue);
done:
    free(draft.place);
    free(draft.value);
    free(draft.single);
    return status;
}

void csr_classes_free(struct csr_classes *csr, struct queue *queue)
{
    void *memory[] = {csr->flag, csr->start, csr->place, csr->column, csr->value, csr->single};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        device_release(queue, memory[k]);
    memset(csr, 0, sizeof *csr);
}
