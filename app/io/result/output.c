/* output.c: a result from its creation or resume to its end. docs/user/reading-results.md describes the file.
 */
#include "app/io/result/output.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/checkpoint/checkpoint.h"
#include "app/io/result/steps.h"
#include "app/io/result/time_field.h"
#include "app/io/result/vtkhdf_mesh.h"
#include "app/io/result/xdmf.h"
#include "app/io/store/h5.h"
#include "app/io/store/journal.h"
#include "app/io/store/digest.h"
#include "app/util/own_file.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/base/printed.h"

struct output {
    struct h5_file file;
    struct xdmf sidecar;
    int64_t nodes;
    int fields, maps;
    struct table table[OUTPUT_TABLES];
    struct time_field *field;
    struct steps_map *map;
    struct steps steps;
    double *time;                   /* [room] ms, of every frame in the file */
    int64_t frames, room;           /* in the file; allocated */
    int64_t next;                   /* the next frame to append, <= frames */
    double listed_at, listed_pause; /* seconds: when the sidecar was last written, and the pause after that */
    int64_t listed;                 /* frames in the sidecar */
    bool exact;
    struct output_resumed resumed;
};

/* Closes and frees, ignoring errors. */
static void abandon_output(struct output *out)
{
    if (!out)
        return;
    h5_close(&out->file, NULL);
    for (int f = 0; f < out->fields; f++)
        time_field_free(&out->field[f]);
    free(out->field);
    free(out->map);
    free(out->time);
    free(out->sidecar.path);
    free(out);
}

static enum status write_sidecar(struct output *out, struct error *error)
{
    out->listed = out->frames;
    return xdmf_write(&out->sidecar, out->file.path, out->time, out->frames, error);
}

static enum status show_frames(struct output *out, bool last, struct error *error)
{
    if (steps_are_shown(&out->steps, out->frames, last))
        return STATUS_OK;
    TRY(steps_show(&out->steps, &out->file, out->frames, last, error));
    hid_t times = steps_values(&out->steps, &out->file, out->frames, last, error);
    if (times < 0)
        return STATUS_RUN;
    enum status status = steps_show_fields(&out->file, out->field, out->fields, out->map, out->maps, times,
                                           out->frames, error);
    H5Dclose(times);
    return status;
}

static enum status cut_frames(struct output *out, int64_t frames, bool last, struct error *error)
{
    out->frames = frames;
    TRY(show_frames(out, last, error));
    TRY(steps_truncate(&out->steps, &out->file, frames, error));
    for (int f = 0; f < out->fields; f++)
        TRY(time_field_truncate(&out->field[f], &out->file, frames, error));
    return STATUS_OK;
}

/* Showing steps abandons an old group and the sidecar's length grows with the frames: doing so at most every
 * 1 % (steps) and 5 % (sidecar) of new frames costs O(1) a frame. */
static bool is_due(const struct output *out, int64_t seen, int fraction)
{
    return seen + seen / fraction < out->frames;
}

/* Removes the frames from out->next on, whose times are not this run's. */
static enum status drop_rest(struct output *out, struct error *error)
{
    out->resumed.dropped += out->frames - out->next;
    TRY(cut_frames(out, out->next, false, error));
    return h5_flush(&out->file, error);
}

/* Frame out->next exists already: compares it, and replaces it unless out->exact. */
static enum status append_again(struct output *out, double time, const double *const *value,
                                struct error *error)
{
    bool same = true;
    for (int f = 0; f < out->fields; f++) {
        struct time_field *field = &out->field[f];
        int64_t node;
        double was, is;
        TRY(time_field_differs(field, &out->file, out->next, value[f], &node, &was, &is, error));
        if (node < 0)
            continue;
        if (out->exact)
            return error_set(error, STATUS_RUN,
                             "%s: the frame at %g ms, recomputed from the checkpoint, differs: %s of node "
                             "%lld is %.9g there and %.9g now",
                             out->file.path, time, field->name, (long long)node, was, is);
        same = false;
        TRY(time_field_write(field, &out->file, out->next, value[f], error));
    }
    out->resumed.equal += same;
    out->resumed.replaced += !same;
    out->next++;
    return same ? STATUS_OK : h5_flush(&out->file, error);
}

