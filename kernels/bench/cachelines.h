/* cachelines.h: cache lines that the loads of a warp touch, by counting addresses.
 *
 * The rule: a load is executed by the 32 threads of a warp together, and costs as many transactions as there
 * are distinct aligned lines among its addresses: lines of 128 bytes in the first cache, sectors of 32 bytes
 * beyond it (32 floats or 16 doubles fill a line). A warp of 32 rows (SELL) reads entry k of all of them at
 * once; a warp of CSR vector reads `lanes` neighbouring entries of each of its 32 / lanes rows. Counted from
 * the pattern alone; on a CPU the same figures say how many lines a vector of 32 gathered words would touch.
 */
#ifndef CARDIAC_KERNELS_BENCH_CACHELINES_H
#define CARDIAC_KERNELS_BENCH_CACHELINES_H

#include <stdbool.h>

#include "kernels/base/csr.h"
#include "kernels/base/error.h"

/* Means over warps (at most LINES_WARPS of them, evenly spread) */
struct lines {
    double x_128, x_32;           /* distinct lines of x of one load */
    double matrix_128, matrix_32; /* distinct lines of values and columns of one load */
    double warp_x_32; /* distinct sectors of x of all loads of a warp: the least that must be loaded */
    double loads;     /* loads of x of a warp */
};

enum { LINES_WARPS = 4096 };

/* lanes: 1 = CSR scalar, 2 .. 32 = CSR vector, 0 = SELL-32 by columns. value_bytes and x_bytes are 4 or 8.
 * Errors: STATUS_RUN without memory. */
enum status lines_count(struct lines *lines, const struct csr *from, int lanes, int value_bytes, int x_bytes,
                        struct error *error);

#endif
