/* test_h5_messages.c: h5_check.c against files made here by HDF5's file format specification (III): whatever a message holds, it is
 * sound with all the bytes that it claims and damaged with any fewer; and so are objects, their continuations, and groups. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/store/h5.h"
#include "kernels/base/bits.h"
#include "tests/support/check.h"

enum { MOST = 1 << 14, OBJECT = 128 }; /* bytes of a file; where its first object is, from the base on */

static const char path[] = "test_h5_messages.h5";
static uint64_t number;
static int file;

/* A file as it is made: `base` bytes of others, the superblock, the first object */
static struct {
    unsigned char byte[MOST];
    size_t base, size;
} now;

static int draw(int below)
{
    return (int)(bits_random(++number) * below);
}

/* The value at a place, in so many bytes, the lowest first */
static void put(unsigned char *at, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; k++)
        at[k] = (unsigned char)(value >> 8 * k);
}

static void begin(size_t base, int version, unsigned leaf_k, unsigned internal_k)
{
    memset(now.byte, 0xee, sizeof now.byte);
    now.base = base;
    unsigned char *head = now.byte + base;
    memcpy(head, "\211HDF\r\n\032\n", 8);
    memset(head + 8, 0, OBJECT - 8);
    head[8] = (unsigned char)version;
    head[13] = head[14] = 8;
    put(head + 16, leaf_k, 2);
    put(head + 18, internal_k, 2);
    unsigned char *rest = head + (version == 1 ? 28 : 24);
    put(rest, base, 8);
    put(rest + 40, OBJECT, 8);
    now.size = base + OBJECT;
}

/* The head of an object at an address, of so many messages in so many bytes; returns where its messages begin */
static unsigned char *object(size_t address, int messages, size_t bytes)
{
    unsigned char *head = now.byte + now.base + address;
    memset(head, 0, 16);
    head[0] = 1;
    put(head + 2, (uint64_t)messages, 2);
    put(head + 8, bytes, 4);
    return head + 16;
}

/* A message of `length` bytes; returns where the next one begins */
static unsigned char *message(unsigned char *at, int type, int flags, const unsigned char *data,
                              size_t length)
{
    memset(at, 0, 8);
    put(at, (uint64_t)type, 2);
    put(at + 2, length, 2);
    at[4] = (unsigned char)flags;
    memcpy(at + 8, data, length);
    return at + 8 + length;
}

/* The file of now.size bytes is sound (what NULL), or damaged so at this place */
static void expect(const char *what, uint64_t at, const char *name, int64_t item)
{
    struct error error = {0};
    char want[300] = "";
    CHECK(pwrite(file, now.byte, now.size, 0) == (ssize_t)now.size && ftruncate(file, (off_t)now.size) == 0,
          "%s", path);
    const enum status status = h5_check_structure(path, &error);
    if (what)
        snprintf(want, sizeof want, "%s: a damaged HDF5 file: %s at byte %llu", path, what,
                 (unsigned long long)at);
    CHECK(status == (what ? STATUS_INPUT : STATUS_OK) && strcmp(error.text, want) == 0,
          "%s, %lld: '%s' is not '%s'", name, (long long)item, error.text, want);
}

/* An object of one message at its full length, and at each shorter one */
static void check_cuts(const char *name, int type, const char *what, const unsigned char *data, size_t need)
{
    const int version = draw(2);
    const size_t base = draw(4) ? 0 : 512u << draw(3);
    for (size_t length = need + 1; length-- > 0;) {
        begin(base, version, 4, 16);
        object(OBJECT, 1, 8 + length);
        message(now.byte + base + OBJECT + 16, type, 0, data, length);
        now.size = base + OBJECT + 24 + length;
        expect(length == need ? NULL : what, now.size, name, (int64_t)length);
    }
}

/* A name with its end, in a multiple of `pad` bytes; returns where it ends */
static unsigned char *put_name(unsigned char *to, int pad)
{
    const int length = draw(12), room = (length + 1 + pad - 1) / pad * pad;
    memset(to, 'n', (size_t)length);
    memset(to + length, 0, (size_t)(room - length));
    return to + room;
}

