/* tensor.c: the diffusion tensor of an element. */
#include "solver/matrix/tensor.h"

#include <math.h>

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
        for (int a = 0; a <= mesh->dimension; a++) {
            const double *d = data + 3 * (int64_t)vertex[a];
            double side = d[0] * first[0] + d[1] * first[1] + d[2] * first[2] < 0 ? -1.0 : 1.0;
            for (int c = 0; c < 3; c++)
                sum[c] += side * d[c];
        }
    }
}

/* unit[] <- sum normalised; 0 if it vanishes */
static int normalise(const double sum[3], double unit[3])
{
    double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    if (!(length > 0) || !isfinite(length))
        return 0;
    for (int c = 0; c < 3; c++)
        unit[c] = sum[c] / length;
    return 1;
}

/* tensor += d u u' */
static void add_dyad(double tensor[6], double d, const double u[3])
{
    for (int a = 0, k = 0; a < 3; a++)
        for (int b = a; b < 3; b++, k++)
            tensor[k] += d * u[a] * u[b];
}

/* unit[] <- unit minus its part along axis, normalised; 0 if nothing is left */
static int make_orthogonal(double unit[3], const double axis[3])
{
    double along = unit[0] * axis[0] + unit[1] * axis[1] + unit[2] * axis[2];
    for (int c = 0; c < 3; c++)
        unit[c] -= along * axis[c];
    double length = sqrt(unit[0] * unit[0] + unit[1] * unit[1] + unit[2] * unit[2]);
    if (!(length > 1e-6))
        return 0;
    for (int c = 0; c < 3; c++)
        unit[c] /= length;
    return 1;
}

int tensor_of_element(const struct tensors *tensors, int64_t e, double tensor[6])
{
    const struct mesh *mesh = tensors->mesh;
    const struct region *region = &tensors->region[tensors->element_region[e]];
    const double *d = region->diffusion;
    double base = region->isotropic ? d[0] : d[2];
    for (int k = 0; k < 6; k++)
        tensor[k] = k == 0 || k == 3 || k == 5 ? base : 0.0;
    if (region->isotropic)
        return 1;
    double sum[3], fiber[3], sheet[3];
    gather(mesh, mesh->fiber, e, sum);
    if (!normalise(tensors->fiber ? tensors->fiber : sum, fiber))
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

enum status tensors_check(const struct tensors *tensors, struct error *error)
{
    double tensor[6];
    for (int64_t e = 0; e < tensors->mesh->elements; e++)
        if (!tensor_of_element(tensors, e, tensor)) {
            const double *d = tensors->region[tensors->element_region[e]].diffusion;
            const char *what = d[1] == d[2] ? "a fibre direction" : "a fibre and a sheet direction";
            return error_set(
                error, STATUS_INPUT,
                "element %lld (tag %d) lies in an anisotropic region and needs %s; it has none or a zero one",
                (long long)e, tensors->mesh->tag[e], what);
        }
    return STATUS_OK;
}