enum status output_append(struct output *out, double time, const double *const *value, struct error *error)
{
    assert(out->next == 0 || time >= out->time[out->next - 1]);
    if (out->next > 0 && out->time[out->next - 1] == time)
        return STATUS_OK;
    if (out->next < out->frames && out->time[out->next] == time)
        return append_again(out, time, value, error);
    if (out->next < out->frames)
        TRY(drop_rest(out, error));
    TRY(array_grow((void **)&out->time, &out->room, out->next, sizeof *out->time, "the times of the frames",
                   error));
    for (int f = 0; f < out->fields; f++)
        TRY(time_field_write(&out->field[f], &out->file, out->next, value[f], error));
    TRY(steps_commit(&out->steps, &out->file, out->next, time, error));
    out->time[out->next++] = time;
    out->frames = out->next;
    return STATUS_OK;
}

enum status output_end(struct output *out, struct error *error)
{
    return out->next < out->frames ? drop_rest(out, error) : STATUS_OK;
}

enum status output_row(struct output *out, enum output_table which, double time, const double *value,
                       struct error *error)
{
    return table_append(&out->table[which], &out->file, time, value, error);
}

enum status output_read_rows(struct output *out, enum output_table which, struct table_rows *rows,
                             struct error *error)
{
    return table_read(rows, &out->file, out->table[which].group, error);
}

enum status output_map(struct output *out, int k, const double *value, double valid_to, struct error *error)
{
    assert(k >= 0 && k < out->maps);
    char path[128] = "/VTKHDF/PointData/";
    strcat(path, out->map[k].name);
    struct frame_shape shape = frame_shape(out->nodes * out->map[k].width, false);
    enum status status = STATUS_OK;
    float *bytes = array_new(shape.stride, sizeof *bytes, "a map", &status, error);
    if (!bytes)
        return status;
    frame_convert(&shape, value, bytes);
    TRY_DONE(h5_rewrite(&out->file, path, H5T_NATIVE_FLOAT, bytes, error));
    TRY_DONE(h5_set_number(&out->file, path, "valid_to", valid_to, error));
    struct range range = range_empty;
    range_widen(&range, H5T_NATIVE_FLOAT, bytes, shape.values);
    TRY_DONE(range_put(&out->file, path, &range, error));
done:
    free(bytes);
    return status ? status : h5_flush(&out->file, error);
}

enum status output_sync(struct output *out, struct error *error)
{
    if (is_due(out, out->steps.shown, 100))
        TRY(show_frames(out, false, error));
    TRY(h5_sync(&out->file, error));
    /* the sidecar after the frames it lists; it may take 2 % of the time at most */
    double start = clock_seconds();
    if (!is_due(out, out->listed, 20) || start < out->listed_at + out->listed_pause)
        return STATUS_OK;
    TRY(write_sidecar(out, error));
    out->listed_at = clock_seconds();
    out->listed_pause = 50 * (out->listed_at - start);
    return STATUS_OK;
}

int64_t output_frames(const struct output *out)
{
    return out->next;
}

int64_t output_rows(const struct output *out, enum output_table which)
{
    return out->table[which].rows;
}

struct output_resumed output_resumed(const struct output *out)
{
    return out->resumed;
}

static enum status replace_text(struct h5_file *file, const char *name, const char *text, struct error *error)
{
    if (h5_exists(file, name) && H5Ldelete(file->id, name, H5P_DEFAULT) < 0)
        return h5_error(file, STATUS_RUN, error, "cannot replace %s", name);
    return h5_put_text(file, name, text, error);
}

enum status output_text(struct output *out, const char *name, const char *text, struct error *error)
{
    return out->file.broken ? STATUS_OK : replace_text(&out->file, name, text, error);
}

enum status output_close(struct output *out, const struct output_number *number, int numbers,
                         struct error *error)
{
    if (!out)
        return STATUS_OK;
    enum status status = STATUS_OK;
    if (out->file.broken)
        goto done;
    for (int i = 0; i < numbers; i++)
        TRY_DONE(h5_set_number(&out->file, "/run/numbers", number[i].name, number[i].value, error));
    TRY_DONE(cut_frames(out, out->frames, true, error));
    for (int f = 0; f < out->fields; f++)
        TRY_DONE(time_field_end(&out->field[f], &out->file, out->frames, error));
    TRY_DONE(h5_sync(&out->file, error));
done:;
    enum status written = write_sidecar(out, status || out->file.broken ? NULL : error);
    if (!status && !out->file.broken)
        status = written;
    enum status closed = h5_close(&out->file, status ? NULL : error);
    abandon_output(out);
    return status ? status : closed;
}

