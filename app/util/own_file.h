/* own_file.h: the only functions with which this program writes files.
 *
 * A file that is written at once is written as NAME.tmp and renamed, so that either the old or the complete new file
 * exists, even after a kill, a power failure or on a full disk. A file that grows is opened under its own name. Neither
 * follows a symbolic link in the last component of the path, opens a pipe or a device, or replaces another program's
 * file. A file is recognised as this program's if it is empty, or begins with the mark of its kind or with zeros (after
 * a power failure). */
#ifndef CARDIAC_APP_UTIL_OWN_FILE_H
#define CARDIAC_APP_UTIL_OWN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "kernels/base/error.h"

/* Checks that path is free or is this program's file; else STATUS_INPUT. mark: "" = any regular file may be replaced,
 * at the user's request; NULL = only an empty one. instead: the remedy, for the message. */
enum status own_file_claim(const char *path, const char *mark, const char *instead, struct error *error);

/* Whether both exist and are the same file; false for NULL */
bool own_file_same(const char *a, const char *b);

/* A file that is written at once */
struct own_file {
    FILE *out;
    char *path, *beside; /* NAME, and NAME.tmp (NAME.tmp-2 ... if that is in use) */
};

/* Claims path and opens NAME.tmp, exclusive to this process, with the permissions of the old file. Errors:
 * STATUS_INPUT, also for a missing or read-only folder; STATUS_RUN. Call own_file_end() even then. */
enum status own_file_begin(struct own_file *file, const char *path, const char *mark, struct error *error);
/* Syncs, closes and renames the file. status: that of writing it; if it is an error, the file is removed and status is
 * returned. Errors: STATUS_RUN if it could not be written. */
enum status own_file_end(struct own_file *file, enum status status, struct error *error);
/* Syncs the file to disk, still under the name `beside`. Errors: STATUS_RUN if it could not be written. */
enum status own_file_sync(struct own_file *file, struct error *error);
/* The error of a failed write to the file, STATUS_RUN; call it before own_file_end() */
enum status own_file_error(struct own_file *file, struct error *error);
/* Writes a whole file. */
enum status own_file_write(const char *path, const char *mark, const void *bytes, size_t size,
                           struct error *error);

/* *file <- a file that grows, opened as by open(2) with these flags. A new file has mode 0666 & ~umask. O_TRUNC removes
 * the old file instead of truncating it, so that a hard link or a reader keeps its contents. Errors: *file <- -1,
 * STATUS_INPUT or STATUS_RUN by own_file_status(). */
enum status own_file_open(int *file, const char *path, int flags, struct error *error);
/* The same as a stream; mode: as for fdopen(3) */
enum status own_file_stream(FILE **file, const char *path, int flags, const char *mode, struct error *error);

/* Syncs a folder (fsync), so that files created, renamed or removed in it are so on disk. Errors: STATUS_RUN. */
enum status own_file_sync_folder(const char *folder, struct error *error);
/* The same for the folder that contains `path` */
enum status own_file_sync_name(const char *path, struct error *error);
/* STATUS_INPUT for an errno caused by the path (it cannot exist, or is forbidden), STATUS_RUN for other errors */
enum status own_file_status(int reason);

#endif
