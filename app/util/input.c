/* input.c: hash the files of a config while they are read. */
#include "app/util/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/util/cache.h"
#include "kernels/base/array.h"

enum { LEAST = 1 << 20 }; /* bytes; digests of smaller files are not cached */
static const char kind[] = "digest";
static const double most_bytes = 1e6; /* of digests in the cache */

struct inputs *inputs_new(void)
{
    struct inputs *inputs = calloc(1, sizeof *inputs);
    return inputs_share(inputs);
}

struct inputs *inputs_share(struct inputs *inputs)
{
    if (inputs)
        inputs->owners++;
    return inputs;
}

void inputs_free(struct inputs *inputs)
{
    if (!inputs || --inputs->owners > 0)
        return;
    for (int64_t k = 0; k < inputs->count; k++)
        free(inputs->input[k].path);
    free(inputs->input);
    free(inputs);
}

static struct input_listed *find_path(const struct inputs *inputs, const char *path)
{
    for (int64_t k = 0; k < inputs->count; k++)
        if (strcmp(inputs->input[k].path, path) == 0)
            return inputs->input + k;
    return NULL;
}

/* Adds the file to the record, or notes that its bytes have changed since it was recorded. */
static enum status list_file(struct inputs *inputs, const struct input_file *in)
{
    struct input_listed *listed = find_path(inputs, in->path);
    if (listed && strcmp(listed->sha256, in->sha256) != 0) {
        inputs->changed = listed->path;
        return STATUS_OK;
    }
    if (!listed) {
        TRY(array_grow((void **)&inputs->input, &inputs->room, inputs->count, sizeof *inputs->input,
                       "the files of a config", NULL));
        listed = &inputs->input[inputs->count];
        *listed = (struct input_listed){.path = strdup(in->path)};
        if (!listed->path)
            return STATUS_RUN;
        memcpy(listed->sha256, in->sha256, SHA256_HEX);
        inputs->count++;
    }
    listed->identity = in->identity;
    listed->settled = in->settled;
    return STATUS_OK;
}

struct inputs *inputs_stored(const char *record)
{
    struct inputs *inputs = inputs_new();
    for (const char *line = record; inputs && *line; line += *line == '\n') {
        const size_t length = strcspn(line, "\n"), digits = SHA256_HEX - 1;
        struct input_file in = {.path = NULL};
        char *path = length > digits + 2 ? strndup(line + digits + 2, length - digits - 2) : NULL;
        if (path)
            memcpy(in.sha256, line, digits);
        in.path = path;
        const bool listed = !path || list_file(inputs, &in) == STATUS_OK;
        free(path);
        if (!listed) {
            inputs_free(inputs);
            return NULL;
        }
        line += length;
    }
    if (inputs)
        inputs->stored = true;
    return inputs;
}

static struct input_identity identify(const struct stat *is)
{
    return (struct input_identity){{(uint64_t)is->st_dev, (uint64_t)is->st_ino, (uint64_t)is->st_size,
                                    (uint64_t)is->st_mtim.tv_sec, (uint64_t)is->st_mtim.tv_nsec,
                                    (uint64_t)is->st_ctim.tv_sec, (uint64_t)is->st_ctim.tv_nsec}};
}

