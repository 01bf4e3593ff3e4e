/* checkpoint.c: writing, listing and reading checkpoints. */
#include "app/io/checkpoint/checkpoint.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "app/io/result/time_field.h"
#include "app/io/store/h5.h"
#include "app/io/store/seal.h"
#include "app/util/own_file.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/ops/rhs.h"
#include "solver/params.h"

struct checkpoint {
    struct h5_file file;
    struct checkpoint_head head;
    struct checkpoint_array *array;
    struct h5_space *space; /* [arrays] in the file being written */
    int arrays;
    int64_t room;        /* of array[] and space[] */
    char *directory;     /* of one being written */
    char *path;          /* its name */
    struct own_file own; /* until it is committed */
};

/* Attributes of the head: rows of the probes and of the ECG */
static const char *const rows_name[2] = {"probe_rows", "ecg_rows"};

/* "/state/003_tp06-epi_Cai" */
static void dataset_path(const struct checkpoint *checkpoint, int k, char *name, size_t room)
{
    char plain[64];
    time_field_name(plain, sizeof plain, checkpoint->array[k].name);
    snprintf(name, room, "/state/%03d_%s", k, plain);
}

static hid_t memory_type(enum checkpoint_type type)
{
    return type == CHECKPOINT_DOUBLE  ? H5T_NATIVE_DOUBLE
           : type == CHECKPOINT_FLOAT ? H5T_NATIVE_FLOAT
                                      : H5T_NATIVE_INT32;
}

static size_t type_size(enum checkpoint_type type)
{
    return type == CHECKPOINT_DOUBLE ? 8 : 4;
}

/* Adds an entry to checkpoint->array. */
static enum status add_array(struct checkpoint *checkpoint, const struct checkpoint_array *array,
                             struct error *error)
{
    static const char what[] = "the list of a checkpoint";
    int64_t room = checkpoint->room;
    TRY(array_grow((void **)&checkpoint->array, &room, checkpoint->arrays, sizeof *array, what, error));
    TRY(array_grow((void **)&checkpoint->space, &checkpoint->room, checkpoint->arrays,
                   sizeof *checkpoint->space, what, error));
    checkpoint->space[checkpoint->arrays] = (struct h5_space){0};
    checkpoint->array[checkpoint->arrays++] = *array;
    return STATUS_OK;
}

void checkpoint_close(struct checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    h5_close(&checkpoint->file, NULL);
    own_file_end(&checkpoint->own, STATUS_RUN, NULL); /* not committed */
    free(checkpoint->directory);
    free(checkpoint->path);
    free(checkpoint->array);
    free(checkpoint->space);
    free(checkpoint);
}

/* The step of a file named exactly checkpoint-<step>.h5 + ending; else -1 */
static int64_t step_of(const char *name, const char *ending)
{
    char again[64];
    int64_t step = -1;
    if (sscanf(name, "checkpoint-%" SCNd64, &step) != 1 || step < 0)
        return -1;
    snprintf(again, sizeof again, "checkpoint-%" PRId64 ".h5%s", step, ending);
    return strcmp(again, name) ? -1 : step;
}

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

enum status checkpoint_list(const char *directory, int64_t **step, int *steps, struct error *error)
{
    *step = NULL;
    *steps = 0;
    DIR *open = opendir(directory);
    if (!open)
        return errno == ENOENT ? STATUS_OK
                               : error_set(error, STATUS_INPUT, "%s: %s", directory, strerror(errno));
    int64_t room = 0;
    enum status status = STATUS_OK;
    for (struct dirent *entry; (entry = readdir(open));) {
        int64_t found = step_of(entry->d_name, "");
        if (found < 0)
            continue;
        TRY_DONE(array_grow((void **)step, &room, *steps, sizeof **step, "a list of checkpoints", error));
        (*step)[(*steps)++] = found;
    }
done:
    closedir(open);
    if (*steps)
        qsort(*step, (size_t)*steps, sizeof **step, descending);
    return status;
}

/* path <- directory/checkpoint-<step>.h5 */
static enum status write_name(char *path, size_t room, const char *directory, int64_t step,
                              struct error *error)
{
    if (snprintf(path, room, "%s/checkpoint-%" PRId64 ".h5", directory, step) >= (int)room)
        return error_set(error, STATUS_INPUT, "%.200s...: the name is too long", directory);
    return STATUS_OK;
}

