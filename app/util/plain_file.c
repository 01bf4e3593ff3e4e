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
