/* exact.c: the coupled system against exact solutions, and the order in time of its splitting.
 *
 * The solution of Pathmanathan and Gray, Int. J. Numer. Meth. Biomed. Eng. 30:525, 2014
 * (doi 10.1002/cnm.2615), of the whole monodomain system on the unit line, square and cube:
 *
 *   V = sqrt(1 + t) F,  u1 = (1 + t) G + sqrt(1 + t) F,  u2 = 1 / (sqrt(G) (1 + t)),  u3 = 0
 *   F = prod cos(m_i pi x_i), m = (1, 2, 3);  G = 1 + x, 1 + x y^2, 1 + x y^2 z^3
 *
 * verify_exact: with h = 0.1 k and dt = 0.1 k^2 the error in L2 falls as k^2, and each error must equal its stored
 * value. verify_splitting: a manufactured solution on the unit square (kernels/models/splitting_test.h),
 *
 *   V = phi e^t sin t,  s = phi e^t (sin t - cos t) / 2
 *
 * If phi is an eigenvector of the discrete operator and the source contains its eigenvalue, this solves the
 * semi-discrete system exactly, so the mesh adds no error. Reaction and diffusion commute there, which would hide a
 * wrong coupling; therefore the problem above is also solved in one dimension, its cells stepped by Heun's method,
 * with h and dt refined together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/verify/tissue.h"
#include "kernels/base/array.h"

static const double pi = 3.14159265358979323846;

static double shape_f(const double *point, int dimension)
{
    double f = 1;
    for (int d = 0; d < dimension; d++)
        f *= cos((d + 1) * pi * point[d]);
    return f;
}

static double shape_g(const double *point, int dimension)
{
    double x = point[0], y = dimension > 1 ? point[1] : 1, z = dimension > 2 ? point[2] : 1;
    return 1 + x * y * y * z * z * z;
}

/* Fibres along x and sheets along y in every element: three different conductivities need both. */
static enum status make_axes(struct mesh *mesh, struct error *error)
{
    mesh->fiber_location = LOCATION_ELEMENT;
    enum status status = STATUS_OK;
    mesh->fiber = array_zeroed(3 * mesh->elements, sizeof *mesh->fiber, "the fibres", &status, error);
    mesh->sheet = array_zeroed(3 * mesh->elements, sizeof *mesh->sheet, "the fibres", &status, error);
    if (status)
        return status;
    for (int64_t e = 0; e < mesh->elements; e++) {
        mesh->fiber[3 * e] = 1;
        mesh->sheet[3 * e + 1] = 1;
    }
    return STATUS_OK;
}

/* Unit line, square or cube with the problem's D and parameters; V at its initial value. */
static enum status pathmanathan_make(struct verify_tissue *tissue, int dimension, double spacing,
                                     struct error *error)
{
    static const double size[3] = {1, 1, 1}, sigma[3] = {1.1, 1.2, 0.3}, beta[4] = {0, -1.1, -5.9, -8.6};
    const double chi = 3, capacitance = 2;
    TRY(verify_tissue_make(tissue, dimension, size, spacing, "pathmanathan-gray", error));
    TRY(make_axes(&tissue->mesh, error));
    tissue->region.isotropic = 0;
    for (int d = 0; d < 3; d++)
        tissue->region.diffusion[d] = sigma[d] / (pi * pi) / (chi * capacitance);
    verify_tissue_parameter(tissue, "beta", beta[dimension]);
    verify_tissue_parameter(tissue, "chi", chi);
    verify_tissue_parameter(tissue, "Cm", capacitance);
    for (int64_t i = 0; i < tissue->mesh.nodes; i++)
        tissue->v[i] = shape_f(tissue->mesh.point + 3 * i, dimension);
    tissue->params.tolerance = 1e-9;
    return STATUS_OK;
}

/* verify_tissue_start(), then sets the states u1 and u2 to their initial values */
static enum status pathmanathan_start(struct verify *verify, struct verify_tissue *tissue,
                                      struct error *error)
{
    int64_t nodes = tissue->mesh.nodes;
    int dimension = tissue->mesh.dimension;
    enum status status = STATUS_OK;
    double *u1 = array_new(nodes, sizeof *u1, "the states", &status, error);
    double *u2 = array_new(nodes, sizeof *u2, "the states", &status, error);
    if (status)
        goto done;
    tissue->diffusion_factor = verify_diffusion(verify);
    TRY_DONE(verify_tissue_start(verify, tissue, error));
    for (int64_t i = 0; i < nodes; i++) {
        const double *point = tissue->mesh.point + 3 * i;
        u1[i] = shape_g(point, dimension) + shape_f(point, dimension);
        u2[i] = 1 / sqrt(shape_g(point, dimension));
    }
    TRY_DONE(verify_tissue_set(tissue, "u1", u1, error));
    status = verify_tissue_set(tissue, "u2", u2, error);
done:
    free(u1);
    free(u2);
    return status;
}

