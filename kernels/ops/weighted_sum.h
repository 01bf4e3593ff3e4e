/* weighted_sum.h: sums of V over all nodes with several sets of weights.
 *
 *   sum_l = sum_i weight_li v_i
 *
 * in mesh order. Nodes are divided into chunks ("shares") of WEIGHTED_SUM_SHARE. In each, lane k of
 * WEIGHTED_SUM_LANES adds terms k, k + LANES, ... to +0.0, then the upper half of the lanes is added to
 * the lower one, until one is left; the sums of the chunks are added in the same way. So the bits are the
 * same on every device and for any order of the rows. */
#ifndef CARDIAC_KERNELS_OPS_WEIGHTED_SUM_H
#define CARDIAC_KERNELS_OPS_WEIGHTED_SUM_H

#include <stdint.h>

#include "kernels/device/cpu.h"

enum { WEIGHTED_SUM_LANES = 256, WEIGHTED_SUM_SHARE = 4096 };

/* Arrays are on the device. */
struct weighted_sum {
    int64_t nodes;
    int count;            /* sets of weights */
    const double *weight; /* [count][nodes] mesh order */
    const int32_t *row;   /* [nodes] the row of each */
    const double *v;      /* [rows] packed order */
    double *share;        /* [count][weighted_sum_shares(nodes)] workspace */
    double *sum;          /* [count] */
};

static inline int64_t weighted_sum_shares(int64_t nodes)
{
    return (nodes + WEIGHTED_SUM_SHARE - 1) / WEIGHTED_SUM_SHARE;
}

void weighted_sum_cpu(struct queue *queue, const struct weighted_sum *sums);
void weighted_sum_cuda(struct queue *queue, const struct weighted_sum *sums);

#endif
