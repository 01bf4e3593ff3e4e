/* frame.c: conversion of one frame. */
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

void frame_convert(const struct frame_shape *shape, const double *value, void *bytes)
{
    double *wide = bytes, none64 = frame_nan64();
    float *narrow = bytes, none32 = frame_nan32();
    for (int64_t i = 0; i < shape->stride; i++) {
        double x = i < shape->values ? value[i] : none64;
        if (shape->wide)
            wide[i] = isnan(x) ? none64 : x;
        else
            narrow[i] = isnan(x) ? none32 : (float)x;
    }
}
