/* mode.c: compute an eigenvector with dense matrices, for a few hundred nodes. */
#include "app/verify/tissue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/matrix/assembly.h"

struct dense {
    int64_t n;
    double *stiffness, *mass, *shifted; /* [n][n] */
    double *image, *image_mass, *right; /* [n] */
};

static void dense_free(struct dense *dense)
{
    double *const memory[] = {dense->stiffness, dense->mass,       dense->shifted,
                              dense->image,     dense->image_mass, dense->right};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        free(memory[k]);
}

static enum status dense_make(struct dense *dense, const struct verify_tissue *tissue, struct error *error)
{
    struct tensors tensors = {&tissue->mesh, &tissue->region, tissue->element_region,
                              tissue->region.isotropic ? NULL : tissue->fiber};
    struct system system = {0};
    double f = tissue->params.mass_lumping;
    size_t n = (size_t)tissue->mesh.nodes;
    enum status status;
    TRY_DONE(system_assemble(&system, &tensors, true, NULL, error));
    *dense = (struct dense){.n = tissue->mesh.nodes};
    const char *what = "a dense matrix";
    int64_t rows = dense->n, entries = rows * rows;
    dense->stiffness = array_zeroed(entries, sizeof(double), what, &status, error);
    dense->mass = array_zeroed(entries, sizeof(double), what, &status, error);
    dense->shifted = array_new(entries, sizeof(double), what, &status, error);
    dense->image = array_new(rows, sizeof(double), what, &status, error);
    dense->image_mass = array_new(rows, sizeof(double), what, &status, error);
    dense->right = array_new(rows, sizeof(double), what, &status, error);
    if (status)
        goto done;
    for (size_t i = 0; i < n; i++) {
        dense->mass[i * n + i] = system.lumped[i] * (f + (1 - f) * 2 / (system.dimension + 2));
        for (int64_t k = system.k.start[i]; k < system.k.start[i + 1]; k++) {
            size_t j = (size_t)system.k.column[k];
            dense->stiffness[i * n + j] = system.k.value[k];
            dense->stiffness[i * n + i] -= system.k.value[k];
            dense->mass[i * n + j] = (1 - f) * system.mass[k];
        }
    }
done:
    system_free(&system);
    return status;
}

/* y = A x */
static void multiply_dense(double *y, const double *a, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}

/* b <- A^-1 b by Gaussian elimination with partial pivoting; overwrites a. A pivot of 0 is replaced by a tiny one:
 * near an eigenvalue only the direction of the result matters. */
static void solve_dense(double *a, double *b, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < n; i++)
            pivot = fabs(a[i * n + k]) > fabs(a[pivot * n + k]) ? i : pivot;
        for (int64_t j = k; j < n && pivot != k; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = pivot == k ? b[k] : swap;
        if (a[k * n + k] == 0)
            a[k * n + k] = 1e-300;
        for (int64_t i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (int64_t j = k; j < n && factor != 0; j++)
                a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < n; j++)
            b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

/* value <- value / its largest entry */
static void normalise(double *value, int64_t n)
{
    double top = 0;
    for (int64_t i = 0; i < n; i++)
        top = fabs(value[i]) > fabs(top) ? value[i] : top;
    for (int64_t i = 0; i < n; i++)
        value[i] /= top;
}

/* image <- K v, image_mass <- M v; returns v.Kv / v.Mv */
static double rayleigh_quotient(struct dense *dense, const double *value)
{
    double energy = 0, mass = 0;
    multiply_dense(dense->image, dense->stiffness, value, dense->n);
    multiply_dense(dense->image_mass, dense->mass, value, dense->n);
    for (int64_t i = 0; i < dense->n; i++) {
        energy += value[i] * dense->image[i];
        mass += value[i] * dense->image_mass[i];
    }
    return energy / mass;
}

enum status verify_mode(const struct verify_tissue *tissue, double *value, double *lambda, double *residual,
                        struct error *error)
{
    struct dense dense = {0};
    int64_t n = tissue->mesh.nodes;
    enum status status = dense_make(&dense, tissue, error);
    if (status)
        goto done;
    normalise(value, n);
    *lambda = rayleigh_quotient(&dense, value);
    for (int round = 0; round < 12; round++) {
        for (int64_t k = 0; k < n * n; k++)
            dense.shifted[k] = dense.stiffness[k] - *lambda * dense.mass[k];
        memcpy(dense.right, dense.image_mass, (size_t)n * sizeof *dense.right);
        solve_dense(dense.shifted, dense.right, n);
        memcpy(value, dense.right, (size_t)n * sizeof *value);
        normalise(value, n);
        *lambda = rayleigh_quotient(&dense, value);
        double worst = 0, scale = 0;
        for (int64_t i = 0; i < n; i++) {
            worst = fmax(worst, fabs(dense.image[i] - *lambda * dense.image_mass[i]));
            scale = fmax(scale, fabs(dense.image[i]));
        }
        *residual = worst / scale;
        if (*residual < 1e-13)
            break;
    }
done:
    dense_free(&dense);
    return status;
}
