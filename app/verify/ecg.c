/* ecg.c: the potentials around a ball in which V rises evenly, V = g . x. Inside, div(sigma_i g) = 0; what
 * leaves is the dipole of the ball's surface, phi(x) = -R^3 / (3 s) sigma_i g . x / |x|^3
 * (docs/theory/ecg.md) The ball is a lattice of tetrahedra whose cubes were bent into shells: it is round to
 * second order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verify/tissue.h"
#include "app/verify/verify.h"
#include "kernels/base/array.h"
#include "solver/heart/electrodes.h"
#include "solver/step/leads.h"

enum { ELECTRODES = 4, LEVELS = 3 };

static const double radius = 5, conductivity = 0.2; /* mm, S/m */
static const double slope[3] = {3, -2, 4};          /* mV/mm */
static const double along = 0.34, across = 0.06;    /* S/m */
static const double fiber[3] = {0.6, 0.48, 0.64};   /* of length 1 */
static const double places[ELECTRODES][3] = {{0, 0, 9}, {-8, 5, 4}, {60, 20, -30}, {7, -7, -7}}; /* mm */

/* From the cube of the lattice to the ball: shells of cubes become shells of balls */
static void bend(struct mesh *mesh)
{
    for (int64_t i = 0; i < mesh->nodes; i++) {
        double *p = mesh->point + 3 * i, most = 0, length = 0;
        for (int d = 0; d < 3; d++) {
            p[d] -= radius;
            most = fmax(most, fabs(p[d]));
            length += p[d] * p[d];
        }
        for (int d = 0; d < 3 && length > 0; d++)
            p[d] *= most / sqrt(length);
    }
}

/* The potential at x */
static double exact(const double *x)
{
    double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    double of_fiber = slope[0] * fiber[0] + slope[1] * fiber[1] + slope[2] * fiber[2], sum = 0;
    for (int d = 0; d < 3; d++)
        sum += (across * slope[d] + (along - across) * of_fiber * fiber[d]) * x[d];
    return -radius * radius * radius / (3 * conductivity) * sum / (r * r * r);
}

/* potential[ELECTRODES] <- on a ball of `edges` across; `rest` of them where V is the same everywhere */
static enum status potentials(struct verify *verify, int edges, double *potential, double *rest,
                              struct error *error)
{
    const double size[3] = {2 * radius, 2 * radius, 2 * radius};
    struct verify_tissue tissue;
    struct electrode electrode[ELECTRODES];
    struct leads *leads = NULL;
    enum status status = verify_tissue_make(&tissue, 3, size, 2 * radius / edges, "passive", error);
    double *weight =
        status ? NULL
               : array_new(tissue.mesh.nodes * ELECTRODES, sizeof *weight, "the leads", &status, error);
    if (status)
        goto done;
    bend(&tissue.mesh);
    double factor = verify_diffusion(verify);
    verify_tissue_fiber(&tissue, along * factor, across * factor, fiber[0], fiber[1], fiber[2]);
    tissue.params.method = METHOD_CHEBYSHEV; /* no step is taken; jacobi would be refused on flat elements */
    const struct tensors tensors = {&tissue.mesh, &tissue.region, tissue.element_region, tissue.fiber};
    for (int e = 0; e < ELECTRODES; e++)
        memcpy(electrode[e].point, places[e], sizeof places[e]);
    status = electrodes_weights(electrode, ELECTRODES, weight, &tensors, conductivity, error);
    AND(verify_tissue_start(verify, &tissue, error));
    AND(leads_create(&leads, tissue.sim, weight, ELECTRODES, error));
    AND(leads_read(leads, rest, error));
    for (int64_t i = 0; i < tissue.mesh.nodes; i++) {
        const double *p = tissue.mesh.point + 3 * i;
        tissue.v[i] = slope[0] * p[0] + slope[1] * p[1] + slope[2] * p[2];
    }
    AND(monodomain_set(tissue.sim, 0, tissue.v, error));
    AND(leads_read(leads, potential, error));
done:
    leads_free(leads);
    free(weight);
    verify_tissue_free(&tissue);
    return status;
}

enum status verify_ecg(struct verify *verify, const char *name, struct error *error)
{
    int levels = verify->extent == EXTENT_FULL ? 3 : 2, edges = 16;
    double found[LEVELS][ELECTRODES], rest[ELECTRODES];
    enum status status = STATUS_OK;
    (void)name;
    for (int level = 0; level < levels && !status; level++)
        status = potentials(verify, edges << level, found[level], rest, error);
    if (status)
        return status;
    verify_case(verify, "a ball of %g mm in which V rises evenly, %d and %d edges across", radius,
                edges << (levels - 2), edges << (levels - 1));
    for (int e = 0; e < ELECTRODES; e++) {
        double want = exact(places[e]), coarse = found[levels - 2][e], fine = found[levels - 1][e];
        char what[100];
        snprintf(what, sizeof what, "at (%g, %g, %g) mm, h -> 0, over the exact one", places[e][0],
                 places[e][1], places[e][2]);
        verify_interval(verify, what, (4 * fine - coarse) / 3 / want, 0.998, 1.002);
        verify_interval(verify, "order", verify_order(fabs(coarse - want), fabs(fine - want)), 1.9, 2.1);
        verify_interval(verify, "of the same ball at rest, over it", rest[e] / want, -1e-12, 1e-12);
    }
    return STATUS_OK;
}
