/* output.c: appending frames, probes and maps, and closing. See docs/user/reading-results.md for the file. */
#include "app/io/result/output.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/result/output_file.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"

enum status output_reserve(struct output *out, int64_t n, struct error *error)
{
    if (n <= out->room)
        return STATUS_OK;
    int64_t room = n > 2 * out->room ? n : 2 * out->room;
    double *time = realloc(out->time, (size_t)room * sizeof *time);
    if (!time)
        return error_memory(error, "the times of the frames", 8.0 * (double)room);
    out->time = time;
    out->room = room;
    return STATUS_OK;
}

enum status output_sidecar(struct output *out, struct error *error)
{
    struct xdmf xdmf = {.path = out->sidecar,
                        .data = out->file.path,
                        .dimension = out->dimension,
                        .nodes = out->nodes,
                        .cells = out->cells,
                        .array = out->array,
                        .arrays = out->arrays,
                        .time = out->time,
                        .steps = out->frames};
    out->listed = out->frames;
    if (out->frames > 0)
        return xdmf_write(&xdmf, error);
    /* VTK's reader of XDMF dies of a collection without grids, and one of an earlier run names other frames
     */
    return !unlink(out->sidecar) || errno == ENOENT
               ? STATUS_OK
               : error_set(error, STATUS_RUN, "%s: %s", out->sidecar, strerror(errno));
}

enum status output_show(struct output *out, bool last, struct error *error)
{
    if (steps_are_shown(&out->steps, out->frames, last))
        return STATUS_OK;
    enum status status = steps_show(&out->steps, &out->file, out->frames, last, error);
    hid_t times = status ? -1 : steps_values(&out->steps, &out->file, out->frames, last, error);
    AND(times < 0 ? STATUS_RUN
                  : dimensions_show(&out->file, out->field, out->fields, out->map, out->maps, times,
                                    out->frames, error));
    if (times >= 0)
        H5Dclose(times);
    return status;
}

enum status output_cut(struct output *out, int64_t frames, bool last, struct error *error)
{
    out->frames = frames;
    enum status status = output_show(out, last, error);
    AND(steps_truncate(&out->steps, &out->file, frames, error));
    for (int f = 0; f < out->fields && !status; f++)
        status = time_field_truncate(&out->field[f], &out->file, frames, error);
    return status;
}

/* To show the steps leaves an old group behind, and the sidecar's text is as long as there are frames: done
 * when 1 in 100 of the frames there, 1 in 20 here, is new, they come to a constant a frame. */
static bool is_due(const struct output *out, int64_t told, int share)
{
    return told + told / share < out->frames;
}

/* Frames from out->next on are of other times than this run's: they go. */
static enum status drop_rest(struct output *out, struct error *error)
{
    out->resumed.dropped += out->frames - out->next;
    enum status status = output_cut(out, out->next, false, error);
    return status ? status : h5_flush(&out->file, error);
}

/* Frame out->next is there already: it must be the same, or becomes it. */
static enum status append_again(struct output *out, double time, const double *const *value,
                                struct error *error)
{
    bool same = true;
    for (int f = 0; f < out->fields; f++) {
        struct time_field *field = &out->field[f];
        int64_t node;
        double was, is;
        enum status status =
            time_field_differs(field, &out->file, out->next, value[f], &node, &was, &is, error);
        if (status)
            return status;
        if (node < 0)
            continue;
        if (out->exact)
            return error_set(error, STATUS_RUN,
                             "%s: the frame at %g ms, recomputed from the checkpoint, differs: %s of node "
                             "%lld is %.9g there and %.9g now",
                             out->file.path, time, field->name, (long long)node, was, is);
        same = false;
        status = time_field_write(field, &out->file, out->next, value[f], error);
        if (status)
            return status;
    }
    out->resumed.equal += same;
    out->resumed.replaced += !same;
    out->next++;
    return same ? STATUS_OK : h5_flush(&out->file, error);
}

enum status output_append(struct output *out, double time, const double *const *value, struct error *error)
{
    assert(out->next == 0 || time >= out->time[out->next - 1]);
    enum status status = STATUS_OK;
    if (out->next > 0 && out->time[out->next - 1] == time)
        return STATUS_OK;
    if (out->next < out->frames && out->time[out->next] == time)
        return append_again(out, time, value, error);
    if (out->next < out->frames)
        status = drop_rest(out, error);
    AND(output_reserve(out, out->next + 1, error));
    for (int f = 0; f < out->fields && !status; f++)
        status = time_field_write(&out->field[f], &out->file, out->next, value[f], error);
    AND(steps_commit(&out->steps, &out->file, out->next, time, error));
    if (status)
        return status;
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

enum status output_map(struct output *out, int k, const double *value, double valid_to, struct error *error)
{
    assert(k >= 0 && k < out->maps);
    char path[128] = "/VTKHDF/PointData/";
    strcat(path, out->map[k].name);
    struct frame_shape shape = frame_shape(out->nodes * out->map[k].width, false);
    enum status status = STATUS_OK;
    float *bytes = array_new(shape.stride, sizeof *bytes, "a map", &status, error);
    if (status)
        return status;
    frame_convert(&shape, 0, value, bytes);
    status = h5_rewrite(&out->file, path, H5T_NATIVE_FLOAT, bytes, error);
    AND(h5_set_number(&out->file, path, "valid_to", valid_to, error));
    free(bytes);
    return status ? status : h5_flush(&out->file, error);
}

enum status output_sync(struct output *out, struct error *error)
{
    enum status status = STATUS_OK;
    if (is_due(out, out->steps.shown, 100))
        status = output_show(out, false, error);
    AND(h5_sync(&out->file, error));
    /* which names frames that stand in the file only now; it may take 2 % of the time at most */
    double start = clock_seconds();
    if (status || !is_due(out, out->listed, 20) || start < out->listed_at + out->listed_pause)
        return status;
    status = output_sidecar(out, error);
    out->listed_at = clock_seconds();
    out->listed_pause = 50 * (out->listed_at - start);
    return status;
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

enum status output_close(struct output *out, const struct output_number *number, int numbers,
                         struct error *error)
{
    if (!out)
        return STATUS_OK;
    enum status status = STATUS_OK;
    for (int i = 0; i < numbers && !status && !out->file.broken; i++)
        status = h5_set_number(&out->file, "/run/numbers", number[i].name, number[i].value, error);
    if (!status && !out->file.broken)
        status = output_cut(out, out->frames, true, error);
    if (!status && !out->file.broken)
        status = h5_sync(&out->file, error);
    enum status written = output_sidecar(out, status || out->file.broken ? NULL : error);
    if (!status && !out->file.broken)
        status = written;
    enum status closed = h5_close(&out->file, status ? NULL : error);
    output_abandon(out);
    return status ? status : closed;
}

void output_abandon(struct output *out)
{
    if (!out)
        return;
    h5_close(&out->file, NULL);
    for (int f = 0; f < out->fields; f++)
        time_field_free(&out->field[f]);
    free(out->field);
    free(out->map);
    free(out->array);
    free(out->time);
    free(out->sidecar);
    free(out);
}
