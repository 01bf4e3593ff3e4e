/* journal.h: an HDF5 file driver whose flush is all or nothing; after a sync the file survives a power failure.
 *
 * HDF5 rewrites its tables in place, piece by piece: a kill in between leaves an inconsistent file, and after a power
 * failure any part of the last writes may be missing. This driver writes new space at once, since nothing refers
 * to it yet, and holds back writes over committed data: a flush appends them to FILE.journal as one record. A
 * sync brings the new space and then the journal to the disk; only then are the blocks replaced in the file, the
 * file is synced, and the journal is emptied:
 *
 *   flush:  record -> journal                                   (survives a kill)
 *   sync:   fsync file, fsync journal, blocks -> file, fsync file, empty the journal
 *
 * Between syncs any reader sees the file as the last sync left it. Records found on opening are applied (for
 * writing) or laid over what is read (for reading) if they belong to this file: its first block has a random id
 * and the number of its last commit, and a record has checksums of everything that it replaces and adds. While a reader
 * of this program has the journal open, blocks are not replaced. After a failed write (disk full) nothing more is
 * written. */
#ifndef CARDIAC_APP_IO_STORE_JOURNAL_H
#define CARDIAC_APP_IO_STORE_JOURNAL_H

#include <hdf5.h>
#include <stdbool.h>

#include "kernels/base/error.h"

/* Bytes of the first block of a new file, which belongs to the driver (H5Pset_userblock) */
enum { JOURNAL_BLOCK = 512 };

/* Makes a file access list use the driver; journaled false: for a new file that is not read before it is complete;
 * returns the driver's id, < 0 on failure. Call H5FDunregister only after the file is closed: H5Fclose reads the driver
 * after it has released its own reference. */
hid_t journal_use(hid_t access, bool journaled);
/* Call after a failed write: from now on writes do nothing and report success to HDF5, so that the file can be closed.
 * HDF5's exit handler would write an open file again, and HDF5 1.10 crashes in it. handle: from
 * H5Fget_vfd_handle(). */
void journal_give_up(void *handle);

/* Writes bytes to a file without a journal, past HDF5; several threads may call it at once. handle as above. False with
 * errno. */
bool journal_fill(void *handle, haddr_t at, size_t size, const void *data);
/* Starts writing the filled bytes to disk, so that closing the file takes less time. */
void journal_hurry(void *handle, haddr_t at, int64_t size);

/* Syncs to disk everything that was flushed; handle as above. False with errno. */
bool journal_sync(void *handle);

/* Renames an open file and its journal, replacing existing files; handle as above. False with errno. */
bool journal_move(void *handle, const char *path, const char *to);

bool journal_exists(const char *path);
/* Errors: STATUS_INPUT, with the reason, if the driver would refuse the file's journal */
enum status journal_check(const char *path, struct error *error);
/* Applies the journal of a file that is no longer written, if possible. */
void journal_recover(const char *path);
/* Removes, or renames, the journal of a file. */
void journal_remove(const char *path);
bool journal_rename(const char *path, const char *to);

#endif
