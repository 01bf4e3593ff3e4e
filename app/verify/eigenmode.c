/* eigenmode.c: a field V0 with K V0 = lambda M V0 decays by the time scheme's own factor g in each step.
 *
 *   g = (1 - (1 - theta) lambda dt) / (1 + theta lambda dt); first step with theta = 1/2: (1 + lambda dt / 2)^-2
 *   rkl2 of s stages: 1 - p + p P_s(1 - 4 lambda dt / (s^2 + s - 2)), p = (s^2 + s - 2) / (2 s (s + 1)),
 *
 * so the remaining difference is the error of the solver alone. On a uniform cable the modes are sampled cosines,
 * lambda = (2 D / h^2) (1 - c) / (f + (1 - f) (2 + c) / 3), c = cos(k pi h / L). On triangles and tetrahedra a mode
 * is computed by inverse iteration. In every dimension, sampled cosines measure the order of convergence to
 * exp(-t sum D_i (k_i pi / L_i)^2). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/verify/tissue.h"
#include "kernels/base/array.h"

static const double pi = 3.14159265358979323846;

enum { STEPS = 20 };
static const char *const shapes[] = {"", "cable", "sheet", "slab"}; /* by dimension */

struct variant {
    const char *title;
    enum method method;
    enum splitting splitting; /* theta is 1/2 in staggered steps */
    double lumping;
};

static const struct variant variants[] = {
    {"jacobi", METHOD_JACOBI, SPLITTING_GODUNOV, 1},
    {"jacobi, theta 1/2", METHOD_JACOBI, SPLITTING_STAGGERED, 1},
    {"chebyshev", METHOD_CHEBYSHEV, SPLITTING_GODUNOV, 1},
    {"chebyshev, f = 1/2, theta 1/2", METHOD_CHEBYSHEV, SPLITTING_STAGGERED, 0.5},
    {"chebyshev, consistent mass", METHOD_CHEBYSHEV, SPLITTING_GODUNOV, 0},
    {"rkl2", METHOD_RKL2, SPLITTING_GODUNOV, 1},
};

/* P_n(x), Legendre's polynomial */
static double legendre(int n, double x)
{
    double before = 0, value = 1;
    for (int k = 1; k <= n; k++) {
        double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
    }
    return value;
}

/* Decay factor of every step after the first */
static double decay_factor(const struct scheme *scheme, double lambda)
{
    const int s = scheme->length[0].stages;
    double x = lambda * scheme->length[0].step, w = 4.0 / (s * s + s - 2), weight = 2 / (w * s * (s + 1));
    if (scheme->method == METHOD_RKL2)
        return 1 - weight + weight * legendre(s, 1 - w * x);
    return (1 - (1 - scheme->theta) * x) / (1 + scheme->theta * x);
}

static enum status make_tissue(struct verify *verify, struct verify_tissue *tissue, int dimension,
                               const struct variant *variant, struct error *error)
{
    const double size[3] = {1.4, 0.8, 0.5};
    enum status status = verify_tissue_make(tissue, dimension, size, 0.1, "passive", error);
    if (status)
        return status;
    if (dimension > 1) {
        verify_tissue_bend(tissue, 0.01);
        verify_tissue_fiber(tissue, 0.1, 0.03, 0.9, 0.4, 0.2);
    }
    verify_tissue_parameter(tissue, "g", 0);
    tissue->diffusion_factor = verify_diffusion(verify);
    tissue->params.step = variant->method == METHOD_RKL2 ? 0.05 * dimension : 0.05;
    tissue->params.splitting = variant->splitting;
    tissue->params.mass_lumping = variant->lumping;
    tissue->params.method = variant->method;
    return STATUS_OK;
}

/* value <- a mode, *lambda <- its eigenvalue, *residual <- that of verify_mode(); 0 on a cable */
static enum status find_mode(const struct verify_tissue *tissue, double *value, double *lambda,
                             double *residual, struct error *error)
{
    const struct mesh *mesh = &tissue->mesh;
    double h = 0.1, length = 1.4, c = cos(3 * pi * h / length), f = tissue->params.mass_lumping;
    int waves = mesh->dimension == 1 ? 3 : 1;
    for (int64_t i = 0; i < mesh->nodes; i++)
        value[i] = cos(waves * pi * mesh->point[3 * i] / length);
    *residual = 0;
    *lambda = 2 * tissue->region.diffusion[0] / (h * h) * (1 - c) / (f + (1 - f) * (2 + c) / 3);
    return mesh->dimension == 1 ? STATUS_OK : verify_mode(tissue, value, lambda, residual, error);
}

