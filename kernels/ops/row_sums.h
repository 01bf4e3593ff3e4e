/* row_sums.h: the sums over the entries of a slice's rows, LANES rows at a time; used by solve.c and
 * rhs.c. */
#ifndef CARDIAC_KERNELS_OPS_ROW_SUMS_H
#define CARDIAC_KERNELS_OPS_ROW_SUMS_H

#include "kernels/device/lanes.h"
#include "kernels/ops/packed.h"

_Static_assert(LANES <= PACKED_LOWEST, "LANES rows from a multiple of LANES on lie in one slice");

/* The first entries of rows [r, r + LANES) of a slice; the next ones follow at a distance of `height`. */
struct strip {
    const int16_t *offset;
    const int32_t *column;
    int64_t base; /* base to which column indices of the strip are relative */
};

LANES_FN struct strip strip_of(const struct packed *matrix, int64_t s, int r)
{
    const struct slice *slice = matrix->slice + s;
    struct strip strip = {0};
    if (slice->index32) {
        strip.column = matrix->column + slice->index + r;
    } else {
        strip.offset = matrix->offset + slice->index + r;
        strip.base = s * matrix->height + r;
    }
    return strip;
}

LANES_FN lanes_index strip_index(const struct strip *strip, int64_t at)
{
    return strip->column ? lanes_from_columns(strip->column + at) : lanes_from_offsets(strip->offset + at);
}

/* The quanta of the 32-bit integers in these rows (packed_quantum32) */
LANES_FN lanes_real row_units32(const struct packed *matrix, int64_t s, int r)
{
    return 0x1p-16 * lanes_load32(matrix->quantum + s * matrix->height + r);
}

/* sum_j e_ij x_j, e in fp64 or 32 bits and x in fp64 */
LANES_FN lanes_real row_sums_fp64(const struct packed *matrix, int64_t s, int r, const double *x)
{
    const struct slice *slice = matrix->slice + s;
    struct strip strip = strip_of(matrix, s, r);
    const int32_t *whole = slice->whole32 ? matrix->whole32 + slice->value + r : NULL;
    const double *value = slice->whole32 ? NULL : matrix->value + slice->value + r;
    lanes_real sum = {0};
    for (int64_t k = 0; k < slice->width; k++) {
        int64_t at = k * matrix->height;
        lanes_real entry = whole ? lanes_load_whole(whole + at) : lanes_load64(value + at);
        sum += entry * lanes_gather64(x + strip.base, strip_index(&strip, at));
    }
    if (whole)
        sum *= row_units32(matrix, s, r);
    return sum;
}

/* Entries of rows that read x in fp32: fp32 numbers, or integer multiples of the row's quantum */
struct entries {
    const float *value32;
    const int32_t *whole32;
};

LANES_FN struct entries entries_of(const struct packed *matrix, int64_t s, int r)
{
    const struct slice *slice = matrix->slice + s;
    struct entries entries = {0};
    if (slice->fp32 == 2)
        entries.whole32 = matrix->whole32 + slice->value + r;
    else
        entries.value32 = matrix->value32 + slice->value + r;
    return entries;
}

/* sum + e x with a rounded x; a product with a 32-bit integer is not exact */
LANES_FN lanes_real entries_add(const struct entries *entries, int64_t at, lanes_real sum, lanes_real x)
{
    if (entries->whole32)
        return sum + lanes_load_whole(entries->whole32 + at) * x;
    return lanes_add_exact(sum, lanes_load32(entries->value32 + at), x);
}

/* A sum of these entries, times their quantum */
LANES_FN lanes_real entries_in_quanta(const struct packed *matrix, int64_t s, int r, lanes_real sum)
{
    if (matrix->slice[s].fp32 == 2)
        sum *= row_units32(matrix, s, r);
    return sum;
}

/* sum_j e_ij x_j, e in fp32 or 32 bits and x rounded to fp32 */
LANES_FN lanes_real row_sums_fp32(const struct packed *matrix, int64_t s, int r, const float *x32)
{
    struct strip strip = strip_of(matrix, s, r);
    struct entries entries = entries_of(matrix, s, r);
    lanes_real sum = {0};
    for (int64_t k = 0; k < matrix->slice[s].width; k++) {
        int64_t at = k * matrix->height;
        sum = entries_add(&entries, at, sum, lanes_gather32(x32 + strip.base, strip_index(&strip, at)));
    }
    return entries_in_quanta(matrix, s, r, sum);
}

/* sum_j e_ij (x_j - x_i) with e as above, x and the difference rounded to fp32 */
LANES_FN lanes_real row_sums_difference32(const struct packed *matrix, int64_t s, int r, const float *x32)
{
    struct strip strip = strip_of(matrix, s, r);
    struct entries entries = entries_of(matrix, s, r);
    lanes_real own = lanes_load32(x32 + s * matrix->height + r), sum = {0};
    for (int64_t k = 0; k < matrix->slice[s].width; k++) {
        int64_t at = k * matrix->height;
        lanes_real apart = lanes_gather_less(x32 + strip.base, strip_index(&strip, at), own);
        sum = entries_add(&entries, at, sum, apart);
    }
    return entries_in_quanta(matrix, s, r, sum);
}

/* sum_j r_ij (v_j - v_i), r in fp64 or 32 bits and v in fp64; with `inverse` share v_j inverse_j in place of
 * v_j */
LANES_FN lanes_real row_sums_difference(const struct packed *matrix, int64_t s, int r, const double *v,
                                        const double *inverse, double share)
{
    const struct slice *slice = matrix->slice + s;
    struct strip strip = strip_of(matrix, s, r);
    const int32_t *whole = slice->whole32 ? matrix->whole32 + slice->product + r : NULL;
    const double *value = slice->whole32 ? NULL : matrix->product + slice->product + r;
    int64_t row = s * matrix->height + r;
    lanes_real own = lanes_load64(v + row), sum = {0};
    if (inverse)
        own = 0.0 + share * (own * lanes_load64(inverse + row));
    for (int64_t k = 0; k < slice->width; k++) {
        int64_t at = k * matrix->height;
        lanes_index index = strip_index(&strip, at);
        lanes_real entry = whole ? lanes_load_whole(whole + at) : lanes_load64(value + at);
        lanes_real x = lanes_gather64(v + strip.base, index);
        if (inverse)
            x = 0.0 + share * (x * lanes_gather64(inverse + strip.base, index));
        sum += entry * (x - own);
    }
    if (whole)
        sum *= row_units32(matrix, s, r);
    return sum;
}

#endif
