/* cache.c: the cache's folder, its clean-up, and entries with their digest at the end. */
#include "app/util/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/cancel.h"

enum {
    SEAL = SHA256_HEX - 1,
    MOST_BYTES = CACHE_LARGEST + SEAL,
    HOUR = 3600,
    DAY = 24 * HOUR,
    UNUSED_DAYS = 90
};

static enum status refuse_folder(const char *path, const char *why, struct error *error)
{
    return error_set(error, STATUS_INPUT,
                     "%s: %s; compiled models are stored there ($XDG_CACHE_HOME selects another folder)",
                     path, why);
}

/* Creates the folder and its parent; false if it cannot be written */
static bool make_folder(char *path)
{
    char *slash = strrchr(path, '/');
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
    return (mkdir(path, 0700) == 0 || errno == EEXIST) && access(path, W_OK) == 0;
}

/* path <- the first writable folder: the user's cache, else a temporary folder */
static enum status choose_folder(char path[CACHE_FOLDER], struct error *error)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *temporary = getenv("TMPDIR");
    const bool given = cache && *cache == '/', at_home = home && *home == '/';
    if ((given || at_home) && snprintf(path, CACHE_FOLDER, given ? "%s/cardiac" : "%s/.cache/cardiac",
                                       given ? cache : home) >= CACHE_FOLDER)
        return refuse_folder(given ? cache : home, "the path is too long", error);
    if ((given || at_home) && make_folder(path))
        return STATUS_OK;
    if (snprintf(path, CACHE_FOLDER, "%s/cardiac-%ld", temporary && *temporary == '/' ? temporary : "/tmp",
                 (long)geteuid()) >= CACHE_FOLDER)
        return refuse_folder(temporary, "the path is too long", error);
    return make_folder(path) ? STATUS_OK : refuse_folder(path, strerror(errno), error);
}

/* Whether a file that was last used `age` seconds ago is no longer needed */
static bool is_stale(const char *name, double age)
{
    static const char *const kinds[] = {".so",     ".cubin",   ".model", ".states", ".nodes", ".fronts",
                                        ".bounds", ".weights", ".leads", ".health", ".waves"};
    const size_t digest = strspn(name, "0123456789abcdef");
    if (*name == '.') /* temporary: of a program that is compiling, or was killed */
        return age > HOUR;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (digest == SHA256_HEX - 1 && strcmp(name + digest, kinds[k]) == 0)
            return age > UNUSED_DAYS * DAY;
    return false;
}

