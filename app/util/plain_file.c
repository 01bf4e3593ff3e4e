/* plain_file.c: open(2) with its refusals in words. */
#include "app/util/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status plain_file_open(int *file, const char *path, int flags, struct error *error)
{
    struct stat info;
    *file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (*file < 0 && errno == ELOOP) {
        error_set(error, STATUS_RUN,
                  "%s: a symbolic link, which may point outside this directory: not opened", path);
        errno = ELOOP;
        return STATUS_RUN;
    }
    int reason = errno;
    if (*file >= 0 && (fstat(*file, &info) || !S_ISREG(info.st_mode))) {
        close(*file);
        *file = -1;
        reason = EINVAL;
    }
    if (*file >= 0)
        return STATUS_OK;
    error_set(error, STATUS_RUN, "%s: %s", path, reason == EINVAL ? "not a plain file" : strerror(reason));
    errno = reason;
    return STATUS_RUN;
}

enum status plain_file_stream(FILE **file, const char *path, int flags, const char *mode, struct error *error)
{
    int number;
    *file = NULL;
    TRY(plain_file_open(&number, path, flags, error));
    *file = fdopen(number, mode);
    if (*file)
        return STATUS_OK;
    close(number);
    return error_memory(error, "a file", BUFSIZ);
}

static bool starts_with_mark(const char *path, const char *mark)
{
    char start[64] = "";
    const char none[sizeof start] = "";
    size_t length = mark ? strlen(mark) : 0;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool read_all =
        file >= 0 && length > 0 && length <= sizeof start && read(file, start, length) == (ssize_t)length;
    if (file >= 0)
        close(file);
    return read_all && (memcmp(start, mark, length) == 0 || memcmp(start, none, length) == 0);
}

enum status plain_file_claim(const char *path, const char *mark, const char *instead, struct error *error)
{
    struct stat info;
    if (stat(path, &info) || !S_ISREG(info.st_mode) || info.st_size == 0 || starts_with_mark(path, mark))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "%.300s exists and is no file of this program's; %s", path,
                     instead);
}

bool plain_file_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return a && b && stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

enum status plain_file_sync_directory(const char *directory, struct error *error)
{
    int handle = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = handle < 0 || fsync(handle);
    if (failed)
        error_set(error, STATUS_RUN, "%s: cannot be written to the disk: %s", directory, strerror(errno));
    if (handle >= 0)
        close(handle);
    return failed ? STATUS_RUN : STATUS_OK;
}
