/* checkpoint.c: writing a checkpoint. */
#include "app/io/checkpoint/checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "app/io/checkpoint/checkpoint_file.h"
#include "app/io/store/format.h"
#include "app/io/store/seal.h"
#include "app/util/plain_file.h"
#include "kernels/base/array.h"

static char *joined(const char *directory, int64_t step, const char *end)
{
    size_t room = strlen(directory) + 48;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%s/checkpoint-%" PRId64 ".h5%s", directory, step, end);
    return path;
}

enum status checkpoint_create(struct checkpoint **out, const char *directory,
                              const struct checkpoint_head *head, struct error *error)
{
    *out = NULL;
    enum status status = STATUS_OK;
    struct checkpoint *checkpoint = array_zeroed(1, sizeof *checkpoint, "a checkpoint", &status, error);
    if (status)
        return status;
    checkpoint->head = *head;
    checkpoint->directory = strdup(directory);
    checkpoint->path = joined(directory, head->step, "");
    checkpoint->beside = joined(directory, head->step, ".tmp");
    if (!checkpoint->directory || !checkpoint->path || !checkpoint->beside)
        status = error_memory(error, "a file name", (double)strlen(directory));
    if (!status && unlink(checkpoint->beside) && errno != ENOENT)
        status = error_set(error, STATUS_RUN, "%s: %s", checkpoint->beside, strerror(errno));
    AND(h5_create(&checkpoint->file, checkpoint->beside, false, error));
    AND(h5_group(&checkpoint->file, "/state", error));
    if (status)
        checkpoint_close(checkpoint);
    else
        *out = checkpoint;
    return status;
}

enum status checkpoint_put(struct checkpoint *checkpoint, const char *name, enum checkpoint_type type,
                           int64_t count, const void *value, struct error *error)
{
    struct h5_file *file = &checkpoint->file;
    struct checkpoint_array array = {.type = type, .count = count};
    assert(strlen(name) < sizeof array.name);
    strcpy(array.name, name);
    array.crc = (uint32_t)crc32_z(0, value, (size_t)count * checkpoint_type_size(type));
    enum status status = checkpoint_add(checkpoint, &array, error);
    if (status)
        return status;
    char path[128];
    hid_t number = checkpoint_memory_type(type);
    hsize_t dim = (hsize_t)count;
    checkpoint_dataset(checkpoint, checkpoint->arrays - 1, path, sizeof path);
    status = h5_put(file, path, number, number, 1, &dim, count ? value : NULL, NULL, 0, error);
    AND(h5_set_text(file, path, "variable", name, error));
    AND(h5_set_integer(file, path, "crc32", array.crc, error));
    if (status || !count)
        return status;
    hid_t data = H5Dopen2(file->id, path, H5P_DEFAULT);
    haddr_t offset = data < 0 ? HADDR_UNDEF : H5Dget_offset(data);
    if (offset == HADDR_UNDEF || H5Dclose(data) < 0)
        return h5_error(file, STATUS_RUN, error, "cannot find %s", path);
    checkpoint->offset[checkpoint->arrays - 1] = (int64_t)offset;
    return STATUS_OK;
}

static enum status put_head(struct checkpoint *checkpoint, struct error *error)
{
    struct h5_file *file = &checkpoint->file;
    const struct checkpoint_head *head = &checkpoint->head;
    const struct {
        const char *name, *text;
    } texts[] = {{"config_sha256", head->config_sha256},
                 {"mesh_sha256", head->mesh_sha256},
                 {"models_sha256", head->models_sha256},
                 {"initial_sha256", head->initial_sha256},
                 {"program", head->program},
                 {"backend", head->backend}};
    enum status status = h5_set_integer(file, "/", "format", FORMAT_CHECKPOINT, error);
    AND(h5_set_integer(file, "/", "step", head->step, error));
    AND(h5_set_number(file, "/", "time", head->time, error));
    AND(h5_set_integer(file, "/", "history", head->history, error));
    AND(h5_set_integer(file, "/", "frames", head->frames, error));
    for (int t = 0; t < 2 && !status; t++) {
        status = h5_set_integer(file, "/", checkpoint_rows[t], head->rows[t], error);
        AND(h5_set_integer(file, "/", checkpoint_csv_rows[t], head->csv_rows[t], error));
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++)
        status = h5_set_text(file, "/", texts[i].name, texts[i].text, error);
    return status;
}

/* Of the checkpoints up to `step`, all but the newest `keep` go. */
static enum status prune(const char *directory, int64_t step, int keep, struct error *error)
{
    int64_t *found;
    int count, kept = 0;
    enum status status = checkpoint_list(directory, &found, &count, error);
    for (int i = 0; i < count && !status; i++) {
        if (found[i] > step || kept++ < keep)
            continue;
        char *path = joined(directory, found[i], "");
        if (!path)
            status = error_memory(error, "a file name", (double)strlen(directory));
        else if (unlink(path) && errno != ENOENT)
            status = error_set(error, STATUS_RUN, "%s: %s", path, strerror(errno));
        free(path);
    }
    free(found);
    return status;
}

/* The trailer of the closed file. */
static enum status seal(const struct checkpoint *checkpoint, struct error *error)
{
    enum status status = STATUS_OK;
    struct seal_range *range =
        array_zeroed(checkpoint->arrays, sizeof *range, "a checkpoint", &status, error);
    if (status)
        return status;
    for (int k = 0; k < checkpoint->arrays; k++) {
        const struct checkpoint_array *array = &checkpoint->array[k];
        range[k].offset = checkpoint->offset[k];
        range[k].bytes = array->count * (int64_t)checkpoint_type_size(array->type);
        range[k].crc = array->crc;
        strcpy(range[k].name, array->name);
    }
    status = seal_write(checkpoint->beside, range, checkpoint->arrays, error);
    free(range);
    return status;
}

enum status checkpoint_commit(struct checkpoint *checkpoint, int keep, struct error *error)
{
    assert(keep >= 1);
    enum status status = put_head(checkpoint, error);
    AND(h5_close(&checkpoint->file, error));
    AND(seal(checkpoint, error));
    if (!status && rename(checkpoint->beside, checkpoint->path))
        status = error_set(error, STATUS_RUN, "%s: %s", checkpoint->path, strerror(errno));
    if (!status) {
        free(checkpoint->beside);
        checkpoint->beside = NULL;
        status = plain_file_sync_directory(checkpoint->directory, error);
    }
    return status ? status : prune(checkpoint->directory, checkpoint->head.step, keep, error);
}
