/* elementary.h: the project's own exp, expm1, log, tanh, sin, cos and related functions, so that gcc and
 * nvcc give the same bits.
 *
 * All are branch-free, so that loops over them vectorise: Cody-Waite reduction in two parts, a polynomial
 * evaluated with fma by Horner's rule, and 2^k assembled as an exponent. The polynomials are minimax on
 * the reduced interval (Remez exchange, coefficients rounded to the type); the error of each is given in
 * bits. There are no tables: a gather costs more than the terms that it saves. Measured errors over the
 * whole range are in tests/kernels/test_elementary.c. NaN gives NaN; the sign of zero is lost.
 *
 * Cell models use cheaper forms without subnormal and infinite results: `_clamped` clamps the result to
 * exp(+-708) (+-87 in float), `_falling` only from below, `_inside` not at all. */
#ifndef CARDIAC_KERNELS_BASE_ELEMENTARY_H
#define CARDIAC_KERNELS_BASE_ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/base/host_device.h"

HOST_DEVICE uint64_t real_bits_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

HOST_DEVICE double real_from_bits_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

HOST_DEVICE uint32_t real_bits_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

HOST_DEVICE float real_from_bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

HOST_DEVICE double real_fma_double(double a, double b, double c)
{
    return fma(a, b, c);
}

HOST_DEVICE float real_fma_float(float a, float b, float c)
{
    return fmaf(a, b, c);
}

HOST_DEVICE double real_sqrt_double(double x)
{
    return sqrt(x);
}

HOST_DEVICE float real_sqrt_float(float x)
{
    return sqrtf(x);
}

HOST_DEVICE double real_abs_double(double x)
{
    return fabs(x);
}

HOST_DEVICE float real_abs_float(float x)
{
    return fabsf(x);
}

HOST_DEVICE double real_floor_double(double x)
{
    return floor(x);
}

HOST_DEVICE float real_floor_float(float x)
{
    return floorf(x);
}

/* min(max(x, low), high), NaN stays NaN */
HOST_DEVICE double real_clamp_double(double x, double low, double high)
{
    x = x > high ? high : x;
    return x < low ? low : x;
}

HOST_DEVICE float real_clamp_float(float x, float low, float high)
{
    x = x > high ? high : x;
    return x < low ? low : x;
}

/* Adding this leaves the nearest integer in the low bits of the mantissa, without conversion to an integer
 * type, which would be undefined for NaN. */
#define REAL_SHIFT_DOUBLE 0x1.8p52
#define REAL_SHIFT_FLOAT 0x1.8p23f

/* 2^k, where shifted = k + REAL_SHIFT, -1022 <= k <= 1023 */
HOST_DEVICE double real_power_of_two_double(double shifted)
{
    return real_from_bits_double((real_bits_double(shifted) << 52) + 0x3ff0000000000000u);
}

HOST_DEVICE float real_power_of_two_float(float shifted)
{
    return real_from_bits_float((real_bits_float(shifted) << 23) + 0x3f800000u);
}

/* (expm1(r) - r) / r^2 for |r| <= ln 2 / 2; error 2^-58 of expm1 */
HOST_DEVICE double real_expm1_series_double(double r)
{
    double q = 0x1.af85e4ef496b0p-26;
    q = fma(q, r, 0x1.28b072eb48a67p-22);
    q = fma(q, r, 0x1.71dddf8fc5234p-19);
    q = fma(q, r, 0x1.a0199667c5516p-16);
    q = fma(q, r, 0x1.a01a01bafd8fap-13);
    q = fma(q, r, 0x1.6c16c185b7076p-10);
    q = fma(q, r, 0x1.111111110d5e9p-7);
    q = fma(q, r, 0x1.555555554ffebp-5);
    q = fma(q, r, 0x1.5555555555561p-3);
    q = fma(q, r, 0x1.000000000000cp-1);
    return q;
}

