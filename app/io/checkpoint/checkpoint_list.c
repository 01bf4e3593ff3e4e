/* checkpoint_list.c: the checkpoints of a directory, and whether one belongs to a run. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/checkpoint/checkpoint.h"

/* checkpoint-<step>.h5 and the ending, the step written as we write it -> step, else -1 */
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
    int room = 0;
    enum status status = STATUS_OK;
    for (struct dirent *entry; !status && (entry = readdir(open));) {
        int64_t found = step_of(entry->d_name, "");
        if (found < 0)
            continue;
        if (*steps == room) {
            room = room ? 2 * room : 16;
            int64_t *more = realloc(*step, (size_t)room * sizeof **step);
            if (!more) {
                status = error_memory(error, "a list of checkpoints", 8.0 * room);
                break;
            }
            *step = more;
        }
        (*step)[(*steps)++] = found;
    }
    closedir(open);
    if (*steps)
        qsort(*step, (size_t)*steps, sizeof **step, descending);
    return status;
}

/* path <- directory/checkpoint-<step>.h5 */
static enum status name_of(char *path, size_t room, const char *directory, int64_t step, struct error *error)
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
    size_t used = 0;
    *out = NULL;
    passed[0] = '\0';
    enum status status = checkpoint_list(directory, &step, &steps, error);
    enum status last = STATUS_OK;
    struct error reason = {0};
    for (int i = 0; i < steps && !status && !*out; i++) {
        char path[4300];
        status = name_of(path, sizeof path, directory, step[i], error);
        if (status)
            break;
        last = checkpoint_open(out, path, &reason);
        if (last && used < room)
            used += (size_t)snprintf(passed + used, room - used, "%s%s; passed over", used ? "\n" : "",
                                     reason.text);
    }
    free(step);
    if (!status && !*out && last)
        return error_set(error, last, "no checkpoint of %s is usable: %s", directory, reason.text);
    return status;
}

enum status checkpoint_remove_all(const char *directory, struct error *error)
{
    int64_t *step;
    int steps;
    enum status status = checkpoint_list(directory, &step, &steps, error);
    for (int i = 0; i < steps && !status; i++) {
        char path[4300];
        status = name_of(path, sizeof path, directory, step[i], error);
        if (!status && unlink(path) && errno != ENOENT)
            status = error_set(error, STATUS_RUN, "%s: %s", path, strerror(errno));
    }
    free(step);
    return status;
}

enum status checkpoint_remove_unfinished(const char *directory, struct error *error)
{
    DIR *open = opendir(directory);
    enum status status = STATUS_OK;
    if (!open)
        return error_set(error, STATUS_RUN, "%s: %s", directory, strerror(errno));
    for (struct dirent *entry; !status && (entry = readdir(open));)
        if (step_of(entry->d_name, ".tmp") >= 0 && unlinkat(dirfd(open), entry->d_name, 0) && errno != ENOENT)
            status = error_set(error, STATUS_RUN, "%s/%s: %s", directory, entry->d_name, strerror(errno));
    closedir(open);
    return status;
}

enum status checkpoint_fits(const struct checkpoint *checkpoint, const char *config_sha256,
                            const char *mesh_sha256, struct error *error)
{
    const struct checkpoint_head *head = checkpoint_head(checkpoint);
    if (strcmp(head->mesh_sha256, mesh_sha256))
        return error_set(error, STATUS_INPUT, "%s: a checkpoint on another mesh; resume refused",
                         checkpoint_path(checkpoint));
    if (strcmp(head->config_sha256, config_sha256))
        return error_set(
            error, STATUS_INPUT,
            "%s: keys that matter to the numbers, or the nodes of a stimulus' list, have changed "
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
                 ", remove the checkpoints after %.10g ms to go on from an earlier one", last);
    return error_set(
        error, STATUS_INPUT,
        "%s: it holds %lld %s up to %.10g ms; when %s was written it held %lld; resume refused (put the "
        "newer file back%s, or move this one away to go on without what is missing; --overwrite starts "
        "again)",
        path, (long long)now, things, checkpoint_head(checkpoint)->time, checkpoint_path(checkpoint),
        (long long)then, earlier);
}
