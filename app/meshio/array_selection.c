/* array_selection.c: finds arrays by the names that a config gives, or by customary names. */
#include "app/meshio/array_selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/suggest.h"

static const char *const tag_names[] = {"region", "elemTag", "gmsh:physical", NULL};
static const char *const fiber_names[] = {"fiber", "fibers", "fibre", "fibres", NULL};
static const char *const sheet_names[] = {"sheet", "sheets", NULL};

/* Whether `name` is the requested name or, if none is requested, a customary one */
static bool matches(const char *asked, const char *const *custom, const char *name)
{
    if (asked)
        return strcmp(name, asked) == 0;
    while (*custom && strcmp(name, *custom) != 0)
        custom++;
    return *custom != NULL;
}

static bool is_field(const struct array_selection *selection, const char *name)
{
    for (int k = 0; k < selection->names; k++)
        if (strcmp(selection->name[k], name) == 0)
            return true;
    return false;
}

bool array_selection_has(const struct array_selection *selection, const char *name, int components)
{
    return selection->all || is_field(selection, name) ||
           (components == 1 && matches(selection->tags, tag_names, name)) ||
           array_selection_is_direction(selection, name, components);
}

bool array_selection_names(const struct array_selection *selection, const char *name)
{
    const char *const asked[] = {selection->tags, selection->fibers, selection->sheets};
    for (int k = 0; k < 3; k++)
        if (asked[k] && strcmp(asked[k], name) == 0)
            return true;
    return is_field(selection, name);
}

bool array_selection_is_direction(const struct array_selection *selection, const char *name, int components)
{
    return components == 3 &&
           (matches(selection->fibers, fiber_names, name) || matches(selection->sheets, sheet_names, name));
}

/* STATUS_INPUT, "PATH: there is no array 'fibre' (did you mean 'fiber'?); arrays: fiber (3), angle" */
static enum status missing_array(const struct mesh_fields *fields, const char *asked, const char *path,
                                 struct error *error)
{
    char names[600];
    struct suggestion suggestion = suggest_for(asked);
    for (int f = 0; f < fields->count; f++)
        suggest_try(&suggestion, fields->item[f].name);
    mesh_fields_names(fields, names, sizeof names);
    return error_set(error, STATUS_INPUT, "%s: there is no array '%.80s'%s; arrays: %s", path, asked,
                     suggest_hint(&suggestion), names);
}

/* *found <- the requested field, which must exist, or else a customary one with that many components; NULL = none, or
 * it was not read */
static enum status find_field(struct mesh_field **found, const struct mesh_fields *fields, const char *asked,
                              const char *const *custom, int components, const char *path,
                              struct error *error)
{
    *found = NULL;
    for (int k = 0; !asked && custom[k] && !*found; k++) {
        *found = mesh_fields_find(fields, custom[k], LOCATION_NONE);
        if (*found && (*found)->components != components)
            *found = NULL;
    }
    if (!asked)
        return STATUS_OK;
    *found = mesh_fields_find(fields, asked, LOCATION_NONE);
    if (!*found)
        return missing_array(fields, asked, path, error);
    if ((*found)->components != components)
        return error_set(error, STATUS_INPUT, "%s: the array '%.80s' has %d component%s, not %d", path, asked,
                         (*found)->components, (*found)->components == 1 ? "" : "s", components);
    return STATUS_OK;
}

struct mesh_field *array_selection_tag_field(const struct array_selection *selection,
                                             const struct mesh_fields *fields)
{
    struct mesh_field *field;
    enum status status = find_field(&field, fields, selection->tags, tag_names, 1, "", NULL);
    return status || !field || field->location != LOCATION_ELEMENT || !field->value ? NULL : field;
}

enum status array_selection_tags(const struct mesh_field *field, int64_t count, int32_t *tag,
                                 const char *path, struct error *error)
{
    for (int64_t i = 0; i < count; i++) {
        double value = field->value[i];
        if (!(fabs(value) <= INT32_MAX) || value != floor(value))
            return error_set(error, STATUS_INPUT,
                             "%s: the array '%.80s' holds the tags, but %.17g of element %lld is not a whole "
                             "number of 32 bits",
                             path, field->name, value, (long long)i);
        tag[i] = (int32_t)value;
    }
    return STATUS_OK;
}

/* *to <- the values of a field, which loses them unless it is kept */
static enum status select_values(double **to, struct mesh_field *field,
                                 const struct array_selection *selection, int64_t rows, struct error *error)
{
    enum status status = STATUS_OK;
    free(*to);
    *to = field->value;
    if (!is_field(selection, field->name)) {
        field->value = NULL;
        return STATUS_OK;
    }
    *to = array_new(3 * rows, sizeof **to, "the fibres", &status, error);
    if (*to)
        memcpy(*to, field->value, 3 * (size_t)rows * sizeof **to);
    return status;
}

/* Fields selected for fibres and sheets replace the format's own. If only one of the two is selected, the
 * format's other one stays, provided that it is at the same location. */
static enum status apply_directions(const struct array_selection *selection, struct mesh *mesh,
                                    const char *path, struct error *error)
{
    struct mesh_field *fiber, *sheet;
    TRY(find_field(&fiber, &mesh->fields, selection->fibers, fiber_names, 3, path, error));
    TRY(find_field(&sheet, &mesh->fields, selection->sheets, sheet_names, 3, path, error));
    enum location location = fiber && fiber->value ? fiber->location : mesh->fiber_location;
    struct mesh_field *beside = sheet ? mesh_fields_find(&mesh->fields, sheet->name, location) : NULL;
    sheet = beside ? beside : sheet;
    bool sheets = sheet && sheet->value && (location || selection->sheets);
    if (sheets && !location)
        return error_set(error, STATUS_INPUT, "%s: sheets without fibres", path);
    if (sheets && sheet->location != location)
        return error_set(error, STATUS_INPUT,
                         "%s: fibre and sheet must both be given at nodes or both at elements", path);
    int64_t rows = location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    if (mesh->fiber_location != location) {
        free(mesh->sheet);
        mesh->sheet = NULL;
    }
    if (fiber && fiber->value)
        TRY(select_values(&mesh->fiber, fiber, selection, rows, error));
    if (sheets)
        TRY(select_values(&mesh->sheet, sheet, selection, rows, error));
    mesh->fiber_location = location;
    return STATUS_OK;
}

enum status array_selection_apply(const struct array_selection *selection, struct mesh *mesh,
                                  const char *path, struct error *error)
{
    struct mesh_field *tags;
    TRY(find_field(&tags, &mesh->fields, selection->tags, tag_names, 1, path, error));
    if (tags && tags->location != LOCATION_ELEMENT) {
        if (selection->tags)
            return error_set(error, STATUS_INPUT,
                             "%s: the array '%.80s' is at nodes; tags must be at elements", path, tags->name);
        tags = NULL;
    }
    if (tags && tags->value) {
        TRY(array_selection_tags(tags, mesh->elements, mesh->tag, path, error));
        if (!is_field(selection, tags->name)) {
            free(tags->value);
            tags->value = NULL;
        }
    }
    return apply_directions(selection, mesh, path, error);
}
