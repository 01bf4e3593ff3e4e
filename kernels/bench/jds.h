/* jds.h: jagged diagonals (Y. Saad, SIAM J. Sci. Stat. Comput. 10, 1989, 1200): all rows sorted by falling
 * length, their k-th entries side by side as the k-th "diagonal". Nothing is padded; the price is the sort
 * over the whole matrix, which scatters x and forces results back to their rows. */
#ifndef CARDIAC_KERNELS_BENCH_JDS_H
#define CARDIAC_KERNELS_BENCH_JDS_H

#include "kernels/bench/bench.h"
#include "kernels/device/isa.h"

struct jds {
    int64_t rows, entries;
    int32_t diagonals; /* entries of the longest row */
    int32_t *start;    /* [diagonals + 1] first entry of each; diagonal k has start[k + 1] - start[k] rows */
    int32_t *row;      /* [rows] where the result of the i-th sorted row belongs */
    int32_t *column;
    double *value;
    float *single;
};

enum status jds_make(struct jds *jds, const struct csr *from, struct queue *queue, struct error *error);
void jds_free(struct jds *jds, struct queue *queue);

CLONE_DECLARE(void, jds_cpu,
              (struct queue * queue, const struct jds *matrix, enum numbers numbers,
               const struct operands *operands));
void jds_cuda(struct queue *queue, const struct jds *matrix, enum numbers numbers,
              const struct operands *operands);

#endif
