/* spectrum.c: bounds on spectra from elements and rows.
 *
 * An element's extreme eigenvalues cost a small symmetric eigenproblem, but most elements are spared it: if
 * high I - S and S - low I have positive pivots, the element cannot move the extremes found so far. So that
 * the result does not depend on the number of threads, the search starts anew in every block of elements. */
#include "solver/matrix/spectrum.h"

#include <math.h>

#include "solver/matrix/simplex.h"
#include "solver/params.h"

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

/* a[][] <- A_e from K_e and the lumped mass of a corner */
static void element_system(int n, double k[4][4], double mass, double lumping, double theta_dt,
                           double a[4][4])
{
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++) {
            double consistent = mass * (p == q ? 2.0 : 1.0) / (n + 1);
            a[p][q] = theta_dt * k[p][q] + (1 - lumping) * consistent + (p == q ? lumping * mass : 0.0);
        }
}

/* s[p][q] <- a[p][q] / (w_p w_q) */
static void scale(int n, double a[4][4], const double w[4], double s[4][4])
{
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            s[p][q] = a[p][q] / (w[p] * w[q]);
}

/* *bounds <- their union with the eigenvalues of S, to within margin; either bound may be NULL */
static void widen(double *low, double *high, int n, double s[4][4])
{
    if ((!high || is_definite(n, s, *high + margin * (1 + fabs(*high)), 1)) &&
        (!low || is_definite(n, s, *low - margin * (1 + fabs(*low)), -1)))
        return;
    struct interval found = extremes(n, s);
    if (low)
        *low = fmin(*low, found.low);
    if (high)
        *high = fmax(*high, found.high);
}

/* *found <- its union with element e */
static void visit(const struct tensors *tensors, int64_t e, double lumping, double theta_dt,
                  struct element_spectrum *found)
{
    int n = tensors->mesh->dimension + 1;
    double tensor[6], k[4][4], a[4][4], s[4][4], root_mass[4], root[4];
    tensor_of_element(tensors, e, tensor);
    double mass = simplex_stiffness(tensors->mesh, e, tensor, k) / n;
    element_system(n, k, mass, lumping, theta_dt, a);
    for (int p = 0; p < n; p++) {
        root_mass[p] = sqrt(mass);
        root[p] = sqrt(a[p][p]);
    }
    scale(n, a, root, s);
    widen(&found->jacobi.low, &found->jacobi.high, n, s);
    scale(n, a, root_mass, s);
    widen(&found->lowest_mass, NULL, n, s);
    scale(n, k, root_mass, s);
    widen(NULL, &found->rate, n, s);
}

struct element_spectrum spectrum_elements(const struct tensors *tensors, double lumping, double theta_dt)
{
    int64_t elements = tensors->mesh->elements, blocks = (elements + BLOCK - 1) / BLOCK;
    double low = INFINITY, high = -INFINITY, lowest_mass = INFINITY, rate = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min : low, lowest_mass) reduction(max : high, rate)
    for (int64_t block = 0; block < blocks; block++) {
        struct element_spectrum found = {{INFINITY, -INFINITY}, INFINITY, -INFINITY};
        int64_t end = (block + 1) * BLOCK < elements ? (block + 1) * BLOCK : elements;
        for (int64_t e = block * BLOCK; e < end; e++)
            visit(tensors, e, lumping, theta_dt, &found);
        low = fmin(low, found.jacobi.low);
        high = fmax(high, found.jacobi.high);
        lowest_mass = fmin(lowest_mass, found.lowest_mass);
        rate = fmax(rate, found.rate);
    }
    return (struct element_spectrum){
        {low - margin, high + margin}, lowest_mass - margin, rate * (1 + margin)};
}

int64_t spectrum_stiffest(const struct tensors *tensors, double *rate, const struct comm *comm)
{
    const struct mesh *mesh = tensors->mesh;
    double own;
    uint64_t first = 0; /* ~ the lowest number */
    int64_t stiffest = -1;
    *rate = -INFINITY;
    for (int64_t e = 0; e < mesh->elements; e++) {
        struct element_spectrum found = {{INFINITY, -INFINITY}, INFINITY, -INFINITY};
        visit(tensors, e, 1, 0, &found);
        if (found.rate > *rate) {
            *rate = found.rate;
            stiffest = e;
        }
    }
    own = *rate;
    comm_most(comm, COMM_STEPS, rate, 1);
    if (stiffest >= 0 && own == *rate)
        first = ~(uint64_t)mesh_element_number(mesh, stiffest);
    comm->engine->largest(comm, COMM_STEPS, &first, 1);
    return (int64_t)~first;
}
