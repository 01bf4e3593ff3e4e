/* electrodes.c: one assembly, one product for each electrode. */
#include "solver/heart/electrodes.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "solver/matrix/assembly.h"

static double distance(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* distance and least */
static void locate(struct electrode *electrode, const struct mesh *mesh)
{
    int64_t nearest = 0;
    int corners = mesh->dimension + 1;
    electrode->distance = INFINITY;
    electrode->least = 0;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        double r = distance(electrode->point, mesh->point + 3 * i);
        if (r < electrode->distance) {
            electrode->distance = r;
            nearest = i;
        }
    }
    for (int64_t k = 0; k < mesh->elements * corners; k++)
        for (int a = 0; a < corners && mesh->vertex[k] == nearest; a++)
            electrode->least =
                fmax(electrode->least,
                     distance(mesh->point + 3 * nearest,
                              mesh->point + 3 * (int64_t)mesh->vertex[k / corners * corners + a]) /
                         2);
}

enum status electrodes_weights(struct electrode *electrode, int count, double *weight,
                               const struct tensors *tensors, double conductivity, struct error *error)
{
    static const double pi = 3.14159265358979323846;
    const struct mesh *mesh = tensors->mesh;
    struct system system = {0};
    enum status status = system_assemble(&system, mesh, tensors, 0, error);
    double *inverse = status ? NULL : array_new(mesh->nodes, sizeof *inverse, "an electrode", &status, error);
    for (int e = 0; e < count && !status; e++) {
        locate(&electrode[e], mesh);
        for (int64_t i = 0; i < mesh->nodes; i++)
            inverse[i] = 1 / fmax(distance(electrode[e].point, mesh->point + 3 * i), electrode[e].least);
        for (int64_t i = 0; i < mesh->nodes; i++) {
            double sum = 0;
            for (int64_t k = system.k.start[i]; k < system.k.start[i + 1]; k++)
                sum += system.k.value[k] * (inverse[system.k.column[k]] - inverse[i]);
            weight[e * mesh->nodes + i] = -sum / (4 * pi * conductivity);
        }
    }
    free(inverse);
    system_free(&system);
    return status;
}
