/* test_conductor.c: lead fields in a bounded conductor: the field of an electrode at another equals that of
 * the other at the first; the potential of a source by the forward problem is that by the electrode's field,
 * and not with the conductivities swapped; a heart refined within the conductor has the same leads; threads
 * change no bit. */
#include "solver/heart/conductor.h"

#include <omp.h>

#include "solver/heart/electrodes.h"
#include "solver/heart/laplace.h"
#include "solver/mesh/refine.h"
#include "tests/support/case.h"

enum { ELECTRODES = 2 };

static const double points[ELECTRODES][3] = {{-1, 0.4, 0.5}, {1.3, 0.55, 0.3}}; /* one outside */
static const double slope[3] = {2, -3, 1};                                      /* mV/mm */

/* A conductor that is all heart: sigma_i and sigma_i + sigma_e along the same axes */
struct heart {
    struct test_case c;
    struct region inner[2], bulk[2];
    struct tensors intra, both;
};

static void heart_make(struct heart *heart)
{
    case_make(&heart->c, 3, "passive", true);
    for (int r = 0; r < 2; r++) {
        heart->inner[r] = (struct region){.diffusion = {0.3 + 0.1 * r, 0.06, 0.04}};
        heart->bulk[r] = (struct region){.diffusion = {0.9, 0.4 + 0.1 * r, 0.3}};
    }
    heart->intra = (struct tensors){&heart->c.mesh, heart->inner, heart->c.element_region, NULL};
    heart->both = (struct tensors){&heart->c.mesh, heart->bulk, heart->c.element_region, NULL};
}

/* weight[ELECTRODES][nodes] <- at the nodes of tissue->mesh; position[ELECTRODES] <- of the electrodes */
static double *find_weights(const struct heart *heart, const struct tensors *tissue,
                            struct conductor_position *electrode)
{
    struct error error = {0};
    const struct mesh *mesh = tissue->mesh;
    struct conductor_position *position = calloc((size_t)mesh->nodes + ELECTRODES, sizeof *position);
    double *weight = calloc((size_t)(mesh->nodes * ELECTRODES), sizeof *weight);
    CHECK(position && weight, "no memory");
    CHECK_OK(
        conductor_locate(position, heart->both.mesh, mesh->point, mesh->nodes, points[0], ELECTRODES, &error),
        error);
    memcpy(electrode, position + mesh->nodes, ELECTRODES * sizeof *electrode);
    CHECK_OK(conductor_fields(weight, &heart->both, electrode, ELECTRODES, position, mesh->nodes, &error),
             error);
    CHECK_OK(electrodes_field_weights(weight, ELECTRODES, tissue, &error), error);
    free(position);
    return weight;
}

static double at(const struct mesh *mesh, const struct conductor_position *position, const double *value)
{
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum += position->weight[k] * value[mesh->vertex[4 * (int64_t)position->element + k]];
    return sum;
}

/* phi <- of -div((sigma_i + sigma_e) grad phi) = div(sigma_i grad V), of mean 0 */
static void solve_forwards(const struct tensors *intra, const struct tensors *both, const double *v,
                           double *phi)
{
    struct error error = {0};
    struct system system;
    struct laplace laplace;
    int64_t nodes = intra->mesh->nodes;
    double *load = calloc((size_t)nodes, sizeof *load);
    CHECK(load, "no memory");
    CHECK_OK(system_assemble(&system, intra, false, NULL, &error), error);
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t k = system.k.start[i]; k < system.k.start[i + 1]; k++)
            load[i] -= system.k.value[k] * (v[system.k.column[k]] - v[i]);
    CHECK_OK(laplace_create_tensors(&laplace, both, &error), error);
    CHECK_OK(laplace_solve_load(&laplace, phi, load, &error), error);
    laplace_free(&laplace);
    system_free(&system);
    free(load);
}

