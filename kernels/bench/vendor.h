/* vendor.h: the driver's copy and cuSPARSE's product in its own formats, on our matrices; the library is
 * opened while running, never linked, and nothing of it is needed where it is missing.
 *
 * A sweep is the library's product into y followed by a kernel y <- (b - y) inverse: it cannot do both at
 * once. */
#ifndef CARDIAC_KERNELS_BENCH_VENDOR_H
#define CARDIAC_KERNELS_BENCH_VENDOR_H

#include "kernels/bench/csr.h"
#include "kernels/bench/sell.h"

/* The matrix as compressed rows (sell NULL) or as sliced ELL (csr NULL). NUMBERS_DOUBLE; NUMBERS_CAST: fp32
 * values with fp64 vectors; NUMBERS_SINGLE. prepared: the library may look at the matrix beforehand. NULL
 * where it is missing or cannot do this. */
struct vendor *vendor_new_cuda(struct queue *queue, const struct csr_device *csr, const struct sell *sell,
                               int64_t columns, enum numbers numbers, bool prepared);
void vendor_run_cuda(struct queue *queue, struct vendor *rival, const struct operands *operands);
void vendor_free_cuda(struct vendor *rival); /* NULL is accepted */

/* to <- from, as the driver or the C library copies */
void vendor_copy_cuda(struct queue *queue, size_t bytes, const void *from, void *to);
void vendor_copy_cpu(struct queue *queue, size_t bytes, const void *from, void *to);

#endif