enum status checkpoint_latest(struct checkpoint **out, const char *directory, char *passed, size_t room,
                              struct error *error)
{
    int64_t *step;
    int steps;
    *out = NULL;
    passed[0] = '\0';
    enum status status, last = STATUS_OK;
    struct error reason = {0};
    TRY_DONE(checkpoint_list(directory, &step, &steps, error));
    for (int i = 0; i < steps && !*out; i++) {
        char path[4300];
        TRY_DONE(write_name(path, sizeof path, directory, step[i], error));
        last = checkpoint_open(out, path, &reason);
        if (last)
            printed_add(passed, room, "%s%s; passed over", *passed ? "\n" : "", reason.text);
    }
    if (!*out && last)
        status = error_set(error, last, "no checkpoint of %s is usable: %s", directory, reason.text);
done:
    free(step);
    return status;
}

/* Whether it is an undamaged checkpoint, and no other program's file */
static bool is_checkpoint(const char *path)
{
    struct h5_file file;
    int64_t format;
    if (h5_open(&file, path, false, NULL))
        return false;
    bool is = h5_get_integer(&file, "/", "format", &format) && h5_exists(&file, "/state");
    h5_close(&file, NULL);
    return is;
}

enum status checkpoint_remove_old(const char *directory, int64_t last, int keep, struct error *error)
{
    int64_t *step;
    int steps, passed = 0;
    enum status status;
    TRY_DONE(checkpoint_list(directory, &step, &steps, error));
    for (int i = 0; i < steps; i++) {
        char path[4300];
        if (step[i] > last || passed++ < keep)
            continue;
        TRY_DONE(write_name(path, sizeof path, directory, step[i], error));
        if (keep > 0 && !is_checkpoint(path))
            continue;
        if (unlink(path) && errno != ENOENT)
            TRY_DONE(error_set(error, STATUS_RUN, "%s: %s", path, strerror(errno)));
    }
done:
    free(step);
    return status;
}

enum status checkpoint_remove_all(const char *directory, struct error *error)
{
    return checkpoint_remove_old(directory, INT64_MAX, 0, error);
}

enum status checkpoint_remove_unfinished(const char *directory, struct error *error)
{
    DIR *open = opendir(directory);
    enum status status = STATUS_OK;
    if (!open)
        return error_set(error, STATUS_RUN, "%s: %s", directory, strerror(errno));
    for (struct dirent *entry; (entry = readdir(open));)
        if (step_of(entry->d_name, ".tmp") >= 0 && unlinkat(dirfd(open), entry->d_name, 0) && errno != ENOENT)
            TRY_DONE(error_set(error, STATUS_RUN, "%s/%s: %s", directory, entry->d_name, strerror(errno)));
done:
    closedir(open);
    return status;
}

enum status checkpoint_fits(const struct checkpoint *checkpoint, const char *config_sha256,
                            const char *mesh_sha256, struct error *error)
{
    const struct checkpoint_head *head = checkpoint_head(checkpoint);
    if (strcmp(head->mesh_sha256, mesh_sha256))
        return error_set(error, STATUS_INPUT, "%s: the checkpoint belongs to another mesh; resume refused",
                         checkpoint_path(checkpoint));
    if (head->ids != CHECKPOINT_IDS)
        return error_set(
            error, STATUS_INPUT,
            "%s: written by %s, which identified files by other digests, so it is unknown whether they "
            "have changed; resume refused (initial.file: %s with another --output starts from it, "
            "--overwrite starts again)",
            checkpoint_path(checkpoint), head->program, checkpoint_path(checkpoint));
    if (strcmp(head->config_sha256, config_sha256))
        return error_set(error, STATUS_INPUT,
                         "%s: keys that affect the results, or files that they name, have changed "
                         "since; resume refused (--overwrite starts again)",
                         checkpoint_path(checkpoint));
    return STATUS_OK;
}

