/* journal_blocks.c: a hash table of blocks by their numbers. */
#include "app/io/store/journal_blocks.h"

#include <stdlib.h>
#include <string.h>

/* Where the number stands, or the free slot where it would: there is always one. */
static size_t slot_of(const struct journal_blocks *blocks, uint64_t number)
{
    size_t k = (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & (blocks->room - 1);
    while (blocks->slot[k] && blocks->slot[k]->number != number)
        k = (k + 1) & (blocks->room - 1);
    return k;
}

struct journal_block *journal_blocks_find(const struct journal_blocks *blocks, uint64_t number)
{
    return blocks->count ? blocks->slot[slot_of(blocks, number)] : NULL;
}

static bool grow(struct journal_blocks *blocks)
{
    struct journal_blocks more = {.count = blocks->count, .room = blocks->room ? 2 * blocks->room : 256};
    more.slot = calloc(more.room, sizeof *more.slot);
    if (!more.slot)
        return false;
    for (size_t k = 0; k < blocks->room; k++)
        if (blocks->slot[k])
            more.slot[slot_of(&more, blocks->slot[k]->number)] = blocks->slot[k];
    free(blocks->slot);
    *blocks = more;
    return true;
}

struct journal_block *journal_blocks_add(struct journal_blocks *blocks, uint64_t number)
{
    if (2 * (blocks->count + 1) > blocks->room && !grow(blocks))
        return NULL;
    struct journal_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->number = number;
    blocks->slot[slot_of(blocks, number)] = block;
    blocks->count++;
    return block;
}

static int by_number(const void *a, const void *b)
{
    const struct journal_block *x = *(struct journal_block *const *)a, *y = *(struct journal_block *const *)b;
    return (x->number > y->number) - (x->number < y->number);
}

struct journal_block **journal_blocks_sorted(const struct journal_blocks *blocks)
{
    struct journal_block **list = malloc((blocks->count + 1) * sizeof *list);
    size_t n = 0;
    for (size_t k = 0; list && k < blocks->room; k++)
        if (blocks->slot[k])
            list[n++] = blocks->slot[k];
    if (list)
        qsort(list, n, sizeof *list, by_number);
    return list;
}

static void lay_over(const struct journal_block *block, uint64_t at, size_t size, unsigned char *data)
{
    uint64_t from = block->number * JOURNAL_BLOCKS_SIZE, end = from + JOURNAL_BLOCKS_SIZE;
    uint64_t first = from > at ? from : at, last = end < at + size ? end : at + size;
    if (first < last)
        memcpy(data + (first - at), block->data + (first - from), last - first);
}

void journal_blocks_lay_over(const struct journal_blocks *blocks, uint64_t at, size_t size, void *data)
{
    uint64_t first = at / JOURNAL_BLOCKS_SIZE, last = (at + size) / JOURNAL_BLOCKS_SIZE;
    if (last - first > blocks->room) {
        for (size_t k = 0; k < blocks->room; k++)
            if (blocks->slot[k])
                lay_over(blocks->slot[k], at, size, data);
        return;
    }
    for (uint64_t number = first; number <= last && blocks->count; number++) {
        const struct journal_block *block = journal_blocks_find(blocks, number);
        if (block)
            lay_over(block, at, size, data);
    }
}

void journal_blocks_clear(struct journal_blocks *blocks)
{
    for (size_t k = 0; k < blocks->room; k++)
        free(blocks->slot[k]);
    free(blocks->slot);
    *blocks = (struct journal_blocks){0};
}