static void name_arrays(struct output *out, const struct output_params *params)
{
    for (int f = 0; f < params->fields; f++) {
        struct time_field *field = &out->field[f];
        time_field_name(field->name, sizeof field->name, params->field[f].name);
        snprintf(field->unit, sizeof field->unit, "%s", params->field[f].unit);
        field->shape = frame_shape(out->nodes, params->field[f].wide);
        field->deflate = params->deflate;
        field->frames = params->frames;
    }
    for (int m = 0; m < params->maps; m++) {
        time_field_name(out->map[m].name, sizeof out->map[m].name, params->map[m].name);
        out->map[m].width = params->map[m].width;
    }
}

static void describe_sidecar(struct output *out, const struct mesh *mesh, const double *fiber)
{
    const enum location directions = vtkhdf_fiber_location(mesh, fiber);
    out->sidecar = (struct xdmf){.dimension = mesh->dimension,
                                 .nodes = out->nodes,
                                 .cells = mesh_elements_whole(mesh),
                                 .field = out->field,
                                 .fields = out->fields,
                                 .map = out->map,
                                 .maps = out->maps,
                                 .directions = directions,
                                 .fiber = directions != LOCATION_NONE && (fiber || mesh->fiber),
                                 .sheet = mesh->fiber_location != LOCATION_NONE && mesh->sheet};
}

static enum status prepare_output(struct output **made, const struct output_params *params,
                                  struct error *error)
{
    *made = NULL;
    const char *what = "the output";
    enum status status = STATUS_OK;
    struct output *out = array_zeroed(1, sizeof *out, what, &status, error);
    if (status)
        return status;
    out->nodes = mesh_nodes_whole(params->mesh);
    out->fields = params->fields;
    out->maps = params->maps;
    for (int t = 0; t < OUTPUT_TABLES; t++) {
        static const char *const groups[] = {[OUTPUT_PROBES] = "/probes", [OUTPUT_ECG] = "/ecg"};
        out->table[t] = (struct table){.group = groups[t], .columns = params->columns[t]};
    }
    out->field = array_zeroed(out->fields, sizeof *out->field, what, &status, error);
    out->map = array_zeroed(out->maps, sizeof *out->map, what, &status, error);
    describe_sidecar(out, params->mesh, params->fiber);
    if (!status && !xdmf_name(&out->sidecar, params->path))
        status = error_memory(error, "a file name", (double)strlen(params->path));
    if (status) {
        out->fields = 0;
        abandon_output(out);
        return status;
    }
    name_arrays(out, params);
    *made = out;
    return STATUS_OK;
}

