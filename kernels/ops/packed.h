/* packed.h: the matrix in the format that the sweeps read.
 *
 * SELL-C-sigma (M. Kreutzer et al., SIAM J. Sci. Comput. 36, 2014, C401) of the off-diagonal entries: rows
 * in slices of C, each slice as wide as its longest row, stored column by column so that the rows of a
 * slice read consecutive words. Within a row the entries are in ascending mesh order, whatever the
 * packing, so that every sum is the same; padding refers to the row itself with value +0.0 and changes no
 * bit. Each slice has its own format of columns (16-bit offset from the row, or 32-bit column) and of the
 * entries that the product and sweeps with V and x in fp64 read (fp64, or 32-bit integers times a quantum
 * per row); sweeps with x in fp32 read fp32 values, or these integers. */
#ifndef CARDIAC_KERNELS_OPS_PACKED_H
#define CARDIAC_KERNELS_OPS_PACKED_H

#include <stdint.h>

#include "kernels/base/host_device.h"

/* The smallest height of a slice: the number of rows that the CPU's loops process at once with the widest
 * instruction set. */
enum { PACKED_LOWEST = 8 };

struct slice {
    int64_t product; /* its first entry in product[] or whole32[] */
    int64_t value;   /* its first entry in value[], whole32[] or value32[] */
    int64_t index;   /* its first entry in offset[] or column[] */
    int32_t width;   /* entries of its longest row */
    uint8_t fp32;    /* sweeps read x in fp64 (0), or in fp32 with value32[] (1) or whole32[] (2, stages) */
    uint8_t whole32; /* 1: code that reads V or x in fp64 reads whole32[]; only if r_ij = e_ij */
    uint8_t index32; /* 1: column[], 0: offset[] */
};

struct packed {
    int64_t rows; /* slices * height, padding rows included */
    int64_t slices;
    int32_t height;            /* C, a power of two >= PACKED_LOWEST */
    int32_t group;             /* adjacent entries of a row, except in value[] and product[]: 1 or 4 */
    const struct slice *slice; /* [slices] */
    const int16_t *offset;     /* column - row, for slices with 16-bit offsets */
    const int32_t *column;     /* column, for slices with 32-bit columns */
    const int32_t *whole32;    /* e_ij / (quantum_i / 65536) rounded to nearest, for whole32 slices */
    const float *quantum;      /* [rows] for whole32 slices; NULL = none */
    const float *value32;      /* e_ij rounded to nearest, for the other fp32 slices */
    const double *value;       /* e_ij, for the other slices; equals product[] if all agree */
    const double *product;     /* r_ij of the product, for slices without whole32 */
};

/* The quantum of 32-bit integer entries */
HOST_DEVICE double packed_quantum32(float quantum)
{
    return 0x1p-16 * (double)quantum;
}

/* Adjacent entries of a row in value[] and product[]: words of the same number of bytes */
HOST_DEVICE int packed_group64(int group)
{
    return group > 1 ? group / 2 : 1;
}

/* The position of entry k of row r of a slice, from the slice's first entry. Entries are stored in groups,
 * which a thread loads as one word, with the groups of all rows one after the other. If the width is not a
 * multiple of the group, the remainder comes first, as a column of single entries and one of pairs. Group
 * 1 is plain column-major order. */
HOST_DEVICE int64_t packed_index(int64_t k, int64_t r, int64_t width, int64_t height, int group)
{
    int64_t before = 0;
    for (int g = 1; g < group; g *= 2)
        if (width & g) {
            if (k < before + g)
                return before * height + r * g + k - before;
            before += g;
        }
    k -= before;
    return before * height + k / group * height * group + r * group + k % group;
}

#endif
