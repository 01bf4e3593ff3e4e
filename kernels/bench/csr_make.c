/* csr_make.c: compressed rows, placed on the device as they are. */
#include "kernels/bench/csr.h"

#include <stdlib.h>
#include <string.h>

enum status csr_device_make(struct csr_device *csr, const struct csr *from, struct queue *queue,
                            struct error *error)
{
    int64_t entries = from->start[from->rows];
    enum status status = STATUS_OK;
    memset(csr, 0, sizeof *csr);
    float *single = malloc(((size_t)entries + 1) * sizeof *single);
    if (!single)
        return error_memory(error, "compressed rows", 4.0 * (double)entries);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < entries; k++)
        single[k] = (float)from->value[k];
    csr->rows = from->rows;
    csr->entries = entries;
    csr->start = bench_upload_starts(queue, from, &status, error);
    csr->column = bench_upload(queue, from->column, entries, 4, &status, error);
    csr->value = bench_upload(queue, from->value, entries, 8, &status, error);
    csr->single = bench_upload(queue, single, entries, 4, &status, error);
    free(single);
    if (status)
        csr_device_free(csr, queue);
    return status;
}

void csr_device_free(struct csr_device *csr, struct queue *queue)
{
    device_release(queue, csr->start);
    device_release(queue, csr->column);
    device_release(queue, csr->value);
    device_release(queue, csr->single);
    memset(csr, 0, sizeof *csr);
}

int csr_lanes(const struct csr *from)
{
    double mean = from->rows ? (double)from->start[from->rows] / (double)from->rows : 0;
    int lanes = 2;
    while (lanes < 32 && lanes < mean)
        lanes *= 2;
    return lanes;
}