/* /views/<map>/<w>: value w of every node as a dataset that holds no data */
static enum status create_column(struct output *out, int m, int64_t w, struct error *error)
{
    char view[160], path[128];
    hsize_t dim[2] = {(hsize_t)out->nodes, (hsize_t)out->map[m].width}, start[2] = {0, (hsize_t)w};
    hsize_t count[2] = {(hsize_t)out->nodes, 1};
    snprintf(view, sizeof view, "/views/%s/%06lld", out->map[m].name, (long long)w);
    snprintf(path, sizeof path, "/VTKHDF/PointData/%s", out->map[m].name);
    hid_t whole = H5Screate_simple(2, dim, NULL), column = H5Screate_simple(1, dim, NULL), id = -1;
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Sselect_hyperslab(whole, H5S_SELECT_SET, start, NULL, count, NULL);
    if (H5Pset_virtual(create, column, ".", path, whole) >= 0)
        id = H5Dcreate2(out->file.id, view, H5T_NATIVE_FLOAT, column, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Pclose(create);
    H5Sclose(column);
    H5Sclose(whole);
    if (id < 0 || H5Dclose(id) < 0)
        return h5_error(&out->file, STATUS_RUN, error, "cannot create %s", view);
    return STATUS_OK;
}

void output_threshold_name(char name[32], int r)
{
    snprintf(name, 32, "threshold_%d", r);
}

static enum status create_map(struct output *out, int m, const struct output_params *params,
                              struct error *error)
{
    const struct output_map *map = &params->map[m];
    char path[128], name[32];
    snprintf(path, sizeof path, "/VTKHDF/PointData/%s", out->map[m].name);
    const float none = NAN;
    hsize_t dim[2] = {(hsize_t)out->nodes, (hsize_t)map->width};
    if (h5_exists(&out->file, path))
        return error_set(error, STATUS_INPUT, "two arrays of the result would be called %s",
                         out->map[m].name);
    TRY(h5_put(&out->file, path, H5T_NATIVE_FLOAT, map->width > 1 ? 2 : 1, dim, NULL, &none, params->deflate,
               error));
    TRY(h5_set_text(&out->file, path, "unit", map->unit, error));
    for (int r = 0; r < params->regions; r++) {
        output_threshold_name(name, r);
        TRY(h5_set_number(&out->file, path, name, params->thresholds[r][0], error));
    }
    snprintf(path, sizeof path, "/views/%s", out->map[m].name);
    if (map->width > 1)
        TRY(h5_group(&out->file, path, error));
    for (int64_t w = 0; w < map->width && map->width > 1; w++)
        TRY(create_column(out, m, w, error));
    return STATUS_OK;
}

static enum status create_tables(struct output *out, const struct output_params *params, struct error *error)
{
    for (int t = 0; t < OUTPUT_TABLES; t++)
        TRY(table_create(&out->table[t], &out->file, params->column[t], error));
    return table_put_nodes(&out->table[OUTPUT_PROBES], &out->file, params->column[OUTPUT_PROBES], error);
}

static enum status describe_run(struct output *out, const struct output_params *params, struct error *error)
{
    struct h5_file *file = &out->file;
    TRY(replace_text(file, "/run/config", params->config, error));
    if (params->inputs)
        TRY(replace_text(file, "/run/inputs", params->inputs, error));
    if (h5_exists(file, "/run/summary") &&
        H5Ldelete(file->id, "/run/summary", H5P_DEFAULT) < 0) /* not ended */
        return h5_error(file, STATUS_RUN, error, "cannot replace %s", "/run/summary");
    if (params->log)
        TRY(replace_text(file, "/run/log", params->log, error));
    TRY(h5_set_text(file, "/run", "program", params->program, error));
    TRY(h5_set_text(file, "/run", "libraries", params->libraries, error));
    return h5_set_text(file, "/run", "device", params->device, error);
}

static enum status fill_new(struct output *out, const struct output_params *params, struct error *error)
{
    char digest[SHA256_HEX];
    if (!params->mesh_sha256)
        digest_mesh(params->mesh, NULL, digest);
    TRY(vtkhdf_mesh_put(&out->file, params->mesh, params->subdomain, params->fiber, error));
    out->sidecar.topology = vtkhdf_topology_length(&out->file);
    out->sidecar.points_width = vtkhdf_points_width(&out->file);
    if (!h5_exists(&out->file, "/VTKHDF/PointData"))
        TRY(h5_group(&out->file, "/VTKHDF/PointData", error));
    TRY(steps_create(&out->steps, &out->file, error));
    TRY(h5_group(&out->file, "/views", error));
    for (int f = 0; f < out->fields; f++)
        TRY(time_field_create(&out->field[f], &out->file, params->field[f].name, error));
    for (int m = 0; m < out->maps; m++)
        TRY(create_map(out, m, params, error));
    TRY(steps_put_dimensions(&out->file, out->nodes, out->map, out->maps, error));
    TRY(create_tables(out, params, error));
    TRY(h5_group(&out->file, "/run/numbers", error));
    TRY(h5_set_integer(&out->file, "/run", "format", H5_FORMAT_RESULT, error));
    TRY(h5_set_text(&out->file, "/run", "mesh_sha256", params->mesh_sha256 ? params->mesh_sha256 : digest,
                    error));
    TRY(describe_run(out, params, error));
    TRY(show_frames(out, false, error));
    return h5_sync(&out->file, error);
}

/* Removes rather than empties: a reader that has the old result open keeps it. */
static enum status remove_old(const char *path, struct error *error)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return STATUS_OK;
    return error_set(error, STATUS_RUN, "%s: cannot be replaced: %s", path, strerror(errno));
}

enum status output_claim(const char *path, bool overwrite, const char *instead, struct error *error)
{
    static const char *const ends[] = {"", ".journal", ".new", ".new.journal"}, mark[] = "cardiac ";
    struct xdmf sidecar = {0};
    enum status status = xdmf_name(&sidecar, path) ? STATUS_OK : error_memory(error, "a file name", 1);
    if (!status)
        status = own_file_claim(sidecar.path, overwrite ? "" : xdmf_mark, instead, error);
    free(sidecar.path);
    for (size_t k = 0; k < sizeof ends / sizeof *ends && !status; k++) {
        char name[4300];
        snprintf(name, sizeof name, "%.4200s%s", path, ends[k]);
        status = own_file_claim(name, overwrite ? "" : mark, instead, error);
    }
    return status;
}

