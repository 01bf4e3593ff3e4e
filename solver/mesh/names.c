/* names.c: a list of names. */
#include "solver/mesh/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

const int32_t *mesh_names_find(const struct mesh_names *names, const char *name, int dimension)
{
    for (int k = 0; k < names->count; k++)
        if (names->item[k].dimension == dimension && strcmp(names->item[k].name, name) == 0)
            return &names->item[k].tag;
    return NULL;
}

const char *mesh_names_of(const struct mesh_names *names, int dimension, int32_t tag)
{
    for (int k = 0; k < names->count; k++)
        if (names->item[k].dimension == dimension && names->item[k].tag == tag)
            return names->item[k].name;
    return NULL;
}

enum status mesh_names_add(struct mesh_names *names, const char *name, int dimension, int32_t tag,
                           struct error *error)
{
    enum status status = STATUS_OK;
    if (mesh_names_find(names, name, dimension))
        return STATUS_OK;
    size_t room = (size_t)names->count + 1, length = strlen(name) + 1;
    struct mesh_name *item = realloc(names->item, room * sizeof *item);
    if (!item)
        return error_memory(error, "the names of the mesh", (double)(room * sizeof *item));
    names->item = item;
    char *own = array_new((int64_t)length, 1, "the names of the mesh", &status, error);
    TRY(status);
    memcpy(own, name, length);
    item[names->count++] = (struct mesh_name){own, dimension, tag};
    return STATUS_OK;
}

void mesh_names_list(const struct mesh_names *names, int dimension, char *text, int room)
{
    int used = 0;
    snprintf(text, (size_t)room, "none");
    for (int k = 0; k < names->count; k++) {
        if (names->item[k].dimension != dimension)
            continue;
        if (used + (int)strlen(names->item[k].name) + 8 > room) {
            snprintf(text + used, (size_t)(room - used), ", ...");
            return;
        }
        used += snprintf(text + used, (size_t)(room - used), "%s%s", used ? ", " : "", names->item[k].name);
    }
}

enum status mesh_names_copy(struct mesh_names *to, const struct mesh_names *from, struct error *error)
{
    for (int k = 0; k < from->count; k++)
        TRY(mesh_names_add(to, from->item[k].name, from->item[k].dimension, from->item[k].tag, error));
    return STATUS_OK;
}

void mesh_names_free(struct mesh_names *names)
{
    for (int k = 0; k < names->count; k++)
        free(names->item[k].name);
    free(names->item);
    *names = (struct mesh_names){0};
}