enum status checkpoint_covered(const struct checkpoint *checkpoint, const char *path, const char *things,
                               int64_t now, int64_t then, double last, struct error *error)
{
    char earlier[128] = "";
    if (now >= then)
        return STATUS_OK;
    if (now > 0)
        snprintf(earlier, sizeof earlier,
                 ", remove the checkpoints after %.10g ms to continue from an earlier one", last);
    return error_set(
        error, STATUS_INPUT,
        "%s: it holds %lld %s up to %.10g ms; when %s was written it held %lld; resume refused (put the "
        "newer file back%s, or move this one away to continue without what is missing; --overwrite starts "
        "again)",
        path, (long long)now, things, checkpoint_head(checkpoint)->time, checkpoint_path(checkpoint),
        (long long)then, earlier);
}

static char *join_name(const char *directory, int64_t step)
{
    size_t room = strlen(directory) + 48;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%s/checkpoint-%" PRId64 ".h5", directory, step);
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
    checkpoint->path = join_name(directory, head->step);
    if (!checkpoint->directory || !checkpoint->path)
        TRY_DONE(error_memory(error, "a file name", (double)strlen(directory)));
    TRY_DONE(own_file_begin(&checkpoint->own, checkpoint->path, "\211HDF", error));
    TRY_DONE(h5_create(&checkpoint->file, checkpoint->own.beside, false, error));
    TRY_DONE(h5_group(&checkpoint->file, "/state", error));
    *out = checkpoint;
done:
    if (status)
        checkpoint_close(checkpoint);
    return status;
}

static int64_t count_largest(const struct checkpoint_blocks *blocks)
{
    int64_t most = 0;
    for (int64_t b = 0; b < blocks->blocks; b++)
        most =
            blocks->first[b + 1] - blocks->first[b] > most ? blocks->first[b + 1] - blocks->first[b] : most;
    return most;
}

/* Writes all blocks, crc[b] <- of block b; returns errno, 0 = it is done. */
static int write_blocks(const struct h5_space *space, size_t width, const struct checkpoint_blocks *blocks,
                        uint32_t *crc)
{
    const size_t most = (size_t)count_largest(blocks) * width;
    int failed = 0;
#pragma omp parallel if (blocks->blocks > 1) reduction(max : failed)
    {
        void *room = malloc(most);
        failed = room ? 0 : ENOMEM;
#pragma omp for schedule(dynamic)
        for (int64_t b = 0; b < blocks->blocks; b++) {
            const size_t size = (size_t)(blocks->first[b + 1] - blocks->first[b]) * width;
            const void *value = failed || size == 0 ? NULL : blocks->make(blocks->context, b, room);
            crc[b] = (uint32_t)crc32_z(0, value, size);
            if (value && !h5_fill(space, blocks->first[b] * (int64_t)width, size, value))
                failed = errno ? errno : EIO;
        }
        free(room);
    }
    return failed;
}

enum status checkpoint_reserve(struct checkpoint *checkpoint, const char *name, enum checkpoint_type type,
                               int64_t count, struct error *error)
{
    struct h5_file *file = &checkpoint->file;
    struct checkpoint_array array = {.type = type, .count = count};
    char path[128];
    assert(strlen(name) < sizeof array.name);
    strcpy(array.name, name);
    TRY(add_array(checkpoint, &array, error));
    const int k = checkpoint->arrays - 1;
    const hsize_t none = 0;
    dataset_path(checkpoint, k, path, sizeof path);
    if (count > 0)
        TRY(h5_reserve(file, path, memory_type(type), count, &checkpoint->space[k], error));
    else
        TRY(h5_put(file, path, memory_type(type), 1, &none, NULL, NULL, 0, error));
    return h5_set_text(file, path, "variable", name, error);
}

