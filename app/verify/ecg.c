/* ecg.c: potentials outside the tissue: around a ball with a uniform gradient of V, and the twelve leads of a
 * dipole.
 *
 * verify_ecg: a ball with a uniform gradient, V = g . x. Inside, div(sigma_i g) = 0, so only its surface is a
 * source: phi(x) = -R^3 / (3 s) sigma_i g . x / |x|^3, a dipole (docs/theory/ecg.md). The ball is a lattice of
 * tetrahedra whose cubic shells are projected onto spheres, second-order accurate. verify_leads: in an unbounded
 * conductor, a cube of volume v with a uniform gradient of V is a dipole of moment p = -sigma_i v g, with potential
 * phi(x) = p . x / (4 pi sigma |x|^3), up to (edge / distance)^4. Einthoven's, Goldberger's and Wilson's leads are
 * sums of potentials, formed here by their definitions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem/ecg.h"
#include "app/verify/tissue.h"
#include "kernels/base/array.h"
#include "kernels/base/vec3.h"
#include "solver/heart/electrodes.h"
#include "solver/step/leads.h"

enum { BALL_ELECTRODES = 4, LEVELS = 3 };

static const double radius = 5, conductivity = 0.2; /* mm, S/m */
static const double ball_slope[3] = {3, -2, 4};     /* mV/mm */
static const double along = 0.34, across = 0.06;    /* S/m */
static const double fiber[3] = {0.6, 0.48, 0.64};   /* unit vector */
static const double positions[BALL_ELECTRODES][3] = {
    {0, 0, 9}, {-8, 5, 4}, {60, 20, -30}, {7, -7, -7}}; /* mm */

/* Maps the lattice's cube to the ball: each cubic shell becomes a sphere */
static void bend_to_ball(struct mesh *mesh)
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

/* The exact potential at x */
static double ball_potential(const double *x)
{
    double r = vec3_length(x);
    double of_fiber = ball_slope[0] * fiber[0] + ball_slope[1] * fiber[1] + ball_slope[2] * fiber[2], sum = 0;
    for (int d = 0; d < 3; d++)
        sum += (across * ball_slope[d] + (along - across) * of_fiber * fiber[d]) * x[d];
    return -radius * radius * radius / (3 * conductivity) * sum / (r * r * r);
}

/* potential[BALL_ELECTRODES] <- for a ball of `edges` edges across; rest[] <- the same with uniform V */
static enum status ball_potentials(struct verify *verify, int edges, double *potential, double *rest,
                                   struct error *error)
{
    const double size[3] = {2 * radius, 2 * radius, 2 * radius};
    struct verify_tissue tissue;
    struct electrode electrode[BALL_ELECTRODES];
    struct leads *leads = NULL;
    double *weight = NULL;
    enum status status;
    TRY_DONE(verify_tissue_make(&tissue, 3, size, 2 * radius / edges, "passive", error));
    weight = array_new(tissue.mesh.nodes * BALL_ELECTRODES, sizeof *weight, "the leads", &status, error);
    if (status)
        goto done;
    bend_to_ball(&tissue.mesh);
    double factor = verify_diffusion(verify);
    verify_tissue_fiber(&tissue, along * factor, across * factor, fiber[0], fiber[1], fiber[2]);
    tissue.params.method = METHOD_CHEBYSHEV; /* no step is made; jacobi would reject flat elements */
    const struct tensors tensors = {&tissue.mesh, &tissue.region, tissue.element_region, tissue.fiber};
    for (int e = 0; e < BALL_ELECTRODES; e++)
        memcpy(electrode[e].point, positions[e], sizeof positions[e]);
    TRY_DONE(electrodes_weights(electrode, BALL_ELECTRODES, weight, &tensors, conductivity, error));
    TRY_DONE(verify_tissue_start(verify, &tissue, error));
    TRY_DONE(leads_create(&leads, tissue.sim, weight, BALL_ELECTRODES, error));
    TRY_DONE(leads_read(leads, rest, error));
    for (int64_t i = 0; i < tissue.mesh.nodes; i++) {
        const double *p = tissue.mesh.point + 3 * i;
        tissue.v[i] = ball_slope[0] * p[0] + ball_slope[1] * p[1] + ball_slope[2] * p[2];
    }
    TRY_DONE(monodomain_set(tissue.sim, 0, tissue.v, error));
    status = leads_read(leads, potential, error);
done:
    leads_free(leads);
    free(weight);
    verify_tissue_free(&tissue);
    return status;
}

enum status verify_ecg(struct verify *verify, struct error *error)
{
    int levels = verify->extent == EXTENT_FULL ? 3 : 2, edges = 16;
    double found[LEVELS][BALL_ELECTRODES], rest[BALL_ELECTRODES];
    for (int level = 0; level < levels; level++)
        TRY(ball_potentials(verify, edges << level, found[level], rest, error));
    verify_case(verify, "a ball of %g mm in which V rises evenly, %d and %d edges across", radius,
                edges << (levels - 2), edges << (levels - 1));
    for (int e = 0; e < BALL_ELECTRODES; e++) {
        double want = ball_potential(positions[e]), coarse = found[levels - 2][e],
               fine = found[levels - 1][e];
        char what[100];
        snprintf(what, sizeof what, "at (%g, %g, %g) mm, h -> 0, over the exact one", positions[e][0],
                 positions[e][1], positions[e][2]);
        verify_interval(verify, what, (4 * fine - coarse) / 3 / want, 0.998, 1.002);
        verify_interval(verify, "order", verify_order(fabs(coarse - want), fabs(fine - want)), 1.9, 2.1);
        verify_interval(verify, "of the same ball at rest, over it", rest[e] / want, -1e-12, 1e-12);
    }
    return STATUS_OK;
}

