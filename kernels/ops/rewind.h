/* rewind.h: what steps that may be taken back need: copies of arrays of the device, how far V has moved
 * since, and how far diffusion moves it in a step.
 *
 *   largest[0] = max_i |after_i - before_i|     largest[1] = max_i |b_i| per_mass_i
 *
 * as bit patterns, over rows with per_mass_i > 0: padding rows have 0. Maxima are exact, so they do not
 * depend on threads or the order of rows. */
#ifndef CARDIAC_KERNELS_OPS_REWIND_H
#define CARDIAC_KERNELS_OPS_REWIND_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/device/cpu.h"

/* Arrays are [rows], packed order, on the device, `largest` too. */
struct rewind_change {
    int64_t rows;
    const double *before, *after; /* mV */
    const double *b;              /* -dt K V */
    const double *per_mass;       /* 1 / m_i */
    uint64_t *largest;            /* [2]; NaN exceeds all numbers */
};

void rewind_change_cpu(struct queue *queue, const struct rewind_change *change);
void rewind_change_cuda(struct queue *queue, const struct rewind_change *change);

/* to[bytes] <- from[bytes], both on the device; they do not overlap. */
void rewind_copy_cpu(struct queue *queue, void *to, const void *from, size_t bytes);
void rewind_copy_cuda(struct queue *queue, void *to, const void *from, size_t bytes);

#endif
