/* cache.c: the folder, and entries with their digest behind them. */
#include "app/models/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/util/sha256.h"

enum { SEAL = SHA256_HEX - 1, MOST_BYTES = 1 << 28 };

static enum status refuse(const char *path, const char *why, struct error *error)
{
    return error_set(error, STATUS_INPUT,
                     "%s: %s; compiled models are kept there ($XDG_CACHE_HOME chooses another place)", path,
                     why);
}

/* The folder around it is made too, where the user never had a cache */
static enum status make_folder(char *path, struct error *error)
{
    char *slash = strrchr(path, '/');
    *slash = 0;
    int made = mkdir(path, 0700);
    *slash = '/';
    if ((made && errno != EEXIST) || (mkdir(path, 0700) && errno != EEXIST))
        return refuse(path, strerror(errno), error);
    return STATUS_OK;
}

enum status cache_open(struct cache *cache, struct error *error)
{
    const char *place = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool given = place && *place == '/';
    cache->folder = -1;
    if (!given && !(home && *home == '/'))
        return refuse("~/.cache", "neither $HOME nor $XDG_CACHE_HOME says where that is", error);
    if (snprintf(cache->path, sizeof cache->path, given ? "%s/cardiac" : "%s/.cache/cardiac",
                 given ? place : home) >= (int)sizeof cache->path)
        return refuse(given ? place : home, "too long a path", error);
    enum status status = make_folder(cache->path, error);
    if (status)
        return status;
    struct stat is;
    cache->folder = open(cache->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (cache->folder < 0 || fstat(cache->folder, &is))
        return refuse(cache->path,
                      errno == ELOOP || errno == ENOTDIR ? "a link, or no folder" : strerror(errno), error);
    if (is.st_uid != geteuid())
        status = refuse(cache->path, "belongs to another user", error);
    else if (is.st_mode & 077)
        status = refuse(cache->path, "others may read or write it (chmod 700 makes it yours alone)", error);
    if (status)
        cache_close(cache);
    return status;
}

void cache_close(struct cache *cache)
{
    if (cache->folder >= 0)
        close(cache->folder);
    cache->folder = -1;
}

/* The bytes of a file and their number; with `sealed` those before its digest, if that is theirs. NULL else.
 */
static char *load(int folder, const char *name, bool sealed, size_t *size)
{
    struct stat is;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    char *bytes = NULL, hex[SHA256_HEX];
    bool good = fstat(file, &is) == 0 && S_ISREG(is.st_mode) && is.st_uid == geteuid() &&
                !(sealed && is.st_mode & 022) && is.st_size <= MOST_BYTES &&
                is.st_size >= (sealed ? SEAL : 0);
    size_t all = good ? (size_t)is.st_size : 0, got = 0;
    bytes = good ? malloc(all + 1) : NULL;
    while (bytes && got < all) {
        ssize_t some = read(file, bytes + got, all - got);
        if (some <= 0)
            break;
        got += (size_t)some;
    }
    close(file);
    good = bytes && got == all;
    *size = sealed && good ? all - SEAL : all;
    if (good && sealed) {
        sha256_of(bytes, *size, hex);
        good = memcmp(hex, bytes + *size, SEAL) == 0;
    }
    if (!good) {
        free(bytes);
        return NULL;
    }
    bytes[*size] = 0;
    return bytes;
}

void *cache_read(const struct cache *cache, const char *name, size_t *size)
{
    return load(cache->folder, name, true, size);
}

bool cache_find(const struct cache *cache, const char *name, char *path)
{
    size_t size;
    char *bytes = load(cache->folder, name, true, &size);
    snprintf(path, CACHE_PATH, "%s/%.200s", cache->path, name);
    free(bytes);
    return bytes != NULL;
}

void cache_beside(const struct cache *cache, const char *name, char *path)
{
    uint64_t random = 0; /* machines and containers that share the folder number their processes alike */
    ssize_t got = getrandom(&random, sizeof random, 0);
    snprintf(path, CACHE_PATH, "%s/.%ld-%" PRIx64 "-%.200s", cache->path, (long)getpid(),
             got == sizeof random ? random : 0, name);
    unlink(path);
}

void cache_drop(const char *beside)
{
    unlink(beside);
}

/* Everything goes into a new file of its own */
static bool write_new(const char *path, const void *bytes, size_t size, const char *behind)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *stream = file < 0 ? NULL : fdopen(file, "w");
    if (!stream)
        return false;
    bool good = fwrite(bytes, 1, size, stream) == size && fputs(behind, stream) >= 0;
    return (fclose(stream) == 0) & good;
}

enum status cache_write(const struct cache *cache, const char *name, const void *bytes, size_t size,
                        struct error *error)
{
    char hex[SHA256_HEX], beside[CACHE_PATH], kept[CACHE_PATH];
    sha256_of(bytes, size, hex);
    cache_beside(cache, name, beside);
    snprintf(kept, sizeof kept, "%s/%.200s", cache->path, name);
    if (write_new(beside, bytes, size, hex) && rename(beside, kept) == 0)
        return STATUS_OK;
    enum status status = error_set(error, STATUS_RUN, "%s: cannot be written: %s", kept, strerror(errno));
    unlink(beside);
    return status;
}

enum status cache_keep(const struct cache *cache, const char *beside, const char *name, struct error *error)
{
    size_t size;
    char *bytes = load(cache->folder, strrchr(beside, '/') + 1, false, &size);
    if (!bytes)
        return error_set(error, STATUS_RUN, "%s: cannot be read", beside);
    unlink(beside);
    enum status status = cache_write(cache, name, bytes, size, error);
    free(bytes);
    return status;
}