enum status output_create(struct output **made, const struct output_params *params, bool overwrite,
                          struct error *error)
{
    *made = NULL;
    if (!overwrite && access(params->path, F_OK) == 0)
        return error_set(error, STATUS_INPUT,
                         "%s exists: use --overwrite to replace it or --resume to continue it", params->path);
    struct output *out;
    char beside
        [4200]; /* its name until it is complete: readers see a whole result or none, also after a kill */
    enum status status;
    TRY(prepare_output(&out, params, error));
    if (snprintf(beside, sizeof beside, "%s.new", params->path) >= (int)sizeof beside)
        TRY_DONE(error_set(error, STATUS_RUN, "%.200s...: the file name is too long", params->path));
    TRY_DONE(remove_old(params->path, error));
    TRY_DONE(remove_old(out->sidecar.path, error));
    TRY_DONE(remove_old(beside, error));
    TRY_DONE(h5_create(&out->file, beside, true, error));
    TRY_DONE(fill_new(out, params, error));
    TRY_DONE(h5_rename(&out->file, params->path, error));
    TRY_DONE(write_sidecar(out, error));
    *made = out;
done:
    if (status)
        abandon_output(out);
    return status;
}

static enum status check_mesh(struct output *out, const struct output_params *params, struct error *error)
{
    char now[SHA256_HEX], then[SHA256_HEX] = "";
    if (!params->mesh_sha256)
        digest_mesh(params->mesh, NULL, now);
    if (!h5_get_text(&out->file, "/run", "mesh_sha256", then, sizeof then) ||
        strcmp(params->mesh_sha256 ? params->mesh_sha256 : now, then))
        return error_set(error, STATUS_INPUT,
                         "%s: the result belongs to another mesh; it cannot be continued", out->file.path);
    return STATUS_OK;
}

static enum status check_maps(struct output *out, struct error *error)
{
    for (int m = 0; m < out->maps; m++) {
        char path[128] = "/VTKHDF/PointData/";
        strcat(path, out->map[m].name);
        struct h5_array array;
        TRY(h5_array_open(&array, &out->file, path, true, out->map[m].width > 1 ? 2 : 1, error));
        int64_t values = array.values;
        h5_array_close(&array);
        if (values != out->nodes * out->map[m].width)
            return error_set(error, STATUS_INPUT, "%s: map %s has another size than this run's",
                             out->file.path, out->map[m].name);
    }
    return STATUS_OK;
}

/* For h5_each: STATUS_INPUT unless an array in time is one of this run's fields */
static enum status is_field(void *context, const char *name, struct error *error)
{
    const struct output *out = context;
    for (int f = 0; f < out->fields; f++)
        if (strcmp(out->field[f].name, name) == 0)
            return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: the result has a field %s that this run does not write, so it cannot be continued",
                     out->file.path, name);
}

/* For h5_each: notes a map that this run does not write. */
static enum status note_stale(void *context, const char *name, struct error *error)
{
    struct output *out = context;
    bool known = strcmp(name, "fiber") == 0 || strcmp(name, "sheet") == 0;
    (void)error;
    for (int f = 0; f < out->fields; f++)
        known = known || strcmp(out->field[f].name, name) == 0;
    for (int m = 0; m < out->maps; m++)
        known = known || strcmp(out->map[m].name, name) == 0;
    if (!known)
        printed_item(out->resumed.stale, sizeof out->resumed.stale, "%s", name);
    return STATUS_OK;
}

/* Finds the frames that are complete in every array, and those up to `time`, which stay. */
static enum status find_frames(struct output *out, double time, struct error *error)
{
    int64_t whole = steps_whole(&out->steps);
    for (int f = 0; f < out->fields; f++) {
        int64_t frames = time_field_frames(&out->field[f]);
        whole = frames < whole ? frames : whole;
    }
    TRY(array_grow((void **)&out->time, &out->room, whole, sizeof *out->time, "the times of the frames",
                   error));
    TRY(steps_times(&out->steps, &out->file, whole, out->time, error));
    for (int64_t k = 0; k + 1 < whole; k++)
        if (!(out->time[k] < out->time[k + 1]))
            return error_set(error, STATUS_INPUT, "%s: its times do not increase", out->file.path);
    out->frames = whole;
    while (out->next < whole && out->time[out->next] <= time)
        out->next++;
    out->resumed.kept = out->next;
    return STATUS_OK;
}

