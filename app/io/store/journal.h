/* journal.h: an HDF5 file driver whose flush is all or nothing; after a sync it survives a power cut.
 *
 * HDF5 rewrites its tables in place, piece by piece: a kill in between leaves an inconsistent file, a power
 * failure one that lacks any part of the last writes. This driver writes new space at once, since nothing refers
 * to it yet, and holds back writes over committed data: a flush appends them to FILE.journal as one record. A
 * sync brings the new space and then the journal to the disk; only then are the blocks replaced in the file, the
 * file is synced, and the journal is emptied:
 *
 *   flush:  record -> journal                                   (survives a kill)
 *   sync:   fsync file, fsync journal, blocks -> file, fsync file, empty the journal
 *
 * Between syncs any reader sees the file as the last sync left it. Records found on opening are applied (for
 * writing) or laid over what is read (for reading) if they belong to this file: its first block has a random id
 * and the number of its last commit, and a record has checksums of all that it replaces and adds. While one of
 * our readers has the journal open, blocks are not replaced. After a failed write (disk full) nothing more is
 * written. */
#ifndef CARDIAC_APP_IO_STORE_JOURNAL_H
#define CARDIAC_APP_IO_STORE_JOURNAL_H

#include <hdf5.h>
#include <stdbool.h>

#include "kernels/base/error.h"

/* Bytes of the first block of a new file, which belongs to the driver (H5Pset_userblock) */
enum { JOURNAL_BLOCK = 512 };

/* Makes a file access list use the driver, without a journal for a new file that nobody reads before it is whole;
 * returns the driver's id, < 0 on failure. Call H5FDunregister only after the file is closed: H5Fclose reads the driver
 * after it has released its own reference. */
hid_t journal_use(hid_t access, bool journaled);
/* After a write that failed: from now on nothing is written, and HDF5 is told that it was, so that the file can be
 * closed. One that stayed open would be written again by HDF5's exit handler, and HDF5 1.10 crashes in it. handle: of
 * H5Fget_vfd_handle. */
void journal_give_up(void *handle);

/* Writes bytes that HDF5 does not write to a file without a journal; several threads may do so at once. handle: of
 * H5Fget_vfd_handle. False with errno. */
bool journal_fill(void *handle, haddr_t at, size_t size, const void *data);
/* The disk starts to write what was filled: closing then waits for less. */
void journal_hurry(void *handle, haddr_t at, int64_t size);

/* Brings all that was flushed to the disk; handle: of H5Fget_vfd_handle. False with errno. */
bool journal_sync(void *handle);

/* Renames an open file and its journal, replacing existing files; handle as above. False with errno. */
bool journal_move(void *handle, const char *path, const char *to);

bool journal_exists(const char *path);
/* STATUS_INPUT, with the reason, if the driver would refuse the file's journal */
enum status journal_check(const char *path, struct error *error);
/* Applies the journal of a file that is no longer written, if possible. */
void journal_recover(const char *path);
/* Removes, or renames, the journal of a file. */
void journal_remove(const char *path);
bool journal_rename(const char *path, const char *to);

#endif
