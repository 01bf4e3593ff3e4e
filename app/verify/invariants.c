/* invariants.c: what diffusion conserves, for any D, theta and f.
 *
 * verify_conservation: with zero flux diffusion conserves sum_i m_i V_i (m: lumped masses), because the columns of K
 * sum to 0 and those of M to m. The residuals r of a step change it by |sum m_i delta_i| = |sum r_i| <= sum |r_i|, at
 * most tolerance x sum m_i. verify_constant: a constant field stays constant to the last bit, because K V is computed
 * from differences of V. */
#include <math.h>
#include <string.h>

#include "app/verify/tissue.h"
#include "kernels/base/bits.h"
#include "solver/step/fault_injection.h"

enum { CONSERVING_STEPS = 50, CONSTANT_STEPS = 20 };

struct variant {
    const char *title;
    int dimension;
    enum method method;
    enum splitting splitting; /* theta is 1/2 in staggered steps */
    double lumping;
};

static const struct variant conserving[] = {
    {"cable, jacobi", 1, METHOD_JACOBI, SPLITTING_GODUNOV, 1},
    {"sheet, jacobi, theta 1/2", 2, METHOD_JACOBI, SPLITTING_STAGGERED, 1},
    {"slab, jacobi", 3, METHOD_JACOBI, SPLITTING_GODUNOV, 1},
    {"slab, rkl2", 3, METHOD_RKL2, SPLITTING_GODUNOV, 1},
    {"slab, chebyshev, f = 1/2", 3, METHOD_CHEBYSHEV, SPLITTING_GODUNOV, 0.5},
    {"slab, chebyshev, consistent mass", 3, METHOD_CHEBYSHEV, SPLITTING_GODUNOV, 0},
};

/* Tissue with oblique fibres and no ionic current */
static enum status make_passive(struct verify_tissue *tissue, const struct variant *variant,
                                struct error *error)
{
    const double size[3] = {1.0, 0.8, 0.6};
    TRY(verify_tissue_make_oblique(tissue, variant->dimension, size, "passive", error));
    verify_tissue_parameter(tissue, "g", 0);
    tissue->params.method = variant->method;
    tissue->params.splitting = variant->splitting;
    tissue->params.mass_lumping = variant->lumping;
    return STATUS_OK;
}

/* sum m_i v_i / sum m_i */
static double mean_voltage(const struct verify_tissue *tissue)
{
    double sum = 0, total = 0;
    for (int64_t i = 0; i < tissue->mesh.nodes; i++) {
        sum += tissue->mass[i] * tissue->v[i];
        total += tissue->mass[i];
    }
    return sum / total;
}

static enum status conservation_case(struct verify *verify, const struct variant *variant,
                                     struct error *error)
{
    struct verify_tissue tissue;
    enum status status;
    TRY_DONE(make_passive(&tissue, variant, error));
    for (int64_t i = 0; i < tissue.mesh.nodes; i++)
        tissue.v[i] = 50 * bits_random_signed((uint64_t)i);
    TRY_DONE(verify_tissue_start(verify, &tissue, error));
    if (verify->inject)
        TRY_DONE(fault_injection_entry(tissue.sim, tissue.mesh.nodes / 2, 1, 1.01, error));
    double before = mean_voltage(&tissue);
    TRY_DONE(verify_tissue_advance(&tissue, CONSERVING_STEPS, error));
    verify_case(verify, "%s: %d steps from random V within 50 mV", variant->title, CONSERVING_STEPS);
    /* twice the bound: half for the residuals, half for rounding in V and in these sums */
    double bound = 2 * CONSERVING_STEPS * tissue.params.tolerance;
    verify_interval(verify, "drift of the mean of V, mV", mean_voltage(&tissue) - before, -bound, bound);
done:
    verify_tissue_free(&tissue);
    return status;
}

enum status verify_conservation(struct verify *verify, struct error *error)
{
    for (size_t k = 0; k < sizeof conserving / sizeof *conserving; k++)
        TRY(conservation_case(verify, conserving + k, error));
    return STATUS_OK;
}

static const struct variant constants[] = {
    {"cable, jacobi", 1, METHOD_JACOBI, SPLITTING_GODUNOV, 1},
    {"sheet, chebyshev, theta 1/2, f = 1/2", 2, METHOD_CHEBYSHEV, SPLITTING_STAGGERED, 0.5},
    {"slab, jacobi", 3, METHOD_JACOBI, SPLITTING_GODUNOV, 1},
    {"slab, rkl2", 3, METHOD_RKL2, SPLITTING_GODUNOV, 1},
    {"slab, jacobi, theta 1/2", 3, METHOD_JACOBI, SPLITTING_STAGGERED, 1},
    {"slab, chebyshev, consistent mass", 3, METHOD_CHEBYSHEV, SPLITTING_GODUNOV, 0},
};

static enum status constant_case(struct verify *verify, const struct variant *variant, struct error *error)
{
    const double constant = -83.7;
    struct verify_tissue tissue;
    enum status status;
    TRY_DONE(make_passive(&tissue, variant, error));
    tissue.params.tolerance = 1e-10;
    for (int64_t i = 0; i < tissue.mesh.nodes; i++)
        tissue.v[i] = constant;
    TRY_DONE(verify_tissue_start(verify, &tissue, error));
    if (verify->inject)
        TRY_DONE(fault_injection_column(tissue.sim, tissue.mesh.nodes / 2, 1, error));
    TRY_DONE(verify_tissue_advance(&tissue, CONSTANT_STEPS, error));
    verify_case(verify, "%s: %d steps from V = %g mV", variant->title, CONSTANT_STEPS, constant);
    double changed = 0;
    for (int64_t i = 0; i < tissue.mesh.nodes; i++)
        changed += memcmp(&tissue.v[i], &constant, sizeof constant) != 0;
    verify_interval(verify, "nodes whose V changed a bit", changed, 0, 0);
done:
    verify_tissue_free(&tissue);
    return status;
}

enum status verify_constant(struct verify *verify, struct error *error)
{
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
        TRY(constant_case(verify, constants + k, error));
    return STATUS_OK;
}
