/* symmetric.c: rotations and factors of small symmetric matrices. */
#include "solver/matrix/symmetric.h"

#include <math.h>
#include <stddef.h>

/* Rotates columns p and q of a[n][stride] by cosine c and sine d */
static void turn_columns(int n, int stride, double *a, int p, int q, double c, double d)
{
    for (int k = 0; k < n; k++) {
        double *row = a + k * stride, x = row[p], y = row[q];
        row[p] = c * x - d * y;
        row[q] = d * x + c * y;
    }
}

static void rotate(int n, int stride, double *s, double *v, int p, int q)
{
    double tau = (s[q * stride + q] - s[p * stride + p]) / (2 * s[p * stride + q]);
    double t = (tau >= 0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1 + tau * tau));
    double c = 1 / sqrt(1 + t * t), d = t * c;
    turn_columns(n, stride, s, p, q, c, d);
    for (int k = 0; k < n; k++) {
        double a = s[p * stride + k], b = s[q * stride + k];
        s[p * stride + k] = c * a - d * b;
        s[q * stride + k] = d * a + c * b;
    }
    if (v)
        turn_columns(n, stride, v, p, q, c, d);
}

void symmetric_eigen(int n, int stride, double *s, double *v)
{
    for (int p = 0; p < n && v; p++)
        for (int q = 0; q < n; q++)
            v[p * stride + q] = p == q;
    for (int round = 0; round < 30; round++) {
        double off = 0, on = 0;
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++)
                *(p == q ? &on : &off) += s[p * stride + q] * s[p * stride + q];
        if (!(off > 1e-30 * on))
            break;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                if (s[p * stride + q] != 0.0)
                    rotate(n, stride, s, v, p, q);
    }
}

bool symmetric_factor(int n, int stride, double *a)
{
    for (int p = 0; p < n; p++)
        for (int q = 0; q <= p; q++) {
            double rest = a[p * stride + q];
            for (int k = 0; k < q; k++)
                rest -= a[p * stride + k] * a[q * stride + k];
            if (p == q && !(rest > 0))
                return false;
            a[p * stride + q] = p == q ? sqrt(rest) : rest / a[q * stride + q];
        }
    return true;
}

void symmetric_forward(int n, int stride, const double *l, double *x)
{
    for (int p = 0; p < n; p++) {
        for (int k = 0; k < p; k++)
            x[p] -= l[p * stride + k] * x[k];
        x[p] /= l[p * stride + p];
    }
}

void symmetric_backward(int n, int stride, const double *l, double *x)
{
    for (int p = n - 1; p >= 0; p--) {
        for (int k = p + 1; k < n; k++)
            x[p] -= l[k * stride + p] * x[k];
        x[p] /= l[p * stride + p];
    }
}
