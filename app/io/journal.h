/* journal.h: an HDF5 file driver whose flush is all or nothing.
 *
 * HDF5 rewrites its tables in place, one piece after the other; a program killed in between leaves a file
 * that contradicts itself. This driver writes new space at once, since nothing refers to it yet, and keeps
 * writes over what was committed before until the flush: then they go to FILE.journal as one record with a
 * checksum, next into the file, and the record is struck out. A record found when the file is opened is
 * applied (for writing) or laid over what is read (for reading), if it is this file's: a file has in its
 * first block a random id and the number of its last commit, a record a checksum of every block that it
 * replaces, of this one too. After a write that failed (disk full) nothing more is written: the file stays as
 * the last flush left it. It costs one more copy of the tables per flush. */
#ifndef CARDIAC_APP_IO_JOURNAL_H
#define CARDIAC_APP_IO_JOURNAL_H

#include <hdf5.h>
#include <stdbool.h>

#include "kernels/base/error.h"

/* Bytes at the start of a file that is created, its first block, which are the driver's own
 * (H5Pset_userblock). */
enum { JOURNAL_BLOCK = 512 };

/* Makes a file access list use the driver and returns its id, < 0 on failure. H5FDunregister gives it back
 * once the file is closed, not before: H5Fclose reads the driver after it gave its own reference away. */
hid_t journal_use(hid_t access);

bool journal_exists(const char *path);
/* STATUS_INPUT, in words, if the driver would refuse the file because its journal is not its own. */
enum status journal_check(const char *path, struct error *error);
/* The journal of a file that is to be replaced goes with it. */
void journal_remove(const char *path);

#endif
