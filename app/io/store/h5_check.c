/* h5_check.c: the structure of an untrusted file, before HDF5 reads it.
 *
 * HDF5 below 1.14.4 trusts sizes and addresses of a damaged file and reads beyond its buffers. So the parts without
 * checksums are checked here, following HDF5's file format specification (III): superblocks 0 and 1, object headers
 * of version 1 with their messages, and groups in B-trees of version 1. HDF5 verifies the checksums of newer parts. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/store/h5.h"
#include "kernels/base/array.h"

enum { MOST_OBJECTS = 4096, MOST_BLOCK = 1 << 26, MOST_DEPTH = 32, NODE_HEAD = 24, SYMBOL = 40 };

struct checked {
    int file;
    const char *path;
    uint64_t size, base; /* bytes of the file; where addresses count from */
    unsigned leaf_k, internal_k;
    uint64_t *seen; /* [count] object headers */
    int64_t count, room;
    uint64_t loads; /* left: a sound file has no more parts than fit in it, and none twice */
    struct error *error;
};

static enum status damaged(const struct checked *c, const char *what, uint64_t at)
{
    return error_set(c->error, STATUS_INPUT, "%s: a damaged HDF5 file: %s at byte %llu", c->path, what,
                     (unsigned long long)(at + c->base));
}

static uint64_t number(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int k = bytes - 1; k >= 0; k--)
        value = value << 8 | at[k];
    return value;
}

/* *bytes <- those at an address, to be freed */
static enum status load(struct checked *c, uint64_t at, uint64_t size, unsigned char **bytes)
{
    enum status status = STATUS_OK;
    *bytes = NULL;
    if (at == UINT64_MAX)
        return damaged(c, "a part without a place", 0);
    if (size > MOST_BLOCK || at > c->size || c->base + at > c->size || size > c->size - c->base - at)
        return damaged(c, "a part beyond its end", at);
    if (c->loads-- == 0)
        return damaged(c, "parts in a circle", at);
    *bytes = array_new((int64_t)size, 1, "a part of a file", &status, c->error);
    if (!status && pread(c->file, *bytes, size, (off_t)(c->base + at)) != (ssize_t)size)
        status = error_set(c->error, STATUS_INPUT, "%s: cannot be read: %s", c->path, strerror(errno));
    if (status) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

/* ---- messages: each returns whether its bytes hold all that it claims ---- */

/* Bytes left of a message */
struct span {
    const unsigned char *at, *end;
};

static bool skip(struct span *s, uint64_t bytes)
{
    if (bytes > (uint64_t)(s->end - s->at))
        return false;
    s->at += bytes;
    return true;
}

/* A name ending in NUL, padded to a multiple of `pad` */
static bool skip_name(struct span *s, size_t pad)
{
    const unsigned char *nul = memchr(s->at, 0, (size_t)(s->end - s->at));
    return nul && skip(s, ((size_t)(nul + 1 - s->at) + pad - 1) / pad * pad);
}

static bool check_type(struct span *s, uint64_t *size, int depth);

static bool check_compound(struct span *s, unsigned version, unsigned members, uint64_t size, int depth)
{
    const int offset = version < 3 ? 4 : size < 0x100 ? 1 : size < 0x10000 ? 2 : size < 0x1000000 ? 3 : 4;
    for (unsigned k = 0; k < members; k++) {
        uint64_t own;
        if (!skip_name(s, version < 3 ? 8 : 1) || s->end - s->at < offset)
            return false;
        const uint64_t at = number(s->at, offset);
        if (!skip(s, (uint64_t)offset + (version == 1 ? 28 : 0)) || !check_type(s, &own, depth + 1) ||
            at > size || own > size - at)
            return false;
    }
    return true;
}

static bool check_enum(struct span *s, unsigned version, unsigned members, int depth)
{
    uint64_t base;
    bool good = check_type(s, &base, depth + 1);
    for (unsigned k = 0; k < members && good; k++)
        good = skip_name(s, version < 3 ? 8 : 1);
    return good && skip(s, members * base);
}

static bool check_array(struct span *s, unsigned version, int depth)
{
    uint64_t base;
    if (s->end - s->at < 1)
        return false;
    const uint64_t dimensions = *s->at;
    return skip(s, version < 3 ? 4 + 8 * dimensions : 1 + 4 * dimensions) && check_type(s, &base, depth + 1);
}

/* *size <- of a value */
static bool check_type(struct span *s, uint64_t *size, int depth)
{
    static const uint64_t property[] = {4, 12, 2, 0, 4};
    if (depth > MOST_DEPTH || s->end - s->at < 8)
        return false;
    const unsigned class = *s->at & 15, version = *s->at >> 4, members = (unsigned)number(s->at + 1, 2);
    *size = number(s->at + 4, 4);
    s->at += 8;
    uint64_t base;
    switch (class) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        return skip(s, property[class]);
    case 5:
        return skip(s, members & 255);
    case 6:
        return check_compound(s, version, members, *size, depth);
    case 7:
        return true;
    case 8:
        return check_enum(s, version, members, depth);
    case 9:
        return check_type(s, &base, depth + 1);
    case 10:
        return check_array(s, version, depth);
    default:
        return version > 3; /* of a newer format */
    }
}

