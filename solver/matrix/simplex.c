/* simplex.c: the geometry of one P1 simplex. The gradients come from cross products, not from the inverse of
 * a Gram matrix, whose condition number is the square. */
#include "solver/matrix/simplex.h"

#include <math.h>

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Elements mostly come in order, their points from anywhere: those of a later one are asked for. */
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
        for (int c = 0; c < 3; c++)
            edge[a - 1][c] = mesh->point[3 * (int64_t)vertex[a] + c] - origin[c];

    double volume = 0, scale = 0;
    if (dimension == 1) {
        double square = dot(edge[0], edge[0]);
        volume = sqrt(square);
        scale = 1 / square;
        for (int c = 0; c < 3; c++)
            gradient[1][c] = edge[0][c];
    } else if (dimension == 2) {
        double normal[3];
        cross(edge[0], edge[1], normal);
        double square = dot(normal, normal);
        volume = sqrt(square) / 2;
        scale = 1 / square;
        cross(edge[1], normal, gradient[1]);
        cross(normal, edge[0], gradient[2]);
    } else {
        cross(edge[1], edge[2], gradient[1]);
        cross(edge[2], edge[0], gradient[2]);
        cross(edge[0], edge[1], gradient[3]);
        double six = dot(edge[0], gradient[1]);
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
            stiffness[a][b] = stiffness[b][a] = volume * dot(gradient[a], flux);
    }
    return volume;
}
