/* tensor.c: the diffusion tensor of an element. */
#include "solver/matrix/tensor.h"

#include <math.h>
#include <stdio.h>

#include "solver/matrix/simplex.h"
#include "kernels/base/printed.h"
#include "kernels/base/vec3.h"
#include "solver/params.h"

/* sum[3] <- the direction of element e from per-node or per-element data, not normalised */
static void gather(const struct mesh *mesh, const double *data, int64_t e, double sum[3])
{
    for (int c = 0; c < 3; c++)
        sum[c] = 0;
    if (!data)
        return;
    if (mesh->fiber_location == LOCATION_ELEMENT) {
        for (int c = 0; c < 3; c++)
            sum[c] = data[3 * e + c];
    } else {
        const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
        const double *first = data + 3 * (int64_t)vertex[0];
        for (int a = 0; a < mesh_corners(mesh, e); a++) {
            const double *d = data + 3 * (int64_t)vertex[a];
            double side = vec3_dot(d, first) < 0 ? -1.0 : 1.0;
            for (int c = 0; c < 3; c++)
                sum[c] += side * d[c];
        }
    }
}

/* unit_vector[] <- sum normalised; 0 if it vanishes */
static int normalise(const double sum[3], double unit_vector[3])
{
    double length = vec3_length(sum);
    if (!(length > 0) || !isfinite(length))
        return 0;
    for (int c = 0; c < 3; c++)
        unit_vector[c] = sum[c] / length;
    return 1;
}

/* tensor += d u u' */
static void add_dyad(double tensor[6], double d, const double u[3])
{
    for (int a = 0, k = 0; a < 3; a++)
        for (int b = a; b < 3; b++, k++)
            tensor[k] += d * u[a] * u[b];
}

/* unit_vector[] <- its component normal to axis, normalised; 0 if that vanishes */
static int make_orthogonal(double unit_vector[3], const double axis[3])
{
    double along = vec3_dot(unit_vector, axis);
    for (int c = 0; c < 3; c++)
        unit_vector[c] -= along * axis[c];
    double length = vec3_length(unit_vector);
    if (!(length > 1e-6))
        return 0;
    for (int c = 0; c < 3; c++)
        unit_vector[c] /= length;
    return 1;
}

/* fiber[] <- the unit fibre of element e; 0 if it has none */
static int fiber_of_element(const struct tensors *tensors, int64_t e, double fiber[3])
{
    double sum[3];
    gather(tensors->mesh, tensors->mesh->fiber, e, sum);
    return normalise(tensors->fiber ? tensors->fiber : sum, fiber);
}

/* Whether the element is a line of a mixed mesh, which is its own fibre */
static bool is_strand(const struct mesh *mesh, int64_t e)
{
    return mesh->dimension > 1 && mesh_corners(mesh, e) == 2;
}

int tensor_of_element(const struct tensors *tensors, int64_t e, double tensor[6])
{
    const struct mesh *mesh = tensors->mesh;
    const struct region *region = &tensors->region[tensors->element_region[e]];
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = (region->scale[k] ? region->scale[k][e] : 1) * region->diffusion[k];
    bool isotropic = region->isotropic || is_strand(mesh, e);
    double base = isotropic ? d[0] : d[2];
    for (int k = 0; k < 6; k++)
        tensor[k] = k == 0 || k == 3 || k == 5 ? base : 0.0;
    if (isotropic)
        return 1;
    double sum[3], fiber[3], sheet[3];
    if (!fiber_of_element(tensors, e, fiber))
        return 0;
    add_dyad(tensor, d[0] - d[2], fiber);
    if (d[1] == d[2])
        return 1;
    gather(mesh, mesh->sheet, e, sum);
    if (!normalise(sum, sheet) || !make_orthogonal(sheet, fiber))
        return 0;
    add_dyad(tensor, d[1] - d[2], sheet);
    return 1;
}

bool tensor_is_resistor(const struct tensors *tensors, int64_t e)
{
    return tensors->region[tensors->element_region[e]].resistor;
}

