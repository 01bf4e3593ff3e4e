/* heart.c: find surfaces by mark, list or shape. */
#include "app/problem/heart.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/problem/node_list.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"

static enum status add_list(uint8_t *on, const struct mesh *mesh, const char *path,
                            enum heart_surface surface, struct error *error)
{
    enum status status = STATUS_OK;
    uint8_t *chosen = array_zeroed(mesh->nodes, sizeof *chosen, "a surface", &status, error);
    if (!status)
        status = node_list_read(path, mesh->nodes, chosen, error);
    for (int64_t i = 0; i < mesh->nodes && !status; i++)
        on[i] |= (uint8_t)(chosen[i] << surface);
    free(chosen);
    return status;
}

/* text <- which marks the mesh's faces have, as mesh.surfaces names them; "" where they have none */
static const char *marks_hint(const struct mesh *mesh, char *text, size_t size)
{
    enum { MOST = 12 };
    int32_t mark[MOST];
    int marks = 0;
    text[0] = 0;
    for (int64_t f = 0; f < mesh->faces && marks < MOST; f++) {
        int k = 0;
        while (k < marks && mark[k] != mesh->mark[f])
            k++;
        if (k == marks)
            mark[marks++] = mesh->mark[f];
    }
    for (int k = 0; k < marks; k++)
        printed_add(text, size, "%s%d", k ? ", " : ". Its faces have the marks ", (int)mark[k]);
    if (marks)
        printed_add(text, size, "%s: name them as in mesh.surfaces: {base: %d, epi: %d, lv: %d}",
                    marks == MOST ? ", ..." : "", (int)mark[0], (int)mark[marks > 1],
                    (int)mark[marks > 2 ? 2 : 0]);
    return text;
}

/* Those that the mesh names; where it names none, by shape */
static enum status find_surfaces(uint8_t *on, const struct mesh *mesh, struct error *error)
{
    bool named = false;
    char marks[300];
    enum status status = STATUS_OK;
    for (int s = 0; s < HEART_SURFACES && !status; s++) {
        enum heart_surface surface = (enum heart_surface)s;
        const struct mesh_name *found;
        status = mesh_names_find(&mesh->names, heart_surface_name(surface), 1u << (mesh->dimension - 1),
                                 &found, error);
        named = named || found;
        if (found)
            status = heart_surfaces_mark(on, mesh, surface, found->tag, error);
    }
    if (status || named)
        return status;
    struct error found = {0};
    status = heart_surfaces_find(on, mesh, &found);
    return status ? error_set(error, status, "%s%s", found.text, marks_hint(mesh, marks, sizeof marks))
                  : STATUS_OK;
}

/* The nodes of a surface that is given: its mark, its name in the mesh, or a list of nodes */
static enum status add_surface(uint8_t *on, const struct mesh *mesh, const struct config_surface *from,
                               enum heart_surface surface, struct error *error)
{
    char names[400];
    if (from->nodes)
        return add_list(on, mesh, from->nodes, surface, error);
    const unsigned faces = 1u << (mesh->dimension - 1);
    const struct mesh_name *found = NULL;
    if (from->name)
        TRY(mesh_names_find(&mesh->names, from->name, faces, &found, error));
    else
        TRY(mesh_names_check_number(&mesh->names, from->mark, faces, error));
    if (found || !from->name)
        return heart_surfaces_mark(on, mesh, surface, found ? found->tag : from->mark, error);
    mesh_names_list(&mesh->names, faces, names, sizeof names);
    return error_set(error, STATUS_INPUT, "the mesh has no surface '%.80s'; surfaces found: %s", from->name,
                     names);
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
        status = find_surfaces(*on, mesh, error);
    if (status) {
        free(*on);
        *on = NULL;
    }
    return status;
}
