/* own_file.h: the one way in which this program writes files.
 *
 * A file that is finished in one go is written as NAME.tmp and renamed: there is the old file or the whole new one,
 * also after a kill, a power failure or on a full disk. A file that grows is opened under its name. Neither follows
 * a symbolic link in the last part of the path, opens a pipe or a device, or replaces another program's file: one of
 * this program's is empty, begins with a mark of its kind, or with zeros, which a power failure leaves. */
#ifndef CARDIAC_APP_UTIL_OWN_FILE_H
#define CARDIAC_APP_UTIL_OWN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "kernels/base/error.h"

/* Errors: STATUS_INPUT where something stands at path that is no file of this program's. mark: "" = any regular file
 * may be replaced, since the user said so; NULL = none that is not empty. instead: how to go on. */
enum status own_file_claim(const char *path, const char *mark, const char *instead, struct error *error);

/* Whether both are there and are one file; NULL is none */
bool own_file_same(const char *a, const char *b);

/* A file that is written in one go */
struct own_file {
    FILE *out;
    char *path, *beside; /* NAME, and NAME.tmp, or NAME.tmp-2 ... where that is another's */
};

/* Claims path and opens NAME.tmp, which only this process has, with the permissions of the old file. own_file_end is to be called in any case. Errors:
 * STATUS_INPUT, also for a folder that is not there or not writable; STATUS_RUN. */
enum status own_file_begin(struct own_file *file, const char *path, const char *mark, struct error *error);
/* Syncs, closes and renames it; removes it if `status`, that of writing it, is an error, which is returned then.
 * Errors: STATUS_RUN if it could not be written. */
enum status own_file_end(struct own_file *file, enum status status, struct error *error);
/* Its bytes are on the disk, still under the name beside. Errors: STATUS_RUN if it could not be written. */
enum status own_file_sync(struct own_file *file, struct error *error);
/* The error of a write to it that has failed, STATUS_RUN, before own_file_end */
enum status own_file_error(struct own_file *file, struct error *error);
/* All at once */
enum status own_file_write(const char *path, const char *mark, const void *bytes, size_t size,
                           struct error *error);

/* *file <- one that grows, as open(2) does with the flags; what it creates has the mode of the process' mask, and
 * O_TRUNC removes it instead, so that a hard link or a reader keeps its content. -1 with STATUS_INPUT or STATUS_RUN, as own_file_status has it. */
enum status own_file_open(int *file, const char *path, int flags, struct error *error);
/* The same as a stream; mode is that of fdopen(3). */
enum status own_file_stream(FILE **file, const char *path, int flags, const char *mode, struct error *error);

/* Names in a folder are on the disk (fsync): those that were made, changed or removed. STATUS_RUN. */
enum status own_file_sync_folder(const char *folder, struct error *error);
/* The same of the folder of a path */
enum status own_file_sync_name(const char *path, struct error *error);
/* STATUS_INPUT for an errno of a path that cannot exist or is forbidden, STATUS_RUN for one of the system */
enum status own_file_status(int reason);

#endif
