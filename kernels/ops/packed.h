/* packed.h: the matrix as the sweeps read it.
 *
 * SELL-C-sigma (M. Kreutzer et al., SIAM J. Sci. Comput. 36, 2014, C401) of the off-diagonal entries: rows in
 * slices of C, each slice as wide as its longest row, stored column by column so that the rows of a slice
 * read consecutive words. Within a row the entries keep ascending mesh order, whatever the packing, so that
 * every sum is the same sum; padding points at the row itself with value +0.0 and changes no bit. Each slice
 * chooses how its columns are stored (16-bit offset from the row, or 32-bit column), and what the product and
 * sweeps with V and x in fp64 read (values in fp64, or whole numbers of 32 bits times a quantum a row); with
 * x in fp32 sweeps read values in fp32, or these whole numbers. */
#ifndef CARDIAC_KERNELS_OPS_PACKED_H
#define CARDIAC_KERNELS_OPS_PACKED_H

#include <stdint.h>

#include "kernels/base/host_device.h"

/* The least height of a slice: the CPU's loops handle as many rows at once with the widest instruction set.
 */
enum { PACKED_LOWEST = 8 };

struct slice {
    int64_t product; /* its first entry in product[] or whole32[] */
    int64_t value;   /* its first entry in value[], whole32[] or value32[] */
    int64_t index;   /* its first entry in offset[] or column[] */
    int32_t width;   /* entries of its longest row */
    uint8_t fp32;    /* sweeps read x in 0: fp64, else fp32, with 1: value32[], 2: whole32[] (stages) */
    uint8_t whole32; /* 1: what reads V or x in fp64 reads whole32[]; only where the r_ij are the e_ij */
    uint8_t index32; /* 1: column[], 0: offset[] */
};

struct packed {
    int64_t rows; /* slices * height, padding rows included */
    int64_t slices;
    int32_t height;            /* C, a power of two from PACKED_LOWEST on */
    int32_t group;             /* entries of a row side by side, but for value[] and product[]: 1 or 4 */
    const struct slice *slice; /* [slices] */
    const int16_t *offset;     /* column minus row, for slices of 16-bit offsets */
    const int32_t *column;     /* column, for slices of 32-bit columns */
    const int32_t *whole32;    /* e_ij / (unit_i / 65536) rounded to nearest, for whole32 slices */
    const float *quantum;      /* [rows] of whole32 slices; NULL = there are none */
    const float *value32;      /* e_ij rounded to nearest, for the other fp32 slices */
    const double *value;       /* e_ij of the other slices; product[] itself where the two agree */
    const double *product;     /* r_ij of the product, slices without whole32 */
};

/* The quantum of whole numbers of 32 bits */
HOST_DEVICE double packed_quantum32(float quantum)
{
    return 0x1p-16 * (double)quantum;
}

/* Entries of a row side by side in value[] and product[]: words of as many bytes */
HOST_DEVICE int packed_group64(int group)
{
    return group > 1 ? group / 2 : 1;
}

/* Where entry k of row r of a slice stands behind the slice's first. Entries stand in groups, which a thread
 * loads as one word, the rows' groups one after the other; a width that is no multiple of the group begins
 * with what is over, a column of single entries and one of pairs. Group 1 is plain column-major. */
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
