/* probes.c: nearest nodes. */
#include "app/io/result/probes.h"

#include <math.h>

static void nearest(struct probe *probe, const struct mesh *mesh)
{
    probe->node = 0;
    probe->distance = INFINITY;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        double d = mesh_distance(probe->point, mesh->point + 3 * i);
        if (d < probe->distance) {
            probe->distance = d;
            probe->node = i;
        }
    }
}

/* The longest edge of the elements at a node. */
static double longest_edge(const struct mesh *mesh, int64_t node)
{
    int corners = mesh->dimension + 1;
    double longest = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * corners;
        int here = 0;
        for (int a = 0; a < corners; a++)
            here |= vertex[a] == node;
        for (int a = 0; a < corners && here; a++)
            for (int b = 0; b < a; b++)
                longest = fmax(longest, mesh_distance(mesh->point + 3 * (int64_t)vertex[a],
                                                      mesh->point + 3 * (int64_t)vertex[b]));
    }
    return longest;
}

enum status probes_locate(struct probe *probe, int probes, const struct mesh *mesh, struct error *error)
{
    for (int p = 0; p < probes; p++) {
        nearest(&probe[p], mesh);
        double edge = longest_edge(mesh, probe[p].node);
        const double *at = mesh->point + 3 * probe[p].node;
        if (!(probe[p].distance <= edge))
            return error_set(error, STATUS_INPUT,
                             "probe %s lies outside the mesh: the nearest node, at (%g, %g, %g) mm, is %g mm "
                             "away; edges there have up to %g mm",
                             probe[p].name, at[0], at[1], at[2], probe[p].distance, edge);
    }
    return STATUS_OK;
}
