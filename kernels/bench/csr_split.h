/* csr_split.h: the entry-wise split: one matrix of the entries that are small enough for fp32, one of the
 * others in fp64, and each row sums both. */
#ifndef CARDIAC_KERNELS_BENCH_CSR_SPLIT_H
#define CARDIAC_KERNELS_BENCH_CSR_SPLIT_H

#include "kernels/bench/bench.h"
#include "kernels/device/isa.h"

struct csr_split {
    int64_t rows, singles, doubles;
    int32_t *start32, *column32; /* of the fp32 entries */
    float *single;
    int32_t *start64, *column64; /* of the fp64 entries */
    double *value;
};

/* small[entries]: 1 = the entry goes to fp32 */
enum status csr_split_make(struct csr_split *csr, const struct csr *from, const uint8_t *small,
                           struct queue *queue, struct error *error);
void csr_split_free(struct csr_split *csr, struct queue *queue);

/* operands->x32 NULL: x64 is rounded as it is read */
CLONE_DECLARE(void, csr_split_cpu,
              (struct queue * queue, const struct csr_split *matrix, int lanes,
               const struct operands *operands));
void csr_split_cuda(struct queue *queue, const struct csr_split *matrix, int lanes,
                    const struct operands *operands);

#endif
