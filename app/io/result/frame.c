/* frame.c: conversion and rounding of one frame. */
#include "app/io/result/frame.h"

#include <math.h>
#include <string.h>

struct frame_shape frame_shape(int64_t values, bool wide)
{
    int64_t bytes = values * (wide ? 8 : 4);
    int64_t chunks = bytes > 0 ? (bytes + (1 << 20) - 1) / (1 << 20) : 1;
    int64_t chunk = values > 0 ? (values + chunks - 1) / chunks : 1;
    return (struct frame_shape){values, chunk, chunks, chunks * chunk, wide};
}

float frame_nan32(void)
{
    uint32_t bits = 0x7fc00000u;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double frame_nan64(void)
{
    uint64_t bits = 0x7ff8000000000000u;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double frame_quantum(double round)
{
    if (!(round > 0) || !isfinite(round))
        return 0;
    int exponent;
    frexp(round, &exponent); /* round = f 2^exponent, 1/2 <= f < 1 */
    return ldexp(1, exponent - 1);
}

/* Beyond 2^52 quanta the value is a multiple of the quantum already. */
static double rounded(double value, double quantum)
{
    return quantum > 0 && fabs(value) < quantum * 0x1p52 ? quantum * rint(value / quantum) : value;
}

void frame_convert(const struct frame_shape *shape, double quantum, const double *value, void *bytes)
{
    double *wide = bytes, none64 = frame_nan64();
    float *narrow = bytes, none32 = frame_nan32();
    for (int64_t i = 0; i < shape->stride; i++) {
        double x = i < shape->values ? rounded(value[i], quantum) : none64;
        if (shape->wide)
            wide[i] = isnan(x) ? none64 : x;
        else
            narrow[i] = isnan(x) ? none32 : (float)x;
    }
}
