/* spacing.c: the second and fourth moments of a mesh's edges, summed by parts of the elements and then over
 * the parts in order, so that the number of threads changes no bit. */
#include "solver/matrix/spacing.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/vec3.h"
#include "solver/params.h"

enum { PARTS = 64 };

/* Of one region, by direction */
struct moments {
    double volume, second[3], fourth[3], absolute[3]; /* the last: |k| (n.d)^4 */
};

/* second[3], fourth[3] <- (n.d)^2 and (n.d)^4, or their mean over the equivalent directions */
static void powers(const struct region *region, int axes, double axis[3][3], int dimension, const double d[3],
                   double second[3], double fourth[3])
{
    static const double all[4][2] = {{1, 1}, {1, 1}, {1.0 / 2, 3.0 / 8}, {1.0 / 3, 1.0 / 5}};
    double square = vec3_dot(d, d);
    for (int k = 0; k < 3; k++) {
        second[k] = all[dimension][0] * square;
        fourth[k] = all[dimension][1] * square * square;
    }
    for (int k = 0; k < axes && !region->isotropic; k++) {
        second[k] = vec3_dot(axis[k], d) * vec3_dot(axis[k], d);
        fourth[k] = second[k] * second[k];
    }
    if (region->isotropic || axes > 1)
        return;
    double across = fmax(square - second[0], 0);
    second[1] = all[dimension - 1][0] * across;
    fourth[1] = all[dimension - 1][1] * across * across;
    second[2] = dimension == 3 ? second[1] : 0;
    fourth[2] = dimension == 3 ? fourth[1] : 0;
}

static void add_element(struct moments *moments, const struct tensors *tensors, const struct region *region,
                        int64_t e)
{
    const struct mesh *mesh = tensors->mesh;
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    double tensor[6], stiffness[4][4], axis[3][3];
    const int dimension = mesh_corners(mesh, e) - 1;
    if (tensor_is_resistor(tensors, e) || !tensor_of_element(tensors, e, tensor))
        return;
    int axes = tensor_axes(tensors, e, axis);
    moments->volume += tensor_stiffness(tensors, e, stiffness);
    for (int i = 0; i < dimension; i++)
        for (int j = i + 1; j <= dimension; j++) {
            double d[3], second[3], fourth[3];
            for (int c = 0; c < 3; c++)
                d[c] = mesh->point[3 * (int64_t)vertex[j] + c] - mesh->point[3 * (int64_t)vertex[i] + c];
            powers(region, axes, axis, dimension, d, second, fourth);
            for (int k = 0; k < 3; k++) {
                moments->second[k] -= stiffness[i][j] * second[k];
                moments->fourth[k] -= stiffness[i][j] * fourth[k];
                moments->absolute[k] += fabs(stiffness[i][j]) * fourth[k];
            }
        }
}

/* moments[regions] += more[regions] */
static void add_part(struct moments *moments, const struct moments *more, int regions)
{
    for (int r = 0; r < regions; r++) {
        moments[r].volume += more[r].volume;
        for (int k = 0; k < 3; k++) {
            moments[r].second[k] += more[r].second[k];
            moments[r].fourth[k] += more[r].fourth[k];
            moments[r].absolute[k] += more[r].absolute[k];
        }
    }
}

enum status spacing_make(struct spacing *spacing, const struct tensors *tensors, int regions,
                         struct error *error)
{
    enum status status = STATUS_OK;
    int64_t elements = tensors->mesh->elements;
    struct moments *moments =
        array_zeroed((int64_t)PARTS * regions, sizeof *moments, "the spacing of a mesh", &status, error);
    TRY(status);
#pragma omp parallel for schedule(static)
    for (int p = 0; p < PARTS; p++)
        for (int64_t e = elements * p / PARTS; e < elements * (p + 1) / PARTS; e++) {
            int r = tensors->element_region[e];
            add_element(&moments[p * regions + r], tensors, &tensors->region[r], e);
        }
    for (int p = 1; p < PARTS; p++)
        add_part(moments, moments + p * regions, regions);
    for (int r = 0; r < regions; r++)
        for (int k = 0; k < 3; k++) {
            const struct moments *m = &moments[r];
            double most = fmax(fmax(m->second[0], m->second[1]), m->second[2]);
            bool there = m->second[k] > 1e-6 * most, skew = m->fourth[k] < m->absolute[k] / 10;
            spacing[r].diffusion[k] = there ? m->second[k] / m->volume : NAN;
            spacing[r].edge[k] = there && !skew ? sqrt(m->fourth[k] / m->second[k]) : NAN;
            spacing[r].longest[k] = there ? sqrt(m->absolute[k] / m->second[k]) : NAN;
        }
    free(moments);
    return status;
}
