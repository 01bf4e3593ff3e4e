/* test_elementary.c: our elementary functions against libm in a wider type: the largest error in ulp over
 * dense, random and edge arguments, printed and bounded; values at infinities, NaN, overflow and underflow;
 * and the same bits in a vectorised loop as alone. `test_elementary [POINTS]` */
#include "kernels/base/elementary.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

#include "tests/support/check.h"

static int points = 50000; /* of each kind of argument */

/* xorshift64*: the same numbers on every run */
static double uniform(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (double)((*seed * 2685821657736338717u) >> 11) * 0x1p-53;
}

/* distance of y from want in units of y's last place (of the smallest normal's for smaller results) */
static double ulps(double y, long double want, int digits, int exponent_min)
{
    int exponent;
    if (want == 0)
        return y == 0 ? 0 : 1e9;
    frexpl(fabsl(want), &exponent);
    if (exponent < exponent_min)
        exponent = exponent_min;
    return (double)(fabsl((long double)y - want) / ldexpl(1, exponent - digits));
}

struct function {
    const char *name;
    double (*ours)(double);
    float (*ours_float)(float);
    long double (*want)(long double);
    double low, high;             /* range in double */
    double low_float, high_float; /* range in float */
    double bound, bound_float;    /* ulp */
};

#define WRAP(name)                                                                                           \
    static double name##_d(double x)                                                                         \
    {                                                                                                        \
        return real_##name##_double(x);                                                                      \
    }
#define WRAP_FLOAT(name)                                                                                     \
    static float name##_f(float x)                                                                           \
    {                                                                                                        \
        return real_##name##_float(x);                                                                       \
    }
WRAP(exp)
WRAP(exp_clamped)
WRAP(expm1)
WRAP(expm1_clamped)
WRAP(log)
WRAP(tanh)
WRAP(sin)
WRAP(cos)
WRAP(x_over_expm1)
WRAP(atan)
WRAP(asin)
WRAP(acos)
WRAP_FLOAT(exp)
WRAP_FLOAT(exp_clamped)
WRAP_FLOAT(expm1)
WRAP_FLOAT(expm1_clamped)
WRAP_FLOAT(log)
WRAP_FLOAT(tanh)
WRAP_FLOAT(x_over_expm1)
WRAP_FLOAT(sin)
WRAP_FLOAT(cos)
WRAP_FLOAT(atan)
WRAP_FLOAT(asin)
WRAP_FLOAT(acos)

static long double x_over_expm1_l(long double x)
{
    return x == 0 ? 1 : x / expm1l(x);
}

static double error_double(const struct function *f, double x)
{
    return ulps(f->ours(x), f->want((long double)x), DBL_MANT_DIG, DBL_MIN_EXP);
}

static double error_float(const struct function *f, double x)
{
    float argument = (float)x;
    return ulps((double)f->ours_float(argument), f->want((long double)argument), FLT_MANT_DIG, FLT_MIN_EXP);
}

/* largest error over an even grid, random arguments and random magnitudes between low and high */
static double largest(const struct function *f, double (*error)(const struct function *, double), double low,
                      double high, double *worst)
{
    double most = 0;
    uint64_t seed = 42;
    for (int k = 0; k < points; k++) {
        double even = low + (high - low) * k / (points - 1);
        double anywhere = low + (high - low) * uniform(&seed);
        double bits = exp2(-40 + 50 * uniform(&seed)) * (low < 0 && k % 2 ? -1 : 1);
        double near_one = 1 + (uniform(&seed) - 0.5) * exp2(-30 * uniform(&seed));
        const double x[4] = {even, anywhere, bits, near_one};
        for (int n = 0; n < 4; n++) {
            if (!(x[n] >= low && x[n] <= high))
                continue;
            double e = error(f, x[n]);
            if (!(e <= most)) {
                most = e;
                *worst = x[n];
            }
        }
    }
    return most;
}

