/* pathmanathan.c: see pathmanathan.h. */
#include "app/verify/pathmanathan.h"

#include <math.h>
#include <stdlib.h>

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
    for (int64_t e = 0; e < mesh->elements && !status; e++) {
        mesh->fiber[3 * e] = 1;
        mesh->sheet[3 * e + 1] = 1;
    }
    return status;
}

enum status pathmanathan_make(struct verify_tissue *tissue, int dimension, double spacing,
                              struct error *error)
{
    static const double size[3] = {1, 1, 1}, sigma[3] = {1.1, 1.2, 0.3}, beta[4] = {0, -1.1, -5.9, -8.6};
    const double chi = 3, capacitance = 2;
    enum status status = verify_tissue_make(tissue, dimension, size, spacing, "pathmanathan-gray", error);
    AND(make_axes(&tissue->mesh, error));
    if (status)
        return status;
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

enum status pathmanathan_start(struct verify *verify, struct verify_tissue *tissue, struct error *error)
{
    int64_t nodes = tissue->mesh.nodes;
    int dimension = tissue->mesh.dimension;
    enum status status = STATUS_OK;
    double *u1 = array_new(nodes, sizeof *u1, "the states", &status, error);
    double *u2 = array_new(nodes, sizeof *u2, "the states", &status, error);
    tissue->diffusion_factor = verify_diffusion(verify);
    AND(verify_tissue_start(verify, tissue, error));
    for (int64_t i = 0; i < nodes && !status; i++) {
        const double *point = tissue->mesh.point + 3 * i;
        u1[i] = shape_g(point, dimension) + shape_f(point, dimension);
        u2[i] = 1 / sqrt(shape_g(point, dimension));
    }
    AND(verify_tissue_set(tissue, "u1", u1, error));
    AND(verify_tissue_set(tissue, "u2", u2, error));
    free(u1);
    free(u2);
    return status;
}

double pathmanathan_error(const struct verify_tissue *tissue, const double *mass)
{
    double t = monodomain_time(tissue->sim), sum = 0;
    for (int64_t i = 0; i < tissue->mesh.nodes; i++) {
        double exact = sqrt(1 + t) * shape_f(tissue->mesh.point + 3 * i, tissue->mesh.dimension);
        sum += mass[i] * (tissue->v[i] - exact) * (tissue->v[i] - exact);
    }
    return sqrt(sum);
}

enum status pathmanathan_state_error(struct verify_tissue *tissue, const double *mass, double *norm,
                                     struct error *error)
{
    int64_t nodes = tissue->mesh.nodes;
    enum status status = STATUS_OK;
    double *u1 = array_new(nodes, sizeof *u1, "a state", &status, error);
    double t = monodomain_time(tissue->sim), sum = 0;
    AND(verify_tissue_get(tissue, "u1", u1, error));
    for (int64_t i = 0; i < nodes && !status; i++) {
        const double *point = tissue->mesh.point + 3 * i;
        double exact = (1 + t) * shape_g(point, tissue->mesh.dimension) +
                       sqrt(1 + t) * shape_f(point, tissue->mesh.dimension);
        sum += mass[i] * (u1[i] - exact) * (u1[i] - exact);
    }
    *norm = sqrt(sum);
    free(u1);
    return status;
}
