/* initial_result.c: V and all states from one frame of a result file, as an initial state. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/checkpoint_monodomain.h"
#include "app/h5.h"
#include "app/time_field.h"

/* The field of a variable and where its offsets are. */
static void field_paths(const char *variable, char *field, char *offsets, size_t room)
{
    char name[64];
    time_field_name(name, sizeof name, variable);
    snprintf(field, room, "/VTKHDF/PointData/%s", name);
    snprintf(offsets, room, "/VTKHDF/Steps/PointDataOffsets/%s", name);
}

/* *k <- the frame at `time`; the nearest is named if there is none. */
static enum status find_frame(struct h5_file *file, double time, int64_t *k, struct error *error)
{
    struct h5_array array;
    enum status status = h5_array_open(&array, file, "/VTKHDF/Steps/Values", true, 1, error);
    if (!status && array.values == 0)
        status = error_set(error, STATUS_INPUT, "%s: it has no frame", file->path);
    double *at = status ? NULL : malloc((size_t)array.values * sizeof *at);
    if (!status && !at)
        status = error_memory(error, "the times of a result", 8.0 * (double)array.values);
    if (!status)
        status = h5_array_read(&array, file, "/VTKHDF/Steps/Values", H5T_NATIVE_DOUBLE, at, error);
    *k = 0;
    for (int64_t i = 1; !status && i < array.values; i++)
        if (fabs(at[i] - time) < fabs(at[*k] - time))
            *k = i;
    if (!status && !(fabs(at[*k] - time) <= 1e-9 * (1 + fabs(time))))
        status = error_set(error, STATUS_INPUT, "%s: it has no frame at %g ms; the nearest is at %.15g ms",
                           file->path, time, at[*k]);
    free(at);
    h5_array_close(&array);
    return status;
}

/* value[nodes] <- frame k of the variable's field, every number finite */
static enum status read_field(struct h5_file *file, const char *variable, int64_t k, int64_t nodes,
                              double *value, struct error *error)
{
    char field[128], offsets[128];
    int64_t first = 0;
    struct h5_array array;
    field_paths(variable, field, offsets, sizeof field);
    enum status status = h5_array_open(&array, file, offsets, false, 1, error);
    if (!status)
        status = h5_array_slice(&array, file, offsets, H5T_NATIVE_INT64, k, 1, &first, error);
    h5_array_close(&array);
    if (status)
        return status;
    status = h5_array_open(&array, file, field, true, 1, error);
    if (!status)
        status = h5_array_slice(&array, file, field, H5T_NATIVE_DOUBLE, first, nodes, value, error);
    h5_array_close(&array);
    for (int64_t i = 0; i < nodes && !status; i++)
        if (!isfinite(value[i]))
            status = error_set(error, STATUS_INPUT, "%s: %s of node %lld is not finite", file->path, variable,
                               (long long)i);
    return status;
}

static enum status find_fields(struct monodomain *sim, struct h5_file *file, struct error *error)
{
    char missing[512] = "", field[128], offsets[128];
    for (int k = 0; k < monodomain_variables(sim); k++) {
        const struct variable *variable = monodomain_variable(sim, k);
        char stored[64] = "";
        if (k > 0 && variable->group < 0)
            continue;
        field_paths(variable->name, field, offsets, sizeof field);
        if (h5_get_text(file, field, "variable", stored, sizeof stored) && !strcmp(stored, variable->name))
            continue;
        size_t used = strlen(missing);
        if (used + strlen(variable->name) + 3 < sizeof missing && !strstr(missing, variable->name)) {
            strcat(missing, used ? ", " : "");
            strcat(missing, variable->name);
        }
    }
    if (missing[0])
        return error_set(error, STATUS_INPUT, "%s: as an initial state it lacks %s", file->path, missing);
    return STATUS_OK;
}

enum status result_start_from(struct monodomain *sim, int64_t nodes, const char *path, double time,
                              const char *mesh_sha256, struct error *error)
{
    struct h5_file file;
    char digest[SHA256_HEX] = "";
    int64_t frame = 0;
    double *value = NULL;
    enum status status = h5_open(&file, path, false, error);
    if (!status &&
        (!h5_get_text(&file, "/run", "mesh_sha256", digest, sizeof digest) || strcmp(digest, mesh_sha256)))
        status =
            error_set(error, STATUS_INPUT, "%s: a result on another mesh; it is no initial state here", path);
    if (!status)
        status = find_fields(sim, &file, error);
    if (!status)
        status = find_frame(&file, time, &frame, error);
    if (!status && !(value = malloc((size_t)nodes * sizeof *value)))
        status = error_memory(error, "an initial state", 8.0 * (double)nodes);
    for (int k = 0; k < monodomain_variables(sim) && !status; k++) {
        const struct variable *variable = monodomain_variable(sim, k);
        if (k > 0 && variable->group < 0)
            continue;
        status = read_field(&file, variable->name, frame, nodes, value, error);
        if (!status)
            status = monodomain_set(sim, k, value, error);
    }
    if (!status)
        status = monodomain_restart(sim, 0, 0, error);
    free(value);
    h5_close(&file, NULL);
    return status;
}
