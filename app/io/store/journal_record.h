/* journal_record.h: pack the commits of a journal, and find those that are complete and belong to a file.
 *
 * A commit contains the new versions of the blocks that it replaces, and checksums of what it added to the file. */
#ifndef CARDIAC_APP_IO_STORE_JOURNAL_RECORD_H
#define CARDIAC_APP_IO_STORE_JOURNAL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that a disk writes atomically, with one checksum */
enum { JOURNAL_BLOCKS_SIZE = 512 };

struct journal_block {
    uint64_t number;
    uint32_t before; /* CRC-32 of the block in the file */
    bool fresh;      /* changed since the last commit */
    unsigned char data[JOURNAL_BLOCKS_SIZE];
};

struct journal_blocks {
    struct journal_block **slot; /* [room] hash table by number, NULL = free */
    size_t count, room;
};

struct journal_block *journal_blocks_find(const struct journal_blocks *blocks, uint64_t number);
/* Adds a new block; NULL if out of memory */
struct journal_block *journal_blocks_add(struct journal_blocks *blocks, uint64_t number);
/* The blocks in ascending order, in an array that the caller frees; NULL if out of memory */
struct journal_block **journal_blocks_sorted(const struct journal_blocks *blocks);
/* Overwrites data[size], which was read from byte `at` of the file, with the blocks. */
void journal_blocks_lay_over(const struct journal_blocks *blocks, uint64_t at, size_t size, void *data);
void journal_blocks_clear(struct journal_blocks *blocks);

/* A file's identity, in its first block (HDF5's user block) */
struct journal_mark {
    char magic[16];       /* zero in files without a mark */
    unsigned char id[16]; /* random, new at each opening for writing, so that continued copies differ */
    uint64_t commit;      /* number of the last commit in the file */
};

/* The head of a record; it is followed by the numbers (64 bits) of the replaced blocks, the CRC-32s of what they
 * replace, the blocks, and the CRC-32 of each added block. */
struct journal_record {
    char magic[16];
    unsigned char id[16]; /* of the mark that this commit leaves */
    uint64_t commit;
    struct journal_mark from; /* of the file before the journal's first commit */
    uint64_t settled;         /* bytes of the file on the disk then */
    uint64_t blocks;          /* replaced */
    uint64_t end;             /* of the file */
    uint64_t first;           /* first byte added, a multiple of a block; perhaps beyond the end */
    uint64_t crc;             /* CRC-32 of the head with crc = 0, and of the rest */
};

bool journal_record_write_at(int file, const void *data, size_t size, uint64_t at);
/* Bytes beyond the end of the file are zero. */
bool journal_record_read_at(int file, void *data, size_t size, uint64_t at);
/* *mark <- the file's mark; zero if it has none */
bool journal_record_read_mark(int file, struct journal_mark *mark);

/* A record of all fresh blocks, with checksums of what was added to the file; the caller frees it. NULL with errno */
unsigned char *journal_record_pack(struct journal_record head, const struct journal_blocks *blocks, int file,
                                   size_t *size);

enum journal_found {
    JOURNAL_FOUND_NONE,
    JOURNAL_FOUND_COMMITS,
    JOURNAL_FOUND_FOREIGN,
    JOURNAL_FOUND_OLDER,
    JOURNAL_FOUND_UNREADABLE
};

/* Finds the complete commits of a journal: blocks <- their blocks, *size <- their bytes in the journal, *end and *mark <-
 * the end of the file and its mark after the last one. A commit is complete if everything that it added is in the file
 * or replaced by a later complete commit; after a power failure before a sync it may be incomplete.
 * JOURNAL_FOUND_FOREIGN: the journal belongs to another file, or to another state of this one. */
enum journal_found journal_record_find(int journal, int file, struct journal_blocks *blocks, uint64_t *size,
                                       uint64_t *end, struct journal_mark *mark);

#endif
