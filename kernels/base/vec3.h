/* vec3.h: operations on vectors in space. */
#ifndef CARDIAC_KERNELS_BASE_VEC3_H
#define CARDIAC_KERNELS_BASE_VEC3_H

#include <math.h>

static inline double vec3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double vec3_length(const double a[3])
{
    return sqrt(vec3_dot(a, a));
}

/* out <- b - a */
static inline void vec3_between(double out[3], const double a[3], const double b[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = b[d] - a[d];
}

/* a <- a / |a|, NaN if |a| is 0; returns |a| */
static inline double vec3_normalise(double a[3])
{
    const double length = vec3_length(a);
    for (int d = 0; d < 3; d++)
        a[d] /= length;
    return length;
}

/* out must not be a or b. */
static inline void vec3_cross(double out[3], const double a[3], const double b[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