enum { RA, LA, LL, V1, ELECTRODES = 9, LEADS = 12 };

static const double edge = 4, around = 0.2, inside = 0.25; /* mm, S/m */
static const double slope[3] = {-2, 1, 3};                 /* mV/mm */
/* mm from the cube's centre */
static const double position[ELECTRODES][3] = {{-180, -20, 220}, {190, -30, 210}, {90, 20, -400},
                                               {-40, -130, 80},  {40, -115, 25},  {80, -100, 0},
                                               {110, -70, -30},  {130, 10, -35},  {135, 60, -30}};

static const char config_text[] =
    "version: 1\n"
    "mesh: {slab: {size: [4 mm, 4 mm, 4 mm], spacing: 1 mm}}\n"
    "tissue:\n"
    "  surface_to_volume: 1400 /cm\n"
    "  regions: [{model: passive, conductivity: {intra: 0.25 S/m, extra: 0.5 S/m}}]\n"
    "ecg:\n"
    "  conductivity: 0.2 S/m\n"
    "  electrodes:\n"
    "    {RA: [-178, -18, 222], LA: [192, -28, 212], LL: [92, 22, -398], V1: [-38, -128, 82], V2: [42, -113, "
    "27],\n"
    "     V3: [82, -98, 2], V4: [112, -68, -28], V5: [132, 12, -33], V6: [137, 62, -28]}\n"
    "stimuli: [{where: x < 1 mm, duration: 1 ms, current: 1 uA/uF}]\n"
    "time: {end: 1 ms, step: 0.02 ms}\n";

/* The dipole's exact potential at an electrode */
static double dipole_potential(int electrode)
{
    const double *x = position[electrode], pi = 3.14159265358979323846;
    double r = vec3_length(x), sum = 0;
    for (int d = 0; d < 3; d++)
        sum -= inside * edge * edge * edge * slope[d] * x[d];
    return sum / (4 * pi * around * r * r * r);
}

/* lead[LEADS] <- the exact I, II, III, aVR, aVL, aVF, V1 .. V6 */
static void expect_leads(double lead[LEADS])
{
    double right = dipole_potential(RA), left = dipole_potential(LA), foot = dipole_potential(LL);
    lead[0] = left - right;
    lead[1] = foot - right;
    lead[2] = foot - left;
    lead[3] = right - (left + foot) / 2;
    lead[4] = left - (right + foot) / 2;
    lead[5] = foot - (right + left) / 2;
    for (int k = 0; k < 6; k++)
        lead[6 + k] = dipole_potential(V1 + k) - (right + left + foot) / 3;
}

/* V <- g . (x - centre) */
static enum status polarise_cube(const struct verify *verify, struct verify_study *study, struct error *error)
{
    const struct mesh *mesh = &study->problem.mesh;
    enum status status = STATUS_OK;
    double *v = array_new(mesh->nodes, sizeof *v, "V", &status, error);
    if (status)
        goto done;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        v[i] = 0;
        for (int d = 0; d < 3; d++)
            v[i] += verify_diffusion(verify) * slope[d] * (mesh->point[3 * i + d] - edge / 2);
    }
    status = monodomain_set(study->sim, 0, v, error);
done:
    free(v);
    return status;
}

enum status verify_leads(struct verify *verify, struct error *error)
{
    static const char *const names[LEADS] = {"I",  "II", "III", "aVR", "aVL", "aVF",
                                             "V1", "V2", "V3",  "V4",  "V5",  "V6"};
    struct verify_study study;
    struct ecg ecg = {0};
    struct progress *progress = NULL;
    double value[LEADS] = {0}, want[LEADS];
    enum status status;
    TRY_DONE(verify_study_make(&study, config_text, NULL, error));
    TRY_DONE(progress_open(&progress, NULL, false, PROGRESS_QUIET, error));
    TRY_DONE(verify_study_start(verify, &study, error));
    TRY_DONE(ecg_create(&ecg, &study.config, &study.problem, study.sim, NULL, NULL, progress, error));
    TRY_DONE(polarise_cube(verify, &study, error));
    if (ecg.columns != LEADS)
        TRY_DONE(error_set(error, STATUS_RUN, "%d leads instead of %d", ecg.columns, LEADS));
    TRY_DONE(ecg_read(&ecg, value, error));
    expect_leads(want);
    verify_case(verify, "the leads of a cube of %g mm in which V rises evenly, over those of a dipole", edge);
    for (int l = 0; l < LEADS; l++)
        verify_interval(verify, ecg.name[l], value[l] / want[l], 0.9995, 1.0005);
    int other = 0;
    for (int l = 0; l < LEADS; l++)
        other += strcmp(ecg.name[l], names[l]) != 0;
    verify_interval(verify, "leads of another name or order", other, 0, 0);
done:
    ecg_free(&ecg);
    progress_close(progress);
    verify_study_free(&study);
    return status;
}
