/* gradient.c: gradients of linear elements. */
#include "solver/heart/gradient.h"

#include "kernels/base/elementary.h"
#include "kernels/base/vec3.h"
#include "solver/matrix/simplex.h"

/* direction <- the unit gradient of u in element e, tangential to it; false where it vanishes */
static bool unit_gradient(double direction[3], const struct mesh *mesh, const double *u, int64_t e)
{
    const double least = 1e-8;
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    const int corners = mesh_corners(mesh, e);
    double gradient[4][3], longest = 0;
    simplex_gradients(mesh, e, gradient);
    for (int d = 0; d < 3; d++) {
        direction[d] = 0;
        for (int a = 1; a < corners; a++)
            direction[d] += gradient[a][d] * (u[vertex[a]] - u[vertex[0]]);
    }
    for (int a = 1; a < corners; a++)
        longest = fmax(longest, mesh_distance(mesh->point + 3 * (int64_t)vertex[0],
                                              mesh->point + 3 * (int64_t)vertex[a]));
    const double change = vec3_length(direction) * longest;
    if (!(change > least && isfinite(change)))
        return false;
    vec3_normalise(direction);
    return true;
}

int64_t gradient_fibers(double *fiber, const struct mesh *mesh, const double *u, const double *degrees,
                        const int8_t *side, const uint8_t *in)
{
    const double radians = 0x1.1df46a2529d39p-6; /* pi / 180 */
    int64_t vanishing = 0;
#pragma omp parallel for schedule(static) reduction(+ : vanishing)
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
        double along[3], edge[2][3], normal[3], across[3] = {0};
        if (in && !in[e])
            continue;
        const bool there = unit_gradient(along, mesh, u, e);
        const double angle = degrees[e] * radians;
        vanishing += !there;
        if (side && mesh_corners(mesh, e) == 3) {
            for (int k = 0; k < 2; k++)
                vec3_between(edge[k], mesh->point + 3 * (int64_t)vertex[0],
                             mesh->point + 3 * (int64_t)vertex[k + 1]);
            vec3_cross(normal, edge[0], edge[1]);
            vec3_normalise(normal);
            vec3_cross(across, normal, along);
        }
        for (int d = 0; d < 3; d++)
            fiber[3 * e + d] =
                !there ? 0
                : side ? real_cos_double(angle) * along[d] + side[e] * real_sin_double(angle) * across[d]
                       : along[d];
    }
    return vanishing;
}