enum status checkpoint_fill(struct checkpoint *checkpoint, int k, const struct checkpoint_blocks *blocks,
                            struct error *error)
{
    struct checkpoint_array *array = &checkpoint->array[k];
    const struct h5_space *space = &checkpoint->space[k];
    const size_t width = type_size(array->type);
    enum status status = STATUS_OK;
    assert(blocks->first[blocks->blocks] == array->count);
    if (array->count == 0)
        return STATUS_OK;
    uint32_t *each = array_new(blocks->blocks, sizeof *each, "a checkpoint", &status, error);
    TRY(status);
    const int failed = write_blocks(space, width, blocks, each);
    h5_filled(space, array->count * (int64_t)width);
    if (failed) {
        checkpoint->file.broken = true;
        status = error_system(error, STATUS_RUN, failed, "%s: cannot write %s", checkpoint->file.path,
                              array->name);
    }
    array->crc = 0;
    for (int64_t b = 0; b < blocks->blocks; b++)
        array->crc = (uint32_t)crc32_combine(array->crc, each[b],
                                             (blocks->first[b + 1] - blocks->first[b]) * (int64_t)width);
    free(each);
    return status;
}

enum status checkpoint_filled(struct checkpoint *checkpoint, struct error *error)
{
    return own_file_sync(&checkpoint->own, error);
}

/* Known once the arrays are filled */
static enum status put_checksums(struct checkpoint *checkpoint, struct error *error)
{
    char path[128];
    for (int k = 0; k < checkpoint->arrays; k++) {
        dataset_path(checkpoint, k, path, sizeof path);
        TRY(h5_set_integer(&checkpoint->file, path, "crc32", checkpoint->array[k].crc, error));
    }
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
                 {"bounds", head->bounds},
                 {"program", head->program},
                 {"backend", head->backend}};
    TRY(h5_set_integer(file, "/", "format", H5_FORMAT_CHECKPOINT, error));
    TRY(h5_set_integer(file, "/", "step", head->step, error));
    TRY(h5_set_number(file, "/", "time", head->time, error));
    TRY(h5_set_integer(file, "/", "history", head->history, error));
    TRY(h5_set_integer(file, "/", "ids", head->ids, error));
    if (head->level > 0)
        TRY(h5_set_integer(file, "/", "level", head->level, error));
    if (head->before > 0) {
        TRY(h5_set_number(file, "/", "last_step", head->before, error));
        TRY(h5_set_number(file, "/", "gates_behind", head->lag, error));
    }
    TRY(h5_set_integer(file, "/", "frames", head->frames, error));
    for (int t = 0; t < 2; t++)
        TRY(h5_set_integer(file, "/", rows_name[t], head->rows[t], error));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        TRY(h5_set_text(file, "/", texts[i].name, texts[i].text, error));
    return STATUS_OK;
}

/* Writes the trailer of the closed file. */
static enum status seal_file(const struct checkpoint *checkpoint, struct error *error)
{
    enum status status = STATUS_OK;
    struct seal_range *range =
        array_zeroed(checkpoint->arrays, sizeof *range, "a checkpoint", &status, error);
    if (status)
        return status;
    for (int k = 0; k < checkpoint->arrays; k++) {
        const struct checkpoint_array *array = &checkpoint->array[k];
        range[k].offset = checkpoint->space[k].offset;
        range[k].bytes = array->count * (int64_t)type_size(array->type);
        range[k].crc = array->crc;
        strcpy(range[k].name, array->name);
    }
    status = seal_write(checkpoint->own.beside, range, checkpoint->arrays, error);
    free(range);
    return status;
}

enum status checkpoint_commit(struct checkpoint *checkpoint, int keep, struct error *error)
{
    assert(keep >= 1);
    TRY(put_checksums(checkpoint, error));
    TRY(put_head(checkpoint, error));
    TRY(h5_close(&checkpoint->file, error));
    TRY(seal_file(checkpoint, error));
    TRY(own_file_end(&checkpoint->own, STATUS_OK, error));
    return checkpoint_remove_old(checkpoint->directory, checkpoint->head.step, keep, error);
}