/* A type at random; *size <- of its value. Returns where it ends */
static unsigned char *put_type(unsigned char *to, uint64_t *size, int depth)
{
    static const int property[] = {4, 12, 2, 0, 4};
    const int class = depth > 2 ? draw(6) : draw(11), version = class == 10 ? 2 + draw(2) : 1 + draw(3);
    unsigned char *head = to;
    uint64_t own = 0;
    int members = 0;
    memset(to, 0, 8);
    *size = 1 + (uint64_t)draw(20);
    to += 8;
    if (class < 5) {
        memset(to, 1, (size_t)property[class]);
        to += property[class];
    } else if (class == 5) {
        members = 8 * draw(3);
        memset(to, 't', (size_t)members);
        to += members;
        head[2] = 7; /* the length of the tag is in one byte */
    } else if (class == 6) {
        members = 1 + draw(3);
        *size = draw(3) == 0 ? 0x100 : draw(3) == 0 ? 0x10000 : draw(3) == 0 ? 0x1000000 : 200;
        const int offset = version < 3         ? 4
                           : *size < 0x100     ? 1
                           : *size < 0x10000   ? 2
                           : *size < 0x1000000 ? 3
                                               : 4;
        for (int k = 0; k < members; k++) {
            to = put_name(to, version < 3 ? 8 : 1);
            unsigned char *at = to;
            to += offset;
            if (version == 1) {
                memset(to, 0, 28);
                to += 28;
            }
            to = put_type(to, &own, depth + 1);
            *size =
                own > *size ? own : *size; /* of an array or the like, whose size counts for nothing else */
            put(at, version < 3 || *size < 0x100 ? 0 : 0, offset);
        }
        put(head + 4, *size, 4);
        const int now_offset = version < 3         ? 4
                               : *size < 0x100     ? 1
                               : *size < 0x10000   ? 2
                               : *size < 0x1000000 ? 3
                                                   : 4;
        CHECK(now_offset == offset, "a larger member");
    } else if (class == 8) {
        members = draw(4);
        to = put_type(to, &own, depth + 1);
        for (int k = 0; k < members; k++)
            to = put_name(to, version < 3 ? 8 : 1);
        memset(to, 3, (size_t)(members * (int)own));
        to += members * (int)own;
    } else if (class == 9) {
        to = put_type(to, &own, depth + 1);
    } else if (class == 10) {
        const int dimensions = draw(4), bytes = version < 3 ? 4 + 8 * dimensions : 1 + 4 * dimensions;
        memset(to, 2, (size_t)bytes);
        *to = (unsigned char)dimensions;
        to = put_type(to + bytes, &own, depth + 1);
    }
    head[0] = (unsigned char)(class | version << 4);
    head[1] = (unsigned char)members;
    put(head + 4, *size, 4);
    return to;
}

/* A space at random; *values <- their number. Returns where it ends */
static unsigned char *put_space(unsigned char *to, uint64_t *values, int most)
{
    const int version = 1 + draw(2), rank = draw(most + 1), maxima = draw(2), head = version == 1 ? 8 : 4;
    memset(to, 0, (size_t)head);
    to[0] = (unsigned char)version;
    to[1] = (unsigned char)rank;
    to[2] = (unsigned char)(maxima | draw(2) << 1);
    to[3] = version == 2 ? rank == 0 && draw(2) ? 2 : 1 : 0;
    *values = version == 2 && to[3] == 2 ? 0 : 1;
    to += head;
    for (int d = 0; d < rank; d++) {
        const uint64_t length = 1 + (uint64_t)draw(3);
        put(to + 8 * d, length, 8);
        *values *= length;
    }
    if (maxima)
        memset(to + 8 * rank, 0xff, 8 * (size_t)rank);
    return to + 8 * rank * (1 + maxima);
}