/* *values <- the number of them */
static bool check_space(struct span *s, double *values)
{
    if (s->end - s->at < 4)
        return false;
    const unsigned version = s->at[0], rank = s->at[1], flags = s->at[2];
    *values = version == 2 && s->at[3] == 2 ? 0 : 1; /* a null space */
    if (rank > 32 || !skip(s, version == 1 ? 8 : 4))
        return false;
    const unsigned char *dim = s->at;
    if (!skip(s, (uint64_t)rank * 8 * (flags & 1 ? 2 : 1)))
        return false;
    for (unsigned d = 0; d < rank; d++)
        *values *= (double)number(dim + 8 * d, 8);
    return true;
}

static bool check_attribute(struct span s)
{
    if (s.end - s.at < 8)
        return false;
    const unsigned version = s.at[0], flags = version == 1 ? 0 : s.at[1];
    uint64_t part[3], size = 0;
    double values = 0;
    for (int k = 0; k < 3; k++) {
        part[k] = number(s.at + 2 + 2 * k, 2);
        part[k] = version == 1 ? (part[k] + 7) / 8 * 8 : part[k];
    }
    s.at += 8;
    if (version < 1 || version > 3 || (version == 3 && !skip(&s, 1)))
        return version > 3;
    const unsigned char *name = s.at;
    if (part[0] == 0 || !skip(&s, part[0]) || !memchr(name, 0, part[0]))
        return false;
    struct span type = s, space;
    if (!skip(&s, part[1]))
        return false;
    type.end = s.at;
    space = s;
    if (!skip(&s, part[2]))
        return false;
    space.end = s.at;
    if (flags & 3) /* parts that are stored elsewhere */
        return true;
    return check_type(&type, &size, 0) && check_space(&space, &values) &&
           (double)size * values <= (double)(s.end - s.at);
}

static bool check_filters(struct span s)
{
    if (s.end - s.at < 2)
        return false;
    const unsigned version = s.at[0], filters = s.at[1];
    bool good = filters <= 32 && skip(&s, version == 1 ? 8 : 2);
    for (unsigned k = 0; k < filters && good; k++) {
        if (s.end - s.at < 6)
            return false;
        const bool named = version == 1 || number(s.at, 2) >= 256;
        if (s.end - s.at < (named ? 8 : 6))
            return false;
        const uint64_t name = named ? number(s.at + 2, 2) : 0, values = number(s.at + (named ? 6 : 4), 2);
        good = skip(&s, (named ? 8 : 6) + (version == 1 ? (name + 7) / 8 * 8 : name) + 4 * values +
                            (version == 1 && values % 2 ? 4 : 0));
    }
    return good;
}

static bool check_fill(struct span s, bool old)
{
    if (s.end - s.at < 4)
        return false;
    const unsigned version = old ? 0 : s.at[0];
    const bool given = old || (version < 3 ? version == 1 || s.at[3] : s.at[1] & 0x20);
    s.at += old ? 0 : version < 3 ? 4 : 2;
    if (!given)
        return true;
    if (s.end - s.at < 4)
        return false;
    const uint64_t size = number(s.at, 4);
    s.at += 4;
    return size == UINT32_MAX || skip(&s, size); /* -1: undefined */
}

/* Versions before 3 are of HDF5 1.4; indices of version 4 have checksums. */
static bool check_layout(struct span s, const struct checked *c)
{
    if (s.end - s.at < 2 || s.at[0] < 3)
        return s.end - s.at >= 2;
    const unsigned version = s.at[0], class = s.at[1];
    s.at += 2;
    if (class == 0)
        return s.end - s.at >= 2 && number(s.at, 2) <= (uint64_t)(s.end - s.at - 2);
    if (class == 1 && s.end - s.at < 16)
        return false;
    if (class == 1) {
        const uint64_t at = number(s.at, 8), size = number(s.at + 8, 8), room = c->size - c->base;
        return at == UINT64_MAX || /* not written yet */ (at <= room && size <= room - at);
    }
    return class != 2 || version > 3 ||
           (s.end - s.at >= 1 && *s.at <= 33 && s.end - s.at >= 9 + 4 * (long)*s.at);
}

