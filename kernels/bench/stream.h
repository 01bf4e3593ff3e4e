/* stream.h: measures the ceilings of a roofline (S. Williams, A. Waterman, D. Patterson, Commun. ACM 52(4),
 * 2009, 65): the bandwidth of copying, reading and writing memory, the peak rate of fused multiply-adds, and
 * the cost of an empty launch. */
#ifndef CARDIAC_KERNELS_BENCH_STREAM_H
#define CARDIAC_KERNELS_BENCH_STREAM_H

#include "kernels/bench/format.h"

enum stream_kind { STREAM_COPY, STREAM_READ, STREAM_WRITE, STREAM_FMA64, STREAM_FMA32, STREAM_EMPTY };

/* Arrays on the device. COPY: to <- from. READ: to[thread or block] <- sum of its part of from. WRITE: to <-
 * value. FMA: to[i] <- x after `rounds` times x <- x a + b in each of the STREAM_CHAINS chains of element i,
 * summed. EMPTY: nothing. */
struct stream {
    enum stream_kind kind;
    int64_t count; /* words of 8 bytes; for FMA, elements */
    const double *from;
    double *to;
    double value;
    int rounds;
};

enum { STREAM_CHAINS = 8, STREAM_STARTS = 7 };

/* The result of FMA in elements i with i % STREAM_STARTS = start. The host's check and the kernels use x0 =
 * start + chain, a = 0.5, b = 1: exact in fp32 for a few rounds, with limit 2. */
double stream_fma_expected(int start, int rounds, bool narrow);

CLONE_DECLARE(void, stream_cpu, (struct queue * queue, const struct stream *stream));
void stream_cuda(struct queue *queue, const struct stream *stream);

#endif
