/* environment_tags.c: resolve named tags, and mark the elements and nodes that have a tag. */
#include "app/problem/environment.h"

#include <string.h>

/* `all` is reserved: STATUS_INPUT if the mesh uses it as the name of only some of its elements */
static enum status check_all(const struct mesh *mesh, unsigned dimensions, struct error *error)
{
    const struct mesh_name *named;
    TRY(mesh_names_find(&mesh->names, "all", dimensions, &named, error));
    for (int64_t e = 0; named && e < mesh->elements; e++)
        if (mesh->tag[e] != named->tag || mesh_corners(mesh, e) != named->dimension + 1)
            return error_set(
                error, STATUS_INPUT,
                "all stands for all elements, and the mesh has a region of that name; write [all] "
                "for the region, or rename it");
    return STATUS_OK;
}

enum status environment_resolve_tags(const struct tag_list *tags, const struct mesh *mesh,
                                     struct error *error)
{
    const unsigned dimensions = mesh_dimensions(mesh);
    char names[400];
    if (tags->all)
        return check_all(mesh, dimensions, error);
    for (int k = 0; k < tags->count; k++) {
        const char *name = tags->name[k];
        const struct mesh_name *named = NULL;
        if (!name)
            TRY(mesh_names_check_number(&mesh->names, tags->tag[k], dimensions, error));
        else
            TRY(mesh_names_find(&mesh->names, name, dimensions, &named, error));
        mesh_names_list(&mesh->names, dimensions, names, sizeof names);
        if (name && !named)
            return error_set(error, STATUS_INPUT, "the mesh has no region '%.80s'; its regions: %s", name,
                             names);
        if (named) {
            tags->tag[k] = named->tag;
            tags->dimension[k] = (uint8_t)named->dimension;
        }
    }
    return STATUS_OK;
}

bool environment_tag_there(const struct tag_list *tags, int k, const struct mesh *mesh)
{
    for (int64_t e = 0; e < mesh->elements; e++)
        if (mesh->tag[e] == tags->tag[k] &&
            (tags->dimension[k] == 0 || mesh_corners(mesh, e) == tags->dimension[k] + 1))
            return true;
    return false;
}

void environment_mark_tags(uint8_t *tagged, const struct mesh *mesh, const struct tag_list *tags,
                           enum location location)
{
    const int corners = mesh->dimension + 1;
    bool listed = false;
    int before = 0;
    memset(tagged, tags->all, (size_t)(location == LOCATION_NODE ? mesh->nodes : mesh->elements));
    if (tags->all)
        return;
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int own = mesh_corners(mesh, e);
        if (own != before || mesh->tag[e] != mesh->tag[e - 1])
            listed = config_tag_listed(tags, mesh->tag[e], own - 1);
        before = own;
        if (location == LOCATION_ELEMENT)
            tagged[e] = listed;
        for (int c = 0; location == LOCATION_NODE && listed && c < corners; c++)
            tagged[mesh->vertex[e * corners + c]] = 1;
    }
}
