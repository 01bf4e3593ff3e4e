/* vector_copy.h: the copy kernel of the vector update schemes.
 *
 *   hybrid: x32 <- y64, then the caller swaps x64 and y64
 *   naive:  x32 <- y64 and x64 <- y64 (and previous <- x64 first, where a method wants it)
 *
 * In every scheme x32 is x64 rounded to nearest, so none of them changes a bit. */
#ifndef CARDIAC_KERNELS_OPS_VECTOR_COPY_H
#define CARDIAC_KERNELS_OPS_VECTOR_COPY_H

#include <stdint.h>

#include "kernels/device/cpu.h"
#include "kernels/ops/control.h"

/* Arrays are [rows], packed order, on the device; those that are NULL are left out. */
struct vector_copy {
    const double *y64;
    float *x32;
    double *x64;
    double *previous;
    int32_t sweep; /* number in its step, from 0, of the sweep that this follows: nothing is done if that did
                      not run */
    struct control *control;
};

void vector_copy_cpu(struct queue *queue, int64_t rows, const struct vector_copy *copy);
/* Copies x64 in every case (a second time changes nothing), the rest unless the step has converged. */
void vector_copy_cuda(struct queue *queue, int64_t rows, const struct vector_copy *copy);

#endif