/* Removes stale files, at most once an hour: listing thousands of entries takes longer than a small run. */
static void sweep(const struct cache *cache)
{
    static const char stamp[] = ".swept";
    struct stat last;
    if (fstatat(cache->folder, stamp, &last, AT_SYMLINK_NOFOLLOW) == 0 &&
        fabs(difftime(time(NULL), last.st_mtime)) < HOUR)
        return;
    DIR *folder = opendir(cache->path);
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        struct stat is;
        if (fstatat(cache->folder, entry->d_name, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(is.st_mode) &&
            is_stale(entry->d_name, difftime(time(NULL), is.st_mtime)))
            unlinkat(cache->folder, entry->d_name, 0);
    }
    closedir(folder);
    unlinkat(cache->folder, stamp, 0); /* created anew below, with the current time */
    int file = openat(cache->folder, stamp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}

enum status cache_open(struct cache *cache, struct error *error)
{
    struct stat is;
    enum status status = STATUS_OK;
    cache->folder = -1;
    TRY(choose_folder(cache->path, error));
    cache->folder = open(cache->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (cache->folder < 0 || fstat(cache->folder, &is))
        status = refuse_folder(cache->path,
                               errno == ELOOP || errno == ENOTDIR ? "a link, or no folder" : strerror(errno),
                               error);
    else if (is.st_uid != geteuid())
        status = refuse_folder(cache->path, "belongs to another user", error);
    else if (is.st_mode & 077)
        status =
            refuse_folder(cache->path, "others may read or write it (chmod 700 makes it private)", error);
    if (status)
        cache_close(cache);
    else
        sweep(cache);
    return status;
}

void cache_close(struct cache *cache)
{
    if (cache->folder >= 0)
        close(cache->folder);
    cache->folder = -1;
}

void cache_name(char name[CACHE_NAME], const char *kind, const struct cache_input *input, int inputs)
{
    char hex[SHA256_HEX];
    struct sha256 sha;
    sha256_start(&sha);
    for (int k = 0; k < inputs; k++) {
        const uint64_t size = input[k].size; /* hashed too, so that inputs cannot run into each other */
        sha256_add(&sha, &size, sizeof size);
        sha256_add(&sha, input[k].bytes, input[k].size);
    }
    sha256_end(&sha, hex);
    snprintf(name, CACHE_NAME, "%s.%s", hex, kind);
}

/* The digest at the end of an entry: of its name, so that a renamed entry is not accepted, and of its bytes */
static void seal_entry(char hex[SHA256_HEX], const char *name, const void *bytes, size_t size)
{
    struct sha256 sha;
    sha256_start(&sha);
    sha256_add(&sha, name, strlen(name));
    sha256_add(&sha, bytes, size);
    sha256_end(&sha, hex);
}

/* hex <- the build id in a notes segment; false = none */
static bool read_build_id(char hex[SHA256_HEX], const char *note, size_t bytes)
{
    ElfW(Nhdr) head;
    for (size_t at = 0; at + sizeof head <= bytes;) {
        memcpy(&head, note + at, sizeof head);
        const size_t name = at + sizeof head, description = name + (head.n_namesz + 3u) / 4 * 4;
        at = description + (head.n_descsz + 3u) / 4 * 4;
        if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 || memcmp(note + name, "GNU", 4) != 0)
            continue;
        sha256_of(note + description, head.n_descsz, hex);
        return true;
    }
    return false;
}

/* Callback of dl_iterate_phdr(): hex <- the build id of the program or library that contains this function */
static int find_build_id(struct dl_phdr_info *info, size_t size, void *hex)
{
    const ElfW(Addr) here = (ElfW(Addr))(void (*)(void))cache_program;
    bool ours = false, found = false;
    (void)size;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Addr) start = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
        ours |= info->dlpi_phdr[k].p_type == PT_LOAD && here >= start &&
                here < start + info->dlpi_phdr[k].p_memsz;
    }
    for (int k = 0; k < info->dlpi_phnum && ours && !found; k++)
        if (info->dlpi_phdr[k].p_type == PT_NOTE)
            found = read_build_id(hex, (const char *)(info->dlpi_addr + info->dlpi_phdr[k].p_vaddr),
                                  info->dlpi_phdr[k].p_memsz);
    return found;
}

bool cache_program(char hex[SHA256_HEX])
{
    return dl_iterate_phdr(find_build_id, hex) == 1;
}

bool cache_open_entry(struct cache *cache, char name[CACHE_NAME], const char *kind,
                      const char made_from[SHA256_HEX])
{
    char program[SHA256_HEX];
    if (!cache_program(program) || cache_open(cache, NULL))
        return false;
    const struct cache_input input[] = {CACHE_TEXT(program), CACHE_TEXT(made_from)};
    cache_name(name, kind, input, sizeof input / sizeof *input);
    return true;
}