/* ---- objects ---- */

static enum status check_object(struct checked *c, uint64_t at, int depth);

/* The names of a group */
struct names {
    unsigned char *text;
    uint64_t size;
};

static enum status check_symbols(struct checked *c, uint64_t at, const struct names *names, int depth)
{
    unsigned char *node;
    enum status status;
    TRY(load(c, at, 8 + 2 * (uint64_t)c->leaf_k * SYMBOL, &node));
    const unsigned symbols = (unsigned)number(node + 6, 2);
    if (memcmp(node, "SNOD", 4) != 0 || symbols > 2 * c->leaf_k)
        TRY_DONE(damaged(c, "names of a group", at));
    for (unsigned k = 0; k < symbols; k++) {
        const unsigned char *entry = node + 8 + k * SYMBOL;
        const uint64_t name = number(entry, 8), header = number(entry + 8, 8);
        if (name >= names->size || !memchr(names->text + name, 0, names->size - name))
            TRY_DONE(damaged(c, "the name of an object", at));
        if (number(entry + 16, 4) != 2) /* a symbolic link has no object */
            TRY_DONE(check_object(c, header, depth + 1));
    }
    status = STATUS_OK;
done:
    free(node);
    return status;
}

/* Checks a node of a group's tree. level: expected; < 0 = any (the root) */
static enum status check_node(struct checked *c, uint64_t at, int level, const struct names *names, int depth)
{
    const uint64_t most = 2 * (uint64_t)c->internal_k;
    unsigned char *node;
    enum status status;
    TRY(load(c, at, NODE_HEAD + 8 * (2 * most + 1), &node));
    const unsigned own = node[5], entries = (unsigned)number(node + 6, 2);
    if (memcmp(node, "TREE", 4) != 0 || node[4] != 0 || entries > most || own > MOST_DEPTH ||
        (level >= 0 && own != (unsigned)level))
        TRY_DONE(damaged(c, "the tree of a group", at));
    for (unsigned k = 0; k < entries; k++) {
        const uint64_t child = number(node + NODE_HEAD + 16 * k + 8, 8);
        if (own)
            TRY_DONE(check_node(c, child, (int)own - 1, names, depth));
        else
            TRY_DONE(check_symbols(c, child, names, depth));
    }
    status = STATUS_OK;
done:
    free(node);
    return status;
}

static enum status check_group(struct checked *c, uint64_t tree, uint64_t heap, int depth)
{
    unsigned char *head;
    struct names names = {0};
    TRY(load(c, heap, 32, &head));
    const bool good = memcmp(head, "HEAP", 4) == 0;
    const uint64_t at = number(head + 24, 8);
    names.size = number(head + 8, 8);
    free(head);
    if (!good)
        return damaged(c, "the names of a group", heap);
    TRY(load(c, at, names.size, &names.text));
    enum status status = check_node(c, tree, -1, &names, depth);
    free(names.text);
    return status;
}

static enum status check_message(struct checked *c, unsigned type, struct span s, uint64_t at, int depth)
{
    uint64_t size;
    double values;
    switch (type) {
    case 0x1:
        return check_space(&s, &values) ? STATUS_OK : damaged(c, "a shape", at);
    case 0x3:
        return check_type(&s, &size, 0) ? STATUS_OK : damaged(c, "a type", at);
    case 0x4:
    case 0x5:
        return check_fill(s, type == 0x4) ? STATUS_OK : damaged(c, "a fill value", at);
    case 0x8:
        return check_layout(s, c) ? STATUS_OK : damaged(c, "the place of an array", at);
    case 0xb:
        return check_filters(s) ? STATUS_OK : damaged(c, "filters", at);
    case 0xc:
        return check_attribute(s) ? STATUS_OK : damaged(c, "an attribute", at);
    case 0x11:
        return s.end - s.at >= 16 ? check_group(c, number(s.at, 8), number(s.at + 8, 8), depth)
                                  : damaged(c, "a group", at);
    default:
        return STATUS_OK;
    }
}

/* Blocks of messages: the first of an object, and those that continue it */
struct blocks {
    struct block {
        uint64_t at, size;
    } block[256];
    int count;
    int64_t left; /* messages of the object */
};