static void test_reciprocity(const struct heart *heart)
{
    const struct mesh *mesh = &heart->c.mesh;
    struct error error = {0};
    struct conductor_position electrode[ELECTRODES];
    double *v = calloc((size_t)mesh->nodes, sizeof *v), *phi = calloc((size_t)mesh->nodes, sizeof *phi);
    double *weight = find_weights(heart, &heart->intra, electrode), field[ELECTRODES][ELECTRODES];
    CHECK(v && phi, "no memory");
    CHECK(electrode[0].distance > 0.9 && electrode[1].distance == 0, "%g and %g mm outside",
          electrode[0].distance, electrode[1].distance);
    CHECK_OK(conductor_fields(field[0], &heart->both, electrode, ELECTRODES, electrode, ELECTRODES, &error),
             error);
    CHECK(fabs(field[0][1]) > 1, "a field of %g V/A", field[0][1]);
    CHECK_CLOSE(field[0][1], field[1][0], 1e-9 * fabs(field[0][0]));
    for (int64_t i = 0; i < mesh->nodes; i++)
        v[i] = 100 * bits_random((uint64_t)i) - 80;
    solve_forwards(&heart->intra, &heart->both, v, phi);
    for (int e = 0; e < ELECTRODES; e++) {
        double lead = 0, forwards = at(mesh, &electrode[e], phi);
        for (int64_t i = 0; i < mesh->nodes; i++)
            lead += weight[e * mesh->nodes + i] * v[i];
        CHECK(fabs(lead) > 0.01, "a lead of %g mV", lead);
        CHECK_CLOSE(lead, forwards, 1e-8 * fabs(forwards));
        solve_forwards(&heart->both, &heart->intra, v, phi);
        CHECK(fabs(at(mesh, &electrode[e], phi) - lead) > 0.1 * fabs(lead), "swapped conductivities pass");
        solve_forwards(&heart->intra, &heart->both, v, phi);
        printf("electrode %d: %.6g mV, forwards %.6g mV\n", e, lead, forwards);
    }
    free(v);
    free(phi);
    free(weight);
}

static double lead_of_slope(const double *weight, const struct mesh *mesh)
{
    double sum = 0;
    for (int64_t i = 0; i < mesh->nodes; i++)
        for (int d = 0; d < 3; d++)
            sum += weight[i] * slope[d] * mesh->point[3 * i + d];
    return sum;
}

/* A field that is linear in each element stays so in its parts */
static void test_refined(const struct heart *heart)
{
    struct error error = {0};
    struct mesh fine;
    struct conductor_position electrode[ELECTRODES];
    CHECK_OK(mesh_refine(&fine, &heart->c.mesh, &error), error);
    int32_t *region = calloc((size_t)fine.elements, sizeof *region);
    CHECK(region, "no memory");
    for (int64_t e = 0; e < fine.elements; e++)
        region[e] = heart->c.element_region[e / 8];
    const struct tensors tissue = {&fine, heart->inner, region, NULL};
    double *coarse = find_weights(heart, &heart->intra, electrode);
    double *refined = find_weights(heart, &tissue, electrode);
    for (int e = 0; e < ELECTRODES; e++) {
        double want = lead_of_slope(coarse + e * heart->c.mesh.nodes, &heart->c.mesh);
        double got = lead_of_slope(refined + e * fine.nodes, &fine);
        CHECK(fabs(want) > 1e-3, "a lead of %g mV", want);
        CHECK_CLOSE(got, want, 1e-8 * fabs(want));
    }
    mesh_free(&fine);
    free(region);
    free(coarse);
    free(refined);
}

static void test_bits(const struct heart *heart)
{
    struct conductor_position electrode[ELECTRODES];
    size_t bytes = (size_t)(heart->c.mesh.nodes * ELECTRODES) * sizeof(double);
    omp_set_num_threads(1);
    double *one = find_weights(heart, &heart->intra, electrode);
    omp_set_num_threads(3);
    double *three = find_weights(heart, &heart->intra, electrode);
    CHECK(memcmp(one, three, bytes) == 0, "threads change a bit");
    free(one);
    free(three);
}

int main(void)
{
    struct heart heart;
    heart_make(&heart);
    test_reciprocity(&heart);
    test_refined(&heart);
    test_bits(&heart);
    case_free(&heart.c);
    return 0;
}
