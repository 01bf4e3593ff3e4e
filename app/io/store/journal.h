/* journal.h: an HDF5 file driver whose flush is all or nothing; after a sync it survives a power cut.
 *
 * HDF5 rewrites its tables in place, one piece after the other; a program killed in between leaves a file
 * that contradicts itself, and a machine without power one of which any part of the last writes is missing.
 * This driver writes new space at once, since nothing refers to it yet, and keeps writes over what was
 * committed before: at a flush they go to FILE.journal as one record, behind those of earlier flushes. A sync
 * brings the new space and then the journal to the disk; only then are the blocks replaced in the file, that
 * is brought to the disk, and the journal is emptied:
 *
 *   flush:  record -> journal                                   (what a killed program committed is there)
 *   sync:   fsync file, fsync journal, blocks -> file, fsync file, journal emptied
 *
 * So in between the file is as the last sync left it, for any reader. Records found when the file is opened
 * are applied (for writing) or laid over what is read (for reading), if they are this file's: it has in its
 * first block a random id and the number of its last commit, and a record has checksums of all that it
 * replaces and of all that it added. While a reader of ours has the journal, the blocks are not replaced.
 * After a write that failed (disk full) nothing more is written. */
#ifndef CARDIAC_APP_IO_STORE_JOURNAL_H
#define CARDIAC_APP_IO_STORE_JOURNAL_H

#include <hdf5.h>
#include <stdbool.h>

#include "kernels/base/error.h"

/* Bytes at the start of a file that is created, its first block, which are the driver's own
 * (H5Pset_userblock). */
enum { JOURNAL_BLOCK = 512 };

/* Makes a file access list use the driver and returns its id, < 0 on failure. H5FDunregister gives it back
 * once the file is closed, not before: H5Fclose reads the driver after it gave its own reference away. */
hid_t journal_use(hid_t access);

/* All that was flushed is on the disk; handle is that of H5Fget_vfd_handle. False with errno. */
bool journal_sync(void *handle);

/* An open file, and its journal, <- the name `to`, which a file may have; handle as above. False with errno.
 */
bool journal_move(void *handle, const char *path, const char *to);

bool journal_exists(const char *path);
/* STATUS_INPUT, in words, if the driver would refuse the file because its journal is not its own. */
enum status journal_check(const char *path, struct error *error);
/* What the journal of a file that nobody writes any more holds goes into the file, if that can be done. */
void journal_recover(const char *path);
/* The journal of a file that is to be replaced goes with it; or under its new name. */
void journal_remove(const char *path);
bool journal_rename(const char *path, const char *to);

#endif