/* Error of V at the current time, in the norm of the lumped mass over the unit domain */
static double pathmanathan_error(const struct verify_tissue *tissue)
{
    double t = monodomain_time(tissue->sim), sum = 0;
    for (int64_t i = 0; i < tissue->mesh.nodes; i++) {
        double exact = sqrt(1 + t) * shape_f(tissue->mesh.point + 3 * i, tissue->mesh.dimension);
        sum += tissue->mass[i] * (tissue->v[i] - exact) * (tissue->v[i] - exact);
    }
    return sqrt(sum);
}

/* *norm <- the same for the state u1 */
static enum status pathmanathan_state_error(struct verify_tissue *tissue, double *norm, struct error *error)
{
    int64_t nodes = tissue->mesh.nodes;
    enum status status = STATUS_OK;
    double *u1 = array_new(nodes, sizeof *u1, "a state", &status, error);
    if (status)
        goto done;
    double t = monodomain_time(tissue->sim), sum = 0;
    TRY_DONE(verify_tissue_get(tissue, "u1", u1, error));
    for (int64_t i = 0; i < nodes; i++) {
        const double *point = tissue->mesh.point + 3 * i;
        double exact = (1 + t) * shape_g(point, tissue->mesh.dimension) +
                       sqrt(1 + t) * shape_f(point, tissue->mesh.dimension);
        sum += tissue->mass[i] * (u1[i] - exact) * (u1[i] - exact);
    }
    *norm = sqrt(sum);
done:
    free(u1);
    return status;
}

struct errors {
    double v;     /* largest over the time steps */
    double state; /* of u1 at t = 1 */
};

enum { LEVELS = 5 };

/* Printed by `cardiac verify exact --full --update` */
static const struct errors stored[3][LEVELS] = {
    {{2.1007e-03, 1.4098e-02},
     {7.3844e-04, 3.0674e-03},
     {1.9782e-04, 7.6783e-04},
     {5.0276e-05, 1.9244e-04},
     {1.2620e-05, 4.8146e-05}},
    {{5.2094e-02, 5.9705e-02}, {1.4012e-02, 1.6206e-02}, {3.5615e-03, 4.1325e-03}, {8.9385e-04, 1.0381e-03}},
    {{8.1003e-02, 7.2092e-02}, {2.1628e-02, 1.9885e-02}, {5.4738e-03, 5.0799e-03}, {1.3719e-03, 1.2761e-03}},
};

static enum status measure_errors(struct verify *verify, int dimension, int fine, struct errors *errors,
                                  struct error *error)
{
    struct verify_tissue tissue;
    int64_t steps = 10 * fine * fine;
    enum status status;
    TRY_DONE(pathmanathan_make(&tissue, dimension, 0.1 / fine, error));
    errors->v = 0;
    tissue.params.step = 0.1 / (fine * fine);
    TRY_DONE(pathmanathan_start(verify, &tissue, error));
    for (int64_t n = 0; n < steps; n++) {
        TRY_DONE(verify_tissue_advance(&tissue, 1, error));
        errors->v = fmax(errors->v, pathmanathan_error(&tissue));
    }
    status = pathmanathan_state_error(&tissue, &errors->state, error);
done:
    verify_tissue_free(&tissue);
    return status;
}

static void check_error(struct verify *verify, const char *what, int level, double error, double want)
{
    const double within = 0.005;
    char line[80];
    snprintf(line, sizeof line, "%s, h = %g", what, 0.1 / (1 << level));
    verify_interval(verify, line, error, want * (1 - within), want * (1 + within));
}

static enum status dimension_case(struct verify *verify, int dimension, int levels, struct error *error)
{
    struct errors found[LEVELS];
    for (int level = 0; level < levels; level++) {
        enum status status = measure_errors(verify, dimension, 1 << level, found + level, error);
        if (status)
            return status;
    }
    if (verify->update) {
        for (int level = 0; level < levels; level++)
            printf("%s{%.4e, %.4e}%s", level ? " " : "    {", found[level].v, found[level].state,
                   level + 1 < levels ? "," : "},\n");
        return STATUS_OK;
    }
    verify_case(verify, "%d-D, h from 0.1 to %g, dt = 10 h^2", dimension, 0.1 / (1 << (levels - 1)));
    for (int level = 0; level < levels; level++) {
        const struct errors *want = &stored[dimension - 1][level];
        check_error(verify, "error of V in Linf(L2)", level, found[level].v, want->v);
        check_error(verify, "error of u1 at t = 1 in L2", level, found[level].state, want->state);
    }
    const struct errors *last = found + levels - 2, *now = found + levels - 1;
    verify_interval(verify, "order of V, from the last two meshes", verify_order(last->v, now->v), 1.9, 2.2);
    verify_interval(verify, "order of the state u1 at t = 1", verify_order(last->state, now->state), 1.9,
                    2.2);
    return STATUS_OK;
}

enum status verify_exact(struct verify *verify, struct error *error)
{
    enum extent extent = verify->extent;
    TRY(dimension_case(verify, 1, 5, error));
    TRY(dimension_case(verify, 2, extent == EXTENT_QUICK ? 3 : 4, error));
    return dimension_case(verify, 3, extent == EXTENT_FULL ? 4 : 3, error);
}

