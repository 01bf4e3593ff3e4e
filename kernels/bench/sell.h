/* sell.h: slices of C rows with free C and grouping, 32-bit columns or 16-bit offsets from the row, uniform
 * values: kernels/ops/packed.h with its parameters laid open. C = all rows is the plain ELLPACK of old.
 *
 * Entry k of row r of a slice stands at its start + (k / group) C group + r group + k % group, so that a
 * thread loads pairs or quads of a row as one word. Rows that fill up the last slice have no entries; padding
 * points at its own row with value 0. */
#ifndef CARDIAC_KERNELS_BENCH_SELL_H
#define CARDIAC_KERNELS_BENCH_SELL_H

#include "kernels/bench/bench.h"
#include "kernels/device/isa.h"

struct sell {
    int64_t rows, slices; /* rows of the matrix; the last slice may reach beyond them */
    int32_t height, group;
    int64_t entries, stored; /* true entries; stored ones */
    int64_t *start;          /* [slices + 1] */
    int32_t *column;
    int16_t *offset; /* column minus row; NULL where one does not fit 16 bits */
    double *value;
    float *single;
};

struct sell_way {
    enum numbers numbers;
    enum reads reads;
    bool narrow; /* 16-bit offsets */
};

/* Columns of x that a block of rows keeps in shared memory, for READS_SHARED */
enum { SELL_WINDOW = 4096 };

/* height: a multiple of 8, 0 = all rows in one slice; group: 1, 2 or 4. Errors: STATUS_INPUT when padding
 * would take more than ten times the entries (the message says so), STATUS_RUN without memory. */
enum status sell_make(struct sell *sell, const struct csr *from, int height, int group, struct queue *queue,
                      struct error *error);
void sell_free(struct sell *sell, struct queue *queue);

CLONE_DECLARE(void, sell_cpu,
              (struct queue * queue, const struct sell *matrix, const struct sell_way *way,
               const struct operands *operands));
void sell_cuda(struct queue *queue, const struct sell *matrix, const struct sell_way *way,
               const struct operands *operands);

#endif
