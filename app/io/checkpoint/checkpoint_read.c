/* checkpoint_read.c: opening a checkpoint after every byte of it was checked, and reading its arrays. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/io/checkpoint/checkpoint_file.h"
#include "app/io/store/format.h"
#include "app/io/store/seal.h"
#include "kernels/base/array.h"
#include "kernels/ops/rhs.h"

static enum status get_head(struct checkpoint *checkpoint, struct error *error)
{
    struct h5_file *file = &checkpoint->file;
    struct checkpoint_head *head = &checkpoint->head;
    int64_t format = 0, history = -1;
    if (!h5_get_integer(file, "/", "format", &format))
        return error_set(error, STATUS_INPUT, "%s: not a checkpoint", file->path);
    if (format_check_checkpoint(file, format, error))
        return STATUS_INPUT;
    bool good = h5_get_integer(file, "/", "step", &head->step) &&
                h5_get_number(file, "/", "time", &head->time) &&
                h5_get_integer(file, "/", "history", &history) &&
                h5_get_text(file, "/", "config_sha256", head->config_sha256, SHA256_HEX) &&
                h5_get_text(file, "/", "mesh_sha256", head->mesh_sha256, SHA256_HEX) &&
                h5_get_text(file, "/", "program", head->program, sizeof head->program) &&
                h5_get_text(file, "/", "backend", head->backend, sizeof head->backend);
    if (!good || head->step < 0 || history < 0 || history > RHS_HISTORY)
        return error_set(error, STATUS_INPUT, "%s: its head is damaged", file->path);
    head->history = (int)history;
    if (!h5_get_text(file, "/", "models_sha256", head->models_sha256, SHA256_HEX))
        head->models_sha256[0] = 0;
    if (!h5_get_text(file, "/", "initial_sha256", head->initial_sha256, SHA256_HEX))
        head->initial_sha256[0] = 0;
    if (!h5_get_integer(file, "/", "frames", &head->frames))
        head->frames = -1;
    for (int t = 0; t < 2; t++)
        if (!h5_get_integer(file, "/", checkpoint_rows[t], &head->rows[t]) ||
            !h5_get_integer(file, "/", checkpoint_csv_rows[t], &head->csv_rows[t]))
            head->rows[t] = head->csv_rows[t] = -1;
    return STATUS_OK;
}

/* Type and size of the array that was opened as `open`. */
static enum status fill_entry(struct checkpoint_array *entry, const struct h5_array *open,
                              struct h5_file *file, const char *path, struct error *error)
{
    int64_t crc;
    entry->count = open->values;
    entry->type = !open->real ? CHECKPOINT_INT32 : open->size == 8 ? CHECKPOINT_DOUBLE : CHECKPOINT_FLOAT;
    if (open->size != checkpoint_type_size(entry->type) ||
        !h5_get_text(file, path, "variable", entry->name, sizeof entry->name) ||
        !h5_get_integer(file, path, "crc32", &crc) || crc < 0 || crc > UINT32_MAX)
        return error_set(error, STATUS_INPUT, "%s: %s is damaged", file->path, path);
    entry->crc = (uint32_t)crc;
    return STATUS_OK;
}

static enum status visit_array(void *context, const char *name, struct error *error)
{
    struct checkpoint *checkpoint = context;
    struct h5_file *file = &checkpoint->file;
    struct checkpoint_array entry = {0};
    struct h5_array open;
    char path[300], expected[128];
    snprintf(path, sizeof path, "/state/%s", name);
    bool real = true;
    enum status status = h5_array_open(&open, file, path, real, 1, NULL);
    if (status)
        status = h5_array_open(&open, file, path, !real, 1, error);
    if (status)
        return status;
    status = fill_entry(&entry, &open, file, path, error);
    h5_array_close(&open);
    AND(checkpoint_add(checkpoint, &entry, error));
    if (status)
        return status;
    checkpoint_dataset(checkpoint, checkpoint->arrays - 1, expected, sizeof expected);
    if (strcmp(expected, path))
        return error_set(error, STATUS_INPUT, "%s: %s stands where %s is expected", file->path, path,
                         expected);
    return STATUS_OK;
}

enum status checkpoint_open(struct checkpoint **out, const char *path, struct error *error)
{
    *out = NULL;
    enum status status = STATUS_OK;
    struct checkpoint *checkpoint = array_zeroed(1, sizeof *checkpoint, "a checkpoint", &status, error);
    if (status)
        return status;
    checkpoint->path = strdup(path);
    status =
        checkpoint->path ? seal_check(path, error) : error_memory(error, "a file name", (double)strlen(path));
    AND(h5_open(&checkpoint->file, path, false, error));
    AND(get_head(checkpoint, error));
    AND(h5_each(&checkpoint->file, "/state", visit_array, checkpoint, error));
    if (status)
        checkpoint_close(checkpoint);
    else
        *out = checkpoint;
    return status;
}

const char *checkpoint_path(const struct checkpoint *checkpoint)
{
    return checkpoint->path;
}

const struct checkpoint_head *checkpoint_head(const struct checkpoint *checkpoint)
{
    return &checkpoint->head;
}

int checkpoint_arrays(const struct checkpoint *checkpoint)
{
    return checkpoint->arrays;
}

const struct checkpoint_array *checkpoint_array(const struct checkpoint *checkpoint, int k)
{
    return &checkpoint->array[k];
}

int checkpoint_find(const struct checkpoint *checkpoint, const char *name)
{
    for (int k = 0; k < checkpoint->arrays; k++)
        if (strcmp(checkpoint->array[k].name, name) == 0)
            return k;
    return -1;
}

static enum status get(struct checkpoint *checkpoint, int k, hid_t type, void *value, struct error *error)
{
    char path[128];
    struct h5_array open;
    const struct checkpoint_array *entry = &checkpoint->array[k];
    checkpoint_dataset(checkpoint, k, path, sizeof path);
    enum status status =
        h5_array_open(&open, &checkpoint->file, path, entry->type != CHECKPOINT_INT32, 1, error);
    AND(h5_array_slice(&open, &checkpoint->file, path, type, 0, entry->count, value, error));
    h5_array_close(&open);
    return status;
}

enum status checkpoint_get(struct checkpoint *checkpoint, int k, void *value, struct error *error)
{
    return get(checkpoint, k, checkpoint_memory_type(checkpoint->array[k].type), value, error);
}

enum status checkpoint_get_double(struct checkpoint *checkpoint, int k, double *value, struct error *error)
{
    return get(checkpoint, k, H5T_NATIVE_DOUBLE, value, error);
}