/* The messages of block k; adds the blocks that continue it. */
static enum status check_block(struct checked *c, struct blocks *blocks, int k, int depth)
{
    enum { HEAD = 8, SHARED = 2, CONTINUATION = 0x10, MOST = sizeof blocks->block / sizeof *blocks->block };
    const uint64_t at = blocks->block[k].at, size = blocks->block[k].size;
    unsigned char *block;
    enum status status;
    TRY(load(c, at, size, &block));
    for (uint64_t used = 0; used + HEAD <= size && blocks->left > 0; blocks->left--) {
        const unsigned char *head = block + used;
        const unsigned type = (unsigned)number(head, 2);
        const uint64_t own = number(head + 2, 2);
        if (own > size - used - HEAD)
            TRY_DONE(damaged(c, "a message beyond its object", at + used));
        const struct span message = {head + HEAD, head + HEAD + own};
        used += HEAD + own;
        if (head[4] & SHARED)
            continue;
        if (type != CONTINUATION)
            TRY_DONE(check_message(c, type, message, at + used, depth));
        else if (own < 16)
            TRY_DONE(damaged(c, "the rest of an object", at + used));
        else if (blocks->count < MOST)
            blocks->block[blocks->count++] = (struct block){number(message.at, 8), number(message.at + 8, 8)};
    }
    status = STATUS_OK;
done:
    free(block);
    return status;
}

static enum status check_messages(struct checked *c, uint64_t at, uint64_t size, int64_t messages, int depth)
{
    enum status status = STATUS_OK;
    struct blocks *blocks = array_new(1, sizeof *blocks, "the objects of a file", &status, c->error);
    if (status)
        return status;
    blocks->block[0] = (struct block){at, size};
    blocks->count = 1;
    blocks->left = messages;
    for (int k = 0; k < blocks->count && !status; k++)
        status = check_block(c, blocks, k, depth);
    free(blocks);
    return status;
}

static enum status check_object(struct checked *c, uint64_t at, int depth)
{
    unsigned char *head;
    for (int64_t k = 0; k < c->count; k++)
        if (c->seen[k] == at)
            return STATUS_OK;
    if (c->count >= MOST_OBJECTS || depth > MOST_DEPTH)
        return STATUS_OK;
    TRY(array_grow((void **)&c->seen, &c->room, c->count, sizeof *c->seen, "the objects of a file",
                   c->error));
    c->seen[c->count++] = at;
    TRY(load(c, at, 16, &head));
    const bool newer = memcmp(head, "OHDR", 4) == 0, good = head[0] == 1;
    const int64_t messages = (int64_t)number(head + 2, 2);
    const uint64_t size = number(head + 8, 4);
    free(head);
    if (newer)
        return STATUS_OK;
    if (!good)
        return damaged(c, "an object", at);
    return check_messages(c, at + 16, size, messages, depth);
}

/* The superblock, at 0, 512, 1024, ..; a file without one is none of HDF5, which says so itself. */
static enum status check_file(struct checked *c)
{
    static const unsigned char signature[] = "\211HDF\r\n\032\n";
    unsigned char head[100];
    for (uint64_t at = 0; at + sizeof head <= c->size; at = at ? 2 * at : 512) {
        if (pread(c->file, head, sizeof head, (off_t)at) != (ssize_t)sizeof head)
            break;
        if (memcmp(head, signature, 8) != 0)
            continue;
        const unsigned version = head[8];
        const unsigned char *rest = head + (version == 1 ? 28 : 24);
        if (version > 1 || head[13] != 8 || head[14] != 8)
            return STATUS_OK;
        c->leaf_k = (unsigned)number(head + 16, 2);
        c->internal_k = (unsigned)number(head + 18, 2);
        c->base = number(rest, 8);
        if (c->base > at)
            return damaged(c, "its first part", 0);
        return check_object(c, number(rest + 40, 8), 0);
    }
    return STATUS_OK;
}

enum status h5_check_structure(const char *path, struct error *error)
{
    struct stat info;
    struct checked c = {.file = open(path, O_RDONLY | O_CLOEXEC), .path = path, .error = error};
    enum status status = STATUS_OK;
    if (c.file < 0)
        return error_set(error, STATUS_INPUT, "%s: %s", path, strerror(errno));
    if (fstat(c.file, &info) == 0 && S_ISREG(info.st_mode)) {
        c.size = (uint64_t)info.st_size;
        c.loads = 16 + c.size / 8;
        status = check_file(&c);
    }
    close(c.file);
    free(c.seen);
    return status;
}
