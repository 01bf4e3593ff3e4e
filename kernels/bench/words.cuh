/* words.cuh: how the bench's own formats read a row of slices (a run: kernels/ops/row_sums.cuh): G entries of
 * a row stand side by side and are one load; the entries of a chunk are all asked for before the first x is.
 */
#ifndef CARDIAC_KERNELS_BENCH_WORDS_CUH
#define CARDIAC_KERNELS_BENCH_WORDS_CUH

enum { AT_ONCE = 8 };

template <typename T, int G> struct __align__(sizeof(T) * G > 16 ? 16 : sizeof(T) * G) entries_of
{
    T of[G];
};

#endif
