/* output_resume.c: going on with the result of an earlier run, which may have been killed at any moment. */
#include "app/io/result/output_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/io/checkpoint/checkpoint.h"
#include "app/io/store/format.h"
#include "app/io/store/journal.h"
#include "app/io/store/mesh_digest.h"
#include "kernels/base/array.h"

static enum status same_mesh(struct output *out, const struct output_params *params, struct error *error)
{
    char now[SHA256_HEX], then[SHA256_HEX] = "";
    if (!params->mesh_sha256)
        mesh_digest(params->mesh, now);
    if (!h5_get_text(&out->file, "/run", "mesh_sha256", then, sizeof then) ||
        strcmp(params->mesh_sha256 ? params->mesh_sha256 : now, then))
        return error_set(error, STATUS_INPUT, "%s: a result on another mesh; it cannot be continued",
                         out->file.path);
    return STATUS_OK;
}

static enum status same_maps(struct output *out, struct error *error)
{
    enum status status = STATUS_OK;
    for (int m = 0; m < out->maps && !status; m++) {
        char path[128] = "/VTKHDF/PointData/";
        strcat(path, out->map[m].name);
        struct h5_array array;
        status = h5_array_open(&array, &out->file, path, true, out->map[m].width > 1 ? 2 : 1, error);
        if (!status && array.values != out->nodes * out->map[m].width)
            status = error_set(error, STATUS_INPUT, "%s: map %s has another size than this run's",
                               out->file.path, out->map[m].name);
        h5_array_close(&array);
    }
    return status;
}

/* For h5_each: an array in time is one of this run's fields. */
static enum status is_field(void *context, const char *name, struct error *error)
{
    const struct output *out = context;
    for (int f = 0; f < out->fields; f++)
        if (strcmp(out->field[f].name, name) == 0)
            return STATUS_OK;
    return error_set(error, STATUS_INPUT, "%s: it has a field %s, so it cannot be continued without it",
                     out->file.path, name);
}

/* For h5_each: notes a map that is none of this run's. */
static enum status note_stale(void *context, const char *name, struct error *error)
{
    struct output *out = context;
    char *stale = out->resumed.stale;
    size_t used = strlen(stale), room = sizeof out->resumed.stale - used;
    bool known = strcmp(name, "fiber") == 0 || strcmp(name, "sheet") == 0;
    (void)error;
    for (int f = 0; f < out->fields; f++)
        known = known || strcmp(out->field[f].name, name) == 0;
    for (int m = 0; m < out->maps; m++)
        known = known || strcmp(out->map[m].name, name) == 0;
    if (!known)
        snprintf(stale + used, room, "%s%s", used ? ", " : "", name);
    return STATUS_OK;
}

/* The frames that are whole in every array, and which of them stay. */
static enum status find_frames(struct output *out, double time, struct error *error)
{
    int64_t whole = steps_whole(&out->steps);
    for (int f = 0; f < out->fields; f++) {
        int64_t frames = time_field_frames(&out->field[f]);
        whole = frames < whole ? frames : whole;
    }
    enum status status = output_reserve(out, whole, error);
    AND(steps_times(&out->steps, &out->file, whole, out->time, error));
    for (int64_t k = 0; k + 1 < whole && !status; k++)
        if (!(out->time[k] < out->time[k + 1]))
            status = error_set(error, STATUS_INPUT, "%s: its times do not increase", out->file.path);
    out->frames = whole;
    while (!status && out->next < whole && out->time[out->next] <= time)
        out->next++;
    out->resumed.kept = out->next;
    return status;
}

