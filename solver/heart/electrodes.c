/* electrodes.c: one assembly, one product for each electrode. */
#include "solver/heart/electrodes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/vec3.h"
#include "solver/heart/surfaces.h"
#include "solver/matrix/assembly.h"

/* Sets distance and least; the columns of a node's row are the nodes of its elements */
static void locate(struct electrode *electrode, const struct mesh *mesh, const struct csr *k)
{
    const int64_t nearest = mesh_nearest_node(&electrode->distance, mesh, electrode->point);
    electrode->least = 0;
    for (int64_t n = k->start[nearest]; n < k->start[nearest + 1]; n++)
        electrode->least =
            fmax(electrode->least,
                 mesh_distance(mesh->point + 3 * nearest, mesh->point + 3 * (int64_t)k->column[n]) / 2);
}

/* weight_i <- -sum_j k_ij (field_j - field_i) / by */
static void multiply(double *weight, const struct system *system, int64_t nodes, const double *field,
                     double by)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < nodes; i++) {
        double sum = 0;
        for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++)
            sum += system->k.value[k] * (field[system->k.column[k]] - field[i]);
        weight[i] = -sum / by;
    }
}

/* With sigma in S/m and lengths in mm, products with K are in units of 1e-3 S */
enum status electrodes_field_weights(double *weight, int count, const struct tensors *tensors,
                                     struct error *error)
{
    int64_t nodes = tensors->mesh->nodes;
    struct system system = {0};
    enum status status = STATUS_OK;
    double *field = NULL;
    TRY_DONE(system_assemble(&system, tensors, false, NULL, error));
    field = array_new(nodes, sizeof *field, "a lead field", &status, error);
    TRY_DONE(status);
    for (int e = 0; e < count; e++) {
        memcpy(field, weight + e * nodes, (size_t)nodes * sizeof *field);
        multiply(weight + e * nodes, &system, nodes, field, 1e3);
    }
done:
    free(field);
    system_free(&system);
    return status;
}

enum status electrodes_weights(struct electrode *electrode, int count, double *weight,
                               const struct tensors *tensors, double conductivity, struct error *error)
{
    static const double pi = 3.14159265358979323846;
    const struct mesh *mesh = tensors->mesh;
    struct system system = {0};
    enum status status = STATUS_OK;
    double *inverse = NULL;
    TRY_DONE(system_assemble(&system, tensors, false, NULL, error));
    inverse = array_new(mesh->nodes, sizeof *inverse, "an electrode", &status, error);
    TRY_DONE(status);
    for (int e = 0; e < count; e++) {
        locate(&electrode[e], mesh, &system.k);
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            inverse[i] = 1 / fmax(mesh_distance(electrode[e].point, mesh->point + 3 * i), electrode[e].least);
        multiply(weight + e * mesh->nodes, &system, mesh->nodes, inverse, 4 * pi * conductivity);
    }
done:
    free(inverse);
    system_free(&system);
    return status;
}

/* In the chest, x points to the left, y backwards, z towards the head, from the heart's centre. mm, for a
 * heart whose apex is `apex_depth` from the centre of its left endocardium. */
static const struct chest_electrode chest[CHEST_ELECTRODES] = {
    {"RA", {-180, 0, 160}}, {"LA", {150, 0, 160}},  {"LL", {60, 0, -350}},
    {"V1", {-45, -75, 15}}, {"V2", {5, -80, 15}},   {"V3", {33, -74, -2}},
    {"V4", {62, -62, -20}}, {"V5", {95, -28, -20}}, {"V6", {115, 18, -20}}};
static const double apex_depth = 55;
static const double apex_in_chest[3] = {0.57, -0.45, -0.69}; /* from the centre of the left endocardium */
static const double right_in_chest[3] = {-0.7, -0.7, -0.13}; /* from there approximately to the centre of
                                                                the right one */

/* axis[0] parallel to a, [1] to the component of b normal to a, [2] normal to both; returns the length of
 * a, 0 if a and b do not define axes */
static double make_axes(double axis[3][3], const double a[3], const double b[3])
{
    double length = vec3_length(a), along = vec3_dot(a, b) / (length * length);
    for (int d = 0; d < 3; d++)
        axis[1][d] = b[d] - along * a[d];
    double across = vec3_length(axis[1]);
    if (!(length > 0 && across > 1e-6 * length))
        return 0;
    for (int d = 0; d < 3; d++) {
        axis[0][d] = a[d] / length;
        axis[1][d] /= across;
    }
    vec3_cross(axis[2], axis[0], axis[1]);
    return length;
}

/* mean[3] <- mean position of the nodes with one of the bits (0: all nodes); false if there is none */
static bool find_middle(double mean[3], const struct mesh *mesh, const uint8_t *on, unsigned bits)
{
    int64_t count = 0;
    memset(mean, 0, 3 * sizeof *mean);
    for (int64_t i = 0; i < mesh->nodes; i++)
        if (bits == 0 || on[i] & bits) {
            count++;
            for (int d = 0; d < 3; d++)
                mean[d] += mesh->point[3 * i + d];
        }
    for (int d = 0; d < 3; d++)
        mean[d] /= (double)count;
    return count > 0;
}

int chest_electrodes_place(struct chest_electrode electrode[CHEST_ELECTRODES], const struct mesh *mesh,
                           const uint8_t *on)
{
    double apex[3], left[3], right[3], centre[3], here[3][3], there[3][3];
    if (!find_middle(apex, mesh, on, 1U << HEART_APEX) || !find_middle(left, mesh, on, 1U << HEART_LV) ||
        !find_middle(right, mesh, on, 1U << HEART_RV) || !find_middle(centre, mesh, on, 0))
        return 0;
    for (int d = 0; d < 3; d++) {
        apex[d] -= left[d];
        right[d] -= left[d];
    }
    double size = make_axes(here, apex, right) / apex_depth;
    if (!(size > 0))
        return 0;
    make_axes(there, apex_in_chest, right_in_chest);
    for (int e = 0; e < CHEST_ELECTRODES; e++) {
        electrode[e] = chest[e];
        for (int d = 0; d < 3; d++) {
            electrode[e].point[d] = centre[d];
            for (int k = 0; k < 3; k++)
                electrode[e].point[d] += size * vec3_dot(there[k], chest[e].point) * here[k][d];
        }
    }
    return CHEST_ELECTRODES;
}
