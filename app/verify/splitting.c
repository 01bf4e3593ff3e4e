/* splitting.c: the order in time of the splitting between cells and diffusion, theta = 1/2.
 *
 * Manufactured: V = phi e^t sin t, s = phi e^t (sin t - cos t) / 2 on the unit square (kernels/models/
 * kernels/models/splitting_test.h). With phi an eigenvector of the discrete operator and its eigenvalue in
 * the source that is the exact solution in time of the discrete system, so the mesh adds no error. There
 * reaction and diffusion commute, and a wrong coupling would pass: hence also the problem of Pathmanathan and
 * Gray in one dimension, whose cells are stepped by Heun's method, with h and dt refined together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/verify/mode.h"
#include "app/verify/pathmanathan.h"
#include "app/verify/verify.h"
#include "kernels/base/array.h"

static const double pi = 3.14159265358979323846;

struct variant {
    const char *title;
    enum splitting splitting;
    enum method method;
    int steps;        /* of the manufactured problem, and twice as many: rkl2 then takes 2 stages in both */
    double low, high; /* of the order */
};

static const struct variant variants[] = {{"Godunov", SPLITTING_GODUNOV, METHOD_CHEBYSHEV, 80, 0.9, 1.1},
                                          {"Strang", SPLITTING_STRANG, METHOD_CHEBYSHEV, 80, 1.9, 2.1},
                                          {"Strang, rkl2", SPLITTING_STRANG, METHOD_RKL2, 640, 1.9, 2.1}};

static enum status start_manufactured(struct verify *verify, struct verify_tissue *tissue, double *phi,
                                      double *lambda, struct error *error)
{
    int64_t nodes = tissue->mesh.nodes;
    enum status status = STATUS_OK;
    double residual, *s = array_new(nodes, sizeof *s, "a state", &status, error);
    for (int64_t i = 0; i < nodes && !status; i++) {
        const double *point = tissue->mesh.point + 3 * i;
        phi[i] = cos(2 * pi * point[0]) * cos(2 * pi * point[1]);
        tissue->v[i] = 0;
    }
    AND(verify_mode(tissue, phi, lambda, &residual, error));
    if (!status)
        verify_tissue_parameter(tissue, "lambda", *lambda);
    AND(verify_tissue_start(verify, tissue, error));
    AND(verify_tissue_set(tissue, "phi", phi, error));
    for (int64_t i = 0; i < nodes && !status; i++)
        s[i] = -0.5 * phi[i];
    AND(verify_tissue_set(tissue, "s", s, error));
    free(s);
    return status;
}

/* Largest error of V at t = 1 */
static enum status manufactured(struct verify *verify, const struct variant *variant, int steps,
                                double *worst, struct error *error)
{
    const double size[3] = {1, 1, 0};
    struct verify_tissue tissue;
    double lambda = 0, *phi = NULL;
    enum status status = verify_tissue_make(&tissue, 2, size, 0.1, "splitting-test", error);
    phi = array_new(tissue.mesh.nodes, sizeof *phi, "a mode", &status, error);
    if (status)
        goto done;
    for (int d = 0; d < 3; d++)
        tissue.region.diffusion[d] = 1;
    tissue.diffusion_factor = verify_diffusion(verify);
    tissue.params.step = 1.0 / steps;
    tissue.params.theta = 0.5;
    tissue.params.splitting = variant->splitting;
    tissue.params.method = variant->method;
    status = start_manufactured(verify, &tissue, phi, &lambda, error);
    AND(verify_tissue_advance(&tissue, steps, error));
    *worst = 0;
    for (int64_t i = 0; i < tissue.mesh.nodes && !status; i++)
        *worst = fmax(*worst, fabs(tissue.v[i] - phi[i] * exp(1) * sin(1)));
done:
    free(phi);
    verify_tissue_free(&tissue);
    return status;
}

/* Error of V at t = 1 of the coupled exact solution on a cable, h = 1 / cells, dt = 1 / steps */
static enum status coupled(struct verify *verify, const struct variant *variant, int cells, int steps,
                           double *norm, struct error *error)
{
    struct verify_tissue tissue;
    double *mass = NULL;
    enum status status = pathmanathan_make(&tissue, 1, 1.0 / cells, error);
    if (status)
        goto done;
    tissue.params.step = 1.0 / steps;
    tissue.params.theta = 0.5;
    tissue.params.splitting = variant->splitting;
    tissue.params.method = variant->method;
    mass = verify_tissue_mass(&tissue, error);
    status = mass ? pathmanathan_start(verify, &tissue, error) : STATUS_RUN;
    AND(verify_tissue_advance(&tissue, steps, error));
    if (!status)
        *norm = pathmanathan_error(&tissue, mass);
done:
    free(mass);
    verify_tissue_free(&tissue);
    return status;
}

enum status verify_splitting(struct verify *verify, const char *name, struct error *error)
{
    (void)name;
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        const struct variant *variant = variants + k;
        double coarse = NAN, fine = NAN;
        enum status status = manufactured(verify, variant, variant->steps, &coarse, error);
        AND(manufactured(verify, variant, 2 * variant->steps, &fine, error));
        if (status)
            return status;
        verify_case(verify, "%s, manufactured: errors %.4g and %.4g at dt = 1/%d and 1/%d", variant->title,
                    coarse, fine, variant->steps, 2 * variant->steps);
        verify_interval(verify, "order", verify_order(coarse, fine), variant->low, variant->high);
        double gain = variant->splitting == SPLITTING_STRANG ? 3 : 1; /* 2^order - 1 */
        verify_interval(verify, "error extrapolated to dt = 0", fine + (fine - coarse) / gain, -0.005, 0.005);
    }
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        const struct variant *variant = variants + k;
        double coarse = NAN, fine = NAN;
        enum status status = coupled(verify, variant, 160, 40, &coarse, error);
        AND(coupled(verify, variant, 320, 80, &fine, error));
        if (status)
            return status;
        verify_case(verify, "%s, coupled system: errors %.4g and %.4g at dt = 4 h = 1/40 and 1/80",
                    variant->title, coarse, fine);
        verify_interval(verify, "order", verify_order(coarse, fine), variant->low, variant->high);
    }
    return STATUS_OK;
}