/* x = k ln 2 + r with |r| <= ln 2 / 2; *shifted = k + REAL_SHIFT; returns expm1(r) */
HOST_DEVICE double real_reduced_expm1_double(double x, double *shifted)
{
    *shifted = fma(x, 0x1.71547652b82fep+0, REAL_SHIFT_DOUBLE);
    double k = *shifted - REAL_SHIFT_DOUBLE;
    double r = fma(k, -0x1.62e42fee00000p-1, x);
    r = fma(k, -0x1.a39ef35793c76p-33, r);
    return fma(r * r, real_expm1_series_double(r), r);
}

/* the same in float, error 2^-28 */
HOST_DEVICE float real_expm1_series_float(float r)
{
    float q = 0x1.6db528p-10f;
    q = fmaf(q, r, 0x1.123b94p-7f);
    q = fmaf(q, r, 0x1.55545cp-5f);
    q = fmaf(q, r, 0x1.55548ep-3f);
    q = fmaf(q, r, 0x1.000000p-1f);
    return q;
}

HOST_DEVICE float real_reduced_expm1_float(float x, float *shifted)
{
    *shifted = fmaf(x, 0x1.715476p+0f, REAL_SHIFT_FLOAT);
    float k = *shifted - REAL_SHIFT_FLOAT;
    float r = fmaf(k, -0x1.62e000p-1f, x);
    r = fmaf(k, -0x1.0bfbe8p-15f, r);
    return fmaf(r * r, real_expm1_series_float(r), r);
}

/* e^x, if the caller guarantees that |x| <= 708 (87 in float) or x is NaN */
HOST_DEVICE double real_exp_inside_double(double x)
{
    double shifted;
    double p = real_reduced_expm1_double(x, &shifted);
    double scale = real_power_of_two_double(shifted);
    return fma(scale, p, scale);
}

HOST_DEVICE float real_exp_inside_float(float x)
{
    float shifted;
    float p = real_reduced_expm1_float(x, &shifted);
    float scale = real_power_of_two_float(shifted);
    return fmaf(scale, p, scale);
}

/* e^max(x, -708) for x <= 708 */
HOST_DEVICE double real_exp_falling_double(double x)
{
    return real_exp_inside_double(x < -708 ? -708 : x);
}

HOST_DEVICE float real_exp_falling_float(float x)
{
    return real_exp_inside_float(x < -87 ? -87 : x);
}

/* e^min(max(x, -708), 709) */
HOST_DEVICE double real_exp_clamped_double(double x)
{
    return real_exp_inside_double(real_clamp_double(x, -708, 709));
}

HOST_DEVICE float real_exp_clamped_float(float x)
{
    return real_exp_inside_float(real_clamp_float(x, -87, 88));
}

/* e^x; 2^k is split in two factors, so that subnormal results round once and large ones become infinite */
HOST_DEVICE double real_exp_double(double x)
{
    double shifted;
    double p = real_reduced_expm1_double(real_clamp_double(x, -746, 710), &shifted);
    double k = shifted - REAL_SHIFT_DOUBLE;
    double half = fma(k, 0.5, REAL_SHIFT_DOUBLE);
    double first = real_power_of_two_double(half);
    double second = real_power_of_two_double(k - (half - REAL_SHIFT_DOUBLE) + REAL_SHIFT_DOUBLE);
    return fma(first, p, first) * second;
}

HOST_DEVICE float real_exp_float(float x)
{
    float shifted;
    float p = real_reduced_expm1_float(real_clamp_float(x, -104, 89), &shifted);
    float k = shifted - REAL_SHIFT_FLOAT;
    float half = fmaf(k, 0.5f, REAL_SHIFT_FLOAT);
    float first = real_power_of_two_float(half);
    float second = real_power_of_two_float(k - (half - REAL_SHIFT_FLOAT) + REAL_SHIFT_FLOAT);
    return fmaf(first, p, first) * second;
}

/* e^x - 1 for x <= 709 (88 in float) */
HOST_DEVICE double real_expm1_falling_double(double x)
{
    double shifted;
    double p = real_reduced_expm1_double(x < -60 ? -60 : x, &shifted);
    double scale = real_power_of_two_double(shifted);
    return fma(scale, p, scale - 1);
}

