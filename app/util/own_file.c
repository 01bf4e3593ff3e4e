/* own_file.c: claim a path, write NAME.tmp, sync, rename. */
#include "app/util/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum status own_file_status(int reason)
{
    static const int of_path[] = {EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP, EISDIR, EINVAL};
    for (size_t k = 0; k < sizeof of_path / sizeof *of_path; k++)
        if (reason == of_path[k])
            return STATUS_INPUT;
    return STATUS_RUN;
}

/* The kind of a file that is not a regular one; NULL = regular */
static const char *find_kind(const struct stat *info)
{
    const mode_t mode = info->st_mode;
    return S_ISREG(mode)    ? NULL
           : S_ISLNK(mode)  ? "a symbolic link"
           : S_ISDIR(mode)  ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* Whether the open file begins with `mark`, or with as many zeros */
static bool begins_with(int file, const char *mark)
{
    char start[128] = "";
    static const char none[sizeof start] = "";
    const size_t length = strlen(mark);
    return length <= sizeof start && pread(file, start, length, 0) == (ssize_t)length &&
           (memcmp(start, mark, length) == 0 || memcmp(start, none, length) == 0);
}

static int open_to_read(const char *path)
{
    return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

enum status own_file_claim(const char *path, const char *mark, const char *instead, struct error *error)
{
    struct stat info;
    if (lstat(path, &info))
        return errno == ENOENT ? STATUS_OK
                               : error_system(error, own_file_status(errno), errno, "%.300s", path);
    const char *kind = find_kind(&info);
    const bool any = info.st_size == 0 || (mark && !*mark);
    int file = !kind && mark && !any ? open_to_read(path) : -1;
    bool ours = !kind && (any || (file >= 0 && begins_with(file, mark)));
    if (file >= 0)
        close(file);
    if (ours)
        return STATUS_OK;
    error_set(error, STATUS_INPUT, kind ? "%.300s is %s%s; %s" : "%.300s exists and is %s%s; %s", path,
              kind ? kind : "no file of this program's", kind ? ", not a regular file" : "", instead);
    if (error)
        error->system = EEXIST;
    return STATUS_INPUT;
}

bool own_file_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return a && b && stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

/* Removes the leftover of a killed process: a file that is empty or has the mark, and that no process has locked.
 * Returns whether the name is free now. */
static bool remove_left(const char *beside, const char *mark)
{
    struct stat info;
    int file = open_to_read(beside);
    if (file < 0)
        return errno == ENOENT;
    bool ours = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 &&
                (info.st_size == 0 || (mark && *mark && begins_with(file, mark))) &&
                flock(file, LOCK_EX | LOCK_NB) == 0 && unlink(beside) == 0;
    close(file);
    return ours;
}

/* Creates and locks a file of that name; -1 with errno: EEXIST = used by another process, else it cannot be created */
static int create_beside(const char *beside, const char *mark)
{
    struct stat info;
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int file = open(beside, flags, 0666);
    if (file < 0 && errno == EEXIST) {
        if (!remove_left(beside, mark)) {
            errno = EEXIST;
            return -1;
        }
        file = open(beside, flags, 0666);
    }
    if (file < 0)
        return -1;
    /* before it was locked, another process may have removed it as a leftover */
    if ((flock(file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) || fstat(file, &info) ||
        info.st_nlink == 0) {
        close(file);
        errno = EEXIST;
        return -1;
    }
    return file;
}

/* Frees the names and zeroes the struct. */
static void forget(struct own_file *file)
{
    free(file->path);
    free(file->beside);
    *file = (struct own_file){0};
}

enum status own_file_begin(struct own_file *file, const char *path, const char *mark, struct error *error)
{
    enum { MOST = 100 };
    int number = -1;
    enum status status;
    *file = (struct own_file){.path = strdup(path)};
    TRY_DONE(file->path ? STATUS_OK : error_memory(error, "a file name", (double)strlen(path)));
    TRY_DONE(own_file_claim(path, mark, "remove it, or name another file", error));
    errno = EEXIST;
    for (int k = 1; number < 0 && errno == EEXIST && k <= MOST; k++) {
        char end[16] = "";
        if (k > 1)
            snprintf(end, sizeof end, "-%d", k);
        free(file->beside);
        if (asprintf(&file->beside, "%s.tmp%s", path, end) < 0)
            file->beside = NULL;
        TRY_DONE(file->beside ? STATUS_OK : error_memory(error, "a file name", (double)strlen(path)));
        number = create_beside(file->beside, mark);
    }
    if (number < 0)
        TRY_DONE(error_system(error, own_file_status(errno), errno, "%.300s", path));
    struct stat old; /* its permissions are kept, where the file system has any */
    if (lstat(path, &old) == 0 && fchmod(number, old.st_mode & 0777))
        errno = 0;
    file->out = fdopen(number, "w");
    if (!file->out) {
        close(number);
        unlink(file->beside);
        status = error_memory(error, "a file", BUFSIZ);
    }
done:
    if (status)
        forget(file);
    return status;
}

/* The errno of a stream that failed earlier: found by another write, which fails again; the file is removed anyway */
static int find_reason(FILE *out)
{
    static const char more[BUFSIZ];
    errno = EIO;
    ssize_t done = write(fileno(out), more, sizeof more);
    return done < (ssize_t)sizeof more ? errno : EIO;
}

static enum status fail_write(const struct own_file *file, int reason, struct error *error)
{
    return error_system(error, STATUS_RUN, reason, "%.300s: cannot be written", file->path);
}

enum status own_file_error(struct own_file *file, struct error *error)
{
    return fail_write(file, find_reason(file->out), error);
}

enum status own_file_sync(struct own_file *file, struct error *error)
{
    if (fflush(file->out) || ferror(file->out))
        return own_file_error(file, error);
    return fsync(fileno(file->out)) ? fail_write(file, errno, error) : STATUS_OK;
}

enum status own_file_end(struct own_file *file, enum status status, struct error *error)
{
    if (!file->out)
        return status;
    if (!status)
        status = own_file_sync(file, error);
    if (!status && rename(file->beside, file->path))
        status = fail_write(file, errno, error);
    if (status)
        unlink(file->beside);
    fclose(file->out); /* cannot fail: everything is synced */
    if (!status)
        status = own_file_sync_name(file->path, error);
    forget(file);
    return status;
}

enum status own_file_write(const char *path, const char *mark, const void *bytes, size_t size,
                           struct error *error)
{
    struct own_file file;
    TRY(own_file_begin(&file, path, mark, error));
    fwrite(bytes, 1, size, file.out);
    return own_file_end(&file, STATUS_OK, error);
}

/* open(2) for regular files only; -1 with errno: ELOOP for a link, EINVAL for a pipe or a device */
static int open_regular(const char *path, int flags)
{
    struct stat info;
    if (flags & O_TRUNC && lstat(path, &info) == 0 && S_ISREG(info.st_mode) && unlink(path))
        return -1;
    int file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file < 0) {
        errno = errno == ENXIO ? EINVAL : errno; /* a pipe that nobody reads, a socket */
        return -1;
    }
    if (fstat(file, &info) || !S_ISREG(info.st_mode)) {
        close(file);
        errno = EINVAL;
        return -1;
    }
    return file;
}

enum status own_file_open(int *file, const char *path, int flags, struct error *error)
{
    *file = open_regular(path, flags);
    if (*file >= 0)
        return STATUS_OK;
    int reason = errno;
    if (reason != ELOOP && reason != EINVAL)
        return error_system(error, own_file_status(reason), reason, "%s", path);
    error_set(error, STATUS_INPUT, "%s: %s", path,
              reason == ELOOP ? "a symbolic link, which may point outside this directory: not opened"
                              : "not a plain file");
    if (error)
        error->system = reason;
    return STATUS_INPUT;
}

enum status own_file_stream(FILE **file, const char *path, int flags, const char *mode, struct error *error)
{
    int number;
    *file = NULL;
    TRY(own_file_open(&number, path, flags, error));
    *file = fdopen(number, mode);
    if (*file)
        return STATUS_OK;
    close(number);
    return error_memory(error, "a file", BUFSIZ);
}

enum status own_file_sync_folder(const char *folder, struct error *error)
{
    int handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = handle < 0 || fsync(handle);
    if (failed)
        error_system(error, STATUS_RUN, errno, "%s: cannot be written to the disk", folder);
    if (handle >= 0)
        close(handle);
    return failed ? STATUS_RUN : STATUS_OK;
}

enum status own_file_sync_name(const char *path, struct error *error)
{
    char *copy = strdup(path);
    enum status status = copy ? own_file_sync_folder(dirname(copy), error)
                              : error_memory(error, "a file name", (double)strlen(path));
    free(copy);
    return status;
}
