/* heart.c: surfaces by mark, list or shape, and what is laid between them. */
#include "app/run/heart.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/run/selection.h"
#include "kernels/base/array.h"
#include "solver/mesh/ellipsoid.h"
#include "solver/mesh/fibers.h"

static enum status add_list(uint8_t *on, const struct mesh *mesh, const char *path,
                            enum heart_surface surface, struct error *error)
{
    enum status status = STATUS_OK;
    uint8_t *chosen = array_zeroed(mesh->nodes, sizeof *chosen, "a surface", &status, error);
    TRY(selection_list(path, mesh->nodes, chosen, error));
    for (int64_t i = 0; i < mesh->nodes && !status; i++)
        on[i] |= (uint8_t)(chosen[i] << surface);
    free(chosen);
    return status;
}

static enum status find(uint8_t *on, const struct mesh *mesh, const struct config_mesh *from,
                        struct error *error)
{
    if (from->kind != MESH_KIND_ELLIPSOID)
        return heart_surfaces_find(on, mesh, error);
    enum status status = heart_surfaces_mark(on, mesh, HEART_BASE, ELLIPSOID_BASE, error);
    TRY(heart_surfaces_mark(on, mesh, HEART_EPI, ELLIPSOID_EPI, error));
    TRY(heart_surfaces_mark(on, mesh, HEART_LV, ELLIPSOID_LV, error));
    return status;
}

enum status heart_surfaces(uint8_t **on, const struct mesh *mesh, const struct config_mesh *from,
                           struct error *error)
{
    bool given = false;
    enum status status = STATUS_OK;
    *on = array_zeroed(mesh->nodes, sizeof **on, "the surfaces", &status, error);
    for (int s = 0; s < HEART_SURFACES && !status; s++) {
        const struct config_surface *surface = &from->surface[s];
        given = given || surface->mark || surface->nodes;
        if (surface->nodes)
            status = add_list(*on, mesh, surface->nodes, (enum heart_surface)s, error);
        else if (surface->mark)
            status = heart_surfaces_mark(*on, mesh, (enum heart_surface)s, surface->mark, error);
    }
    if (!status && !given)
        status = find(*on, mesh, from, error);
    if (status) {
        free(*on);
        *on = NULL;
    }
    return status;
}

enum status heart_fibers(struct mesh *mesh, const struct config *config, struct error *error)
{
    uint8_t *on;
    int64_t filled;
    enum status status = heart_surfaces(&on, mesh, &config->mesh, error);
    TRY(ldrb_fibers(mesh, on, &config->tissue.ldrb, error));
    TRY(mesh_fill_fibers(mesh, &filled, error));
    free(on);
    return status;
}
