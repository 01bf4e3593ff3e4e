/* cachelines.h: counts the cache lines that the loads of a warp touch.
 *
 * The 32 threads of a warp execute a load together; it costs one transaction per distinct aligned line among
 * their addresses: lines of 128 bytes in L1, sectors of 32 bytes in L2 and memory (32 floats or 16 doubles
 * fill a line). A warp of 32 rows (SELL) reads entry k of all rows at once; a warp of CSR vector reads
 * `lanes` adjacent entries of each of its 32 / lanes rows. Lines are counted from the sparsity pattern alone;
 * on a CPU the counts are the lines that a gather of 32 words would touch. */
#ifndef CARDIAC_KERNELS_BENCH_CACHELINES_H
#define CARDIAC_KERNELS_BENCH_CACHELINES_H

#include <stdbool.h>

#include "kernels/base/csr.h"
#include "kernels/base/error.h"

/* Means over warps (at most LINES_WARPS of them, evenly spread) */
struct lines {
    double x_128, x_32;           /* distinct lines of x per load */
    double matrix_128, matrix_32; /* distinct lines of values and columns per load */
    double warp_x_32;             /* distinct sectors of x in all loads of a warp: the minimum traffic */
    double loads;                 /* loads of x per warp */
};

enum { LINES_WARPS = 4096 };

/* lanes: 1 = CSR scalar, 2 .. 32 = CSR vector, 0 = SELL-32 by columns. value_bytes and x_bytes are 4 or 8.
 * Errors: STATUS_RUN if out of memory. */
enum status lines_count(struct lines *lines, const struct csr *from, int lanes, int value_bytes, int x_bytes,
                        struct error *error);

#endif
