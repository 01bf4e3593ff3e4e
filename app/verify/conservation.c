/* conservation.c: diffusion with zero flux keeps sum_i m_i V_i, m the lumped masses, whatever D, theta
 * and f are: the columns of K add up to 0, and those of M to m. What a step's residuals r leave is
 * |sum m_i delta_i| = |sum r_i| <= sum |r_i|, at most tolerance x sum m_i. */
#include <math.h>
#include <stdlib.h>

#include "app/verify/tissue.h"
#include "app/verify/verify.h"
#include "solver/step/fault_injection.h"

enum { STEPS = 50 };

struct variant {
    const char *title;
    int dimension;
    enum method method;
    double theta, lumping;
};

static const struct variant variants[] = {
    {"cable, jacobi", 1, METHOD_JACOBI, 1, 1},
    {"sheet, jacobi, theta 1/2", 2, METHOD_JACOBI, 0.5, 1},
    {"sheet, explicit", 2, METHOD_EXPLICIT, 1, 1},
    {"slab, jacobi", 3, METHOD_JACOBI, 1, 1},
    {"slab, rkl2", 3, METHOD_RKL2, 1, 1},
    {"slab, chebyshev, f = 1/2", 3, METHOD_CHEBYSHEV, 1, 0.5},
    {"slab, chebyshev, consistent mass", 3, METHOD_CHEBYSHEV, 1, 0},
};

/* sum m_i v_i / sum m_i */
static double mean(const struct verify_tissue *tissue, const double *mass)
{
    double sum = 0, total = 0;
    for (int64_t i = 0; i < tissue->mesh.nodes; i++) {
        sum += mass[i] * tissue->v[i];
        total += mass[i];
    }
    return sum / total;
}

static enum status run(struct verify *verify, const struct variant *variant, struct error *error)
{
    const double size[3] = {1.0, 0.8, 0.6};
    struct verify_tissue tissue;
    double *mass = NULL;
    enum status status = verify_tissue_make(&tissue, variant->dimension, size, 0.1, "passive", error);
    if (status)
        goto done;
    verify_tissue_bend(&tissue, 0.02);
    verify_tissue_fiber(&tissue, 0.1, 0.02, 0.8, 0.5, 0.3);
    verify_tissue_parameter(&tissue, "g", 0);
    tissue.params.method = variant->method;
    tissue.params.theta = variant->theta;
    tissue.params.mass_lumping = variant->lumping;
    for (int64_t i = 0; i < tissue.mesh.nodes; i++)
        tissue.v[i] = 50 * verify_random((uint64_t)i);
    mass = verify_tissue_mass(&tissue, error);
    status = mass ? verify_tissue_start(verify, &tissue, error) : STATUS_RUN;
    if (!status && verify->inject)
        status = fault_injection_entry(tissue.sim, tissue.mesh.nodes / 2, 1, 1.01, error);
    if (status)
        goto done;
    double before = mean(&tissue, mass);
    status = verify_tissue_advance(&tissue, STEPS, error);
    if (status)
        goto done;
    verify_case(verify, "%s: %d steps from random V within 50 mV", variant->title, STEPS);
    /* twice: half for the residuals, half for the rounding of V and of these sums */
    double bound = 2 * STEPS * tissue.params.tolerance;
    verify_interval(verify, "drift of the mean of V, mV", mean(&tissue, mass) - before, -bound, bound);
done:
    free(mass);
    verify_tissue_free(&tissue);
    return status;
}

enum status verify_conservation(struct verify *verify, const char *name, struct error *error)
{
    enum status status = STATUS_OK;
    (void)name;
    for (size_t k = 0; k < sizeof variants / sizeof *variants && !status; k++)
        status = run(verify, variants + k, error);
    return status;
}
