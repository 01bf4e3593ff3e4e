/* simplex.c: the geometry of one P1 simplex. The gradients are computed from cross products, not from the
 * inverse of a Gram matrix, whose condition number would be squared. */
#include "solver/matrix/simplex.h"

#include <math.h>

#include "kernels/base/vec3.h"

/* Elements are mostly visited in order, but their points are scattered: those of a later one are prefetched.
 */
static void ask_ahead(const struct mesh *mesh, int64_t e)
{
    enum { AHEAD = 8 };
    const int corners = mesh->dimension + 1;
    const int32_t *vertex = mesh->vertex + (e + AHEAD) * corners;
    for (int a = 0; a < corners && e + AHEAD < mesh->elements; a++)
        __builtin_prefetch(mesh->point + 3 * (int64_t)vertex[a]);
}

double simplex_gradients(const struct mesh *mesh, int64_t e, double gradient[4][3])
{
    const int corners = mesh_corners(mesh, e), dimension = corners - 1;
    ask_ahead(mesh, e);
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    const double *origin = mesh->point + 3 * (int64_t)vertex[0];
    double edge[3][3] = {{0}};
    for (int a = 1; a < corners; a++)
        for (int c = 0; c < 3; c++) /* a fifth fewer instructions than vec3_between */
            edge[a - 1][c] = mesh->point[3 * (int64_t)vertex[a] + c] - origin[c];

    double volume = 0, scale = 0;
    if (dimension == 1) {
        double square = vec3_dot(edge[0], edge[0]);
        volume = sqrt(square);
        scale = 1 / square;
        for (int c = 0; c < 3; c++)
            gradient[1][c] = edge[0][c];
    } else if (dimension == 2) {
        double normal[3];
        vec3_cross(normal, edge[0], edge[1]);
        double square = vec3_dot(normal, normal);
        volume = sqrt(square) / 2;
        scale = 1 / square;
        vec3_cross(gradient[1], edge[1], normal);
        vec3_cross(gradient[2], normal, edge[0]);
    } else {
        vec3_cross(gradient[1], edge[1], edge[2]);
        vec3_cross(gradient[2], edge[2], edge[0]);
        vec3_cross(gradient[3], edge[0], edge[1]);
        double six = vec3_dot(edge[0], gradient[1]);
        volume = fabs(six) / 6;
        scale = 1 / six;
    }
    for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (int a = 1; a < corners; a++) {
            gradient[a][c] *= scale;
            sum += gradient[a][c];
        }
        gradient[0][c] = -sum;
    }
    return volume;
}

double simplex_stiffness(const struct mesh *mesh, int64_t e, const double tensor[6], double stiffness[4][4])
{
    double gradient[4][3];
    double volume = simplex_gradients(mesh, e, gradient);
    const int corners = mesh_corners(mesh, e);
    for (int b = 0; b < corners; b++) {
        const double *g = gradient[b];
        double flux[3] = {tensor[0] * g[0] + tensor[1] * g[1] + tensor[2] * g[2],
                          tensor[1] * g[0] + tensor[3] * g[1] + tensor[4] * g[2],
                          tensor[2] * g[0] + tensor[4] * g[1] + tensor[5] * g[2]};
        for (int a = 0; a <= b; a++)
            stiffness[a][b] = stiffness[b][a] = volume * vec3_dot(gradient[a], flux);
    }
    return volume;
}
