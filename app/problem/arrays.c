/* arrays.c: check the length of each array and copy it to the mesh. */
#include "app/problem/arrays.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

static enum status copy_values(double **to, const struct config_array *array, struct error *error)
{
    enum status status = STATUS_OK;
    *to = array_new(array->values, sizeof **to, "an array", &status, error);
    if (!status)
        memcpy(*to, array->value, (size_t)array->values * sizeof **to);
    return status;
}

/* *location <- where the values are: at nodes, if there are as many of these as of elements */
static enum status find_location(enum location *location, const struct mesh *mesh,
                                 const struct config_array *array, struct error *error)
{
    int64_t rows = array->values / array->components;
    *location = rows == mesh->nodes ? LOCATION_NODE : LOCATION_ELEMENT;
    if (rows * array->components == array->values && (rows == mesh->nodes || rows == mesh->elements))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "array '%.60s' has %lld values; with %d for each, the mesh needs %lld (nodes) or %lld "
                     "(elements)",
                     array->name, (long long)array->values, array->components,
                     (long long)(mesh->nodes * array->components),
                     (long long)(mesh->elements * array->components));
}

static enum status add_array(struct mesh *mesh, const struct config_array *array, struct error *error)
{
    enum location location;
    double *value;
    TRY(find_location(&location, mesh, array, error));
    if (mesh_fields_find(&mesh->fields, array->name, LOCATION_NODE) ||
        mesh_fields_find(&mesh->fields, array->name, LOCATION_ELEMENT))
        return error_set(error, STATUS_INPUT,
                         "array '%.60s': the mesh file has an array of that name; choose another one",
                         array->name);
    TRY(copy_values(&value, array, error));
    return mesh_fields_add(&mesh->fields, array->name, location, array->components, value, error);
}

/* *to <- a direction at each node or element, for mesh.fibers or mesh.sheets */
static enum status take_directions(double **to, struct mesh *mesh, const struct config_array *array,
                                   struct error *error)
{
    enum location location;
    if (array->components != 3)
        return error_set(error, STATUS_INPUT, "array '%.60s' is used as directions, which have 3 components",
                         array->name);
    TRY(find_location(&location, mesh, array, error));
    if (to == &mesh->sheet && mesh->fiber_location != location)
        return error_set(error, STATUS_INPUT,
                         "array '%.60s': fibres and sheets must both be given at nodes or both at elements",
                         array->name);
    if (mesh->fiber_location != location) {
        free(mesh->sheet);
        mesh->sheet = NULL;
    }
    mesh->fiber_location = location;
    free(*to);
    return copy_values(to, array, error);
}

enum status arrays_add(struct mesh *mesh, const struct config *config, struct error *error)
{
    const struct config_array *fibers = config_array_find(config, config->mesh.fibers),
                              *sheets = config_array_find(config, config->mesh.sheets);
    for (int k = 0; k < config->arrays; k++)
        TRY(add_array(mesh, &config->array[k], error));
    if (fibers)
        TRY(take_directions(&mesh->fiber, mesh, fibers, error));
    return sheets ? take_directions(&mesh->sheet, mesh, sheets, error) : STATUS_OK;
}
