/* near.c: marks the nodes near any point; each part of the mesh lists the elements whose first node is
 * marked, then the lists are concatenated in order. */
#include "solver/mesh/near.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernels/base/array.h"

static const char what[] = "the elements around a point";

enum { PARTS = 64 };

struct hits {
    struct hit {
        int32_t element, of;
    } * hit;
    int64_t count, room;
};

static bool is_near(const struct near *near, const double *point)
{
    return fabs(point[0] - near->centre[0]) <= near->radius &&
           mesh_distance(point, near->centre) <= near->radius;
}

/* marked[nodes] <- whether they are near any of the points */
static void mark_nodes(uint8_t *marked, const struct near *near, int count, const struct mesh *mesh)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++) {
        marked[i] = 0;
        for (int k = 0; k < count && !marked[i]; k++)
            marked[i] = is_near(&near[k], mesh->point + 3 * i);
    }
}

static enum status find_part(struct hits *hits, const struct near *near, int count, const struct mesh *mesh,
                             const uint8_t *marked, int64_t first, int64_t end, struct error *error)
{
    const int stride = mesh->dimension + 1;
    void *hit = NULL;
    enum status status = STATUS_OK;
    for (int64_t e = first; e < end && !status; e++) {
        const int64_t node = mesh->vertex[e * stride];
        for (int k = 0; k < count && marked[node] && !status; k++) {
            if (!is_near(&near[k], mesh->point + 3 * node))
                continue;
            status = array_grow(&hit, &hits->room, hits->count, sizeof *hits->hit, what, error);
            if (!status)
                ((struct hit *)hit)[hits->count++] = (struct hit){(int32_t)e, k};
        }
    }
    hits->hit = hit;
    return status;
}

enum status near_find(struct near *near, int count, const struct mesh *mesh, struct error *error)
{
    struct hits part[PARTS] = {{0}};
    enum status status = STATUS_OK;
    for (int k = 0; k < count; k++)
        near[k].element = NULL;
    uint8_t *marked = array_new(mesh->nodes, sizeof *marked, what, &status, error);
    TRY(status);
    mark_nodes(marked, near, count, mesh);
#pragma omp parallel for schedule(static)
    for (int p = 0; p < PARTS; p++) {
        struct error inner = {0};
        enum status own = find_part(&part[p], near, count, mesh, marked, mesh->elements * p / PARTS,
                                    mesh->elements * (p + 1) / PARTS, &inner);
        error_first(&status, error, own, &inner);
    }
    free(marked);
    for (int k = 0; k < count; k++)
        near[k].elements = 0;
    for (int p = 0; p < PARTS; p++)
        for (int64_t i = 0; i < part[p].count; i++)
            near[part[p].hit[i].of].elements++;
    for (int k = 0; k < count; k++) {
        near[k].element = array_new(near[k].elements, sizeof *near[k].element, what, &status, error);
        near[k].elements = 0;
    }
    for (int p = 0; p < PARTS; p++) {
        for (int64_t i = 0; i < part[p].count && !status; i++) {
            struct near *of = &near[part[p].hit[i].of];
            of->element[of->elements++] = part[p].hit[i].element;
        }
        free(part[p].hit);
    }
    return status;
}

void near_free(struct near *near, int count)
{
    for (int k = 0; k < count; k++)
        free(near[k].element);
}

double near_extent(const struct mesh *mesh)
{
    double extent = 0;
#pragma omp parallel for schedule(static) reduction(max : extent)
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
        for (int c = 1; c < mesh_corners(mesh, e); c++)
            extent = fmax(extent, mesh_distance(mesh->point + 3 * (int64_t)vertex[0],
                                                mesh->point + 3 * (int64_t)vertex[c]));
    }
    return extent;
}
