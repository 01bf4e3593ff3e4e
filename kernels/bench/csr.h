/* csr.h: compressed rows, read by one lane a row (CSR scalar) or by 2 to 32 lanes side by side (CSR vector:
 * N. Bell and M. Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented
 * processors", SC 2009). Lanes read neighbouring words, but a row shorter than its lanes leaves some idle,
 * and only one of them writes. */
#ifndef CARDIAC_KERNELS_BENCH_CSR_H
#define CARDIAC_KERNELS_BENCH_CSR_H

#include "kernels/bench/bench.h"
#include "kernels/device/isa.h"

struct csr_device {
    int64_t rows, entries;
    int32_t *start;
    int32_t *column;
    double *value;
    float *single; /* value rounded */
};

struct csr_way {
    int lanes; /* 1, 2, 4, ... 32 */
    enum numbers numbers;
    enum reads reads;
    bool constant; /* row starts from constant memory */
};

/* Row starts that constant memory holds */
enum { CSR_CONSTANT_MAX = 16000 };

enum status csr_device_make(struct csr_device *csr, const struct csr *from, struct queue *queue,
                            struct error *error);
void csr_device_free(struct csr_device *csr, struct queue *queue);

/* 2, 4, ... 32: the least power of two that is not under the mean row length (the rule of the notes) */
int csr_lanes(const struct csr *from);

/* A CPU has no constant memory: does nothing. */
void csr_constant_cuda(struct queue *queue, const struct csr_device *matrix);

CLONE_DECLARE(void, csr_cpu,
              (struct queue * queue, const struct csr_device *matrix, const struct csr_way *way,
               const struct operands *operands));
void csr_cuda(struct queue *queue, const struct csr_device *matrix, const struct csr_way *way,
              const struct operands *operands);

#endif