static const struct function functions[] = {
    {"exp", exp_d, exp_f, expl, -708, 709.78, -87.3, 88.72, 1.1, 1.1},
    {"exp, subnormal", exp_d, exp_f, expl, -745, -708, -103.9, -87.3, 1.1, 1.1},
    {"exp_clamped", exp_clamped_d, exp_clamped_f, expl, -708, 709, -87, 88, 1.1, 1.1},
    {"expm1", expm1_d, expm1_f, expm1l, -745, 709.78, -103, 88.72, 1.4, 1.4},
    {"expm1_clamped", expm1_clamped_d, expm1_clamped_f, expm1l, -745, 709, -103, 88, 2.1, 2.1},
    {"log", log_d, log_f, logl, 1e-300, 1e300, 1e-37, 1e38, 1.1, 1.1},
    {"log, small", log_d, log_f, logl, 0x1p-1074, 1e-300, 0x1p-149, 1e-37, 1.1, 1.1},
    {"log, usual", log_d, log_f, logl, 1e-6, 1000, 1e-6, 1000, 1.1, 1.1},
    {"tanh", tanh_d, tanh_f, tanhl, -30, 30, -12, 12, 2.5, 2.5},
    {"x / (e^x - 1)", x_over_expm1_d, x_over_expm1_f, x_over_expm1_l, -700, 700, -80, 80, 2.5, 2.5},
    {"sin", sin_d, sin_f, sinl, -100000, 100000, -100000, 100000, 2.5, 0.51},
    {"sin, small", sin_d, NULL, sinl, -7, 7, 0, 0, 2.5, 0},
    {"cos", cos_d, cos_f, cosl, -100000, 100000, -100000, 100000, 2.5, 0.51},
    {"cos, small", cos_d, NULL, cosl, -7, 7, 0, 0, 2.5, 0},
    {"atan", atan_d, atan_f, atanl, -1e6, 1e6, -1e6, 1e6, 2.5, 0.51},
    {"asin", asin_d, asin_f, asinl, -1, 1, -1, 1, 3, 0.51},
    {"acos", acos_d, acos_f, acosl, -1, 1, -1, 1, 3, 0.51},
};

/* x^y loses as many ulp as y log x has bits before the point: (1 + |y log x|) are allowed */
static void check_power(void)
{
    const double inf = (double)INFINITY;
    uint64_t seed = 7;
    for (int k = 0; k < points; k++) {
        double x = exp2(20 * uniform(&seed) - 10), y = 40 * uniform(&seed) - 20, size = 1 + fabs(y * log(x));
        double e =
            ulps(real_pow_double(x, y), powl((long double)x, (long double)y), DBL_MANT_DIG, DBL_MIN_EXP);
        CHECK(e <= 2 * size, "%g^%g: %g ulp", x, y, e);
        float a = (float)x, b = (float)(0.25 * y);
        e = ulps((double)real_pow_float(a, b), powl((long double)a, (long double)b), FLT_MANT_DIG,
                 FLT_MIN_EXP);
        CHECK(e <= 2 * size, "%g^%g, float: %g ulp", (double)a, (double)b, e);
    }
    CHECK(fabs(real_pow_double(-2, 3) + 8) < 1e-14 && fabs(real_pow_double(-2, 4) - 16) < 1e-14,
          "(-2)^3, (-2)^4");
    CHECK(isnan(real_pow_double(-2, 0.5)) && isnan(real_pow_float(-2, 0.5f)), "(-2)^0.5");
    CHECK(real_pow_double(0, 2) == 0 && real_pow_double(0, -1) == inf && real_pow_double(0, 0) == 1, "0^y");
}

