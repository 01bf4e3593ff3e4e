/* lookup.h: a table of functions of V, and its linear interpolation, for gcc and nvcc.
 *
 * A row contains every column at one V, each followed by its increment up to the next row, so that a cell
 * reads contiguous memory and a column costs one fma. The increment ends just below the next V, so that a
 * function that jumps at the V of a row also jumps there in the table. V outside low .. high is clamped. */
#ifndef CARDIAC_KERNELS_BASE_LOOKUP_H
#define CARDIAC_KERNELS_BASE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/elementary.h"

struct ionic_table {
    const void *value; /* [rows][columns][2] value and increment, double, or float if mixed; NULL = no
                          table */
    double low, high;  /* mV, V of the first and the last row */
    double per_mV;     /* rows per mV */
    double dt;         /* sub-step, ms */
    int rows, columns; /* columns: even */
};

/* mV between the end of a row and the next row: functions may jump at the V of a row. */
#define LOOKUP_JUST_BELOW 0x1p-36

/* Whether linear interpolation between the ends of a row represents a function, judged by its value at the
 * midpoint. jumps: the conditions that change within the row, as bits; one change shows at the midpoint,
 * two may not. */
static inline bool lookup_is_line(double first, double middle, double last, uint64_t jumps)
{
    const double off = jumps ? 1e-3 : 1e-2;
    return (jumps & (jumps - 1)) == 0 && fabs(first) < 1e30 && fabs(middle) < 1e30 && fabs(last) < 1e30 &&
           fabs(0.5 * (first + last) - middle) <= off * (fabs(first) + fabs(last));
}

/* The position of a V in a table: its row, and the fraction of the way to the next row, 0 .. 1. NaN gets
 * row 0 and fraction NaN, which gives NaN in every column. */
struct lookup_double {
    int row; /* index of its first number */
    double fraction;
};

struct lookup_float {
    int row;
    float fraction;
};

HOST_DEVICE struct lookup_double lookup_at_double(const struct ionic_table *table, int columns, double v)
{
    double x = (real_clamp_double(v, table->low, table->high) - table->low) * table->per_mV;
    int row = (int)(x == x ? x : 0);
    const struct lookup_double at = {row * (2 * columns), x - (double)row};
    return at;
}

HOST_DEVICE struct lookup_float lookup_at_float(const struct ionic_table *table, int columns, float v)
{
    float low = (float)table->low;
    float x = (real_clamp_float(v, low, (float)table->high) - low) * (float)table->per_mV;
    int row = (int)(x == x ? x : 0);
    const struct lookup_float at = {row * (2 * columns), x - (float)row};
    return at;
}

/* value + fraction increment at index `at`. Vectorised versions are not inlined, because compiling the
 * inlined reads of all columns takes four times as long as the rest of a model's step. `const`: reads no
 * memory that changes; an index as wide as the value avoids conversions. */
#if defined(__AVX2__) && !defined(__clang__) && !defined(__CUDACC__)
#define LOOKUP_COLUMN                                                                                        \
    _Pragma("omp declare simd uniform(value) notinbranch") __attribute__((noinline, const, unused)) static
#else
#define LOOKUP_COLUMN HOST_DEVICE
#endif
LOOKUP_COLUMN double lookup_column_double(const double *value, int64_t at, double fraction)
{
    return fma(fraction, value[at + 1], value[at]);
}

LOOKUP_COLUMN float lookup_column_float(const float *value, int at, float fraction)
{
    return fmaf(fraction, value[at + 1], value[at]);
}
#undef LOOKUP_COLUMN

/* *a, *b <- columns 2 k and 2 k + 1. On a GPU this is one load of 16 bytes, or two. */
HOST_DEVICE void lookup_pair_double(double *a, double *b, const double *value, struct lookup_double at, int k)
{
#ifdef __CUDA_ARCH__
    const double2 *row = (const double2 *)(value + at.row);
    const double2 first = __ldg(row + 2 * k), second = __ldg(row + 2 * k + 1);
    *a = fma(at.fraction, first.y, first.x);
    *b = fma(at.fraction, second.y, second.x);
#else
    *a = lookup_column_double(value, (int64_t)at.row + 4 * k, at.fraction);
    *b = lookup_column_double(value, (int64_t)at.row + (4 * k + 2), at.fraction);
#endif
}

HOST_DEVICE void lookup_pair_float(float *a, float *b, const float *value, struct lookup_float at, int k)
{
#ifdef __CUDA_ARCH__
    const float4 both = __ldg((const float4 *)(value + at.row) + k);
    *a = fmaf(at.fraction, both.y, both.x);
    *b = fmaf(at.fraction, both.w, both.z);
#else
    *a = lookup_column_float(value, at.row + 4 * k, at.fraction);
    *b = lookup_column_float(value, at.row + (4 * k + 2), at.fraction);
#endif
}

#endif
