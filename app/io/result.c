/* result.c: the arrays of a result file, listed when it is opened and read one frame at a time. */
#include "app/io/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/io/format.h"
#include "app/io/vtkhdf_mesh.h"
#include "kernels/base/array.h"

#define OFFSETS "/VTKHDF/Steps/PointDataOffsets/"

static void path_of(const struct result_array *array, char *path, size_t room)
{
    snprintf(path, room, "/VTKHDF/%s/%s", array->cell ? "CellData" : "PointData", array->name);
}

static enum status read_times(struct result *result, struct error *error)
{
    static const char name[] = "/VTKHDF/Steps/Values";
    int64_t steps = 0;
    struct h5_array array;
    if (!h5_exists(&result->file, name))
        return STATUS_OK; /* a mesh alone */
    enum status status = h5_array_open(&array, &result->file, name, true, 1, error);
    if (!status && (!h5_get_integer(&result->file, "/VTKHDF/Steps", "NSteps", &steps) || steps < 0))
        status = error_set(error, STATUS_INPUT, "%s: NSteps is missing or wrong", result->file.path);
    result->frames = status ? 0 : array.values < steps ? array.values : steps;
    result->time = array_new(result->frames, sizeof *result->time, "the times of a result", &status, error);
    TRY(h5_array_slice(&array, &result->file, name, H5T_NATIVE_DOUBLE, 0, result->frames, result->time,
                       error));
    h5_array_close(&array);
    return status;
}

static enum status add(struct result *result, const struct result_array *array, struct error *error)
{
    if (result->arrays == result->room) {
        int room = result->room ? 2 * result->room : 16;
        void *more = realloc(result->array, (size_t)room * sizeof *result->array);
        if (!more)
            return error_memory(error, "the arrays of a result", room * (double)sizeof *array);
        result->array = more;
        result->room = room;
    }
    result->array[result->arrays++] = *array;
    return STATUS_OK;
}

/* Opens as real, else as integers. */
static enum status open_any(struct h5_array *open, struct h5_file *file, const char *path,
                            struct error *error)
{
    return h5_array_open(open, file, path, true, 0, NULL) ? h5_array_open(open, file, path, false, 0, error)
                                                          : STATUS_OK;
}

struct listing {
    struct result *result;
    bool cell;
};

static enum status visit(void *context, const char *name, struct error *error)
{
    const struct listing *listing = context;
    struct result *result = listing->result;
    struct result_array array = {.cell = listing->cell};
    char path[160], offsets[160];
    struct h5_array open;
    if (strlen(name) >= sizeof array.name)
        return error_set(error, STATUS_INPUT, "%s: the name %.40s... is too long", result->file.path, name);
    strcpy(array.name, name);
    path_of(&array, path, sizeof path);
    snprintf(offsets, sizeof offsets, OFFSETS "%s", name);
    enum status status = open_any(&open, &result->file, path, error);
    if (status)
        return status;
    array.in_time = !listing->cell && h5_exists(&result->file, offsets);
    array.real = open.real;
    array.width = open.rank == 2 ? (int64_t)open.dim[1] : 1;
    int64_t rows = listing->cell ? result->mesh.elements : result->mesh.nodes;
    if (open.rank > 2 || (array.in_time && open.rank != 1) ||
        (!array.in_time && (int64_t)open.dim[0] != rows))
        status = error_set(error, STATUS_INPUT, "%s: %s has not one row for each of the %lld %s",
                           result->file.path, path, (long long)rows, listing->cell ? "cells" : "points");
    h5_array_close(&open);
    if (!h5_get_text(&result->file, path, "variable", array.variable, sizeof array.variable))
        strcpy(array.variable, array.name);
    h5_get_text(&result->file, path, "unit", array.unit, sizeof array.unit);
    return status ? status : add(result, &array, error);
}

enum status result_open(struct result *result, const char *path, struct error *error)
{
    *result = (struct result){0};
    enum status status = h5_open(&result->file, path, false, error);
    TRY(format_check_result(&result->file, false, error));
    TRY(vtkhdf_mesh_get(&result->file, &result->mesh, error));
    TRY(read_times(result, error));
    struct listing points = {result, false}, cells = {result, true};
    if (!status && h5_exists(&result->file, "/VTKHDF/PointData"))
        status = h5_each(&result->file, "/VTKHDF/PointData", visit, &points, error);
    if (!status && h5_exists(&result->file, "/VTKHDF/CellData"))
        status = h5_each(&result->file, "/VTKHDF/CellData", visit, &cells, error);
    if (status)
        result_close(result);
    return status;
}

void result_close(struct result *result)
{
    h5_close(&result->file, NULL);
    mesh_free(&result->mesh);
    free(result->time);
    free(result->array);
    *result = (struct result){0};
}

int result_find(const struct result *result, const char *name)
{
    for (int k = 0; k < result->arrays; k++)
        if (strcmp(result->array[k].name, name) == 0 || strcmp(result->array[k].variable, name) == 0)
            return k;
    return -1;
}

int64_t result_values(const struct result *result, int k)
{
    return (result->array[k].cell ? result->mesh.elements : result->mesh.nodes) * result->array[k].width;
}

/* *first <- where frame `frame` of the array begins */
static enum status read_offset(struct result *result, const struct result_array *array, int64_t frame,
                               int64_t *first, struct error *error)
{
    char path[160];
    struct h5_array open;
    snprintf(path, sizeof path, OFFSETS "%s", array->name);
    enum status status = h5_array_open(&open, &result->file, path, false, 1, error);
    TRY(h5_array_slice(&open, &result->file, path, H5T_NATIVE_INT64, frame, 1, first, error));
    h5_array_close(&open);
    return status;
}

enum status result_get(struct result *result, int k, int64_t frame, double *value, struct error *error)
{
    const struct result_array *array = &result->array[k];
    char path[160];
    struct h5_array open;
    int64_t first = 0;
    enum status status = array->in_time ? read_offset(result, array, frame, &first, error) : STATUS_OK;
    if (status)
        return status;
    path_of(array, path, sizeof path);
    status = h5_array_open(&open, &result->file, path, array->real, 0, error);
    TRY(array->in_time ? h5_array_slice(&open, &result->file, path, H5T_NATIVE_DOUBLE, first,
                                        result_values(result, k), value, error)
                       : h5_array_read(&open, &result->file, path, H5T_NATIVE_DOUBLE, value, error));
    h5_array_close(&open);
    return status;
}

int64_t result_frame(const struct result *result, double time, int64_t *nearest)
{
    *nearest = 0;
    for (int64_t i = 1; i < result->frames; i++)
        if (fabs(result->time[i] - time) < fabs(result->time[*nearest] - time))
            *nearest = i;
    return result->frames && fabs(result->time[*nearest] - time) <= 1e-9 * (1 + fabs(time)) ? *nearest : -1;
}

static bool has(const char *path, const char *group)
{
    struct h5_file file;
    bool found = h5_open(&file, path, false, NULL) == STATUS_OK && h5_exists(&file, group);
    h5_close(&file, NULL);
    return found;
}

bool result_is(const char *path)
{
    return has(path, "/VTKHDF");
}

bool result_is_checkpoint(const char *path)
{
    return has(path, "/state");
}
