/* csr_classes.h: compressed rows of two precision classes (E. Tezcan, T. Torun, F. Kosar, K. Kaya, D. Unat,
 * "Mixed and multi-precision SpMV for GPUs with row-wise precision selection", SBAC-PAD 2022).
 *
 *   composite: rows are permuted, the single ones first, and a row's number against `separator` says which
 *              values it reads; one index structure for both
 *   dual:      rows stay where they are and flag[i] says it
 *
 * A row's values stand once, in single[] or in value[], at the place that its start tells: a start counts
 * entries of the row's own array. Sums are fp64 in both classes. */
#ifndef CARDIAC_KERNELS_BENCH_CSR_CLASSES_H
#define CARDIAC_KERNELS_BENCH_CSR_CLASSES_H

#include "kernels/bench/bench.h"
#include "kernels/device/isa.h"

struct csr_classes {
    int64_t rows, entries;
    int64_t separator; /* composite: rows below it are single; dual: -1 */
    uint8_t *flag;     /* [rows] dual: 1 = single; composite: NULL */
    int32_t *start;    /* [rows + 1] into column[] */
    int32_t *place;    /* [rows] a row's first entry in its own value array */
    int32_t *column;   /* [entries] */
    double *value;     /* of the fp64 rows */
    float *single;     /* of the fp32 rows */
    int64_t singles;   /* entries in single[] */
    int64_t single_rows;
};

/* single[rows] is each row's class. Dual, or composite where `separator` >= 0 (rows must then be sorted so).
 */
enum status csr_classes_make(struct csr_classes *csr, const struct csr *from, const uint8_t *single,
                             int64_t separator, struct queue *queue, struct error *error);
void csr_classes_free(struct csr_classes *csr, struct queue *queue);

/* operands->x32 NULL: x64 is rounded as it is read */
CLONE_DECLARE(void, csr_classes_cpu,
              (struct queue * queue, const struct csr_classes *matrix, int lanes,
               const struct operands *operands));
void csr_classes_cuda(struct queue *queue, const struct csr_classes *matrix, int lanes,
                      const struct operands *operands);

#endif
