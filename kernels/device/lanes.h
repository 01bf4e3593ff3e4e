/* lanes.h: vectors of LANES rows of a slice, for the loops over the packed matrix.
 *
 * Compilers do not vectorise the gathers of these loops, so the three instruction sets are written out
 * here, and only here. A gather is a load: it cannot change a bit. Arithmetic on the vector types is the
 * compiler's. */
#ifndef CARDIAC_KERNELS_DEVICE_LANES_H
#define CARDIAC_KERNELS_DEVICE_LANES_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif
#ifndef __OPTIMIZE__ /* gathers are macros then, which convert signs */
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

#define LANES_FN static inline __attribute__((always_inline, unused))

#if defined(__AVX512F__) || defined(__AVX2__)
/* Four values with single loads. AVX2's gather makes sweeps 15 to 22 % longer (Zen 3). AVX-512's is slow
 * on some processors (Zen 4, Zen 5) and fast on others (Sapphire Rapids): kernels/ops/gather_trial.h. */
LANES_FN __m256d lanes_doubles(const double *x, __m128i index)
{
    int64_t low = _mm_cvtsi128_si64(index), high = _mm_extract_epi64(index, 1);
    __m128d a = _mm_load_sd(x + (int32_t)low), b = _mm_load_sd(x + (int32_t)high);
    a = _mm_loadh_pd(a, x + (low >> 32));
    b = _mm_loadh_pd(b, x + (high >> 32));
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(a), b, 1);
}
LANES_FN __m128 lanes_floats(const float *x, __m128i index)
{
    int64_t low = _mm_cvtsi128_si64(index), high = _mm_extract_epi64(index, 1);
    __m128 a = _mm_load_ss(x + (int32_t)low);
    a = _mm_insert_ps(a, _mm_load_ss(x + (low >> 32)), 0x10);
    a = _mm_insert_ps(a, _mm_load_ss(x + (int32_t)high), 0x20);
    return _mm_insert_ps(a, _mm_load_ss(x + (high >> 32)), 0x30);
}
#endif

#if defined(__AVX512F__) && defined(__AVX512VL__)
#define LANES 8
typedef __m512d lanes_real;
typedef __m256i lanes_index;

/* index[r] = r + offset[r] */
LANES_FN lanes_index lanes_from_offsets(const int16_t *offset)
{
    __m256i wide = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)offset));
    return _mm256_add_epi32(wide, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
LANES_FN lanes_index lanes_from_columns(const int32_t *column)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)column);
}
#ifdef LANES_SINGLE_LOADS
LANES_FN __m512d lanes_eight_doubles(const double *x, lanes_index index)
{
    __m256d low = lanes_doubles(x, _mm256_castsi256_si128(index));
    return _mm512_insertf64x4(_mm512_castpd256_pd512(low),
                              lanes_doubles(x, _mm256_extracti128_si256(index, 1)), 1);
}
LANES_FN __m256 lanes_eight_floats(const float *x, lanes_index index)
{
    __m128 low = lanes_floats(x, _mm256_castsi256_si128(index));
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low),
                                lanes_floats(x, _mm256_extracti128_si256(index, 1)), 1);
}
#else
#define lanes_eight_doubles(x, index) _mm512_i32gather_pd(index, x, 8)
#define lanes_eight_floats(x, index) _mm256_i32gather_ps(x, index, 4)
#endif
LANES_FN lanes_real lanes_gather64(const double *x, lanes_index index)
{
    return lanes_eight_doubles(x, index);
}
LANES_FN lanes_real lanes_gather32(const float *x, lanes_index index)
{
    return _mm512_cvtps_pd(lanes_eight_floats(x, index));
}
LANES_FN lanes_real lanes_load32(const float *x)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(x));
}
LANES_FN lanes_real lanes_load_whole(const int32_t *x)
{
    return _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(const void *)x));
}
/* sum + e x, where e x is exact, so that rounding once or twice gives the same result */
LANES_FN lanes_real lanes_add_exact(lanes_real sum, lanes_real e, lanes_real x)
{
    return _mm512_fmadd_pd(e, x, sum);
}
LANES_FN void lanes_store32(float *x, lanes_real v)
{
    _mm256_storeu_ps(x, _mm512_cvtpd_ps(v));
}
/* x - own, where own holds fp32 values, in fp32 */
LANES_FN lanes_real lanes_gather_less(const float *x, lanes_index index, lanes_real own)
{
    return _mm512_cvtps_pd(_mm256_sub_ps(lanes_eight_floats(x, index), _mm512_cvtpd_ps(own)));
}

