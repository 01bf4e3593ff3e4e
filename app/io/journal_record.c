/* journal_record.c: packing a record, and finding one that was left over. */
#include "app/io/journal_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Head of a journal; then come spans: place and size, a CRC-32 of each block that is replaced, the bytes that
 * replace them. */
struct record {
    char magic[16];
    uint64_t bytes; /* that follow */
    uint64_t crc;   /* CRC-32 of them */
    uint64_t end;   /* of the file that they go to */
};

static const char magic[16] = "cardiac commit", unnamed_magic[16] = "cardiac journal";

bool journal_write_at(int file, const void *data, size_t size, uint64_t at)
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

bool journal_read_at(int file, void *data, size_t size, uint64_t at)
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

static uint64_t blocks_of(uint64_t size)
{
    return (size + JOURNAL_RECORD_BLOCK - 1) / JOURNAL_RECORD_BLOCK;
}

static int by_place(const void *a, const void *b)
{
    const struct h5_span *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* The blocks that the pieces touch, ascending and apart, allocated; *spans <- how many spans they make */
static struct h5_span *list_spans(const struct h5_pieces *from, int *spans)
{
    struct h5_span *span = malloc((size_t)from->pieces * sizeof *span);
    *spans = 0;
    for (int k = 0; span && k < from->pieces; k++) {
        uint64_t at = from->piece[k].at, end = at + from->piece[k].size;
        at -= at % JOURNAL_RECORD_BLOCK;
        end = blocks_of(end) * JOURNAL_RECORD_BLOCK;
        span[k] = (struct h5_span){.at = at, .size = (end < from->end ? end : from->end) - at};
    }
    if (span)
        qsort(span, (size_t)from->pieces, sizeof *span, by_place);
    for (int k = 0; span && k < from->pieces; k++) {
        struct h5_span *last = span + *spans - 1;
        if (*spans == 0 || span[k].at > last->at + last->size)
            span[(*spans)++] = span[k];
        else if (span[k].at + span[k].size > last->at + last->size)
            last->size = span[k].at + span[k].size - last->at;
    }
    return span;
}

/* crc[] and data[] <- the span as it is in the file, then data[] as the pieces make it */
static bool pack_span(const struct h5_pieces *from, const struct h5_span *span, unsigned char *crc,
                      unsigned char *data)
{
    if (!journal_read_at(from->file, data, span->size, span->at))
        return false;
    for (uint64_t at = 0; at < span->size; at += JOURNAL_RECORD_BLOCK) {
        uint64_t size = span->size - at < JOURNAL_RECORD_BLOCK ? span->size - at : JOURNAL_RECORD_BLOCK;
        uint32_t sum = (uint32_t)crc32_z(0, data + at, size);
        memcpy(crc + at / JOURNAL_RECORD_BLOCK * sizeof sum, &sum, sizeof sum);
    }
    for (int k = 0; k < from->pieces; k++) {
        const struct h5_piece *piece = &from->piece[k];
        if (piece->at >= span->at && piece->at < span->at + span->size)
            memcpy(data + (piece->at - span->at), piece->data, piece->size);
    }
    return true;
}

unsigned char *journal_record_pack(const struct h5_pieces *from, size_t *size)
{
    struct record head = {.bytes = 0, .end = from->end};
    int spans;
    struct h5_span *span = list_spans(from, &spans);
    for (int k = 0; k < spans; k++)
        head.bytes += 16 + 4 * blocks_of(span[k].size) + span[k].size;
    unsigned char *all = span ? malloc(sizeof head + head.bytes) : NULL, *to = all + sizeof head;
    bool good = all;
    for (int k = 0; k < spans && good; k++) {
        uint64_t place[2] = {span[k].at, span[k].size}, sums = 4 * blocks_of(span[k].size);
        memcpy(to, place, 16);
        good = pack_span(from, &span[k], to + 16, to + 16 + sums);
        to += 16 + sums + span[k].size;
    }
    free(span);
    if (!good) {
        free(all);
        return NULL;
    }
    memcpy(head.magic, magic, sizeof magic);
    head.crc = crc32_z(0, all + sizeof head, head.bytes);
    memcpy(all, &head, sizeof head);
    *size = sizeof head + head.bytes;
    return all;
}

bool journal_record_next(const unsigned char *all, uint64_t *used, struct h5_span *span)
{
    struct record head;
    uint64_t place[2];
    memcpy(&head, all, sizeof head);
    const unsigned char *body = all + sizeof head;
    if (*used + 16 > head.bytes)
        return false;
    memcpy(place, body + *used, 16);
    uint64_t left = head.bytes - *used - 16;
    if (place[0] > head.end || place[1] > head.end - place[0] || place[1] > left ||
        4 * blocks_of(place[1]) > left - place[1])
        return false;
    *span =
        (struct h5_span){place[0], place[1], body + *used + 16, body + *used + 16 + 4 * blocks_of(place[1])};
    *used += 16 + 4 * blocks_of(place[1]) + place[1];
    return true;
}

/* Each block of the span is in the file as it was before the commit, or as the commit makes it. */
static bool fits(int file, const struct h5_span *span)
{
    unsigned char block[JOURNAL_RECORD_BLOCK];
    for (uint64_t at = 0; at < span->size; at += sizeof block) {
        uint64_t size = span->size - at < sizeof block ? span->size - at : sizeof block;
        uint32_t sum;
        memcpy(&sum, span->crc + at / sizeof block * sizeof sum, sizeof sum);
        if (!journal_read_at(file, block, size, span->at + at) ||
            (memcmp(block, span->data + at, size) != 0 && (uint32_t)crc32_z(0, block, size) != sum))
            return false;
    }
    return true;
}

/* Whether the commit was one of this very file in its present state. */
static bool is_of_file(int file, const unsigned char *all)
{
    struct record head;
    struct h5_span span;
    struct stat info;
    uint64_t used = 0;
    memcpy(&head, all, sizeof head);
    if (fstat(file, &info) || (uint64_t)info.st_size < head.end)
        return false;
    while (journal_record_next(all, &used, &span))
        if (!fits(file, &span))
            return false;
    return used == head.bytes;
}

enum h5_found journal_record_find(int journal, int file, unsigned char **all)
{
    struct record head, again;
    struct stat info;
    *all = NULL;
    if (journal < 0 || fstat(journal, &info) || pread(journal, &head, sizeof head, 0) != sizeof head)
        return JOURNAL_FOUND_NONE;
    bool unnamed = !memcmp(head.magic, unnamed_magic, sizeof magic);
    if ((!unnamed && memcmp(head.magic, magic, sizeof magic) != 0) ||
        head.bytes > (uint64_t)info.st_size - sizeof head)
        return JOURNAL_FOUND_NONE;
    *all = malloc(sizeof head + head.bytes);
    if (!*all || !journal_read_at(journal, *all + sizeof head, head.bytes, sizeof head)) {
        free(*all);
        *all = NULL;
        return JOURNAL_FOUND_UNREADABLE;
    }
    enum h5_found found = JOURNAL_FOUND_NONE;
    if (crc32_z(0, *all + sizeof head, head.bytes) == head.crc) {
        memcpy(*all, &head, sizeof head);
        found = unnamed                  ? JOURNAL_FOUND_UNNAMED
                : is_of_file(file, *all) ? JOURNAL_FOUND_RECORD
                                         : JOURNAL_FOUND_FOREIGN;
    }
    if (found == JOURNAL_FOUND_RECORD)
        return found;
    free(*all);
    *all = NULL;
    /* A file that is still written to may have gone on in between, but not without its journal. */
    if (found == JOURNAL_FOUND_FOREIGN &&
        (pread(journal, &again, sizeof again, 0) != sizeof again || memcmp(&head, &again, sizeof head) != 0))
        return journal_record_find(journal, file, all);
    return found;
}
