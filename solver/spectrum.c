/* spectrum.c: bounds on spectra from elements and rows.
 *
 * An element's extreme eigenvalues cost a small symmetric eigenproblem, but most elements are spared it: if
 * high I - S and S - low I have positive pivots, the element cannot move the extremes found so far. So that
 * the result does not depend on the number of threads, the search starts anew in every block of elements. */
#include "solver/spectrum.h"

#include <math.h>

#include "solver/monodomain.h"
#include "solver/simplex.h"

/* Rounding of the small eigenproblems, added outwards so that the bounds stay bounds. */
static const double margin = 1e-12;

enum { BLOCK = 8192 };

/* Whether sign (shift I - S) is positive definite: elimination without pivoting, all pivots positive */
static int is_definite(int n, double s[4][4], double shift, double sign)
{
    double a[4][4];
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            a[p][q] = sign * ((p == q ? shift : 0.0) - s[p][q]);
    for (int p = 0; p < n; p++) {
        if (!(a[p][p] > 0))
            return 0;
        for (int q = p + 1; q < n; q++) {
            double factor = a[q][p] / a[p][p];
            for (int k = p + 1; k < n; k++)
                a[q][k] -= factor * a[p][k];
        }
    }
    return 1;
}

/* Extreme eigenvalues of a symmetric n x n matrix, n <= 4, by cyclic Jacobi rotations (destroys s) */
static struct interval extremes(int n, double s[4][4])
{
    for (int round = 0; round < 30; round++) {
        double off = 0, on = 0;
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++)
                *(p == q ? &on : &off) += s[p][q] * s[p][q];
        if (!(off > 1e-30 * on))
            break;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (s[p][q] == 0.0)
                    continue;
                double tau = (s[q][q] - s[p][p]) / (2 * s[p][q]);
                double t = (tau >= 0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1 + tau * tau));
                double c = 1 / sqrt(1 + t * t), d = t * c;
                for (int k = 0; k < n; k++) {
                    double a = s[k][p], b = s[k][q];
                    s[k][p] = c * a - d * b;
                    s[k][q] = d * a + c * b;
                }
                for (int k = 0; k < n; k++) {
                    double a = s[p][k], b = s[q][k];
                    s[p][k] = c * a - d * b;
                    s[q][k] = d * a + c * b;
                }
            }
    }
    struct interval found = {s[0][0], s[0][0]};
    for (int p = 1; p < n; p++) {
        found.low = fmin(found.low, s[p][p]);
        found.high = fmax(found.high, s[p][p]);
    }
    return found;
}

/* a[][] <- A_e = M_e + theta dt K_e; returns the lumped mass of a corner */
static double element_system(const struct tensors *tensors, int64_t e, double lumping, double theta_dt,
                             double a[4][4])
{
    double tensor[6];
    int n = tensors->mesh->dimension + 1;
    tensor_of_element(tensors, e, tensor);
    double mass = simplex_stiffness(tensors->mesh, e, tensor, a) / n;
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++) {
            double consistent = mass * (p == q ? 2.0 : 1.0) / (n + 1);
            a[p][q] = theta_dt * a[p][q] + (1 - lumping) * consistent + (p == q ? lumping * mass : 0.0);
        }
    return mass;
}

/* *bounds <- their union with the eigenvalues of S, to within margin */
static void widen(struct interval *bounds, int n, double s[4][4])
{
    double slack = margin * (1 + fabs(bounds->high));
    if (is_definite(n, s, bounds->high + slack, 1) && is_definite(n, s, bounds->low - slack, -1))
        return;
    struct interval found = extremes(n, s);
    bounds->low = fmin(bounds->low, found.low);
    bounds->high = fmax(bounds->high, found.high);
}

/* S of element e into s[][]: what the three public searches differ in */
typedef void scaled_element(const struct tensors *tensors, int64_t e, double lumping, double theta_dt,
                            double s[4][4]);

/* Extremes of the eigenvalues of all scaled elements */
static struct interval search(const struct tensors *tensors, double lumping, double theta_dt,
                              scaled_element *scaled)
{
    int n = tensors->mesh->dimension + 1;
    int64_t elements = tensors->mesh->elements, blocks = (elements + BLOCK - 1) / BLOCK;
    double low = INFINITY, high = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
    for (int64_t block = 0; block < blocks; block++) {
        struct interval bounds = {INFINITY, -INFINITY};
        int64_t end = (block + 1) * BLOCK < elements ? (block + 1) * BLOCK : elements;
        for (int64_t e = block * BLOCK; e < end; e++) {
            double s[4][4];
            scaled(tensors, e, lumping, theta_dt, s);
            widen(&bounds, n, s);
        }
        low = fmin(low, bounds.low);
        high = fmax(high, bounds.high);
    }
    return (struct interval){low - margin, high + margin};
}

/* D_e^-1/2 A_e D_e^-1/2 */
static void scaled_by_diagonal(const struct tensors *tensors, int64_t e, double lumping, double theta_dt,
                               double s[4][4])
{
    int n = tensors->mesh->dimension + 1;
    double root[4];
    element_system(tensors, e, lumping, theta_dt, s);
    for (int p = 0; p < n; p++)
        root[p] = 1 / sqrt(s[p][p]);
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            s[p][q] = p == q ? 1.0 : s[p][q] * root[p] * root[q];
}

/* M_Le^-1 A_e */
static void scaled_by_mass(const struct tensors *tensors, int64_t e, double lumping, double theta_dt,
                           double s[4][4])
{
    int n = tensors->mesh->dimension + 1;
    double mass = element_system(tensors, e, lumping, theta_dt, s);
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            s[p][q] /= mass;
}

/* M_Le^-1 K_e */
static void stiffness_by_mass(const struct tensors *tensors, int64_t e, double lumping, double theta_dt,
                              double s[4][4])
{
    (void)lumping, (void)theta_dt;
    int n = tensors->mesh->dimension + 1;
    double tensor[6];
    tensor_of_element(tensors, e, tensor);
    double mass = simplex_stiffness(tensors->mesh, e, tensor, s) / n;
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            s[p][q] /= mass;
}

struct interval spectrum_elements(const struct tensors *tensors, double lumping, double theta_dt)
{
    return search(tensors, lumping, theta_dt, scaled_by_diagonal);
}

double spectrum_lowest_mass(const struct tensors *tensors, double lumping, double theta_dt)
{
    return search(tensors, lumping, theta_dt, scaled_by_mass).low;
}

double spectrum_element_rate(const struct tensors *tensors)
{
    return search(tensors, 1, 0, stiffness_by_mass).high * (1 + margin);
}

double spectrum_row_rate(const struct system *system)
{
    double high = 0;
#pragma omp parallel for schedule(static) reduction(max : high)
    for (int64_t i = 0; i < system->rows; i++) {
        double diagonal = 0, around = 0;
        for (int64_t k = system->start[i]; k < system->start[i + 1]; k++) {
            diagonal -= system->stiffness[k];
            around += fabs(system->stiffness[k]);
        }
        high = fmax(high, (diagonal + around) / system->lumped[i]);
    }
    return high * (1 + margin);
}
