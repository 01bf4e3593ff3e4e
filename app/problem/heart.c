/* heart.c: surfaces by mark, list or shape. */
#include "app/problem/heart.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/problem/node_list.h"
#include "kernels/base/array.h"

static enum status add_list(uint8_t *on, const struct mesh *mesh, const char *path,
                            enum heart_surface surface, struct error *error)
{
    enum status status = STATUS_OK;
    uint8_t *chosen = array_zeroed(mesh->nodes, sizeof *chosen, "a surface", &status, error);
    AND(node_list_read(path, mesh->nodes, chosen, error));
    for (int64_t i = 0; i < mesh->nodes && !status; i++)
        on[i] |= (uint8_t)(chosen[i] << surface);
    free(chosen);
    return status;
}

/* Those that the mesh names; where it names none, by shape */
static enum status find(uint8_t *on, const struct mesh *mesh, struct error *error)
{
    bool named = false;
    enum status status = STATUS_OK;
    for (int s = 0; s < HEART_SURFACES && !status; s++) {
        enum heart_surface surface = (enum heart_surface)s;
        const int32_t *mark = mesh_names_find(&mesh->names, heart_surface_name(surface), mesh->dimension - 1);
        named = named || mark;
        if (mark)
            status = heart_surfaces_mark(on, mesh, surface, *mark, error);
    }
    return status || named ? status : heart_surfaces_find(on, mesh, error);
}

/* The nodes of a surface that is given: its mark, its name in the mesh, or a list of nodes */
static enum status add_surface(uint8_t *on, const struct mesh *mesh, const struct config_surface *from,
                               enum heart_surface surface, struct error *error)
{
    char names[400];
    if (from->nodes)
        return add_list(on, mesh, from->nodes, surface, error);
    const int32_t *mark =
        from->name ? mesh_names_find(&mesh->names, from->name, mesh->dimension - 1) : &from->mark;
    if (mark)
        return heart_surfaces_mark(on, mesh, surface, *mark, error);
    mesh_names_list(&mesh->names, mesh->dimension - 1, names, sizeof names);
    return error_set(error, STATUS_INPUT, "the mesh has no surface '%.80s'; it names: %s", from->name, names);
}

enum status heart_surfaces(uint8_t **on, const struct mesh *mesh, const struct config_mesh *from,
                           struct error *error)
{
    bool given = false;
    enum status status = STATUS_OK;
    *on = array_zeroed(mesh->nodes, sizeof **on, "the surfaces", &status, error);
    for (int s = 0; s < HEART_SURFACES && !status; s++) {
        const struct config_surface *surface = &from->surface[s];
        if (!surface->mark && !surface->name && !surface->nodes)
            continue;
        given = true;
        status = add_surface(*on, mesh, surface, (enum heart_surface)s, error);
    }
    if (!status && !given)
        status = find(*on, mesh, error);
    if (status) {
        free(*on);
        *on = NULL;
    }
    return status;
}
