/* result.c: the arrays of a result file, listed when it is opened and read one frame at a time. */
#include "app/io/result/result.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "app/io/result/vtkhdf_mesh.h"
#include "kernels/base/array.h"

#define OFFSETS "/VTKHDF/Steps/PointDataOffsets/"

static void path_of(const struct result_array *array, char *path, size_t room)
{
    snprintf(path, room, "/VTKHDF/%s/%s", array->cell ? "CellData" : "PointData", array->name);
}

/* The committed frames; of a growing file, or after a kill, other programs see fewer (steps.h). */
static enum status read_times(struct result *result, struct error *error)
{
    static const char shown[] = "/VTKHDF/Steps/Values", committed[] = "/frames/times";
    const char *name = h5_exists(&result->file, committed) ? committed : shown;
    int64_t steps = INT64_MAX;
    struct h5_array array;
    if (!h5_exists(&result->file, shown))
        return STATUS_OK; /* a mesh alone */
    enum status status;
    TRY_DONE(h5_array_open(&array, &result->file, name, true, 1, error));
    if (name == shown && (!h5_get_integer(&result->file, "/VTKHDF/Steps", "NSteps", &steps) || steps < 0))
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: NSteps is missing or wrong", result->file.path));
    result->frames = array.values < steps ? array.values : steps;
    result->time = array_new(result->frames, sizeof *result->time, "the times of a result", &status, error);
    if (result->time)
        status = h5_array_slice(&array, &result->file, name, H5T_NATIVE_DOUBLE, 0, result->frames,
                                result->time, error);
done:
    h5_array_close(&array);
    return status;
}

static enum status add_array(struct result *result, const struct result_array *array, struct error *error)
{
    TRY(array_grow((void **)&result->array, &result->room, result->arrays, sizeof *array,
                   "the arrays of a result", error));
    result->array[result->arrays++] = *array;
    return STATUS_OK;
}

struct listing {
    struct result *result;
    bool cell;
};

static enum status visit_array(void *context, const char *name, struct error *error)
{
    const struct listing *listing = context;
    struct result *result = listing->result;
    struct result_array array = {.cell = listing->cell};
    char path[160], offsets[160];
    if (strlen(name) >= sizeof array.name)
        return error_set(error, STATUS_INPUT, "%s: the name %.40s... is too long", result->file.path, name);
    strcpy(array.name, name);
    path_of(&array, path, sizeof path);
    snprintf(offsets, sizeof offsets, OFFSETS "%s", name);
    TRY(h5_array_open_any(&array.values, &result->file, path, 0, error));
    enum status status;
    const struct h5_array *open = &array.values;
    array.in_time = !listing->cell && h5_exists(&result->file, offsets);
    array.real = open->real;
    array.width = open->rank == 2 ? (int64_t)open->dim[1] : 1;
    int64_t rows = listing->cell ? result->facts.elements : result->facts.nodes;
    if (open->rank > 2 || (array.in_time && open->rank != 1) ||
        (!array.in_time && (int64_t)open->dim[0] != rows))
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: %s does not have one row for each of the %lld %s",
                           result->file.path, path, (long long)rows, listing->cell ? "cells" : "points"));
    if (array.in_time)
        TRY_DONE(h5_array_open(&array.offsets, &result->file, offsets, false, 1, error));
    if (!h5_get_text(&result->file, path, "variable", array.variable, sizeof array.variable))
        strcpy(array.variable, array.name);
    h5_get_text(&result->file, path, "unit", array.unit, sizeof array.unit);
    TRY_DONE(add_array(result, &array, error));
done:
    if (status) {
        h5_array_close(&array.values);
        h5_array_close(&array.offsets);
    }
    return status;
}

