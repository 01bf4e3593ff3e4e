/* electrodes.c: one assembly, one product for each electrode. */
#include "solver/heart/electrodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/matrix/assembly.h"

/* distance and least; the nodes of the elements at a node are the columns of its row */
static void locate(struct electrode *electrode, const struct mesh *mesh, const struct csr *k)
{
    int64_t nearest = 0;
    electrode->distance = INFINITY;
    electrode->least = 0;
#pragma omp parallel
    {
        double least = INFINITY;
        int64_t node = 0;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++) {
            double r = mesh_distance(electrode->point, mesh->point + 3 * i);
            if (r < least) {
                least = r;
                node = i;
            }
        }
#pragma omp critical(electrode_locate)
        if (least < electrode->distance || (least == electrode->distance && node < nearest)) {
            electrode->distance = least;
            nearest = node;
        }
    }
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

/* With sigma in S/m and lengths in mm a product with K is of 1e-3 S. */
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