static enum status decay_case(struct verify *verify, int dimension, const struct variant *variant,
                              struct error *error)
{
    struct verify_tissue tissue;
    double *mode = NULL, lambda = 0, residual = 0, worst = 0;
    enum status status;
    TRY_DONE(make_tissue(verify, &tissue, dimension, variant, error));
    mode = array_new(tissue.mesh.nodes, sizeof *mode, "a mode", &status, error);
    if (status)
        goto done;
    TRY_DONE(find_mode(&tissue, mode, &lambda, &residual, error));
    for (int64_t i = 0; i < tissue.mesh.nodes; i++)
        tissue.v[i] = 50 * mode[i];
    TRY_DONE(verify_tissue_start(verify, &tissue, error));
    TRY_DONE(verify_tissue_advance(&tissue, STEPS, error));
    const struct scheme *scheme = &monodomain_report(tissue.sim)->scheme;
    double left = scheme->ahead ? pow(1 + lambda * tissue.params.step / 2, -2) : decay_factor(scheme, lambda);
    for (int n = 1; n < STEPS; n++)
        left *= decay_factor(scheme, lambda);
    for (int64_t i = 0; i < tissue.mesh.nodes; i++)
        worst = fmax(worst, fabs(tissue.v[i] - left * 50 * mode[i]));
    verify_case(verify, "%s, %s: %d steps, lambda dt = %.6g, 50 mV become %.6g mV", shapes[dimension],
                variant->title, STEPS, lambda * tissue.params.step, 50 * left);
    if (dimension > 1 && !verify->inject)
        verify_interval(verify, "residual of the mode, relative", residual, 0, 1e-12);
    verify_interval(verify, "largest error of V, mV", worst, 0, 2 * STEPS * tissue.params.tolerance);
done:
    free(mode);
    verify_tissue_free(&tissue);
    return status;
}

/* Error, relative to the mode's amplitude, of prod cos(k_d pi x_d / L_d) at t = 0.4 ms, in the norm of the
 * lumped mass; h = 0.1 mm / fine, dt = 0.02 ms / fine^2 */
static enum status cosine_error(struct verify *verify, int dimension, int fine, double *error_norm,
                                struct error *error)
{
    const double size[3] = {1.2, 0.8, 0.6}, waves[3] = {2, 1, 1}, across = 0.04;
    struct verify_tissue tissue;
    double rate = 0, sum = 0, total = 0;
    enum status status;
    TRY_DONE(verify_tissue_make(&tissue, dimension, size, 0.1 / fine, "passive", error));
    verify_tissue_fiber(&tissue, 0.1, across, 1, 0, 0);
    verify_tissue_parameter(&tissue, "g", 0);
    tissue.diffusion_factor = verify_diffusion(verify);
    tissue.params.step = 0.02 / (fine * fine);
    tissue.params.tolerance = 1e-8;
    const double *point = tissue.mesh.point;
    for (int64_t i = 0; i < tissue.mesh.nodes; i++) {
        tissue.v[i] = 1;
        for (int d = 0; d < dimension; d++)
            tissue.v[i] *= cos(waves[d] * pi * point[3 * i + d] / size[d]);
    }
    for (int d = 0; d < dimension; d++)
        rate += (d ? across : 0.1) * (waves[d] * pi / size[d]) * (waves[d] * pi / size[d]);
    TRY_DONE(verify_tissue_start(verify, &tissue, error));
    TRY_DONE(verify_tissue_advance(&tissue, 20 * fine * fine, error));
    for (int64_t i = 0; i < tissue.mesh.nodes; i++) {
        double exact = exp(-0.4 * rate);
        for (int d = 0; d < dimension; d++)
            exact *= cos(waves[d] * pi * point[3 * i + d] / size[d]);
        sum += tissue.mass[i] * (tissue.v[i] - exact) * (tissue.v[i] - exact);
        total += tissue.mass[i] * exact * exact;
    }
    *error_norm = sqrt(sum / total);
done:
    verify_tissue_free(&tissue);
    return status;
}

static enum status convergence_case(struct verify *verify, int dimension, int levels, struct error *error)
{
    double before = 0, now = 0;
    char what[80];
    for (int level = 0; level < levels; level++) {
        before = now;
        TRY(cosine_error(verify, dimension, 1 << level, &now, error));
    }
    verify_case(verify, "%s, sampled cosine, h and dt = h^2 to h = %g mm: error %.3g, relative",
                shapes[dimension], 0.1 / (1 << (levels - 1)), now);
    snprintf(what, sizeof what, "order, from the last two of %d meshes", levels);
    verify_interval(verify, what, verify_order(before, now), 1.9, 2.2);
    return STATUS_OK;
}

enum status verify_eigenmode(struct verify *verify, struct error *error)
{
    for (int dimension = 1; dimension <= 3; dimension++)
        for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
            TRY(decay_case(verify, dimension, variants + k, error));
    TRY(convergence_case(verify, 1, 4, error));
    TRY(convergence_case(verify, 2, 3, error));
    return convergence_case(verify, 3, verify->extent == EXTENT_QUICK ? 2 : 3, error);
}