enum status result_open(struct result *result, const char *path, struct error *error)
{
    struct listing points = {result, false}, cells = {result, true};
    enum status status;
    *result = (struct result){0};
    TRY_DONE(h5_open(&result->file, path, false, error));
    TRY_DONE(h5_check_result(&result->file, false, error));
    TRY_DONE(vtkhdf_mesh_describe(&result->facts, &result->file, error));
    TRY_DONE(read_times(result, error));
    if (h5_exists(&result->file, "/VTKHDF/PointData"))
        TRY_DONE(h5_each(&result->file, "/VTKHDF/PointData", visit_array, &points, error));
    if (h5_exists(&result->file, "/VTKHDF/CellData"))
        TRY_DONE(h5_each(&result->file, "/VTKHDF/CellData", visit_array, &cells, error));
done:
    if (status)
        result_close(result);
    return status;
}

enum status result_mesh(struct result *result, struct error *error)
{
    return result->mesh.nodes ? STATUS_OK : vtkhdf_mesh_get(&result->file, &result->mesh, error);
}

void result_close(struct result *result)
{
    for (int k = 0; k < result->arrays; k++) {
        h5_array_close(&result->array[k].values);
        h5_array_close(&result->array[k].offsets);
    }
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

int64_t result_rows(const struct result *result, int k)
{
    return result->array[k].cell ? result->facts.elements : result->facts.nodes;
}

int64_t result_values(const struct result *result, int k)
{
    return result_rows(result, k) * result->array[k].width;
}

int64_t result_piece(const struct result *result, int k)
{
    const int64_t piece = h5_array_piece(&result->array[k].values), rows = result_rows(result, k);
    return piece < rows ? piece : rows;
}

enum status result_get_rows(struct result *result, int k, int64_t frame, int64_t first, int64_t count,
                            double *value, struct error *error)
{
    const struct result_array *array = &result->array[k];
    char path[160], offsets[160];
    int64_t begin = 0;
    path_of(array, path, sizeof path);
    snprintf(offsets, sizeof offsets, OFFSETS "%s", array->name);
    if (array->in_time)
        TRY(h5_array_slice(&array->offsets, &result->file, offsets, H5T_NATIVE_INT64, frame, 1, &begin,
                           error));
    if (begin < 0 || begin > array->values.values)
        return error_set(error, STATUS_INPUT, "%s: %s begins at %lld; it has %lld values", result->file.path,
                         offsets, (long long)begin, (long long)array->values.values);
    return h5_array_slice(&array->values, &result->file, path, H5T_NATIVE_DOUBLE, begin + first, count, value,
                          error);
}

enum status result_get(struct result *result, int k, int64_t frame, double *value, struct error *error)
{
    return result_get_rows(result, k, frame, 0, result_rows(result, k), value, error);
}

bool result_range(const struct result *result, int k, struct range *range)
{
    const struct result_array *array = &result->array[k];
    char path[160];
    path_of(array, path, sizeof path);
    return range_get(&result->file, path, result_values(result, k) * (array->in_time ? result->frames : 1),
                     range);
}

int64_t result_frame(const struct result *result, double time, int64_t *nearest)
{
    int64_t low = 0, high = result->frames;
    while (low < high) { /* the first frame that is not earlier */
        int64_t middle = low + (high - low) / 2;
        if (result->time[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && (low == result->frames || time - result->time[low - 1] <= result->time[low] - time))
        low--;
    *nearest = low;
    return result->frames && fabs(result->time[low] - time) <= 1e-9 * (1 + fabs(time)) ? low : -1;
}

bool result_is_growing(const char *path)
{
    char *copy = strdup(path);
    int directory = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool locked = directory >= 0 && flock(directory, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (directory >= 0)
        close(directory);
    free(copy);
    return locked;
}

static bool has_group(const char *path, const char *group)
{
    struct h5_file file;
    bool found = h5_open(&file, path, false, NULL) == STATUS_OK && h5_exists(&file, group);
    h5_close(&file, NULL);
    return found;
}

bool result_is(const char *path)
{
    return has_group(path, "/VTKHDF");
}

bool result_is_checkpoint(const char *path)
{
    return has_group(path, "/state");
}