HOST_DEVICE float real_expm1_falling_float(float x)
{
    float shifted;
    float p = real_reduced_expm1_float(x < -30 ? -30 : x, &shifted);
    float scale = real_power_of_two_float(shifted);
    return fmaf(scale, p, scale - 1);
}

/* e^min(x, 709) - 1 */
HOST_DEVICE double real_expm1_clamped_double(double x)
{
    return real_expm1_falling_double(x > 709 ? 709 : x);
}

HOST_DEVICE float real_expm1_clamped_float(float x)
{
    return real_expm1_falling_float(x > 88 ? 88 : x);
}

/* e^x - 1. The rounding error of r is added back, and half of the result is computed, so that the largest
 * results do not overflow before the last step */
HOST_DEVICE double real_expm1_double(double x)
{
    x = real_clamp_double(x, -60, 710);
    double shifted = fma(x, 0x1.71547652b82fep+0, REAL_SHIFT_DOUBLE);
    double k = shifted - REAL_SHIFT_DOUBLE;
    double most = fma(k, -0x1.62e42fee00000p-1, x), little = k * 0x1.a39ef35793c76p-33;
    double r = most - little, rest = (most - r) - little;
    double half = real_power_of_two_double(shifted - 1);
    double line = fma(half, r, half - 0.5);
    double tail = fma(r * r, real_expm1_series_double(r), rest * (1 + r));
    return 2 * fma(half, tail, line);
}

HOST_DEVICE float real_expm1_float(float x)
{
    x = real_clamp_float(x, -30, 89);
    float shifted = fmaf(x, 0x1.715476p+0f, REAL_SHIFT_FLOAT);
    float k = shifted - REAL_SHIFT_FLOAT;
    float most = fmaf(k, -0x1.62e000p-1f, x), little = k * 0x1.0bfbe8p-15f;
    float r = most - little, rest = (most - r) - little;
    float half = real_power_of_two_float(shifted - 1);
    float line = fmaf(half, r, half - 0.5f);
    float tail = fmaf(r * r, real_expm1_series_float(r), rest * (1 + r));
    return 2 * fmaf(half, tail, line);
}

/* x / (e^x - 1), 1 at x = 0: the form of Goldman-Hodgkin-Katz currents and of many rates */
HOST_DEVICE double real_x_over_expm1_double(double x)
{
    double quotient = x / real_expm1_clamped_double(x);
    quotient = x == 0 ? 1 : quotient;
    return x > 800 ? 0 : quotient;
}

HOST_DEVICE float real_x_over_expm1_float(float x)
{
    float quotient = x / real_expm1_clamped_float(x);
    quotient = x == 0 ? 1 : quotient;
    return x > 100 ? 0 : quotient;
}

/* log(1 + f) = f - f^2/2 + f^3 q(f), sqrt(1/2) - 1 <= f <= sqrt(2) - 1; error 2^-56.6.
 * Returns log(1 + f) - f. */
HOST_DEVICE double real_log1p_minus_x_double(double f)
{
    double q = 0x1.ac75718a829d6p-6;
    q = fma(q, f, -0x1.ea05b9f68b1efp-5);
    q = fma(q, f, 0x1.0a6215bc4620dp-4);
    q = fma(q, f, -0x1.d11fb17baf617p-5);
    q = fma(q, f, 0x1.d05a7795d7933p-5);
    q = fma(q, f, -0x1.fba1c5e6738a4p-5);
    q = fma(q, f, 0x1.11ccffa3cf4b0p-4);
    q = fma(q, f, -0x1.24d74e71f7da9p-4);
    q = fma(q, f, 0x1.3b0b8920a3978p-4);
    q = fma(q, f, -0x1.5550ee78f6ed2p-4);
    q = fma(q, f, 0x1.745d3f1c91086p-4);
    q = fma(q, f, -0x1.9999c26b15672p-4);
    q = fma(q, f, 0x1.c71c71e016891p-4);
    q = fma(q, f, -0x1.ffffff2bf772ap-4);
    q = fma(q, f, 0x1.24924922a3e10p-3);
    q = fma(q, f, -0x1.555555566b363p-3);
    q = fma(q, f, 0x1.999999999f756p-3);
    q = fma(q, f, -0x1.fffffffffef14p-3);
    q = fma(q, f, 0x1.5555555555533p-2);
    double square = f * f;
    return fma(square * f, q, -0.5 * square);
}

