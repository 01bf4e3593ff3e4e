/* constant.c: diffusion leaves a constant field constant to the last bit, because K V is made of
 * differences. */
#include <math.h>
#include <string.h>

#include "app/verify/tissue.h"
#include "app/verify/verify.h"
#include "solver/step/fault_injection.h"

enum { STEPS = 20 };

struct variant {
    const char *title;
    int dimension;
    enum method method;
    double theta, lumping;
};

static const struct variant variants[] = {
    {"cable, jacobi", 1, METHOD_JACOBI, 1, 1},
    {"sheet, chebyshev, theta 1/2, f = 1/2", 2, METHOD_CHEBYSHEV, 0.5, 0.5},
    {"sheet, explicit", 2, METHOD_EXPLICIT, 1, 1},
    {"slab, jacobi", 3, METHOD_JACOBI, 1, 1},
    {"slab, rkl2", 3, METHOD_RKL2, 1, 1},
    {"slab, jacobi, theta 1/2", 3, METHOD_JACOBI, 0.5, 1},
    {"slab, chebyshev, consistent mass", 3, METHOD_CHEBYSHEV, 1, 0},
};

static void judge(struct verify *verify, const struct verify_tissue *tissue, double constant)
{
    double changed = 0;
    for (int64_t i = 0; i < tissue->mesh.nodes; i++)
        changed += memcmp(&tissue->v[i], &constant, sizeof constant) != 0;
    verify_interval(verify, "nodes whose V changed a bit", changed, 0, 0);
}

static enum status run(struct verify *verify, const struct variant *variant, struct error *error)
{
    const double size[3] = {1.0, 0.8, 0.6}, constant = -83.7;
    struct verify_tissue tissue;
    enum status status = verify_tissue_make(&tissue, variant->dimension, size, 0.1, "passive", error);
    if (status)
        goto done;
    verify_tissue_bend(&tissue, 0.02);
    verify_tissue_fiber(&tissue, 0.1, 0.02, 0.8, 0.5, 0.3);
    verify_tissue_parameter(&tissue, "g", 0);
    tissue.params.method = variant->method;
    tissue.params.theta = variant->theta;
    tissue.params.mass_lumping = variant->lumping;
    tissue.params.tolerance = 1e-10;
    for (int64_t i = 0; i < tissue.mesh.nodes; i++)
        tissue.v[i] = constant;
    status = verify_tissue_start(verify, &tissue, error);
    if (!status && verify->inject)
        status = fault_injection_column(tissue.sim, tissue.mesh.nodes / 2, 1, error);
    AND(verify_tissue_advance(&tissue, STEPS, error));
    if (status)
        goto done;
    verify_case(verify, "%s: %d steps from V = %g mV", variant->title, STEPS, constant);
    judge(verify, &tissue, constant);
done:
    verify_tissue_free(&tissue);
    return status;
}

enum status verify_constant(struct verify *verify, const char *name, struct error *error)
{
    enum status status = STATUS_OK;
    (void)name;
    for (size_t k = 0; k < sizeof variants / sizeof *variants && !status; k++)
        status = run(verify, variants + k, error);
    return status;
}
