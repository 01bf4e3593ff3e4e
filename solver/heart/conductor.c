/* conductor.c: one matrix and its multigrid, a solution for each electrode, read at the tissue's nodes. */
#include "solver/heart/conductor.h"

#include <stdlib.h>

#include "kernels/base/array.h"
#include "solver/heart/laplace.h"
#include "solver/matrix/assembly.h"
#include "solver/mesh/nearest.h"

static const char what[] = "the conductor";

enum { CHUNK = 256 /* points per task: consecutive and so mostly near each other */ };

static void locate(struct conductor_position *position, const struct nearest *nearest, const double *point,
                   int64_t points)
{
#pragma omp parallel for schedule(dynamic)
    for (int64_t begin = 0; begin < points; begin += CHUNK) {
        int64_t found = -1;
        for (int64_t i = begin; i < begin + CHUNK && i < points; i++) {
            found = nearest_find(nearest, point + 3 * i, found, NULL);
            position[i].element = (int32_t)found;
            position[i].distance = nearest_weights(nearest, found, point + 3 * i, position[i].weight);
        }
    }
}

enum status conductor_locate(struct conductor_position *position, const struct mesh *mesh,
                             const double *point, int64_t points, const double *other, int64_t more,
                             struct error *error)
{
    struct nearest nearest;
    TRY(nearest_create(&nearest, mesh->point, mesh->vertex, 4, mesh->elements, error));
    locate(position, &nearest, point, points);
    locate(position + points, &nearest, other, more);
    nearest_free(&nearest);
    return STATUS_OK;
}

/* load <- delta_electrode - m / sum m */
static void make_load(double *load, const struct laplace *laplace, const struct mesh *mesh,
                      const struct conductor_position *electrode)
{
    double mass = 0;
    for (int64_t i = 0; i < mesh->nodes; i++)
        mass += laplace->lumped[i];
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++)
        load[i] = -laplace->lumped[i] / mass;
    for (int c = 0; c < 4; c++)
        load[mesh->vertex[4 * (int64_t)electrode->element + c]] += electrode->weight[c];
}

/* field[points] <- z at the points, interpolated linearly. With sigma in S/m and lengths in mm, products
 * with K are in units of 1e-3 S */
static void interpolate(double *field, const struct mesh *mesh, const double *z,
                        const struct conductor_position *point, int64_t points)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < points; i++) {
        double sum = 0;
        for (int c = 0; c < 4; c++)
            sum += point[i].weight[c] * z[mesh->vertex[4 * (int64_t)point[i].element + c]];
        field[i] = 1e3 * sum;
    }
}

enum status conductor_fields(double *field, const struct tensors *tensors,
                             const struct conductor_position *electrode, int electrodes,
                             const struct conductor_position *point, int64_t points, struct error *error)
{
    const struct mesh *mesh = tensors->mesh;
    enum status status = STATUS_OK;
    struct laplace laplace;
    double *load = array_new(mesh->nodes, sizeof *load, what, &status, error);
    double *z = array_new(mesh->nodes, sizeof *z, what, &status, error);
    if (!status)
        status = laplace_create_tensors(&laplace, tensors, error);
    else
        laplace = (struct laplace){0};
    for (int e = 0; e < electrodes && !status; e++) {
        make_load(load, &laplace, mesh, &electrode[e]);
        TRY_DONE(laplace_solve_load(&laplace, z, load, error));
        interpolate(field + e * points, mesh, z, point, points);
    }
done:
    laplace_free(&laplace);
    free(load);
    free(z);
    return status;
}

double conductor_bytes(const struct mesh *mesh)
{
    enum { VECTORS = 16 /* vectors of the solution, the finest level and the load */, LEVELS = 2 };
    return system_workspace(mesh) + (1 + LEVELS) * system_bytes(mesh, false) +
           8.0 * VECTORS * (double)mesh->nodes;
}