static void check_types_and_spaces(void)
{
    static unsigned char data[MOST];
    uint64_t size, values;
    for (int k = 0; k < 60; k++)
        check_cuts("a type", 0x3, "a type", data, (size_t)(put_type(data, &size, 0) - data));
    for (int k = 0; k < 20; k++)
        check_cuts("a space", 0x1, "a shape", data,
                   (size_t)(put_space(data, &values, k == 0 ? 32 : 3) - data));
    /* a rank, a class, a version and members that none may have */
    memset(data, 0, sizeof data);
    data[0] = 1;
    data[1] = 32;
    check_cuts("rank 32", 0x1, "a shape", data, 8 + 32 * 8);
    static const struct {
        int type, at, value;
        const char *what;
    } bad[] = {{0x1, 1, 33, "a shape"}, {0x3, 0, 0x1b, "a type"}, {0x3, 0, 0x3f, "a type"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        memset(data, 0, 1000);
        data[0] = 1;
        data[bad[k].at] = (unsigned char)bad[k].value;
        begin(0, 0, 4, 16);
        object(OBJECT, 1, 1008);
        message(now.byte + OBJECT + 16, bad[k].type, 0, data, 1000);
        now.size = OBJECT + 1024;
        expect(bad[k].what, now.size, "bad", (int64_t)k);
    }
    memset(data, 0, 1000);
    data[0] = 0x4b; /* of a newer format */
    check_cuts("newer", 0x3, "a type", data, 8);
    for (int k = 0; k < 8; k++) { /* a member of 4 bytes at 0 to 7 of a compound of 8 */
        memset(data, 0, 100);
        data[0] = 0x36;
        data[1] = 1;
        put(data + 4, 8, 4);
        data[8] = 'm';
        data[10] = (unsigned char)k;
        data[11] = 0x10;
        put(data + 15, 4, 4);
        begin(0, 0, 4, 16);
        object(OBJECT, 1, 8 + 23);
        message(now.byte + OBJECT + 16, 0x3, 0, data, 23);
        now.size = OBJECT + 24 + 23;
        expect(k <= 4 ? NULL : "a type", now.size, "member", k);
    }
    for (int depth = 31; depth < 35; depth++) { /* a sequence of sequences of .. */
        memset(data, 0, 1000);
        for (int k = 0; k < depth; k++)
            data[8 * k] = 0x19;
        data[8 * depth] = 0x13;
        begin(0, 0, 4, 16);
        object(OBJECT, 1, 8 + 8 * (size_t)(depth + 1));
        message(now.byte + OBJECT + 16, 0x3, 0, data, 8 * (size_t)(depth + 1));
        now.size = OBJECT + 24 + 8 * (size_t)(depth + 1);
        expect(depth <= 32 ? NULL : "a type", now.size, "depth", depth);
    }
}

static void check_attributes(void)
{
    static unsigned char data[MOST], part[MOST];
    for (int k = 0; k < 60; k++) {
        const int version = 1 + k % 3, elsewhere = version > 1 && draw(4) == 0 ? 1 + draw(3) : 0;
        uint64_t size = 0, values = 0;
        unsigned char *at = data + 8;
        memset(data, 0, 9);
        data[0] = (unsigned char)version;
        data[1] = (unsigned char)elsewhere;
        at += version == 3;
        for (int p = 0; p < 3; p++) {
            size_t length;
            if (p == 0)
                length = (size_t)(put_name(part, 1) - part);
            else
                length = (size_t)((p == 1 ? put_type(part, &size, 1) : put_space(part, &values, 2)) - part);
            put(data + 2 + 2 * p, length, 2);
            memcpy(at, part, length);
            memset(at + length, 0, 8);
            at += version == 1 ? (length + 7) / 8 * 8 : length;
        }
        const size_t bytes = elsewhere ? 0 : size * values;
        if (bytes > 3000)
            continue;
        memset(at, 5, bytes);
        check_cuts("an attribute", 0xc, "an attribute", data, (size_t)(at - data) + bytes);
    }
    /* of version 4 all is believed; of version 0 nothing; a name needs its end within its length */
    memset(data, 0, 100);
    data[0] = 4;
    check_cuts("attribute 4", 0xc, "an attribute", data, 8);
    static const struct {
        int version, name, end;
        bool good;
    } names[] = {{0, 4, 0, false}, {2, 0, 0, false}, {2, 4, 3, true}, {2, 4, 4, false},
                 {3, 4, 3, true},  {1, 4, 4, true},  {1, 8, 8, false}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        unsigned char *at = data + 8 + (names[k].version == 3);
        memset(data, 0, 200);
        data[0] = (unsigned char)names[k].version;
        put(data + 2, (uint64_t)names[k].name, 2);
        put(data + 4, 8, 2);
        put(data + 6, 4, 2);
        memset(at, 'n', 8);
        at[names[k].end] = 0;
        at += names[k].version == 1 ? 8 : names[k].name;
        at[0] = 0x13; /* a text of 1 */
        at[4] = 1;
        at[8] = 2; /* a space of one value */
        const size_t length = (size_t)(at - data) + 8 + (names[k].version == 1 ? 8 : 4) + 1;
        begin(0, 0, 4, 16);
        object(OBJECT, 1, 8 + length);
        message(now.byte + OBJECT + 16, 0xc, 0, data, length);
        now.size = OBJECT + 24 + length;
        expect(names[k].good ? NULL : "an attribute", now.size, "name", (int64_t)k);
    }
}

static void check_filters_and_fills(void)
{
    static unsigned char data[MOST];
    for (int k = 0; k < 40; k++) {
        const int version = 1 + k % 2, filters = draw(4);
        unsigned char *at = data + (version == 1 ? 8 : 2);
        memset(data, 0, 8);
        data[0] = (unsigned char)version;
        data[1] = (unsigned char)filters;
        for (int f = 0; f < filters; f++) {
            const int id = draw(2) ? 1 + draw(6) : draw(2) ? 256 : 300, values = draw(5);
            const bool named = version == 1 || id >= 256;
            const int name = named ? draw(3) * 8 - draw(2) * 3 : 0, length = name > 0 ? name : 0;
            put(at, (uint64_t)id, 2);
            if (named)
                put(at + 2, (uint64_t)length, 2);
            put(at + (named ? 4 : 2), 1, 2);
            put(at + (named ? 6 : 4), (uint64_t)values, 2);
            at += named ? 8 : 6;
            const int room = (version == 1 ? (length + 7) / 8 * 8 : length) + 4 * values +
                             (version == 1 && values % 2 ? 4 : 0);
            memset(at, 7, (size_t)room);
            at += room;
        }
        check_cuts("filters", 0xb, "filters", data, (size_t)(at - data));
    }
    for (int filters = 31; filters < 35; filters++) {
        memset(data, 0, 1000);
        data[0] = 2;
        data[1] = (unsigned char)filters;
        const size_t length = 2 + 6 * (size_t)filters;
        begin(0, 0, 4, 16);
        object(OBJECT, 1, 8 + length);
        message(now.byte + OBJECT + 16, 0xb, 0, data, length);
        now.size = OBJECT + 24 + length;
        expect(filters <= 32 ? NULL : "filters", now.size, "filters", filters);
    }
    /* a fill value: of the old message its size and itself; of versions 1 and 2 after four bytes, of 3 after two */
    static const struct {
        int type, head[4], before;
        bool given;
    } fills[] = {{0x4, {0}, 0, true},
                 {0x5, {1, 1, 1, 0}, 4, true},
                 {0x5, {1, 1, 1, 1}, 4, true},
                 {0x5, {2, 1, 1, 1}, 4, true},
                 {0x5, {2, 1, 1, 0}, 4, false},
                 {0x5, {3, 0x20, 0, 0}, 2, true},
                 {0x5, {3, 0x1f, 0, 0}, 2, false}};
    for (size_t k = 0; k < sizeof fills / sizeof *fills; k++)
        for (int bytes = -1; bytes < 9; bytes += 3) {
            memset(data, 9, 100);
            for (int b = 0; b < fills[k].before; b++)
                data[b] = (unsigned char)fills[k].head[b];
            put(data + fills[k].before, bytes < 0 ? UINT32_MAX : (uint64_t)bytes, 4);
            check_cuts("a fill value", fills[k].type, "a fill value", data,
                       fills[k].given ? (size_t)(fills[k].before + 4 + (bytes < 0 ? 0 : bytes)) : 4);
        }
}

static void check_layouts(void)
{
    static unsigned char data[MOST];
    memset(data, 0, 1000);
    data[0] = 2; /* of HDF5 1.4 */
    check_cuts("layout 2", 0x8, "the place of an array", data, 2);
    data[0] = 3;
    for (int bytes = 0; bytes < 20; bytes += 7) { /* in the message itself */
        data[1] = 0;
        put(data + 2, (uint64_t)bytes, 2);
        check_cuts("compact", 0x8, "the place of an array", data, 4 + (size_t)bytes);
    }
    data[1] = 1;
    memset(data + 2, 0xff, 8); /* not written yet */
    put(data + 10, 1000, 8);
    check_cuts("contiguous", 0x8, "the place of an array", data, 18);
    for (int dimensions = 1; dimensions < 35; dimensions += 16) {
        data[1] = 2;
        data[2] = (unsigned char)dimensions;
        check_cuts("chunks", 0x8, "the place of an array", data, 2 + 9 + 4 * (size_t)dimensions);
    }
    static const struct {
        int version, class;
        bool good;
    } kinds[] = {{3, 3, true}, {4, 2, true}, {3, 2, false}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        memset(data, 0, 1000);
        data[0] = (unsigned char)kinds[k].version;
        data[1] = (unsigned char)kinds[k].class;
        data[2] = 34; /* dimensions that none may have */
        begin(0, 0, 4, 16);
        object(OBJECT, 1, 8 + 500);
        message(now.byte + OBJECT + 16, 0x8, 0, data, 500);
        now.size = OBJECT + 524;
        expect(kinds[k].good ? NULL : "the place of an array", now.size, "layout", (int64_t)k);
    }
    for (int base = 0; base <= 512; base += 512) /* an array that ends at the file's end, and one beyond */
        for (int more = -1; more < 2; more++)
            for (int begins = 0; begins < 3; begins++) {
                const size_t length = 18, end = OBJECT + 24 + length;
                const uint64_t at = begins == 0 ? 0 : begins == 1 ? 40 : end + (uint64_t)(more > 0);
                begin((size_t)base, 0, 4, 16);
                data[0] = 3;
                data[1] = 1;
                put(data + 2, at, 8);
                put(data + 10, begins == 2 ? 0 : end - at + (uint64_t)(int64_t)more, 8);
                object(OBJECT, 1, 8 + length);
                message(now.byte + base + OBJECT + 16, 0x8, 0, data, length);
                now.size = (size_t)base + end;
                expect(more > 0 ? "the place of an array" : NULL, now.size, "contiguous", begins);
            }
}

/* Messages of an object: their number and lengths, those that are shared, and blocks that continue it */
static void check_objects(void)
{
    unsigned char good[8] = {2, 0, 0, 1}, bad[8] = {1, 0, 0, 0};
    for (int k = 0; k < 3; k++) { /* the second is bad, and the last beyond the number of messages */
        begin(0, 0, 4, 16);
        unsigned char *at = object(OBJECT, k == 2 ? 1 : 2, 2 * 8 + 4 + 4);
        at = message(at, 1, 0, good, 4);
        message(at, 1, k == 1 ? 2 : 0, bad, 4);
        now.size = OBJECT + 16 + 24;
        expect(k ? NULL : "a shape", now.size, "shared or left out", k);
    }
    for (int more = -1; more < 2; more++) { /* a message that ends with its object */
        begin(0, 0, 4, 16);
        unsigned char *at = object(OBJECT, 1, (size_t)(8 + 4 - more));
        message(at, 0x77, 0, good, 4);
        now.size = OBJECT + 16 + 20;
        expect(more > 0 ? "a message beyond its object" : NULL, OBJECT + 16, "message", more);
    }
    for (int cut = 0; cut < 2; cut++) /* the object's own bytes */
        for (int base = 0; base <= 512; base += 512) {
            begin((size_t)base, 1, 4, 16);
            message(object(OBJECT, 1, 12), 1, 0, good, 4);
            now.size = (size_t)base + OBJECT + 16 + 12 - (size_t)cut;
            expect(cut ? "a part beyond its end" : NULL, (uint64_t)base + OBJECT + 16, "block", cut);
        }
    for (int cut = 0; cut < 2; cut++) {
        begin(0, 0, 4, 16);
        object(OBJECT, 0, 0);
        now.size = OBJECT + 16 - (size_t)cut;
        expect(cut ? "a part beyond its end" : NULL, OBJECT, "head", cut);
    }
    begin(0, 0, 4, 16);
    object(OBJECT, 0, 0)[-16] = 2;
    now.size = OBJECT + 100;
    expect("an object", OBJECT, "version", 2);
    memcpy(now.byte + OBJECT, "OHDR", 4);
    expect(NULL, 0, "newer", 0);
    for (int k = 0; k < 4;
         k++) { /* continued elsewhere: k = 1 badly, 2 beyond the end, 3 with too few bytes */
        unsigned char next[16];
        begin(512, 0, 4, 16);
        put(next, 400, 8);
        put(next + 8, k == 2 ? 13 : 12, 8);
        message(object(OBJECT, 2, 24), 0x10, 0, next, k == 3 ? 15 : 16);
        message(now.byte + 512 + 400, 1, 0, k == 1 ? bad : good, 4);
        now.size = 512 + 412;
        expect(k == 0   ? NULL
               : k == 1 ? "a shape"
               : k == 2 ? "a part beyond its end"
                        : "the rest of an object",
               k == 1   ? 512 + 412
               : k == 2 ? 512 + 400
                        : 512 + OBJECT + 16 + 23,
               "continued", k);
    }
    unsigned char itself[16];
    begin(0, 0, 4, 16);
    put(itself, OBJECT + 16, 8);
    put(itself + 8, 24, 8);
    message(object(OBJECT, 1000, 24), 0x10, 0, itself, 16);
    now.size = OBJECT + 40; /* 168 bytes: 37 parts at most */
    expect("parts in a circle", OBJECT + 16, "itself", 0);
}

/* A group of objects: tree, leaves, names. `kind` says what is wrong with it; 0: nothing */
enum wrong {
    NOTHING,
    HEAP,
    NAMES_CUT,
    TREE,
    TREE_TYPE,
    ENTRIES,
    LEVEL,
    DEEP,
    LEAF,
    SYMBOLS,
    NAME,
    NO_END,
    CHILD,
    LINKED,
    LEAF_CUT,
    WRONGS
};

static void check_group(enum wrong wrong, int levels, size_t base)
{
    enum {
        HEAP_AT = 300,
        TEXT_AT = 340,
        TEXT = 16,
        TREE_AT = 400,
        NODE = 24 + 8 * (2 * 2 * 2 + 1),
        LEAF_ROOM = 8 + 2 * 3 * 40
    };
    const size_t leaf_at = TREE_AT + 2 * NODE, child_at = leaf_at + LEAF_ROOM, other_at = child_at + 64;
    unsigned char *to, data[16];
    static const char *const words[WRONGS] = {
        [HEAP] = "the names of a group",     [NAMES_CUT] = "a part beyond its end",
        [TREE] = "the tree of a group",      [TREE_TYPE] = "the tree of a group",
        [ENTRIES] = "the tree of a group",   [LEVEL] = "the tree of a group",
        [DEEP] = "the tree of a group",      [LEAF] = "names of a group",
        [SYMBOLS] = "names of a group",      [NAME] = "the name of an object",
        [NO_END] = "the name of an object",  [CHILD] = "a shape",
        [LEAF_CUT] = "a part beyond its end"};
    begin(base, 0, 3, 2);
    put(data, TREE_AT, 8);
    put(data + 8, HEAP_AT, 8);
    message(object(OBJECT, 1, 24), 0x11, 0, data, 16);
    to = now.byte + base;
    memset(to + HEAP_AT, 0, 32);
    memcpy(to + HEAP_AT, wrong == HEAP ? "HEAX" : "HEAP", 4);
    put(to + HEAP_AT + 8, wrong == NAMES_CUT ? 100000 : TEXT, 8);
    put(to + HEAP_AT + 24, TEXT_AT, 8);
    memset(to + TEXT_AT, 'n', TEXT);
    to[TEXT_AT + TEXT - 1] = wrong == NO_END ? 'n' : 0;
    for (int l = 0; l <= levels; l++) { /* the root, and a node below it */
        unsigned char *node = to + TREE_AT + l * NODE;
        memset(node, 0, NODE);
        memcpy(node, "TREE", 4);
        node[4] = wrong == TREE_TYPE && l == levels;
        node[5] = (unsigned char)(wrong == DEEP && l == 0 ? 33 : wrong == LEVEL && l == 1 ? 1 : levels - l);
        put(node + 6, wrong == ENTRIES && l == levels ? 5 : l == levels ? 4 : 1, 2);
        for (int k = 0; k < 4; k++)
            put(node + 24 + 16 * k + 8, l == levels ? leaf_at : TREE_AT + NODE, 8);
        if (wrong == TREE && l == levels)
            node[3] = 'X';
    }
    unsigned char *leaf = to + leaf_at;
    memset(leaf, 0, LEAF_ROOM);
    memcpy(leaf, wrong == LEAF ? "SNOX" : "SNOD", 4);
    put(leaf + 6, wrong == SYMBOLS ? 7 : 6, 2);
    for (int k = 0; k < 6; k++) {
        put(leaf + 8 + 40 * k, wrong == NAME && k == 5 ? TEXT : k == 5 ? TEXT - 1 : 0, 8);
        put(leaf + 8 + 40 * k + 8, k == 5 ? other_at : child_at, 8);
        put(leaf + 8 + 40 * k + 16, k == 5 && wrong == LINKED ? 2 : k == 4, 4);
    }
    message(object(child_at, 1, 12), 1, 0, (const unsigned char[]){2, 0, 0, 1}, 4);
    message(object(other_at, 1, 12), 1, 0,
            (const unsigned char[]){wrong == CHILD || wrong == LINKED, 0, 0, 1}, 4);
    now.size = base + (wrong == LEAF_CUT ? leaf_at + LEAF_ROOM - 1 : other_at + 28);
    const size_t place = wrong == HEAP        ? HEAP_AT
                         : wrong == NAMES_CUT ? TEXT_AT
                         : wrong == DEEP      ? TREE_AT
                         : wrong == TREE || wrong == TREE_TYPE || wrong == ENTRIES
                             ? TREE_AT + (size_t)levels * NODE
                         : wrong == LEVEL ? TREE_AT + NODE
                         : wrong == CHILD ? other_at + 28
                                          : leaf_at;
    expect(words[wrong], base + place, "group", 100 * levels + (int)wrong);
}

int main(void)
{
    file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0, "%s", path);
    check_types_and_spaces();
    check_attributes();
    check_filters_and_fills();
    check_layouts();
    check_objects();
    for (int wrong = 0; wrong < WRONGS; wrong++)
        for (int levels = wrong == LEVEL; levels < 2; levels++)
            check_group((enum wrong)wrong, levels, wrong % 2 ? 512 : 0);
    close(file);
    unlink(path);
    return 0;
}