/* the same in float, error 2^-30 */
HOST_DEVICE float real_log1p_minus_x_float(float f)
{
    float q = 0x1.14579cp-4f;
    q = fmaf(q, f, -0x1.de3c10p-4f);
    q = fmaf(q, f, 0x1.e6f060p-4f);
    q = fmaf(q, f, -0x1.fc2202p-4f);
    q = fmaf(q, f, 0x1.23376ap-3f);
    q = fmaf(q, f, -0x1.555c4ep-3f);
    q = fmaf(q, f, 0x1.99a4b6p-3f);
    q = fmaf(q, f, -0x1.000006p-2f);
    q = fmaf(q, f, 0x1.555548p-2f);
    float square = f * f;
    return fmaf(square * f, q, -0.5f * square);
}

/* log x; -inf at 0, NaN below. x = 2^e (1 + f); e is read off the mantissa of 2^52 + e. */
HOST_DEVICE double real_log_double(double x)
{
    double tiny = x < 0x1p-1022 ? 54 : 0;
    double normal = x < 0x1p-1022 ? x * 0x1p54 : x;
    uint64_t bits = real_bits_double(normal) - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u;
    double f = real_from_bits_double((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1;
    double e = real_from_bits_double((bits >> 52) | 0x4330000000000000u) - (0x1p52 + 1023) - tiny;
    double rest = real_log1p_minus_x_double(f);
    double result = fma(e, 0x1.62e42fee00000p-1, f + fma(e, 0x1.a39ef35793c76p-33, rest));
    result = x > 0 ? result : x == 0 ? -(double)INFINITY : (double)NAN;
    return x < (double)INFINITY ? result : x;
}

HOST_DEVICE float real_log_float(float x)
{
    float tiny = x < 0x1p-126f ? 25 : 0;
    float normal = x < 0x1p-126f ? x * 0x1p25f : x;
    uint32_t bits = real_bits_float(normal) - 0x3f3504f3u + 0x3f800000u;
    float f = real_from_bits_float((bits & 0x007fffffu) + 0x3f3504f3u) - 1;
    float e = real_from_bits_float((bits >> 23) | 0x4b000000u) - (0x1p23f + 127) - tiny;
    float rest = real_log1p_minus_x_float(f);
    float result = fmaf(e, 0x1.62e000p-1f, f + fmaf(e, 0x1.0bfbe8p-15f, rest));
    result = x > 0 ? result : x == 0 ? -INFINITY : NAN;
    return x < INFINITY ? result : x;
}

/* tanh x = -t / (2 + t), t = expm1(-2 |x|), with the sign of x */
HOST_DEVICE double real_tanh_double(double x)
{
    double t = real_expm1_clamped_double(-2 * fabs(x));
    double y = -t / (2 + t);
    return x < 0 ? -y : y;
}

HOST_DEVICE float real_tanh_float(float x)
{
    float t = real_expm1_clamped_float(-2 * fabsf(x));
    float y = -t / (2 + t);
    return x < 0 ? -y : y;
}

/* sin(x + quarter pi / 2) for |x| <= 1e5 (beyond that the three-part reduction loses digits); quarter is 0
 * or 1 */
HOST_DEVICE double real_sine_from_double(double x, uint64_t quarter)
{
    double shifted = fma(x, 0x1.45f306dc9c883p-1, REAL_SHIFT_DOUBLE);
    double k = shifted - REAL_SHIFT_DOUBLE;
    double r = fma(k, -0x1.921fb54400000p+0, x);
    r = fma(k, -0x1.0b4611a600000p-34, r);
    r = fma(k, -0x1.3198a2e037073p-69, r);
    double z = r * r;
    double s = fma(0x1.5d915d4c78e53p-33, z, -0x1.ae5e60c251efcp-26);
    s = fma(s, z, 0x1.71de3570fb5f5p-19);
    s = fma(s, z, -0x1.a01a019c0a281p-13);
    s = fma(s, z, 0x1.111111110f842p-7);
    s = fma(s, z, -0x1.5555555555549p-3);
    s = fma(r * z, s, r);
    double c = fma(-0x1.8facd1667e6c4p-37, z, 0x1.1ee9e89107a2fp-29);
    c = fma(c, z, -0x1.27e4f80534821p-22);
    c = fma(c, z, 0x1.a01a019cab75ap-16);
    c = fma(c, z, -0x1.6c16c16c15140p-10);
    c = fma(c, z, 0x1.555555555554cp-5);
    c = fma(z * z, c, fma(z, -0.5, 1.0));
    uint64_t quadrant = real_bits_double(shifted) + quarter;
    double y = quadrant & 1 ? c : s;
    return quadrant & 2 ? -y : y;
}

HOST_DEVICE double real_sin_double(double x)
{
    return real_sine_from_double(x, 0);
}

HOST_DEVICE double real_cos_double(double x)
{
    return real_sine_from_double(x, 1);
}

HOST_DEVICE float real_sin_float(float x)
{
    return (float)real_sin_double((double)x);
}

HOST_DEVICE float real_cos_float(float x)
{
    return (float)real_cos_double((double)x);
}

/* atan x = pi/2 - atan(1/x) above 1, and pi/4 + atan((x - 1) / (x + 1)) above tan(pi/8); below that the
 * Taylor series up to t^45, whose next term is less than 2^-60 there */
HOST_DEVICE double real_atan_double(double x)
{
    double size = fabs(x), within = size > 1 ? 1 / size : size;
    double t = within > 0x1.a827999fcef32p-2 ? (within - 1) / (within + 1) : within, z = t * t;
    double q = 1.0 / 45;
    q = fma(q, z, -1.0 / 43);
    q = fma(q, z, 1.0 / 41);
    q = fma(q, z, -1.0 / 39);
    q = fma(q, z, 1.0 / 37);
    q = fma(q, z, -1.0 / 35);
    q = fma(q, z, 1.0 / 33);
    q = fma(q, z, -1.0 / 31);
    q = fma(q, z, 1.0 / 29);
    q = fma(q, z, -1.0 / 27);
    q = fma(q, z, 1.0 / 25);
    q = fma(q, z, -1.0 / 23);
    q = fma(q, z, 1.0 / 21);
    q = fma(q, z, -1.0 / 19);
    q = fma(q, z, 1.0 / 17);
    q = fma(q, z, -1.0 / 15);
    q = fma(q, z, 1.0 / 13);
    q = fma(q, z, -1.0 / 11);
    q = fma(q, z, 1.0 / 9);
    q = fma(q, z, -1.0 / 7);
    q = fma(q, z, 1.0 / 5);
    q = fma(q, z, -1.0 / 3);
    double y = fma(t * z, q, t);
    y = within > 0x1.a827999fcef32p-2 ? 0x1.921fb54442d18p-1 + (y + 0x1.1a62633145c07p-55) : y;
    y = size > 1 ? 0x1.921fb54442d18p+0 - (y - 0x1.1a62633145c07p-54) : y;
    return x < 0 ? -y : y;
}

HOST_DEVICE float real_atan_float(float x)
{
    return (float)real_atan_double((double)x);
}

HOST_DEVICE double real_asin_double(double x)
{
    double y = real_atan_double(fabs(x) / sqrt((1 - x) * (1 + x)));
    y = fabs(x) == 1 ? 0x1.921fb54442d18p+0 : y;
    return x < 0 ? -y : y;
}

HOST_DEVICE float real_asin_float(float x)
{
    return (float)real_asin_double((double)x);
}

HOST_DEVICE double real_acos_double(double x)
{
    return x == -1 ? 0x1.921fb54442d18p+1 : 2 * real_atan_double(sqrt((1 - x) / (1 + x)));
}

HOST_DEVICE float real_acos_float(float x)
{
    return (float)real_acos_double((double)x);
}

/* x^y = e^(y log |x|): negative if x is negative and y odd, NaN if x < 0 and y is not an integer, 1 if y =
 * 0. The error is about (1 + |y log x|) ulp, because the logarithm has the precision of x. */
HOST_DEVICE double real_pow_double(double x, double y)
{
    double z = real_exp_double(y * real_log_double(fabs(x)));
    double odd = y * 0.5 != floor(y * 0.5) ? -z : z;
    z = x < 0 ? (y == floor(y) ? odd : (double)NAN) : z;
    return y == 0 ? 1 : z;
}

HOST_DEVICE float real_pow_float(float x, float y)
{
    float z = real_exp_float(y * real_log_float(fabsf(x)));
    float odd = y * 0.5f != floorf(y * 0.5f) ? -z : z;
    z = x < 0 ? (y == floorf(y) ? odd : NAN) : z;
    return y == 0 ? 1 : z;
}

/* 1/a, 1/b with one division; a b must neither overflow nor underflow */
HOST_DEVICE void real_reciprocals2_double(double *ra, double *rb, double a, double b)
{
    double r = 1 / (a * b);
    *ra = r * b;
    *rb = r * a;
}

HOST_DEVICE void real_reciprocals2_float(float *ra, float *rb, float a, float b)
{
    float r = 1 / (a * b);
    *ra = r * b;
    *rb = r * a;
}

/* the same for three */
HOST_DEVICE void real_reciprocals3_double(double *ra, double *rb, double *rc, double a, double b, double c)
{
    double ab = a * b, r = 1 / (ab * c);
    *rc = r * ab;
    r *= c;
    *ra = r * b;
    *rb = r * a;
}

HOST_DEVICE void real_reciprocals3_float(float *ra, float *rb, float *rc, float a, float b, float c)
{
    float ab = a * b, r = 1 / (ab * c);
    *rc = r * ab;
    r *= c;
    *ra = r * b;
    *rb = r * a;
}

/* the same for four */
HOST_DEVICE void real_reciprocals4_double(double *ra, double *rb, double *rc, double *rd, double a, double b,
                                          double c, double d)
{
    double ab = a * b, cd = c * d, r = 1 / (ab * cd), rab = r * cd, rcd = r * ab;
    *ra = rab * b;
    *rb = rab * a;
    *rc = rcd * d;
    *rd = rcd * c;
}

HOST_DEVICE void real_reciprocals4_float(float *ra, float *rb, float *rc, float *rd, float a, float b,
                                         float c, float d)
{
    float ab = a * b, cd = c * d, r = 1 / (ab * cd), rab = r * cd, rcd = r * ab;
    *ra = rab * b;
    *rb = rab * a;
    *rc = rcd * d;
    *rd = rcd * c;
}

/* a, or 1 if a is 0, infinite or NaN, so that it does not invalidate others inverted together with it */
HOST_DEVICE double real_shielded_double(double a)
{
    return fabs(a) > 0 && fabs(a) < (double)INFINITY ? a : 1;
}

HOST_DEVICE float real_shielded_float(float a)
{
    return fabsf(a) > 0 && fabsf(a) < (float)INFINITY ? a : 1;
}

/* 1 / a, where r is the inverse of the shielded a */
HOST_DEVICE double real_unshielded_double(double r, double a)
{
    return fabs(a) > 0 ? (fabs(a) < (double)INFINITY ? r : 0) : (a == 0 ? (double)INFINITY : a);
}

HOST_DEVICE float real_unshielded_float(float r, float a)
{
    return fabsf(a) > 0 ? (fabsf(a) < (float)INFINITY ? r : 0) : (a == 0 ? (float)INFINITY : a);
}

#endif
