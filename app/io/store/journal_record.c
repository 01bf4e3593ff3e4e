/* journal_record.c: a hash table of waiting blocks; packs a commit; finds the commits left by a killed
 * writer. */
#include "app/io/store/journal_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "kernels/base/array.h"

/* The slot of the number, or the free slot for it; one is always free. */
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

static bool grow_table(struct journal_blocks *blocks)
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
    if (2 * (blocks->count + 1) > blocks->room && !grow_table(blocks))
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

enum { BLOCK = JOURNAL_BLOCKS_SIZE, CHUNK = 256 * BLOCK };

static const char magic[16] = "cardiac commits", mark_magic[16] = "cardiac result";
static const char *const older_magic[2] = {"cardiac commit", "cardiac journal"};

bool journal_record_write_at(int file, const void *data, size_t size, uint64_t at)
{
    const unsigned char *from = data;
    while (size > 0) {
        ssize_t done = pwrite(file, from, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        from += done;
        at += (uint64_t)done;
        size -= (size_t)done;
    }
    return true;
}

bool journal_record_read_at(int file, void *data, size_t size, uint64_t at)
{
    unsigned char *to = data;
    while (size > 0) {
        ssize_t done = pread(file, to, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        if (done == 0) {
            memset(to, 0, size);
            return true;
        }
        to += done;
        at += (uint64_t)done;
        size -= (size_t)done;
    }
    return true;
}

bool journal_record_read_mark(int file, struct journal_mark *mark)
{
    if (!journal_record_read_at(file, mark, sizeof *mark, 0))
        return false;
    if (memcmp(mark->magic, mark_magic, sizeof mark_magic) != 0)
        memset(mark, 0, sizeof *mark);
    return true;
}

static uint64_t blocks_of(uint64_t size)
{
    return (size + BLOCK - 1) / BLOCK;
}

static uint64_t blocks_added(const struct journal_record *head)
{
    return head->end > head->first ? blocks_of(head->end - head->first) : 0;
}

static uint64_t body_size(const struct journal_record *head)
{
    return head->blocks * (sizeof(uint64_t) + sizeof(uint32_t) + BLOCK) +
           blocks_added(head) * sizeof(uint32_t);
}

/* sum[] <- the CRC-32 of each block of the file from `first` to `end` */
static bool sum_added(int file, uint64_t first, uint64_t end, unsigned char *sum)
{
    unsigned char *data = malloc(CHUNK);
    bool good = data;
    for (uint64_t at = first; at < end && good; at += CHUNK) {
        size_t size = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        good = journal_record_read_at(file, data, size, at);
        for (size_t k = 0; k < size && good; k += BLOCK, sum += sizeof(uint32_t)) {
            uint32_t crc = (uint32_t)crc32_z(0, data + k, size - k < BLOCK ? size - k : BLOCK);
            memcpy(sum, &crc, sizeof crc);
        }
    }
    free(data);
    return good;
}

static uint64_t sum_of(struct journal_record head, const unsigned char *body)
{
    head.crc = 0;
    return crc32_z(crc32_z(0, (const void *)&head, sizeof head), body, body_size(&head));
}

unsigned char *journal_record_pack(struct journal_record head, const struct journal_blocks *blocks, int file,
                                   size_t *size)
{
    head.blocks = 0;
    for (size_t k = 0; k < blocks->room; k++)
        head.blocks += blocks->slot[k] && blocks->slot[k]->fresh;
    *size = sizeof head + body_size(&head);
    unsigned char *all = malloc(*size);
    if (!all)
        return NULL;
    unsigned char *number = all + sizeof head, *before = number + head.blocks * sizeof(uint64_t);
    unsigned char *data = before + head.blocks * sizeof(uint32_t);
    for (size_t k = 0; k < blocks->room; k++) {
        const struct journal_block *block = blocks->slot[k];
        if (!block || !block->fresh)
            continue;
        memcpy(number, &block->number, sizeof block->number);
        memcpy(before, &block->before, sizeof block->before);
        memcpy(data, block->data, BLOCK);
        number += sizeof block->number;
        before += sizeof block->before;
        data += BLOCK;
    }
    if (!sum_added(file, head.first, head.end, data)) {
        free(all);
        return NULL;
    }
    memcpy(head.magic, magic, sizeof magic);
    head.crc = sum_of(head, all + sizeof head);
    memcpy(all, &head, sizeof head);
    return all;
}

/* A journal in memory, and its commits up to the first that is damaged or out of sequence */
struct log {
    unsigned char *data;
    uint64_t size;
    struct commit {
        struct journal_record head;
        const unsigned char *body;
        uint64_t end; /* byte of the journal */
    } * commit;
    int commits;
    int64_t room;
};

static bool read_log(int journal, struct log *log)
{
    struct stat info;
    if (fstat(journal, &info))
        return false;
    log->size = (uint64_t)info.st_size;
    log->data = malloc(log->size + 1);
    return log->data && journal_record_read_at(journal, log->data, log->size, 0);
}

/* Whether a complete record begins at byte `at` and continues the last one */
static bool next_record(const struct log *log, uint64_t at, struct commit *next)
{
    struct journal_record *head = &next->head;
    uint64_t left = log->size - at;
    if (left < sizeof *head)
        return false;
    memcpy(head, log->data + at, sizeof *head);
    left -= sizeof *head;
    if (memcmp(head->magic, magic, sizeof magic) != 0 || head->blocks > left || head->first % BLOCK != 0 ||
        blocks_added(head) > left || body_size(head) > left)
        return false;
    next->body = log->data + at + sizeof *head;
    next->end = at + sizeof *head + body_size(head);
    if (sum_of(*head, next->body) != head->crc)
        return false;
    if (log->commits == 0)
        return true;
    const struct journal_record *last = &log->commit[log->commits - 1].head;
    return memcmp(head->id, last->id, sizeof last->id) == 0 && head->commit == last->commit + 1 &&
           memcmp(&head->from, &last->from, sizeof last->from) == 0 && head->settled == last->settled;
}

static bool list_commits(struct log *log)
{
    struct commit next;
    for (uint64_t at = 0; next_record(log, at, &next); at = next.end) {
        if (array_grow((void **)&log->commit, &log->room, log->commits, sizeof next, "a journal", NULL))
            return false;
        log->commit[log->commits++] = next;
    }
    return true;
}

static bool has_block(const struct commit *commit, uint64_t number)
{
    for (uint64_t k = 0; k < commit->head.blocks; k++)
        if (memcmp(commit->body + k * sizeof number, &number, sizeof number) == 0)
            return true;
    return false;
}

/* How many commits are complete. If a block added by commit j is not in the file as j left it, no end from j
 * up to the commit before the one that replaces it is possible. */
static bool count_whole(const struct log *log, int file, int *whole)
{
    bool good = true, *out = calloc((size_t)log->commits + 1, sizeof *out);
    *whole = log->commits;
    for (int j = 0; j < log->commits && good && out; j++) {
        const struct journal_record *head = &log->commit[j].head;
        uint64_t count = blocks_added(head);
        const unsigned char *want = log->commit[j].body + body_size(head) - count * sizeof(uint32_t);
        unsigned char *have = malloc(count * sizeof(uint32_t) + 1);
        good = have && sum_added(file, head->first, head->end, have);
        for (uint64_t k = 0; k < count && good; k++)
            if (memcmp(want + k * sizeof(uint32_t), have + k * sizeof(uint32_t), sizeof(uint32_t)) != 0)
                for (int c = j; c < log->commits; c++) {
                    if (c > j && has_block(&log->commit[c], head->first / BLOCK + k))
                        break;
                    out[c] = true;
                }
        free(have);
    }
    while (good && out && *whole > 0 && out[*whole - 1])
        --*whole;
    good = good && out;
    free(out);
    return good;
}

/* blocks <- the latest version of each block in the first `commits` commits */
static bool collect_blocks(const struct log *log, int commits, struct journal_blocks *blocks)
{
    for (int j = 0; j < commits; j++) {
        const struct journal_record *head = &log->commit[j].head;
        const unsigned char *number = log->commit[j].body;
        const unsigned char *before = number + head->blocks * sizeof(uint64_t);
        const unsigned char *data = before + head->blocks * sizeof(uint32_t);
        for (uint64_t k = 0; k < head->blocks; k++) {
            uint64_t block_number;
            memcpy(&block_number, number + k * sizeof block_number, sizeof block_number);
            struct journal_block *block = journal_blocks_find(blocks, block_number);
            if (!block && !(block = journal_blocks_add(blocks, block_number)))
                return false;
            memcpy(&block->before, before + k * sizeof block->before, sizeof block->before);
            memcpy(block->data, data + k * BLOCK, BLOCK);
        }
    }
    return true;
}

/* Whether each block that was on the disk before is in the file as it was then or as the commits leave it; in
 * the latter case their replacement has *begun. */
static bool blocks_fit(const struct journal_blocks *blocks, int file, uint64_t settled, bool *begun,
                       bool *good)
{
    unsigned char data[BLOCK];
    for (size_t k = 0; k < blocks->room; k++) {
        const struct journal_block *block = blocks->slot[k];
        if (!block || (block->number + 1) * BLOCK > settled)
            continue;
        *good = journal_record_read_at(file, data, BLOCK, block->number * BLOCK);
        const bool before = *good && (uint32_t)crc32_z(0, data, BLOCK) == block->before;
        if (!*good || (!before && memcmp(data, block->data, BLOCK) != 0))
            return false;
        *begun = *begun || !before;
    }
    return true;
}

static bool same_mark(const struct journal_mark *mark, const unsigned char *id, uint64_t commit)
{
    return memcmp(mark->id, id, sizeof mark->id) == 0 && mark->commit == commit;
}

/* Whether the commits of the log belong to the file */
static enum journal_found check_commits(const struct log *log, int file, struct journal_blocks *blocks,
                                        uint64_t *size, uint64_t *end, struct journal_mark *mark)
{
    struct stat info;
    struct journal_mark now;
    const struct journal_record *last = &log->commit[log->commits - 1].head;
    int whole;
    bool good = fstat(file, &info) == 0 && journal_record_read_mark(file, &now);
    if (!good || !count_whole(log, file, &whole))
        return JOURNAL_FOUND_UNREADABLE;
    /* all are in the file and on the disk, only the journal's truncation is not */
    if (now.magic[0] && memcmp(now.id, last->id, sizeof now.id) == 0 && now.commit > last->commit)
        return JOURNAL_FOUND_NONE;
    bool begun = now.magic[0] && same_mark(&now, last->id, last->commit); /* to replace the file's blocks */
    if ((!begun && !same_mark(&now, last->from.id, last->from.commit)) ||
        (uint64_t)info.st_size < last->settled)
        return JOURNAL_FOUND_FOREIGN;
    if (!collect_blocks(log, log->commits, blocks))
        return JOURNAL_FOUND_UNREADABLE;
    if (!blocks_fit(blocks, file, last->settled, &begun, &good))
        return good ? JOURNAL_FOUND_FOREIGN : JOURNAL_FOUND_UNREADABLE;
    if (begun && whole < log->commits) /* replacement begins only after all are on the disk */
        return JOURNAL_FOUND_FOREIGN;
    if (whole == 0)
        return JOURNAL_FOUND_NONE;
    journal_blocks_clear(blocks);
    if (!collect_blocks(log, whole, blocks))
        return JOURNAL_FOUND_UNREADABLE;
    *size = log->commit[whole - 1].end;
    *end = log->commit[whole - 1].head.end;
    *mark = now;
    memcpy(mark->id, last->id, sizeof mark->id);
    mark->commit = log->commit[whole - 1].head.commit;
    return JOURNAL_FOUND_COMMITS;
}

enum journal_found journal_record_find(int journal, int file, struct journal_blocks *blocks, uint64_t *size,
                                       uint64_t *end, struct journal_mark *mark)
{
    struct log log = {0};
    enum journal_found found = JOURNAL_FOUND_NONE;
    *size = 0;
    if (journal < 0)
        return found;
    if (!read_log(journal, &log) || !list_commits(&log))
        found = JOURNAL_FOUND_UNREADABLE;
    else if (log.commits > 0)
        found = check_commits(&log, file, blocks, size, end, mark);
    else
        for (size_t k = 0; k < sizeof older_magic / sizeof *older_magic; k++)
            if (log.size >= sizeof magic && memcmp(log.data, older_magic[k], strlen(older_magic[k]) + 1) == 0)
                found = JOURNAL_FOUND_OLDER;
    free(log.data);
    free(log.commit);
    if (found != JOURNAL_FOUND_COMMITS)
        journal_blocks_clear(blocks);
    return found;
}