struct variant {
    const char *title;
    enum splitting splitting;
    enum method method;
    int steps; /* of the coarser manufactured run; the finer has twice as many. rkl2 uses 2 stages in both */
    double low, high; /* bounds of the order */
};

static const struct variant variants[] = {
    {"Godunov", SPLITTING_GODUNOV, METHOD_CHEBYSHEV, 80, 0.9, 1.1},
    {"staggered", SPLITTING_STAGGERED, METHOD_CHEBYSHEV, 80, 1.9, 2.1},
    {"staggered, rkl2", SPLITTING_STAGGERED, METHOD_RKL2, 640, 1.9, 2.1}};

static enum status start_manufactured(struct verify *verify, struct verify_tissue *tissue, double *phi,
                                      double *lambda, struct error *error)
{
    int64_t nodes = tissue->mesh.nodes;
    enum status status = STATUS_OK;
    double residual, *s = array_new(nodes, sizeof *s, "a state", &status, error);
    if (status)
        goto done;
    for (int64_t i = 0; i < nodes; i++) {
        const double *point = tissue->mesh.point + 3 * i;
        phi[i] = cos(2 * pi * point[0]) * cos(2 * pi * point[1]);
        tissue->v[i] = 0;
    }
    TRY_DONE(verify_mode(tissue, phi, lambda, &residual, error));
    verify_tissue_parameter(tissue, "lambda", *lambda);
    TRY_DONE(verify_tissue_start(verify, tissue, error));
    TRY_DONE(verify_tissue_set(tissue, "phi", phi, error));
    for (int64_t i = 0; i < nodes; i++)
        s[i] = -0.5 * phi[i];
    status = verify_tissue_set(tissue, "s", s, error);
done:
    free(s);
    return status;
}

/* *worst <- largest error of V at t = 1 */
static enum status manufactured_error(struct verify *verify, const struct variant *variant, int steps,
                                      double *worst, struct error *error)
{
    const double size[3] = {1, 1, 0};
    struct verify_tissue tissue;
    double lambda = 0, *phi = NULL;
    enum status status;
    TRY_DONE(verify_tissue_make(&tissue, 2, size, 0.1, "splitting-test", error));
    phi = array_new(tissue.mesh.nodes, sizeof *phi, "a mode", &status, error);
    if (status)
        goto done;
    for (int d = 0; d < 3; d++)
        tissue.region.diffusion[d] = 1;
    tissue.diffusion_factor = verify_diffusion(verify);
    tissue.params.step = 1.0 / steps;
    tissue.params.splitting = variant->splitting;
    tissue.params.method = variant->method;
    TRY_DONE(start_manufactured(verify, &tissue, phi, &lambda, error));
    TRY_DONE(verify_tissue_advance(&tissue, steps, error));
    *worst = 0;
    for (int64_t i = 0; i < tissue.mesh.nodes; i++)
        *worst = fmax(*worst, fabs(tissue.v[i] - phi[i] * exp(1) * sin(1)));
done:
    free(phi);
    verify_tissue_free(&tissue);
    return status;
}

/* *norm <- error of V at t = 1 against the exact coupled solution on a cable, h = 1 / cells, dt = 1 / steps */
static enum status coupled_error(struct verify *verify, const struct variant *variant, int cells, int steps,
                                 double *norm, struct error *error)
{
    struct verify_tissue tissue;
    enum status status;
    TRY_DONE(pathmanathan_make(&tissue, 1, 1.0 / cells, error));
    tissue.params.step = 1.0 / steps;
    tissue.params.splitting = variant->splitting;
    tissue.params.method = variant->method;
    TRY_DONE(pathmanathan_start(verify, &tissue, error));
    TRY_DONE(verify_tissue_advance(&tissue, steps, error));
    *norm = pathmanathan_error(&tissue);
done:
    verify_tissue_free(&tissue);
    return status;
}

enum status verify_splitting(struct verify *verify, struct error *error)
{
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        const struct variant *variant = variants + k;
        double coarse = NAN, fine = NAN;
        TRY(manufactured_error(verify, variant, variant->steps, &coarse, error));
        TRY(manufactured_error(verify, variant, 2 * variant->steps, &fine, error));
        verify_case(verify, "%s, manufactured: errors %.4g and %.4g at dt = 1/%d and 1/%d", variant->title,
                    coarse, fine, variant->steps, 2 * variant->steps);
        verify_interval(verify, "order", verify_order(coarse, fine), variant->low, variant->high);
        double gain = variant->splitting != SPLITTING_GODUNOV ? 3 : 1; /* 2^order - 1 */
        verify_interval(verify, "error extrapolated to dt = 0", fine + (fine - coarse) / gain, -0.005, 0.005);
    }
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        const struct variant *variant = variants + k;
        double coarse = NAN, fine = NAN;
        TRY(coupled_error(verify, variant, 160, 40, &coarse, error));
        TRY(coupled_error(verify, variant, 320, 80, &fine, error));
        verify_case(verify, "%s, coupled system: errors %.4g and %.4g at dt = 4 h = 1/40 and 1/80",
                    variant->title, coarse, fine);
        verify_interval(verify, "order", verify_order(coarse, fine), variant->low, variant->high);
    }
    return STATUS_OK;
}