static enum status check_covered(const struct output *out, const struct checkpoint *from, struct error *error)
{
    static const char *const things[] = {
        [OUTPUT_PROBES] = "rows of the probes", [OUTPUT_ECG] = "rows of the ECG"};
    if (!from)
        return STATUS_OK;
    const struct checkpoint_head *head = checkpoint_head(from);
    TRY(checkpoint_covered(from, out->file.path, "frames", out->next, head->frames,
                           out->next ? out->time[out->next - 1] : 0, error));
    const struct table *table = out->table;
    for (int t = 0; t < OUTPUT_TABLES; t++)
        if (table[t].columns)
            TRY(checkpoint_covered(from, out->file.path, things[t], table[t].rows, head->rows[t],
                                   table[t].last, error));
    return STATUS_OK;
}

/* Cuts every array to the frames and rows found. */
static enum status cut_tables(struct output *out, struct error *error)
{
    TRY(cut_frames(out, out->frames, false, error));
    for (int t = 0; t < OUTPUT_TABLES; t++)
        TRY(table_cut(&out->table[t], &out->file, error));
    return STATUS_OK;
}

bool output_is_broken(const char *path, char *reason, size_t room)
{
    struct h5_file file;
    struct steps steps;
    struct error error = {0};
    char mesh[SHA256_HEX];
    if (journal_check(path, NULL))
        return false; /* it may be good together with its own journal */
    double *time = NULL;
    enum status status;
    TRY_DONE(h5_open(&file, path, false, &error));
    if (h5_check_result(&file, true, NULL))
        goto done; /* of another version, but not broken */
    if (!h5_get_text(&file, "/run", "mesh_sha256", mesh, sizeof mesh))
        TRY_DONE(error_set(&error, STATUS_INPUT, "%s: it does not name the mesh that it belongs to", path));
    TRY_DONE(steps_open(&steps, &file, &error));
    int64_t whole = steps_whole(&steps);
    time = array_new(whole, sizeof *time, "the times of the frames", &status, &error);
    if (time)
        status = steps_times(&steps, &file, whole, time, &error);
done:
    free(time);
    h5_close(&file, NULL);
    snprintf(reason, room, "%s", error.text);
    return status == STATUS_INPUT;
}

enum status output_resume(struct output **made, const struct output_params *params, double time, bool exact,
                          struct error *error)
{
    struct output *out;
    enum status status;
    *made = NULL;
    TRY(prepare_output(&out, params, error));
    out->exact = exact;
    TRY_DONE(h5_open(&out->file, params->path, true, error));
    TRY_DONE(h5_check_result(&out->file, true, error));
    TRY_DONE(check_mesh(out, params, error));
    out->sidecar.topology = vtkhdf_topology_length(&out->file);
    out->sidecar.points_width = vtkhdf_points_width(&out->file);
    TRY_DONE(check_maps(out, error));
    TRY_DONE(table_check_nodes(&out->table[OUTPUT_PROBES], &out->file, params->column[OUTPUT_PROBES], error));
    TRY_DONE(steps_open(&out->steps, &out->file, error));
    for (int f = 0; f < out->fields; f++)
        TRY_DONE(time_field_open(&out->field[f], &out->file, error));
    if (h5_exists(&out->file, "/VTKHDF/Steps/PointDataOffsets"))
        TRY_DONE(h5_each(&out->file, "/VTKHDF/Steps/PointDataOffsets", is_field, out, error));
    TRY_DONE(h5_each(&out->file, "/VTKHDF/PointData", note_stale, out, error));
    TRY_DONE(find_frames(out, time, error));
    for (int t = 0; t < OUTPUT_TABLES; t++)
        TRY_DONE(table_open(&out->table[t], &out->file, time, error));
    TRY_DONE(check_covered(out, params->from, error));
    TRY_DONE(cut_tables(out, error));
    TRY_DONE(describe_run(out, params, error));
    TRY_DONE(h5_sync(&out->file, error));
    TRY_DONE(write_sidecar(out, error));
    *made = out;
done:
    if (status)
        abandon_output(out);
    return status;
}

enum status output_mesh(struct output *out, struct mesh *mesh, struct error *error)
{
    return vtkhdf_mesh_get(&out->file, mesh, error);
}