/* The bytes of a file and their number, for a sealed one without its digest; NULL if the file cannot be trusted or the
 * digest is wrong */
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
    if (good && sealed && difftime(time(NULL), is.st_mtime) > DAY)
        futimens(file, NULL); /* records its use */
    close(file);
    good = bytes && got == all;
    *size = sealed && good ? all - SEAL : all;
    if (good && sealed) {
        seal_entry(hex, name, bytes, *size);
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

void cache_temporary(const struct cache *cache, const char *name, char *path)
{
    uint64_t random = 0; /* hosts and containers that share the folder may have equal process ids */
    ssize_t got = getrandom(&random, sizeof random, 0);
    snprintf(path, CACHE_PATH, "%s/.%ld-%" PRIx64 "-%.200s", cache->path, (long)getpid(),
             got == sizeof random ? random : 0, name);
    unlink(path);
}

void cache_remove(const struct cache *cache, const char *name)
{
    unlinkat(cache->folder, name, 0);
}

/* Locks the byte of a shared lock file whose offset is the first digits of the entry's name. */
int cache_lock(const struct cache *cache, const char *name)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    char digits[16] = "";
    int file = openat(cache->folder, "locks", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    memccpy(digits, name, '.', sizeof digits - 1);
    byte.l_start = (off_t)strtoull(digits, NULL, 16);
    for (int tries = 6000; file >= 0 && fcntl(file, F_OFD_SETLK, &byte); tries--) {
        if (tries > 0 && (errno == EAGAIN || errno == EACCES) && !cancel_requested()) {
            nanosleep(&pause, NULL);
            continue;
        }
        close(file);
        return -1;
    }
    return file;
}

/* Writes a new file: the bytes, then the text `after`; false if that fails. */
static bool write_new(const char *path, const void *bytes, size_t size, const char *after)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *stream = file < 0 ? NULL : fdopen(file, "w");
    if (!stream)
        return false;
    bool good = fwrite(bytes, 1, size, stream) == size && fputs(after, stream) >= 0;
    return (fclose(stream) == 0) & good;
}

enum status cache_write(const struct cache *cache, const char *name, const void *bytes, size_t size,
                        struct error *error)
{
    char hex[SHA256_HEX], temporary[CACHE_PATH], path[CACHE_PATH];
    seal_entry(hex, name, bytes, size);
    cache_temporary(cache, name, temporary);
    snprintf(path, sizeof path, "%s/%.200s", cache->path, name);
    if (write_new(temporary, bytes, size, hex) && rename(temporary, path) == 0)
        return STATUS_OK;
    enum status status = error_set(error, STATUS_RUN, "%s: cannot be written: %s", path, strerror(errno));
    unlink(temporary);
    return status;
}

enum status cache_adopt(const struct cache *cache, const char *temporary, const char *name,
                        struct error *error)
{
    size_t size;
    char *bytes = load(cache->folder, strrchr(temporary, '/') + 1, false, &size);
    if (!bytes)
        return error_set(error, STATUS_RUN, "%s: cannot be read", temporary);
    enum status status = cache_write(cache, name, bytes, size, error);
    free(bytes);
    return status;
}

/* The entries of a kind: total bytes, and the least recently used one */
struct entries {
    double bytes;
    char oldest[CACHE_NAME];
    struct timespec used;
};

static struct entries list_entries(const struct cache *cache, const char *kind)
{
    struct entries entries = {.bytes = 0};
    DIR *folder = opendir(cache->path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat is;
        const char *point = strchr(entry->d_name, '.');
        if (!point || point == entry->d_name || strcmp(point + 1, kind) != 0 ||
            strlen(entry->d_name) >= CACHE_NAME ||
            fstatat(cache->folder, entry->d_name, &is, AT_SYMLINK_NOFOLLOW) || !S_ISREG(is.st_mode))
            continue;
        double age = difftime(is.st_mtim.tv_sec, entries.used.tv_sec);
        entries.bytes += (double)is.st_size;
        if (entries.oldest[0] && (age > 0 || (age == 0 && is.st_mtim.tv_nsec >= entries.used.tv_nsec)))
            continue;
        strcpy(entries.oldest, entry->d_name);
        entries.used = is.st_mtim;
    }
    if (folder)
        closedir(folder);
    return entries;
}

void cache_bound(const struct cache *cache, const char *kind, double more, double most)
{
    for (struct entries entries = list_entries(cache, kind); entries.bytes > 0 && entries.bytes + more > most;
         entries = list_entries(cache, kind))
        if (unlinkat(cache->folder, entries.oldest, 0))
            return;
}
