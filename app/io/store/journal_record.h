/* journal_record.h: the commits of a journal: packs them, and finds those that are whole and belong to a
 * file.
 *
 * A commit holds the blocks that it replaces, and checksums of what it added to the file. */
#ifndef CARDIAC_APP_IO_STORE_JOURNAL_RECORD_H
#define CARDIAC_APP_IO_STORE_JOURNAL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that a disk writes whole or not at all, and that have one checksum. */
enum { JOURNAL_BLOCKS_SIZE = 512 };

struct journal_block {
    uint64_t number;
    uint32_t before; /* CRC-32 of what the file holds there */
    bool fresh;      /* changed since the last commit */
    unsigned char data[JOURNAL_BLOCKS_SIZE];
};

struct journal_blocks {
    struct journal_block **slot; /* [room] by number, NULL = free */
    size_t count, room;
};

struct journal_block *journal_blocks_find(const struct journal_blocks *blocks, uint64_t number);
/* One that is not there yet; NULL without memory. */
struct journal_block *journal_blocks_add(struct journal_blocks *blocks, uint64_t number);
/* Ascending, allocated; NULL without memory. */
struct journal_block **journal_blocks_sorted(const struct journal_blocks *blocks);
/* data[size], read from byte `at` of the file, <- the blocks over it */
void journal_blocks_lay_over(const struct journal_blocks *blocks, uint64_t at, size_t size, void *data);
void journal_blocks_clear(struct journal_blocks *blocks);

/* A file's identity, in the block at its start that HDF5 leaves to its user. */
struct journal_mark {
    char magic[16];       /* zero in files that have none */
    unsigned char id[16]; /* random, of who writes: copies that are continued apart are two files */
    uint64_t commit;      /* number of the last that is in the file */
};

/* The head of a record; then come for each block that is replaced its number (64 bits) and the CRC-32 of what
 * it replaces, the blocks, and the CRC-32 of each block that was added. */
struct journal_record {
    char magic[16];
    unsigned char id[16]; /* of the mark that this commit leaves */
    uint64_t commit;
    struct journal_mark from; /* that the journal's first commit goes on from */
    uint64_t settled;         /* bytes of the file that were on the disk then */
    uint64_t blocks;          /* that are replaced */
    uint64_t end;             /* of the file */
    uint64_t first; /* byte of what was added to it, a multiple of a block; perhaps beyond the end */
    uint64_t crc;   /* CRC-32 of all this with 0 here, and of what follows */
};

bool journal_record_write_at(int file, const void *data, size_t size, uint64_t at);
/* Bytes beyond the end of the file are zero. */
bool journal_record_read_at(int file, void *data, size_t size, uint64_t at);
/* Zero if it has none. */
bool journal_record_read_mark(int file, struct journal_mark *mark);

/* The head and all fresh blocks, allocated, with the checksums of what was added to the file; NULL with
 * errno. */
unsigned char *journal_record_pack(struct journal_record head, const struct journal_blocks *blocks, int file,
                                   size_t *size);

enum journal_found {
    JOURNAL_FOUND_NONE,
    JOURNAL_FOUND_COMMITS,
    JOURNAL_FOUND_FOREIGN,
    JOURNAL_FOUND_OLDER,
    JOURNAL_FOUND_UNREADABLE
};

/* The commits of a journal that are whole: blocks <- what they replace, *size <- bytes of the journal that
 * they take, *end and *mark <- the end of the file and its mark after the last. A commit is whole if all that
 * it added is in the file, or replaced by a later one that is whole: it need not be, where power failed
 * before the file was brought to the disk. JOURNAL_FOUND_FOREIGN: the journal is of another file, or of this
 * one at another time. */
enum journal_found journal_record_find(int journal, int file, struct journal_blocks *blocks, uint64_t *size,
                                       uint64_t *end, struct journal_mark *mark);

#endif