#elif defined(__AVX2__)
#define LANES 4
typedef __m256d lanes_real;
typedef __m128i lanes_index;

LANES_FN lanes_index lanes_from_offsets(const int16_t *offset)
{
    __m128i wide = _mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)offset));
    return _mm_add_epi32(wide, _mm_setr_epi32(0, 1, 2, 3));
}
LANES_FN lanes_index lanes_from_columns(const int32_t *column)
{
    return _mm_loadu_si128((const __m128i *)(const void *)column);
}
LANES_FN lanes_real lanes_gather64(const double *x, lanes_index index)
{
    return lanes_doubles(x, index);
}
LANES_FN lanes_real lanes_gather32(const float *x, lanes_index index)
{
    return _mm256_cvtps_pd(lanes_floats(x, index));
}
LANES_FN lanes_real lanes_load32(const float *x)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(x));
}
LANES_FN lanes_real lanes_load_whole(const int32_t *x)
{
    return _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(const void *)x));
}
/* sum + e x, where e x is exact, so that rounding once or twice gives the same result */
LANES_FN lanes_real lanes_add_exact(lanes_real sum, lanes_real e, lanes_real x)
{
    return _mm256_fmadd_pd(e, x, sum);
}
LANES_FN void lanes_store32(float *x, lanes_real v)
{
    _mm_storeu_ps(x, _mm256_cvtpd_ps(v));
}
/* x - own, where own holds fp32 values, in fp32 */
LANES_FN lanes_real lanes_gather_less(const float *x, lanes_index index, lanes_real own)
{
    return _mm256_cvtps_pd(_mm_sub_ps(lanes_floats(x, index), _mm256_cvtpd_ps(own)));
}

#else
#define LANES 2
typedef double lanes_real __attribute__((vector_size(16)));
typedef struct {
    int32_t at[2];
} lanes_index;

LANES_FN lanes_index lanes_from_offsets(const int16_t *offset)
{
    return (lanes_index){{offset[0], 1 + offset[1]}};
}
LANES_FN lanes_index lanes_from_columns(const int32_t *column)
{
    return (lanes_index){{column[0], column[1]}};
}
LANES_FN lanes_real lanes_gather64(const double *x, lanes_index index)
{
    return (lanes_real){x[index.at[0]], x[index.at[1]]};
}
LANES_FN lanes_real lanes_gather32(const float *x, lanes_index index)
{
    return (lanes_real){(double)x[index.at[0]], (double)x[index.at[1]]};
}
LANES_FN lanes_real lanes_load32(const float *x)
{
    return (lanes_real){(double)x[0], (double)x[1]};
}
LANES_FN lanes_real lanes_load_whole(const int32_t *x)
{
    return (lanes_real){(double)x[0], (double)x[1]};
}
/* sum + e x, where e x is exact, so that rounding once or twice gives the same result */
LANES_FN lanes_real lanes_add_exact(lanes_real sum, lanes_real e, lanes_real x)
{
    return sum + e * x;
}
LANES_FN void lanes_store32(float *x, lanes_real v)
{
    x[0] = (float)v[0];
    x[1] = (float)v[1];
}
/* x - own, where own holds fp32 values, in fp32: fp64 is precise enough for rounding twice. Converted as
 * whole vectors, because GCC 12 drops a cast of each lane to float and back. */
LANES_FN lanes_real lanes_gather_less(const float *x, lanes_index index, lanes_real own)
{
    typedef float lanes_single __attribute__((vector_size(8)));
    lanes_real apart = lanes_gather32(x, index) - own;
    return __builtin_convertvector(__builtin_convertvector(apart, lanes_single), lanes_real);
}
#endif

typedef int64_t lanes_bits __attribute__((vector_size(8 * LANES)));

LANES_FN lanes_real lanes_load64(const double *x)
{
    lanes_real v;
    memcpy(&v, x, sizeof v);
    return v;
}
LANES_FN void lanes_store(double *x, lanes_real v)
{
    memcpy(x, &v, sizeof v);
}
/* The larger of the bit patterns of |v| and `seen` in each lane, compared as integers, so that NaN is the
 * largest */
LANES_FN lanes_bits lanes_larger(lanes_bits seen, lanes_real v)
{
    lanes_bits bits;
    memcpy(&bits, &v, sizeof bits);
    bits &= INT64_MAX;
    lanes_bits more = bits > seen;
    return (bits & more) | (seen & ~more);
}
LANES_FN uint64_t lanes_largest(lanes_bits seen)
{
    int64_t top = 0;
    for (int r = 0; r < LANES; r++)
        top = seen[r] > top ? seen[r] : top;
    return (uint64_t)top;
}

#endif