static void check_errors(void)
{
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        const struct function *f = &functions[k];
        double at = 0, e = largest(f, error_double, f->low, f->high, &at);
        printf("%-16s double %5.3f ulp at %-24.17g", f->name, e, at);
        CHECK(e <= f->bound, "%s: %g ulp at %.17g", f->name, e, at);
        if (f->ours_float) {
            e = largest(f, error_float, f->low_float, f->high_float, &at);
            printf(" float %5.3f ulp at %.9g", e, at);
            CHECK(e <= f->bound_float, "%s, float: %g ulp at %.9g", f->name, e, at);
        }
        printf("\n");
    }
}

static void check_edges(void)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    CHECK(exp_d(inf) == inf && exp_d(-inf) == 0 && exp_d(0) == 1 && exp_d(710) == inf && exp_d(-746) == 0,
          "exp");
    CHECK(exp_d(-745) > 0 && exp_d(709.78) < inf && isnan(exp_d(nan)), "exp");
    CHECK(exp_f(INFINITY) == INFINITY && exp_f(-INFINITY) == 0 && exp_f(0) == 1, "exp float");
    CHECK(exp_f(89) == INFINITY && exp_f(-104) == 0 && isnan(exp_f(NAN)), "exp float");
    CHECK(exp_clamped_d(inf) == exp_clamped_d(709) && exp_clamped_d(-inf) == exp_clamped_d(-708), "clamped");
    CHECK(isnan(exp_clamped_d(nan)) && isnan(exp_clamped_f(NAN)) && exp_clamped_f(-INFINITY) > 0, "clamped");
    CHECK(expm1_d(inf) == inf && expm1_d(-inf) == -1 && expm1_d(0) == 0 && isnan(expm1_d(nan)), "expm1");
    CHECK(expm1_f(INFINITY) == INFINITY && expm1_f(-INFINITY) == -1 && isnan(expm1_f(NAN)), "expm1 float");
    CHECK(expm1_d(0x1p-1000) == 0x1p-1000 && expm1_clamped_d(-inf) == -1, "expm1 of little");
    CHECK(log_d(inf) == inf && log_d(0) == -inf && log_d(1) == 0 && isnan(log_d(-1)) && isnan(log_d(nan)),
          "log");
    CHECK(log_f(INFINITY) == INFINITY && log_f(0) == -INFINITY && log_f(1) == 0, "log float");
    CHECK(isnan(log_f(-1)) && isnan(log_f(NAN)) && isnan(log_d(-inf)), "log of less than 0");
    CHECK(tanh_d(inf) == 1 && tanh_d(-inf) == -1 && isnan(tanh_d(nan)) && tanh_f(-INFINITY) == -1, "tanh");
    CHECK(x_over_expm1_d(0) == 1 && x_over_expm1_d(inf) == 0 && x_over_expm1_d(-inf) == inf, "x / (e^x - 1)");
    CHECK(isnan(x_over_expm1_d(nan)) && x_over_expm1_f(0) == 1 && x_over_expm1_f(INFINITY) == 0,
          "x / (e^x - 1)");
    CHECK(isnan(sin_d(nan)) && cos_d(0) == 1 && sin_d(0) == 0, "sin, cos");
}

/* A vectorised loop, its remainder and a single call give the same bits. */
static void check_loops(void)
{
    enum { COUNT = 1003 };
    static double x[COUNT], y[COUNT];
    for (int k = 0; k < COUNT; k++)
        x[k] = -800 + 1.6 * k;
#pragma omp simd
    for (int k = 0; k < COUNT; k++)
        y[k] = real_exp_double(x[k]) + real_expm1_double(x[k]) + real_log_double(x[k] * x[k]);
    for (int k = 0; k < COUNT; k++) {
        volatile double one = x[k];
        double want = exp_d(one) + expm1_d(one) + log_d(one * one);
        CHECK(memcmp(&y[k], &want, sizeof want) == 0, "at %g: %a, alone %a", x[k], y[k], want);
    }
}

int main(int argc, char **argv)
{
    points = argc > 1 ? atoi(argv[1]) : points;
    check_errors();
    check_power();
    check_edges();
    check_loops();
    return 0;
}
