/* fields.c: a list of named arrays. */
#include "solver/mesh/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

/* Room for one more, doubling at powers of two */
static enum status grow(struct mesh_fields *fields, struct error *error)
{
    if (fields->count & (fields->count - 1))
        return STATUS_OK;
    size_t room = fields->count ? 2 * (size_t)fields->count : 1;
    struct mesh_field *item = realloc(fields->item, room * sizeof *item);
    if (!item)
        return error_memory(error, "the arrays of the mesh", (double)(room * sizeof *item));
    fields->item = item;
    return STATUS_OK;
}

enum status mesh_fields_add(struct mesh_fields *fields, const char *name, enum location location,
                            int components, double *value, struct error *error)
{
    enum status status = grow(fields, error);
    size_t length = strlen(name) + 1;
    char *own = array_new((int64_t)length, 1, "the arrays of the mesh", &status, error);
    if (status) {
        free(value);
        return status;
    }
    memcpy(own, name, length);
    fields->item[fields->count++] = (struct mesh_field){own, location, components, value};
    return STATUS_OK;
}

struct mesh_field *mesh_fields_find(const struct mesh_fields *fields, const char *name,
                                    enum location location)
{
    struct mesh_field *found = NULL;
    for (int f = 0; f < fields->count; f++) {
        struct mesh_field *field = fields->item + f;
        if (strcmp(field->name, name) == 0 && (location == LOCATION_NONE || field->location == location) &&
            (!found || field->location == LOCATION_ELEMENT))
            found = field;
    }
    return found;
}

void mesh_fields_free(struct mesh_fields *fields)
{
    for (int f = 0; f < fields->count; f++) {
        free(fields->item[f].name);
        free(fields->item[f].value);
    }
    free(fields->item);
    *fields = (struct mesh_fields){0};
}

void mesh_fields_names(const struct mesh_fields *fields, char *text, int room)
{
    int used = snprintf(text, (size_t)room, "%s", fields->count ? "" : "none");
    for (int f = 0; f < fields->count; f++) {
        const struct mesh_field *field = fields->item + f;
        char one[120], components[16] = "";
        if (field->components > 1)
            snprintf(components, sizeof components, " (%d)", field->components);
        int length = snprintf(one, sizeof one, "%s%.80s%s", f ? ", " : "", field->name, components);
        if (used + length + 6 > room) {
            snprintf(text + used, (size_t)(room - used), ", ...");
            return;
        }
        used += snprintf(text + used, (size_t)(room - used), "%s", one);
    }
}

enum status mesh_fields_select(struct mesh_fields *to, const struct mesh_fields *from, struct mesh_rows nodes,
                               struct mesh_rows elements, struct error *error)
{
    enum status status = STATUS_OK;
    *to = (struct mesh_fields){0};
    for (int f = 0; f < from->count; f++) {
        const struct mesh_field *field = from->item + f;
        struct mesh_rows rows = field->location == LOCATION_NODE ? nodes : elements;
        size_t size = (size_t)field->components * sizeof(double);
        if (!field->value || rows.count == 0)
            continue;
        double *value = array_new(rows.count, size, field->name, &status, error);
        TRY(status);
        for (int64_t i = 0; i < rows.count; i++)
            memcpy(value + i * field->components,
                   field->value + (rows.row ? rows.row[i] : i) * field->components, size);
        TRY(mesh_fields_add(to, field->name, field->location, field->components, value, error));
    }
    return STATUS_OK;
}
