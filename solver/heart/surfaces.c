/* surfaces.c: patches of the boundary, classified by area, flatness and roundness. */
#include "solver/heart/surfaces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/base/vec3.h"
#include "solver/mesh/surface.h"

static const double TURN = 0.6427876096865394; /* cos 50 degrees */
static const double FLAT = 0.9;

struct patch {
    double area, normal[3], centre[3]; /* sums over its faces, areas doubled; centre / area once summed */
    double inward;                     /* sum of the normals' components towards the centre */
};

const char *heart_surface_name(enum heart_surface surface)
{
    static const char *const name[] = {"base", "epi", "lv", "rv", "apex"};
    return name[surface];
}

int64_t heart_surfaces_count(const uint8_t *on, int64_t nodes, enum heart_surface surface)
{
    int64_t count = 0;
    for (int64_t i = 0; i < nodes; i++)
        count += on[i] >> surface & 1;
    return count;
}

/* text <- "1, 2, 4" */
static void list_marks(const struct mesh *mesh, char *text, size_t room)
{
    int64_t last = INT64_MIN;
    text[0] = '\0';
    for (int shown = 0; shown < 20; shown++) {
        int64_t next = INT64_MAX;
        for (int64_t f = 0; f < mesh->faces; f++)
            if (mesh->mark[f] > last && mesh->mark[f] < next)
                next = mesh->mark[f];
        if (next == INT64_MAX)
            break;
        printed_item(text, room, "%lld", (long long)next);
        last = next;
    }
}

enum status heart_surfaces_mark(uint8_t *on, const struct mesh *mesh, enum heart_surface surface,
                                int32_t mark, struct error *error)
{
    char marks[200];
    int64_t found = 0;
    for (int64_t f = 0; f < mesh->faces; f++)
        for (int c = 0; mesh->mark[f] == mark && c < mesh->dimension; c++, found++)
            on[mesh->face[f * mesh->dimension + c]] |= (uint8_t)(1 << surface);
    if (found)
        return STATUS_OK;
    list_marks(mesh, marks, sizeof marks);
    return error_set(error, STATUS_INPUT, "no face of the mesh has mark %d (%s); it has %s%s", (int)mark,
                     heart_surface_name(surface), mesh->faces ? "the marks " : "no marked faces", marks);
}

static void centroid(const struct mesh_surface *surface, const struct mesh *mesh, int64_t f, double centre[3])
{
    for (int d = 0; d < 3; d++) {
        centre[d] = 0;
        for (int c = 0; c < 3; c++)
            centre[d] += mesh->point[3 * (int64_t)surface->face[3 * f + c] + d] / 3;
    }
}

/* patch[surface->patches] <- the sums over their faces */
static void measure(struct patch *patch, const struct mesh_surface *surface, const struct mesh *mesh)
{
    double normal[3], centre[3];
    for (int64_t f = 0; f < surface->faces; f++) {
        if (surface->patch[f] < 0)
            continue;
        struct patch *p = patch + surface->patch[f];
        mesh_surface_normal(surface, mesh, f, normal);
        centroid(surface, mesh, f, centre);
        double area = vec3_length(normal);
        p->area += area;
        for (int d = 0; d < 3; d++) {
            p->normal[d] += normal[d];
            p->centre[d] += area * centre[d];
        }
    }
    for (int k = 0; k < surface->patches; k++)
        for (int d = 0; d < 3; d++)
            patch[k].centre[d] /= patch[k].area;
    for (int64_t f = 0; f < surface->faces; f++) {
        if (surface->patch[f] < 0)
            continue;
        struct patch *p = patch + surface->patch[f];
        mesh_surface_normal(surface, mesh, f, normal);
        centroid(surface, mesh, f, centre);
        vec3_between(centre, centre, p->centre);
        double far = vec3_length(centre);
        for (int d = 0; d < 3; d++)
            p->inward += far > 0 ? normal[d] * centre[d] / far : 0;
    }
}

static void put(uint8_t *on, const struct mesh_surface *surface, int64_t face, enum heart_surface which)
{
    for (int c = 0; c < 3; c++)
        on[surface->face[3 * face + c]] |= (uint8_t)(1 << which);
}

/* base[face] <- whether the face is in a flat patch; returns the number of these faces */
static int64_t find_base(uint8_t *on, uint8_t *base, const struct mesh_surface *surface,
                         const struct patch *patch)
{
    int64_t found = 0;
    for (int64_t f = 0; f < surface->faces; f++) {
        const struct patch *p = patch + surface->patch[f];
        base[f] = vec3_length(p->normal) > FLAT * p->area;
        found += base[f];
        if (base[f])
            put(on, surface, f, HEART_BASE);
    }
    return found;
}

/* Classifies the other patches. Those with less than 1 % of the largest one's area are neither epi- nor
 * endocardium. */
static enum status name_walls(uint8_t *on, const struct mesh_surface *surface, const struct patch *patch,
                              struct error *error)
{
    int wall[3] = {-1, -1, -1}, count = 0;
    double largest = 0;
    for (int k = 0; k < surface->patches; k++)
        largest = fmax(largest, patch[k].area);
    for (int k = 0; k < surface->patches; k++) {
        if (patch[k].area < 0.01 * largest)
            continue;
        if (count < 3)
            wall[count] = k;
        count++;
    }
    if (count < 2 || count > 3)
        return error_set(error, STATUS_INPUT,
                         "besides the flat base the boundary has %d part%s; one epicardium and one or two "
                         "endocardia are required: name the surfaces",
                         count, count == 1 ? "" : "s");
    for (int k = 1; k < count; k++)
        if (patch[wall[k]].area > patch[wall[0]].area) {
            int swapped = wall[0];
            wall[0] = wall[k];
            wall[k] = swapped;
        }
    if (count == 3 &&
        patch[wall[2]].inward * patch[wall[1]].area > patch[wall[1]].inward * patch[wall[2]].area) {
        int swapped = wall[1];
        wall[1] = wall[2];
        wall[2] = swapped;
    }
    for (int64_t f = 0; f < surface->faces; f++)
        for (int k = 0; k < count; k++)
            if (surface->patch[f] == wall[k])
                put(on, surface, f, HEART_EPI + k);
    return STATUS_OK;
}

enum status heart_surfaces_find(uint8_t *on, const struct mesh *mesh, struct error *error)
{
    struct mesh_surface surface;
    struct patch *patch = NULL;
    uint8_t *base = NULL;
    if (mesh->dimension != 3)
        return error_set(error, STATUS_INPUT, "a ventricle's surfaces are found on tetrahedra only");
    TRY(mesh_surface_create(&surface, mesh, NULL, error));
    enum status status = STATUS_OK;
    memset(on, 0, (size_t)mesh->nodes);
    TRY_DONE(mesh_surface_split(&surface, mesh, TURN, NULL, error));
    base = array_zeroed(surface.faces, sizeof *base, "the surfaces", &status, error);
    patch = array_zeroed(surface.faces, sizeof *patch, "the surfaces", &status, error);
    TRY_DONE(status);
    measure(patch, &surface, mesh);
    if (find_base(on, base, &surface, patch) == 0) {
        status = error_set(error, STATUS_INPUT,
                           "the boundary has no flat part that ends in a sharp edge and could be the base: "
                           "name the surfaces");
        goto done;
    }
    TRY_DONE(mesh_surface_split(&surface, mesh, -2, base, error));
    memset(patch, 0, (size_t)surface.faces * sizeof *patch);
    measure(patch, &surface, mesh);
    status = name_walls(on, &surface, patch, error);
done:
    free(base);
    free(patch);
    mesh_surface_free(&surface);
    return status;
}
