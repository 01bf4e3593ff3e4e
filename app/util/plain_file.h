/* plain_file.h: opening the program's own files, never a symbolic link, a device or a pipe.
 *
 * In a directory that others can write to, a link may lead anywhere; a pipe may block for ever. */
#ifndef CARDIAC_APP_UTIL_PLAIN_FILE_H
#define CARDIAC_APP_UTIL_PLAIN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "kernels/base/error.h"

/* *file <- as open(2) does with the flags; what it creates has the mode of the process' mask. -1 and
 * STATUS_RUN with errno. */
enum status plain_file_open(int *file, const char *path, int flags, struct error *error);
/* The same as a stream; mode is that of fdopen(3). */
enum status plain_file_stream(FILE **file, const char *path, int flags, const char *mode,
                              struct error *error);

/* Whether nothing is lost if this program writes a file there: none exists, it is empty, or it begins with
 * `mark`, as its own do (or with zeros, which a power failure leaves). mark NULL: its own have none.
 * instead: how to go on. Errors: STATUS_INPUT. */
enum status plain_file_claim(const char *path, const char *mark, const char *instead, struct error *error);
/* Whether both are there and are one file; NULL is none */
bool plain_file_same(const char *a, const char *b);

/* Names in a directory are on the disk (fsync): those that were made, changed or removed. STATUS_RUN. */
enum status plain_file_sync_directory(const char *directory, struct error *error);

#endif
