/* spectrum.c: bounds on spectra from elements and rows.
 *
 * An element's extreme eigenvalues cost a small symmetric eigenproblem. Most elements are spared it: with S =
 * I + C, C of zero diagonal and order n, |lambda - 1| <= sqrt((n - 1) / n) ||C||_F, so an element whose cheap
 * bound lies inside the extremes found so far cannot move them. The result does not depend on the order of
 * the visits. */
#include "solver/spectrum.h"

#include <math.h>

#include "solver/monodomain.h"
#include "solver/simplex.h"

/* Rounding of the small eigenproblems, added outwards so that the bounds stay bounds. */
static const double margin = 1e-12;

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

struct interval spectrum_elements(const struct tensors *tensors, double lumping, double theta_dt)
{
    int n = tensors->mesh->dimension + 1;
    double low = 1, high = 1;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
    for (int64_t e = 0; e < tensors->mesh->elements; e++) {
        double a[4][4], norm = 0, root[4];
        element_system(tensors, e, lumping, theta_dt, a);
        for (int p = 0; p < n; p++)
            root[p] = 1 / sqrt(a[p][p]);
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++) {
                a[p][q] = p == q ? 1.0 : a[p][q] * root[p] * root[q];
                norm += p == q ? 0.0 : a[p][q] * a[p][q];
            }
        double reach = sqrt(norm * (n - 1) / n);
        if (1 - reach >= low && 1 + reach <= high)
            continue;
        struct interval found = extremes(n, a);
        low = fmin(low, found.low);
        high = fmax(high, found.high);
    }
    return (struct interval){low - margin, high + margin};
}

double spectrum_lowest_mass(const struct tensors *tensors, double lumping, double theta_dt)
{
    int n = tensors->mesh->dimension + 1;
    double low = INFINITY;
#pragma omp parallel for schedule(static) reduction(min : low)
    for (int64_t e = 0; e < tensors->mesh->elements; e++) {
        double a[4][4];
        double mass = element_system(tensors, e, lumping, theta_dt, a);
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++)
                a[p][q] /= mass;
        low = fmin(low, extremes(n, a).low);
    }
    return low - margin;
}

double spectrum_element_rate(const struct tensors *tensors)
{
    int n = tensors->mesh->dimension + 1;
    double high = 0;
#pragma omp parallel for schedule(static) reduction(max : high)
    for (int64_t e = 0; e < tensors->mesh->elements; e++) {
        double a[4][4], tensor[6], trace = 0;
        tensor_of_element(tensors, e, tensor);
        double mass = simplex_stiffness(tensors->mesh, e, tensor, a) / n;
        for (int p = 0; p < n; p++) {
            trace += a[p][p] / mass;
            for (int q = 0; q < n; q++)
                a[p][q] /= mass;
        }
        if (trace <= high) /* positive semidefinite: no eigenvalue passes the trace */
            continue;
        high = fmax(high, extremes(n, a).high);
    }
    return high * (1 + margin);
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
