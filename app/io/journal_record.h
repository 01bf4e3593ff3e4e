/* journal_record.h: what a journal holds: the blocks that one flush replaces, and how to tell whose they are.
 */
#ifndef CARDIAC_APP_IO_JOURNAL_RECORD_H
#define CARDIAC_APP_IO_JOURNAL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that have one checksum. */
enum { JOURNAL_RECORD_BLOCK = 512 };

/* A write that waits for the flush. */
struct h5_piece {
    uint64_t at;
    size_t size;
    unsigned char *data;
};

/* What a flush brings to a file; later pieces go over earlier ones. */
struct h5_pieces {
    int file;
    uint64_t end; /* of the file, before the flush */
    const struct h5_piece *piece;
    int pieces;
};

/* Blocks side by side, the last one of the file perhaps shorter. */
struct h5_span {
    uint64_t at, size;
    const unsigned char *crc, *data;
};

bool journal_write_at(int file, const void *data, size_t size, uint64_t at);
/* Bytes beyond the end of the file are zero. */
bool journal_read_at(int file, void *data, size_t size, uint64_t at);

/* As a record, allocated; NULL with errno. */
unsigned char *journal_record_pack(const struct h5_pieces *from, size_t *size);
/* The next span of a record, *used = 0 at first; false at the end. */
bool journal_record_next(const unsigned char *record, uint64_t *used, struct h5_span *span);

enum h5_found {
    JOURNAL_FOUND_NONE,
    JOURNAL_FOUND_RECORD,
    JOURNAL_FOUND_FOREIGN,
    JOURNAL_FOUND_UNNAMED,
    JOURNAL_FOUND_UNREADABLE
};

/* *record <- that of the journal, allocated, if there is a whole one that belongs to the file: every block is
 * there as before the flush or as after it. One that was only half written is none: nothing of it is in the
 * file. JOURNAL_FOUND_UNNAMED: one of an older version, which has no checksums of what it replaces. */
enum h5_found journal_record_find(int journal, int file, unsigned char **record);

#endif