static bool is_same(const struct input_identity *a, const struct input_identity *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Whether the file's times are old enough to identify its contents: two writes within a clock tick give equal times */
static bool is_settled(const struct stat *is)
{
    const double least = 2; /* s */
    const time_t now = time(NULL);
    return difftime(now, is->st_ctim.tv_sec) > least && difftime(now, is->st_mtim.tv_sec) > least;
}

/* Opens the cache; name <- the entry for the file's digest. False if its digest is not cached */
static bool open_cache(struct cache *cache, char name[CACHE_NAME], const struct input_file *in)
{
    const struct cache_input input[] = {{&in->identity, sizeof in->identity}};
    if (in->disk_size < LEAST || !in->settled || cache_open(cache, NULL))
        return false;
    cache_name(name, kind, input, 1);
    return true;
}

/* in->sha256 <- the digest in the record or in the cache; false if neither has it */
static bool recall(struct input_file *in)
{
    const struct input_listed *listed = find_path(in->inputs, in->path);
    char name[CACHE_NAME];
    struct cache cache;
    size_t size = 0;
    if (listed && listed->settled && is_same(&listed->identity, &in->identity)) {
        memcpy(in->sha256, listed->sha256, SHA256_HEX);
        return true;
    }
    if (!open_cache(&cache, name, in))
        return false;
    char *hex = cache_read(&cache, name, &size);
    const bool found = hex && size == SHA256_HEX - 1;
    if (found)
        memcpy(in->sha256, hex, SHA256_HEX);
    free(hex);
    cache_close(&cache);
    return found;
}

static void remember(const struct input_file *in)
{
    char name[CACHE_NAME];
    struct cache cache;
    if (!open_cache(&cache, name, in))
        return;
    cache_bound(&cache, kind, 2 * SHA256_HEX, most_bytes);
    cache_write(&cache, name, in->sha256, SHA256_HEX - 1, NULL);
    cache_close(&cache);
}

enum status input_open(struct input_file *in, const char *path, struct inputs *inputs, struct error *error)
{
    struct stat is;
    *in = (struct input_file){.path = path, .inputs = inputs};
    in->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (in->file < 0)
        return error_at(error, STATUS_INPUT, path, 0, 0, "%s", strerror(errno));
    const int failed = fstat(in->file, &is);
    if (failed || !S_ISREG(is.st_mode)) {
        error_at(error, STATUS_INPUT, path, 0, 0, "%s",
                 failed                ? strerror(errno)
                 : S_ISDIR(is.st_mode) ? "this is a directory, not a file"
                                       : "this is not a regular file");
        close(in->file);
        return STATUS_INPUT;
    }
    in->open = true;
    in->disk_size = (int64_t)is.st_size;
    in->identity = identify(&is);
    in->settled = is_settled(&is);
    in->known = !inputs || recall(in);
    if (!in->known)
        sha256_start(&in->sha);
    return STATUS_OK;
}

int64_t input_read(struct input_file *in, void *bytes, size_t room)
{
    size_t done = 0;
    while (done < room) {
        const ssize_t got = read(in->file, (char *)bytes + done, room - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    if (!in->known)
        sha256_add(&in->sha, bytes, done);
    return (int64_t)done;
}

/* Reads the rest of the file; in->sha256 <- the digest of the whole. False if it cannot be read */
static bool finish_digest(struct input_file *in)
{
    enum { PIECE = 1 << 20 };
    char *rest = malloc(PIECE);
    int64_t got = rest ? 1 : -1;
    while (got > 0)
        got = input_read(in, rest, PIECE);
    free(rest);
    sha256_end(&in->sha, in->sha256);
    return got == 0;
}

/* in->sha256 <- the digest of the file's current bytes; for a known file that may have been written meanwhile. False if
 * it cannot be read */
static bool hash_again(struct input_file *in)
{
    in->known = false;
    sha256_start(&in->sha);
    return lseek(in->file, 0, SEEK_SET) == 0 && finish_digest(in);
}

/* Finishes the digest; returns whether in->sha256 is the digest of the bytes that were read. */
static bool end_file(struct input_file *in)
{
    struct stat is;
    char known[SHA256_HEX];
    const struct input_identity now = fstat(in->file, &is) ? (struct input_identity){{0}} : identify(&is);
    const bool untouched = is_same(&now, &in->identity);
    bool whole = true, same = now.of[2] == in->identity.of[2]; /* their sizes */
    if (!in->known) {
        whole = finish_digest(in);
    } else if (!untouched) {
        memcpy(known, in->sha256, sizeof known);
        whole = hash_again(in);
        same = same && strcmp(known, in->sha256) == 0;
    }
    close(in->file);
    in->open = false;
    in->settled = in->settled && untouched;
    if (whole && !in->known)
        remember(in);
    if (!whole || list_file(in->inputs, in))
        return false;
    if (!same)
        in->inputs->changed = find_path(in->inputs, in->path)->path;
    return true;
}

void input_close(struct input_file *in)
{
    if (in->open && in->inputs)
        end_file(in);
    else if (in->open)
        close(in->file);
    in->open = false;
}

enum status inputs_digest(struct inputs *inputs, const char *path, char hex[SHA256_HEX], struct error *error)
{
    struct input_file in;
    const struct input_listed *listed = inputs->stored ? find_path(inputs, path) : NULL;
    if (listed)
        memcpy(hex, listed->sha256, SHA256_HEX);
    if (inputs->stored)
        return listed ? STATUS_OK : error_at(error, STATUS_INPUT, path, 0, 0, "is not in the record");
    TRY(input_open(&in, path, inputs, error));
    const bool whole = end_file(&in);
    memcpy(hex, in.sha256, SHA256_HEX);
    return whole ? STATUS_OK : error_at(error, STATUS_INPUT, path, 0, 0, "cannot be read");
}

enum status inputs_check(const struct inputs *inputs, struct error *error)
{
    return !inputs || !inputs->changed ? STATUS_OK
                                       : error_at(error, STATUS_INPUT, inputs->changed, 0, 0,
                                                  "has changed since it was first read; start again");
}

enum status input_text(char **text, size_t *length, const char *path, int most, const char *otherwise,
                       struct inputs *inputs, struct error *error)
{
    struct input_file in;
    enum status status = STATUS_OK;
    *text = NULL;
    *length = 0;
    TRY(input_open(&in, path, inputs, error));
    if (in.disk_size > most)
        TRY_DONE(error_at(error, STATUS_INPUT, path, 0, 0, "longer than %d bytes: %s", most, otherwise));
    *text = array_zeroed(in.disk_size + 1, 1, "a text", &status, error);
    TRY_DONE(status);
    const int64_t got = input_read(&in, *text, (size_t)in.disk_size);
    *length = got < 0 ? 0 : (size_t)got;
    if (got < 0)
        status = error_at(error, STATUS_INPUT, path, 0, 0, "%s", strerror(errno));
done:
    input_close(&in);
    return status;
}