static enum status get_head(struct checkpoint *checkpoint, struct error *error)
{
    struct h5_file *file = &checkpoint->file;
    struct checkpoint_head *head = &checkpoint->head;
    int64_t format = 0, history = -1, level = 0;
    if (!h5_get_integer(file, "/", "format", &format))
        return error_set(error, STATUS_INPUT, "%s: not a checkpoint", file->path);
    if (h5_check_checkpoint(file, format, error))
        return STATUS_INPUT;
    bool good = h5_get_integer(file, "/", "step", &head->step) &&
                h5_get_number(file, "/", "time", &head->time) &&
                h5_get_integer(file, "/", "history", &history) &&
                h5_get_text(file, "/", "config_sha256", head->config_sha256, SHA256_HEX) &&
                h5_get_text(file, "/", "mesh_sha256", head->mesh_sha256, SHA256_HEX) &&
                h5_get_text(file, "/", "program", head->program, sizeof head->program) &&
                h5_get_text(file, "/", "backend", head->backend, sizeof head->backend);
    h5_get_integer(file, "/", "level", &level); /* 0 is not stored */
    head->before = head->lag = 0;
    if (h5_get_number(file, "/", "last_step", &head->before))
        good = h5_get_number(file, "/", "gates_behind", &head->lag) && good;
    good = good && head->before >= 0 && isfinite(head->before) && head->lag >= 0 && isfinite(head->lag);
    if (!good || head->step < 0 || history < 0 || history > RHS_HISTORY || level < 0 ||
        level > PARAMS_DOUBLINGS)
        return error_set(error, STATUS_INPUT, "%s: its head is damaged", file->path);
    head->history = (int)history;
    head->level = (int)level;
    /* Checkpoints of other ids may lack these, which only a resume needs. */
    h5_get_integer(file, "/", "ids", &head->ids);
    h5_get_text(file, "/", "models_sha256", head->models_sha256, SHA256_HEX);
    h5_get_text(file, "/", "initial_sha256", head->initial_sha256, SHA256_HEX);
    h5_get_text(file, "/", "bounds", head->bounds, sizeof head->bounds);
    h5_get_integer(file, "/", "frames", &head->frames);
    for (int t = 0; t < 2; t++)
        h5_get_integer(file, "/", rows_name[t], &head->rows[t]);
    return STATUS_OK;
}

/* Type and size of the array that was opened as `open`. */
static enum status fill_entry(struct checkpoint_array *entry, const struct h5_array *open,
                              struct h5_file *file, const char *path, struct error *error)
{
    int64_t crc;
    entry->count = open->values;
    entry->type = !open->real ? CHECKPOINT_INT32 : open->size == 8 ? CHECKPOINT_DOUBLE : CHECKPOINT_FLOAT;
    if (open->size != type_size(entry->type) ||
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
    TRY(h5_array_open_any(&open, file, path, 1, error));
    enum status status = fill_entry(&entry, &open, file, path, error);
    h5_array_close(&open);
    TRY(status);
    TRY(add_array(checkpoint, &entry, error));
    dataset_path(checkpoint, checkpoint->arrays - 1, expected, sizeof expected);
    if (strcmp(expected, path))
        return error_set(error, STATUS_INPUT, "%s: found %s where %s is expected", file->path, path,
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
    if (!checkpoint->path)
        TRY_DONE(error_memory(error, "a file name", (double)strlen(path)));
    TRY_DONE(seal_check(path, error));
    TRY_DONE(h5_open(&checkpoint->file, path, false, error));
    TRY_DONE(get_head(checkpoint, error));
    TRY_DONE(h5_each(&checkpoint->file, "/state", visit_array, checkpoint, error));
    *out = checkpoint;
done:
    if (status)
        checkpoint_close(checkpoint);
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

static enum status get_values(struct checkpoint *checkpoint, int k, hid_t type, void *value,
                              struct error *error)
{
    char path[128];
    struct h5_array open;
    const struct checkpoint_array *entry = &checkpoint->array[k];
    dataset_path(checkpoint, k, path, sizeof path);
    enum status status = STATUS_OK;
    TRY_DONE(h5_array_open(&open, &checkpoint->file, path, entry->type != CHECKPOINT_INT32, 1, error));
    TRY_DONE(h5_array_slice(&open, &checkpoint->file, path, type, 0, entry->count, value, error));
done:
    h5_array_close(&open);
    return status;
}

enum status checkpoint_get(struct checkpoint *checkpoint, int k, void *value, struct error *error)
{
    return get_values(checkpoint, k, memory_type(checkpoint->array[k].type), value, error);
}

enum status checkpoint_get_double(struct checkpoint *checkpoint, int k, double *value, struct error *error)
{
    return get_values(checkpoint, k, H5T_NATIVE_DOUBLE, value, error);
}