double tensor_stiffness(const struct tensors *tensors, int64_t e, double stiffness[4][4])
{
    const struct region *region = &tensors->region[tensors->element_region[e]];
    double tensor[6];
    if (region->resistor) {
        double k = (region->scale[0] ? region->scale[0][e] : 1) * region->conductance;
        stiffness[0][0] = stiffness[1][1] = k;
        stiffness[0][1] = stiffness[1][0] = -k;
        return 0;
    }
    tensor_of_element(tensors, e, tensor);
    double volume = simplex_stiffness(tensors->mesh, e, tensor, stiffness);
    const int corners = mesh_corners(tensors->mesh, e);
    double section = region->section[corners - 1], weight = section > 0 ? section : 1;
    weight *= region->membrane > 0 ? region->membrane : 1;
    for (int a = 0; a < corners && weight != 1; a++)
        for (int b = 0; b < corners; b++)
            stiffness[a][b] *= weight;
    return weight * volume;
}

int tensor_axes(const struct tensors *tensors, int64_t e, double axis[3][3])
{
    const struct region *region = &tensors->region[tensors->element_region[e]];
    double sum[3];
    if (region->isotropic || is_strand(tensors->mesh, e) || !fiber_of_element(tensors, e, axis[0]))
        return 0;
    gather(tensors->mesh, tensors->mesh->sheet, e, sum);
    const bool round = region->diffusion[1] == region->diffusion[2] && region->scale[1] == region->scale[2];
    if (round || !normalise(sum, axis[1]) || !make_orthogonal(axis[1], axis[0]))
        return 1;
    vec3_cross(axis[2], axis[0], axis[1]);
    return 3;
}

/* Appends "7 (tag 2) at (1, 2, 3) mm" to text: an element, its tag and its centre */
static void name_element(char *text, size_t room, const struct mesh *mesh, int64_t e)
{
    double at[3];
    mesh_centre(at, mesh, e);
    printed_item(text, room, "%lld (tag %d) at (%.4g, %.4g, %.4g) mm", (long long)e, mesh->tag[e], at[0],
                 at[1], at[2]);
}

/* The number of elements without directions that they need */
static int64_t count_lacking(const struct tensors *tensors)
{
    int64_t found = 0;
#pragma omp parallel for schedule(static) reduction(+ : found)
    for (int64_t e = 0; e < tensors->mesh->elements; e++) {
        double tensor[6];
        found += !tensor_of_element(tensors, e, tensor);
    }
    return found;
}

enum status tensors_check(const struct tensors *tensors, struct error *error)
{
    enum { NAMED = 3 };
    double tensor[6];
    char named[400] = "";
    int sheets = 0;
    int64_t found = count_lacking(tensors), seen = 0;
    for (int64_t e = 0; seen < found; e++)
        if (!tensor_of_element(tensors, e, tensor)) {
            const double *d = tensors->region[tensors->element_region[e]].diffusion;
            sheets = sheets || d[1] != d[2];
            if (seen++ < NAMED)
                name_element(named, sizeof named, tensors->mesh, e);
        }
    if (!found)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%lld of %lld elements lie in an anisotropic region and have no nonzero fibre "
                     "%sdirection; the first: %s",
                     (long long)found, (long long)tensors->mesh->elements, sheets ? "or sheet " : "", named);
}

/* The squared length of the projection of the unit fibre on the line or triangle of the element */
static double inside(const struct mesh *mesh, int64_t e, const double fiber[3])
{
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    const double *p = mesh->point + 3 * (int64_t)vertex[0], *q = mesh->point + 3 * (int64_t)vertex[1],
                 *r = mesh->point + 3 * (int64_t)vertex[mesh->dimension]; /* the third vertex of a triangle */
    double u[3], v[3], across = 0;
    vec3_between(u, p, q);
    vec3_between(v, p, r);
    if (!normalise(u, u))
        return 1;
    if (mesh_corners(mesh, e) == 3 && normalise(v, v) && make_orthogonal(v, u))
        across = vec3_dot(v, fiber);
    return vec3_dot(u, fiber) * vec3_dot(u, fiber) + across * across;
}

int64_t tensors_across(const struct tensors *tensors)
{
    const double least = 0.1; /* sin 6 degrees */
    const struct mesh *mesh = tensors->mesh;
    int64_t found = 0;
    double fiber[3];
    for (int64_t e = 0; e < mesh->elements; e++) {
        const struct region *region = &tensors->region[tensors->element_region[e]];
        if (mesh_corners(mesh, e) < 4 && !is_strand(mesh, e) && !region->isotropic &&
            region->diffusion[0] != region->diffusion[1] && fiber_of_element(tensors, e, fiber))
            found += inside(mesh, e, fiber) < least * least;
    }
    return found;
}