/* Under one name stand the values of one node. */
static enum status same_probes(struct output *out, const struct output_params *params, struct error *error)
{
    static const char name[] = "/probes/nodes";
    const struct table_column *probe = params->column[OUTPUT_PROBES];
    int probes = params->columns[OUTPUT_PROBES];
    struct h5_array array;
    if (!probes)
        return STATUS_OK;
    enum status status = h5_array_open(&array, &out->file, name, false, 1, error);
    int64_t *node = array_new(probes, sizeof *node, "the probes", &status, error);
    if (!status && array.values != probes)
        status = error_set(error, STATUS_INPUT, "%s: it has %lld columns of probes, this run %d",
                           out->file.path, (long long)array.values, probes);
    AND(h5_array_read(&array, &out->file, name, H5T_NATIVE_INT64, node, error));
    for (int p = 0; p < probes && !status; p++)
        if (node[p] != probe[p].node)
            status =
                error_set(error, STATUS_INPUT, "%s: probe %.80s reads node %lld there and %lld in this run",
                          out->file.path, probe[p].name, (long long)node[p], (long long)probe[p].node);
    h5_array_close(&array);
    free(node);
    return status;
}

static enum status has_all(const struct output *out, const struct checkpoint *from, struct error *error)
{
    static const char *const things[] = {
        [OUTPUT_PROBES] = "rows of the probes", [OUTPUT_ECG] = "rows of the ECG"};
    if (!from)
        return STATUS_OK;
    const struct checkpoint_head *head = checkpoint_head(from);
    enum status status = checkpoint_covered(from, out->file.path, "frames", out->next, head->frames,
                                            out->next ? out->time[out->next - 1] : 0, error);
    const struct table *table = out->table;
    for (int t = 0; t < OUTPUT_TABLES && !status; t++)
        if (table[t].columns)
            status = checkpoint_covered(from, out->file.path, things[t], table[t].rows, head->rows[t],
                                        table[t].last, error);
    return status;
}

/* Every array to the frames and rows that were found */
static enum status cut(struct output *out, struct error *error)
{
    enum status status = output_cut(out, out->frames, false, error);
    for (int t = 0; t < OUTPUT_TABLES && !status; t++)
        status = table_cut(&out->table[t], &out->file, error);
    return status;
}

bool output_is_broken(const char *path, char *reason, size_t room)
{
    struct h5_file file;
    struct steps steps;
    struct error error = {0};
    char mesh[SHA256_HEX];
    if (journal_check(path, NULL))
        return false; /* it may be good where its own journal is */
    enum status status = h5_open(&file, path, false, &error);
    if (!status && !h5_get_text(&file, "/run", "mesh_sha256", mesh, sizeof mesh))
        status = error_set(&error, STATUS_INPUT, "%s: it does not say which mesh it is of", path);
    AND(steps_open(&steps, &file, &error));
    int64_t whole = status ? 0 : steps_whole(&steps);
    double *time = array_new(whole, sizeof *time, "the times of the frames", &status, &error);
    AND(steps_times(&steps, &file, whole, time, &error));
    free(time);
    h5_close(&file, NULL);
    snprintf(reason, room, "%s", error.text);
    return status == STATUS_INPUT;
}

enum status output_resume(struct output **made, const struct output_params *params, double time, bool exact,
                          struct error *error)
{
    struct output *out;
    *made = NULL;
    enum status status = output_prepare(&out, params, error);
    if (status)
        return status;
    out->exact = exact;
    status = h5_open(&out->file, params->path, true, error);
    AND(format_check_result(&out->file, true, error));
    AND(same_mesh(out, params, error));
    AND(same_maps(out, error));
    AND(same_probes(out, params, error));
    AND(steps_open(&out->steps, &out->file, error));
    for (int f = 0; f < out->fields && !status; f++)
        status = time_field_open(&out->field[f], &out->file, error);
    if (!status && h5_exists(&out->file, "/VTKHDF/Steps/PointDataOffsets"))
        status = h5_each(&out->file, "/VTKHDF/Steps/PointDataOffsets", is_field, out, error);
    AND(h5_each(&out->file, "/VTKHDF/PointData", note_stale, out, error));
    AND(find_frames(out, time, error));
    for (int t = 0; t < OUTPUT_TABLES && !status; t++)
        status = table_open(&out->table[t], &out->file, time, error);
    AND(has_all(out, params->from, error));
    AND(cut(out, error));
    AND(output_describe(out, params, error));
    AND(h5_sync(&out->file, error));
    AND(output_sidecar(out, error));
    if (status)
        output_abandon(out);
    else
        *made = out;
    return status;
}
