/* format.c: matrices of the bench, laid out on the host and copied to the device. */
#include "kernels/bench/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum status format_room(struct draft *draft, enum format_array array, int64_t count, size_t size,
                        struct error *error)
{
    draft->bytes[array] = (size_t)count * size;
    draft->host.array[array] = malloc((size_t)(count + 1) * size);
    return draft->host.array[array] ? STATUS_OK
                                    : error_memory(error, "a matrix to measure", (double)draft->bytes[array]);
}

enum status format_copy_pattern(struct draft *draft, const struct csr *from, struct error *error)
{
    int64_t rows = from->rows, entries = from->start[rows];
    TRY(format_room(draft, FORMAT_START, rows + 1, 4, error));
    TRY(format_room(draft, FORMAT_COLUMN, entries, 4, error));
    for (int64_t i = 0; i <= rows; i++)
        draft->host.start[i] = (int32_t)from->start[i];
    memcpy(draft->host.column, from->column, (size_t)entries * 4);
    return STATUS_OK;
}

enum status format_make(struct stored *matrix, const struct format *format, const struct csr *from,
                        const struct shape *shape, struct queue *queue, struct error *error)
{
    struct draft draft = {.host = {.format = format, .rows = from->rows, .entries = from->start[from->rows]}};
    if (shape)
        draft.host.shape = *shape;
    enum status status = format->fill(&draft, from, error);
    *matrix = draft.host;
    for (int k = 0; k < FORMAT_ARRAYS; k++) {
        void *host = draft.host.array[k];
        matrix->array[k] =
            host ? format_upload(queue, host, (int64_t)draft.bytes[k], 1, &status, error) : NULL;
        free(host);
    }
    if (status) {
        for (int k = 0; k < FORMAT_ARRAYS; k++)
            device_release(queue, matrix->array[k]);
        memset(matrix, 0, sizeof *matrix);
    }
    return status;
}

int format_lanes(int64_t rows, int64_t entries)
{
    double mean = rows ? (double)entries / (double)rows : 0;
    int lanes = 2;
    while (lanes < 32 && lanes < mean)
        lanes *= 2;
    return lanes;
}

void format_reference(double *y, double *size, const struct csr *from, const double *x, const double *b,
                      const double *inverse)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < from->rows; i++) {
        double sum = 0, terms = 0;
        for (int64_t k = from->start[i]; k < from->start[i + 1]; k++) {
            double term = from->value[k] * x[from->column[k]];
            sum += term;
            terms += fabs(term);
        }
        y[i] = b ? (b[i] - sum) * inverse[i] : sum;
        size[i] = b ? (fabs(b[i]) + terms) * fabs(inverse[i]) : terms;
        size[i] = size[i] > 0 ? size[i] : 1;
    }
}

void *format_upload(struct queue *queue, const void *host, int64_t count, size_t size, enum status *status,
                    struct error *error)
{
    size_t bytes = (size_t)count * size;
    void *memory = device_array(queue, (int64_t)bytes + 16, 1, "a matrix to measure", status, error);
    if (!*status && host)
        *status = device_upload(queue, memory, host, bytes, error);
    return memory;
}
