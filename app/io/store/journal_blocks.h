/* journal_blocks.h: the blocks of a file that wait in memory until they replace those on the disk. */
#ifndef CARDIAC_APP_IO_STORE_JOURNAL_BLOCKS_H
#define CARDIAC_APP_IO_STORE_JOURNAL_BLOCKS_H

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

#endif
