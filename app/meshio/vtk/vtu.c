/* vtu.c: reads VTK's XML files of an unstructured grid (.vtu) or PolyData (.vtp) of one piece, whose arrays
 * are ASCII, base64 or appended, compressed by zlib or not (VTK file formats, "XML file formats"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "app/meshio/vtk/vtk.h"
#include "kernels/base/array.h"

/* The little of XML that VTK's files are: tags with attributes, and text between them. No entities but the
 * five and numbers, no DTD, no CDATA, no namespaces. Characters come one by one, since behind <AppendedData
 * encoding="raw"> a file is no XML any more. */
enum { VTU_XML_TEXT = 8192, VTU_XML_ATTRIBUTES = 40 };

struct vtu_xml {
    char name[64];
    bool opens, closes; /* <a>, </a>; both for <a/>; none at the end of the file */
    int attributes;
    struct {
        const char *name, *value; /* in `text` */
    } attribute[VTU_XML_ATTRIBUTES];
    char text[VTU_XML_TEXT];
};

struct vtu_coding {
    bool base64;      /* else the bytes as they are */
    bool zlib;        /* in compressed blocks */
    bool big;         /* lengths begin with their highest byte */
    int length_bytes; /* of a length: 4 or 8 */
};

/* Of all arrays of a file together, zlib may make this many times its size, and as much besides */
enum { VTU_DATA_EXPANSION = 100, VTU_DATA_FREE = 1 << 20 };

/* The next character, which must be there */
static enum status next_char(struct text_file *text, int *c, struct error *error)
{
    TRY(text_byte(text, c, error));
    return *c >= 0 ? STATUS_OK : text_error(text, error, "the file ends inside a tag: it is truncated");
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':' || c == '-' || c == '.';
}

/* Leaves out everything up to and including `end` ("-->", "?>"), of which one character may come many times.
 */
static enum status skip_to(struct text_file *text, const char *end, struct error *error)
{
    char last[4] = "";
    size_t length = strlen(end);
    while (strcmp(last, end) != 0) {
        int c = 0;
        TRY(next_char(text, &c, error));
        size_t held = strlen(last);
        if (held == length) {
            memmove(last, last + 1, length);
            held--;
        }
        last[held] = (char)(c ? c : ' ');
        last[held + 1] = '\0';
    }
    return STATUS_OK;
}

/* A character of an attribute's value that is written as &amp; or &#65; */
static enum status read_entity(struct text_file *text, char *out, struct error *error)
{
    static const struct {
        const char *name;
        char c;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    char name[12] = "";
    size_t length = 0;
    int c = 0;
    TRY(next_char(text, &c, error));
    while (c != ';' && length + 1 < sizeof name) {
        name[length++] = (char)c;
        TRY(next_char(text, &c, error));
    }
    name[length] = '\0';
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(name, known[k].name) == 0) {
            *out = known[k].c;
            return STATUS_OK;
        }
    bool hexadecimal = name[0] == '#' && name[1] == 'x';
    long code = name[0] == '#' ? strtol(name + 1 + hexadecimal, NULL, hexadecimal ? 16 : 10) : 0;
    if (code < 1 || code > 127)
        return text_error(text, error, "'&%s;' cannot be read", name);
    *out = (char)code;
    return STATUS_OK;
}

/* One more character of tag->text */
static enum status append_char(struct vtu_xml *tag, size_t *used, char c, struct text_file *text,
                               struct error *error)
{
    if (*used == sizeof tag->text)
        return text_error(text, error, "a tag of more than %d characters", VTU_XML_TEXT);
    tag->text[(*used)++] = c;
    return STATUS_OK;
}

/* tag->text += a name that starts with c, and a zero; c <- what follows it */
static enum status read_name(struct vtu_xml *tag, size_t *used, int *c, struct text_file *text,
                             struct error *error)
{
    if (!is_name(*c))
        return text_error(text, error, "a tag without a name: not valid XML");
    while (is_name(*c)) {
        TRY(append_char(tag, used, (char)*c, text, error));
        TRY(next_char(text, c, error));
    }
    return append_char(tag, used, '\0', text, error);
}

static enum status skip_blanks(struct text_file *text, int *c, struct error *error)
{
    while (is_blank(*c))
        TRY(next_char(text, c, error));
    return STATUS_OK;
}

/* name = "value", from the name's first character c to behind the value */
static enum status read_attribute(struct vtu_xml *tag, size_t *used, int *c, struct text_file *text,
                                  struct error *error)
{
    if (tag->attributes == VTU_XML_ATTRIBUTES)
        return text_error(text, error, "a tag of more than %d attributes", VTU_XML_ATTRIBUTES);
    tag->attribute[tag->attributes].name = tag->text + *used;
    TRY(read_name(tag, used, c, text, error));
    TRY(skip_blanks(text, c, error));
    if (*c != '=')
        return text_error(text, error, "an attribute without a value: not valid XML");
    TRY(next_char(text, c, error));
    TRY(skip_blanks(text, c, error));
    int quote = *c;
    if (quote != '"' && quote != '\'')
        return text_error(text, error, "a value without quotes: not valid XML");
    tag->attribute[tag->attributes++].value = tag->text + *used;
    TRY(next_char(text, c, error));
    while (*c != quote) {
        char kept = (char)*c;
        if (*c == '&')
            TRY(read_entity(text, &kept, error));
        if (kept == '\0')
            return text_error(text, error, "a zero byte in a tag: not valid XML");
        TRY(append_char(tag, used, kept, text, error));
        TRY(next_char(text, c, error));
    }
    TRY(append_char(tag, used, '\0', text, error));
    return next_char(text, c, error);
}

/* A tag behind its "<", whose next character is c */
static enum status read_tag(struct vtu_xml *tag, int c, struct text_file *text, struct error *error)
{
    size_t used = 0;
    tag->attributes = 0;
    tag->closes = c == '/';
    tag->opens = !tag->closes;
    if (tag->closes)
        TRY(next_char(text, &c, error));
    TRY(read_name(tag, &used, &c, text, error));
    if (used > sizeof tag->name)
        return text_error(text, error, "a tag's name of more than %d characters", (int)sizeof tag->name);
    memcpy(tag->name, tag->text, used);
    for (;;) {
        TRY(skip_blanks(text, &c, error));
        if (c == '>')
            return STATUS_OK;
        if (c == '/') {
            tag->closes = true;
            TRY(next_char(text, &c, error));
            return c == '>' ? STATUS_OK : text_error(text, error, "'/' within a tag: not valid XML");
        }
        TRY(read_attribute(tag, &used, &c, text, error));
    }
}

/* *tag <- the next tag; comments, the head and what stands before it are left out. Its "<" is read already
 * where `inside` is set. STATUS_INPUT where not valid XML. */
static enum status next_tag(struct vtu_xml *tag, struct text_file *text, bool inside, struct error *error)
{
    for (;; inside = false) {
        int c = inside ? '<' : 0;
        while (c != '<' && c >= 0)
            TRY(text_byte(text, &c, error));
        tag->opens = tag->closes = false;
        if (c < 0)
            return STATUS_OK;
        TRY(next_char(text, &c, error));
        if (c != '?' && c != '!')
            return read_tag(tag, c, text, error);
        if (c == '!') {
            int dash[2] = {0, 0};
            TRY(next_char(text, &dash[0], error));
            TRY(next_char(text, &dash[1], error));
            if (dash[0] != '-' || dash[1] != '-')
                return text_error(text, error, "'<!' that begins no comment: such XML is not read");
        }
        TRY(skip_to(text, c == '?' ? "?>" : "-->", error));
    }
}

/* The value of an attribute, NULL if there is none */
static const char *tag_value(const struct vtu_xml *tag, const char *name)
{
    for (int k = 0; k < tag->attributes; k++)
        if (strcmp(tag->attribute[k].name, name) == 0)
            return tag->attribute[k].value;
    return NULL;
}

enum { BLOCK = 16384, PART = 8 };

/* Bytes that all threads share, with room before them for a number's first ones */
struct shared {
    unsigned char *space; /* [PART + room] */
    int64_t room;
};

/* Where bytes come from, and go to */
struct stream {
    struct text_file *text;
    struct vtu_coding coding;
    unsigned char held[3]; /* bytes out of base64 that are not handed out */
    int holds, at;
    struct vtk_values *values;
    int64_t *inflated;
    unsigned char part[PART]; /* the first bytes of a number */
    int parts;
    struct shared decoded, made; /* out of the file or base64, and out of zlib */
};

/* values <- the words up to the next "<", which is read */
static enum status read_words(struct vtk_values *values, struct text_file *text, struct error *error)
{
    char word[64];
    size_t length = 0;
    for (int c = 0; c != '<';) {
        TRY(text_byte(text, &c, error));
        if (c < 0)
            return text_error(text, error, "the file ends inside %s: it is truncated", values->what);
        if (c > ' ' && c != '<') {
            if (length + 1 == sizeof word)
                return text_error(text, error, "%s: a number of more than %d characters", values->what,
                                  (int)sizeof word - 1);
            word[length++] = (char)c;
            continue;
        }
        word[length] = '\0';
        if (length)
            TRY(vtk_values_word(values, word, text, error));
        length = 0;
    }
    return STATUS_OK;
}

/* The next character of base64 as six bits; 64 for the "=" that fills a group up */
static enum status read_digit(struct stream *stream, unsigned *bits, struct error *error)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    int c = ' ';
    while ((c == ' ' || c == '\n' || c == '\r' || c == '\t'))
        TRY(text_byte(stream->text, &c, error));
    const char *found = c > 0 ? strchr(digits, c) : NULL;
    if (!found)
        return text_error(stream->text, error,
                          c == '<' || c < 0 ? "%s: the data ends too early" : "%s: not base64",
                          stream->values->what);
    *bits = (unsigned)(found - digits);
    return STATUS_OK;
}

/* held[] <- the bytes of the next group of four; groups filled up with "=" may stand anywhere */
static enum status decode_group(struct stream *stream, struct error *error)
{
    unsigned bits[4] = {0}, all = 0;
    for (int i = 0; i < 4; i++) {
        TRY(read_digit(stream, &bits[i], error));
        all = all << 6 | (bits[i] & 63);
    }
    if (bits[0] == 64 || bits[1] == 64 || (bits[2] == 64 && bits[3] != 64))
        return text_error(stream->text, error, "%s: not base64", stream->values->what);
    for (int i = 0; i < 3; i++)
        stream->held[i] = (unsigned char)(all >> (16 - 8 * i));
    stream->holds = bits[2] == 64 ? 1 : bits[3] == 64 ? 2 : 3;
    stream->at = 0;
    return STATUS_OK;
}

static enum status take_bytes(struct stream *stream, unsigned char *out, size_t count, struct error *error)
{
    if (!stream->coding.base64)
        return text_bytes(stream->text, out, count, stream->values->what, error);
    for (size_t i = 0; i < count; i++) {
        TRY(stream->at < stream->holds ? STATUS_OK : decode_group(stream, error));
        out[i] = stream->held[stream->at++];
    }
    return STATUS_OK;
}

static enum status take_length(struct stream *stream, int64_t *length, struct error *error)
{
    unsigned char bytes[8];
    uint64_t value = 0;
    int count = stream->coding.length_bytes;
    TRY(take_bytes(stream, bytes, (size_t)count, error));
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[stream->coding.big ? i : count - 1 - i];
    if (value > INT64_MAX / 16)
        return text_error(stream->text, error, "%s: a length of %llu bytes", stream->values->what,
                          (unsigned long long)value);
    *length = (int64_t)value;
    return STATUS_OK;
}

/* values <- numbers of these bytes and of those of the last call that were no whole one */
static enum status pour_numbers(struct stream *stream, const unsigned char *bytes, size_t count,
                                struct error *error)
{
    int size = vtk_number_bytes(stream->values->number);
    for (size_t i = 0; i < count; i++) {
        stream->part[stream->parts++] = bytes[i];
        if (stream->parts < size)
            continue;
        TRY(vtk_values_bytes(stream->values, stream->part, stream->text, error));
        stream->parts = 0;
    }
    return STATUS_OK;
}

enum {
    TOGETHER = 3 << 20,      /* bytes that threads share at a time */
    LEAST_TOGETHER = 1 << 16 /* fewer are not worth it */
};

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* out[3 groups] <- of so many groups of four characters; false: not all of them are digits */
static bool decode_groups(unsigned char *out, const unsigned char *in, int64_t groups)
{
    enum { TASK = 1 << 14 };
    unsigned char bits[256];
    bool good = true;
    memset(bits, 0x80, sizeof bits);
    for (int k = 0; k < 64; k++)
        bits[(unsigned char)base64_digits[k]] = (unsigned char)k;
#pragma omp parallel for schedule(dynamic, 1) reduction(&& : good)
    for (int64_t first = 0; first < groups; first += TASK) {
        unsigned strange = 0;
        for (int64_t g = first; g < first + TASK && g < groups; g++) {
            unsigned a = bits[in[4 * g]], b = bits[in[4 * g + 1]], c = bits[in[4 * g + 2]],
                     d = bits[in[4 * g + 3]], all = a << 18 | b << 12 | c << 6 | d;
            strange |= a | b | c | d;
            out[3 * g] = (unsigned char)(all >> 16);
            out[3 * g + 1] = (unsigned char)(all >> 8);
            out[3 * g + 2] = (unsigned char)all;
        }
        good = good && strange < 0x80;
    }
    return good;
}

/* shared has room for so many bytes. */
static enum status share(struct shared *shared, int64_t bytes, struct error *error)
{
    enum status status = STATUS_OK;
    if (bytes <= shared->room)
        return STATUS_OK;
    free(shared->space);
    shared->room = 0;
    shared->space = array_new(PART + bytes, 1, "the mesh", &status, error);
    shared->room = status ? 0 : bytes;
    return status;
}

/* The next bytes of the data as they lie ahead in the file */
struct ahead {
    unsigned char *bytes; /* NULL: they must be taken one by one */
    int64_t count;
    size_t used;           /* what they take in the file beyond those that are held */
    unsigned char held[3]; /* what is left of the last group of base64 */
    int holds;
};

/* ahead <- the next `count` bytes */
static enum status look_ahead(struct stream *stream, int64_t count, struct ahead *ahead, struct error *error)
{
    int64_t holds = stream->holds - stream->at, groups = (count - holds + 2) / 3;
    unsigned char *bytes = NULL;
    const char *seen;
    size_t got;
    *ahead = (struct ahead){.count = count};
    ahead->used = stream->coding.base64 ? 4 * (size_t)groups : (size_t)count;
    if (count <= holds)
        return STATUS_OK;
    TRY(text_peek(stream->text, ahead->used, &seen, &got, error));
    if (got < ahead->used)
        return STATUS_OK;
    TRY(share(&stream->decoded, holds + 3 * groups, error));
    bytes = stream->decoded.space + PART;
    if (!stream->coding.base64) {
        memcpy(bytes, seen, (size_t)count);
    } else {
        memcpy(bytes, stream->held + stream->at, (size_t)holds);
        if (!decode_groups(bytes + holds, (const unsigned char *)seen, groups))
            return STATUS_OK;
        ahead->holds = (int)(holds + 3 * groups - count);
        memcpy(ahead->held, bytes + count, (size_t)ahead->holds);
    }
    ahead->bytes = bytes;
    return STATUS_OK;
}

/* They have been read. */
static void skip_ahead(struct stream *stream, const struct ahead *ahead)
{
    text_skip(stream->text, ahead->used, stream->coding.base64 && stream->text->line == 0,
              !stream->coding.base64);
    memcpy(stream->held, ahead->held, sizeof stream->held);
    stream->holds = ahead->holds;
    stream->at = 0;
}

/* values <- numbers of the bytes of the last call that were no whole one and of these, which lie behind PART
 * others; false: they must be taken one by one */
static bool pour_together(struct stream *stream, unsigned char *bytes, int64_t count)
{
    int64_t size = vtk_number_bytes(stream->values->number), all = stream->parts + count;
    bytes -= stream->parts;
    memcpy(bytes, stream->part, (size_t)stream->parts);
    if (!vtk_values_block(stream->values, bytes, all / size))
        return false;
    stream->parts = (int)(all % size);
    memcpy(stream->part, bytes + all - stream->parts, (size_t)stream->parts);
    return true;
}

/* *read <- so many of the `left` bytes that follow are in values now; 0: they must be taken one by one, as
 * when there is something wrong with them */
static enum status read_together(struct stream *stream, int64_t left, int64_t *read, struct error *error)
{
    int64_t holds = stream->holds - stream->at, most = left < TOGETHER ? left : TOGETHER;
    struct ahead ahead;
    *read = 0;
    if (most < LEAST_TOGETHER)
        return STATUS_OK;
    TRY(look_ahead(stream, stream->coding.base64 ? holds + (most - holds) / 3 * 3 : most, &ahead, error));
    if (ahead.bytes && pour_together(stream, ahead.bytes, ahead.count)) {
        skip_ahead(stream, &ahead);
        *read = ahead.count;
    }
    return STATUS_OK;
}

static enum status read_block(struct stream *stream, int64_t left, int64_t *read, struct error *error)
{
    unsigned char bytes[BLOCK];
    *read = left < BLOCK ? left : BLOCK;
    TRY(take_bytes(stream, bytes, (size_t)*read, error));
    return pour_numbers(stream, bytes, (size_t)*read, error);
}

static enum status read_plain(struct stream *stream, struct error *error)
{
    int64_t length = 0, read = 0;
    bool together = true;
    TRY(take_length(stream, &length, error));
    if (length > text_capacity(stream->text, 1))
        return text_error(stream->text, error, "%s: %lld bytes are declared, but the file is shorter",
                          stream->values->what, (long long)length);
    for (int64_t left = length; left > 0; left -= read) {
        if (together)
            TRY(read_together(stream, left, &read, error));
        together = together && read > 0;
        if (!together)
            TRY(read_block(stream, left, &read, error));
    }
    return STATUS_OK;
}

/* Blocks of these lengths, one behind the other, each of which makes `size` bytes */
static bool inflate_blocks(unsigned char *out, int64_t size, unsigned char *in, const int64_t *length,
                           int64_t blocks)
{
    bool good = true;
#pragma omp parallel for schedule(dynamic, 1) reduction(&& : good)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t begin = 0;
        for (int64_t k = 0; k < b; k++)
            begin += length[k];
        z_stream z = {.next_in = in + begin, .avail_in = (unsigned)length[b]};
        z.next_out = out + size * b;
        z.avail_out = (unsigned)size;
        good = good && inflateInit(&z) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_in == 0 &&
               z.avail_out == 0;
        inflateEnd(&z);
    }
    return good;
}

/* *read <- so many of these blocks, of which none is the last, are in values now; 0: one must be inflated
 * alone */
static enum status inflate_together(struct stream *stream, const int64_t *length, int64_t blocks,
                                    int64_t size, int64_t *read, struct error *error)
{
    enum { MOST_BLOCKS = 512, MOST_MADE = 1 << 25 };
    int64_t all = 0, count = 0;
    struct ahead ahead;
    *read = 0;
    while (size > 0 && count < blocks && count < MOST_BLOCKS && length[count] <= TOGETHER &&
           all + length[count] <= TOGETHER && size <= MOST_MADE && (count + 1) * size <= MOST_MADE)
        all += length[count++];
    if (count < 2 || all < LEAST_TOGETHER / 4 ||
        *stream->inflated + count * size - VTU_DATA_FREE > VTU_DATA_EXPANSION * stream->text->disk_size)
        return STATUS_OK;
    TRY(look_ahead(stream, all, &ahead, error));
    TRY(share(&stream->made, count * size, error));
    unsigned char *made = stream->made.space + PART;
    if (ahead.bytes && inflate_blocks(made, size, ahead.bytes, length, count) &&
        pour_together(stream, made, count * size)) {
        skip_ahead(stream, &ahead);
        *stream->inflated += count * size;
        *read = count;
    }
    return STATUS_OK;
}

/* A block of `length` bytes that makes `due` */
static enum status inflate_block(struct stream *stream, z_stream *z, int64_t length, int64_t due,
                                 struct error *error)
{
    unsigned char in[BLOCK], out[BLOCK];
    int code = inflateReset(z);
    for (int64_t left = length; left > 0 && code == Z_OK;) {
        size_t now = left < BLOCK ? (size_t)left : BLOCK;
        TRY(take_bytes(stream, in, now, error));
        left -= (int64_t)now;
        z->next_in = in;
        z->avail_in = (unsigned)now;
        do {
            z->next_out = out;
            z->avail_out = BLOCK;
            code = inflate(z, Z_NO_FLUSH);
            size_t made = BLOCK - z->avail_out;
            due -= (int64_t)made;
            *stream->inflated += (int64_t)made;
            if (*stream->inflated - VTU_DATA_FREE > VTU_DATA_EXPANSION * stream->text->disk_size)
                return text_error(
                    stream->text, error,
                    "%s: the file decompresses to more than %d times its size, which no mesh does",
                    stream->values->what, VTU_DATA_EXPANSION);
            if (due < 0)
                return text_error(stream->text, error, "%s: a block holds more than it declares",
                                  stream->values->what);
            TRY(pour_numbers(stream, out, made, error));
        } while (code == Z_OK && z->avail_out == 0);
        code = code == Z_BUF_ERROR ? Z_OK : code;
    }
    if (code != Z_STREAM_END || due)
        return text_error(stream->text, error, "%s: the compressed data is damaged", stream->values->what);
    return STATUS_OK;
}

/* Blocks, their size, that of the last if it is another, 0 if not; then what each is compressed to */
static enum status read_blocks(struct stream *stream, struct error *error)
{
    int64_t blocks = 0, size = 0, last = 0, *length = NULL, room = 0;
    z_stream z = {0};
    enum status status = STATUS_OK;
    TRY_DONE(take_length(stream, &blocks, error));
    TRY_DONE(take_length(stream, &size, error));
    TRY_DONE(take_length(stream, &last, error));
    if (blocks > text_capacity(stream->text, 1) || last > size)
        return text_error(stream->text, error, "%s: %lld blocks of %lld bytes, the last of %lld",
                          stream->values->what, (long long)blocks, (long long)size, (long long)last);
    for (int64_t b = 0; b < blocks; b++) {
        TRY_DONE(array_grow((void **)&length, &room, b, sizeof *length, "the mesh", error));
        TRY_DONE(take_length(stream, &length[b], error));
    }
    stream->holds = stream->at = 0; /* the blocks begin a base64 of their own */
    if (inflateInit(&z) != Z_OK)
        TRY_DONE(error_memory(error, "zlib", 1 << 16));
    bool together = true;
    for (int64_t b = 0, read = 0; b < blocks; b += read) {
        if (together)
            TRY_DONE(inflate_together(stream, length + b, blocks - 1 - b, size, &read, error));
        together = together && read > 0;
        if (together)
            continue;
        TRY_DONE(inflate_block(stream, &z, length[b], last && b + 1 == blocks ? last : size, error));
        read = 1;
    }
done:
    inflateEnd(&z);
    free(length);
    return status;
}

/* values <- the bytes that follow, behind their length or, compressed, behind the lengths of their blocks.
 * *inflated += what came out of zlib, which is bounded as above and by values->expected. */
static enum status read_bytes(struct vtk_values *values, struct vtu_coding coding, struct text_file *text,
                              int64_t *inflated, struct error *error)
{
    struct stream stream = {.text = text, .coding = coding, .values = values, .inflated = inflated};
    values->big = coding.big;
    enum status status = coding.zlib ? read_blocks(&stream, error) : read_plain(&stream, error);
    free(stream.decoded.space);
    free(stream.made.space);
    if (!status && stream.parts)
        return text_error(text, error, "%s end within a number", values->what);
    return status;
}

enum { MOST_COMPONENTS = 1000 };

/* An array that is selected, and where its numbers go */
struct array {
    struct vtk_values *into; /* of the grid; NULL: `own`, which are those of a field */
    struct vtk_values own;
    int field; /* its number in grid.field */
    int64_t offset;
};

struct vtu {
    struct text_file text;
    struct vtk_grid grid;
    struct vtu_xml tag;
    struct vtu_coding coding;
    int64_t inflated;    /* bytes out of zlib so far */
    char section[20];    /* "Points", `cells`, "PointData", "CellData", or "" */
    const char *cells;   /* "Cells" or, of PolyData, "Lines" or "Polys" */
    bool inside;         /* the "<" of the next tag is read */
    struct array *array; /* [arrays] those whose numbers are appended */
    int64_t arrays, room;
};

static const char *value_of(const struct vtu *vtu, const char *name)
{
    const char *value = tag_value(&vtu->tag, name);
    return value ? value : "";
}

static enum status read_head(struct vtu *vtu, struct error *error)
{
    const char *compressor = value_of(vtu, "compressor"), *type = value_of(vtu, "type");
    vtu->grid.poly = strcmp(type, "PolyData") == 0 ? VTK_POLY_POLYGONS : VTK_POLY_NONE;
    if (!vtu->grid.poly && strcmp(type, "UnstructuredGrid") != 0)
        return text_error(&vtu->text, error, "file type '%.40s'; expected UnstructuredGrid or PolyData",
                          type);
    if (*compressor && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        return text_error(&vtu->text, error,
                          "the compressor %.40s is not supported; use vtkZLibDataCompressor", compressor);
    vtu->coding.zlib = *compressor;
    vtu->coding.big = strcmp(value_of(vtu, "byte_order"), "BigEndian") == 0;
    vtu->coding.length_bytes = strcmp(value_of(vtu, "header_type"), "UInt64") == 0 ? 8 : 4;
    snprintf(vtu->grid.notes->format, sizeof vtu->grid.notes->format, "VTK XML");
    return STATUS_OK;
}

/* *value <- an attribute that is a whole number; `fallback` where there is none, which must not be < 0 */
static enum status integer_attribute(struct vtu *vtu, const char *name, int64_t fallback, int64_t most,
                                     int64_t *value, struct error *error)
{
    const char *text = tag_value(&vtu->tag, name), *cursor = text;
    *value = fallback;
    if (text && !scan_integer(&cursor, value))
        *value = -1;
    if (*value >= 0 && *value <= most)
        return STATUS_OK;
    return text_error(&vtu->text, error, "<%s %s=\"%.40s\">: expected a whole number from 0 to %lld",
                      vtu->tag.name, name, text ? text : "", (long long)most);
}

/* grid->cells <- those of PolyData, which are of one kind: lines or polygons */
static enum status count_poly(struct vtu *vtu, struct error *error)
{
    static const char *const name[] = {"NumberOfVerts", "NumberOfStrips", "NumberOfLines", "NumberOfPolys"};
    int64_t count[4];
    for (int k = 0; k < 4; k++)
        TRY(integer_attribute(vtu, name[k], 0, INT64_MAX / 64, &count[k], error));
    if (count[0] || count[1] || (count[2] && count[3]))
        return text_error(&vtu->text, error,
                          "%lld vertices, %lld strips, %lld lines, %lld polygons; only lines alone or "
                          "polygons alone are supported: use ParaView's filter Triangulate, and extract one",
                          (long long)count[0], (long long)count[1], (long long)count[2], (long long)count[3]);
    vtu->grid.poly = count[2] ? VTK_POLY_LINES : VTK_POLY_POLYGONS;
    vtu->cells = count[2] ? "Lines" : "Polys";
    vtu->grid.cells = count[2] + count[3];
    return STATUS_OK;
}

static enum status read_piece(struct vtu *vtu, struct error *error)
{
    struct vtk_grid *grid = &vtu->grid;
    if (grid->points >= 0)
        return text_error(&vtu->text, error, "a second piece; only grids of one piece are supported");
    if (grid->poly)
        TRY(count_poly(vtu, error));
    else
        TRY(integer_attribute(vtu, "NumberOfCells", -1, INT64_MAX / 64, &grid->cells, error));
    TRY(integer_attribute(vtu, "NumberOfPoints", -1, INT32_MAX, &grid->points, error));
    grid->node.limit = grid->points;
    return STATUS_OK;
}

/* *array <- where the array of this tag goes; *selected is false for one that nobody asks for */
static enum status find_target(struct vtu *vtu, struct array *array, bool *selected, struct error *error)
{
    struct vtk_grid *grid = &vtu->grid;
    const char *name = value_of(vtu, "Name");
    bool points = strcmp(vtu->section, "PointData") == 0, cells = strcmp(vtu->section, "CellData") == 0;
    int64_t components;
    TRY(integer_attribute(vtu, "NumberOfComponents", 1, INT32_MAX, &components, error));
    *selected = false;
    *array = (struct array){.offset = -1};
    if (!vtu->section[0])
        return STATUS_OK;
    if (strcmp(vtu->section, "Points") == 0) {
        if (components != 3)
            return text_error(&vtu->text, error, "points of %lld components", (long long)components);
        array->into = &grid->point;
        grid->point.expected = 3 * grid->points;
    } else if (strcmp(vtu->section, vtu->cells) == 0) {
        array->into = strcmp(name, "connectivity") == 0 ? &grid->node
                      : strcmp(name, "offsets") == 0    ? &grid->end
                      : strcmp(name, "types") == 0      ? &grid->type
                                                        : NULL;
        grid->end.expected = grid->type.expected = grid->cells;
        grid->node.expected = INT64_MAX / 8;
    } else if ((points || cells) && components >= 1 && components <= MOST_COMPONENTS && *name) {
        TRY(vtk_grid_field(grid, name, points ? LOCATION_NODE : LOCATION_ELEMENT, (int)components, selected,
                           error));
        array->field = grid->field.count - 1;
        array->own.expected = components * (points ? grid->points : grid->cells);
        array->own.target = VTK_REALS;
    }
    *selected = *selected || array->into;
    if (array->into && array->into->count)
        return text_error(&vtu->text, error, "%s are given twice", array->into->what);
    return STATUS_OK;
}

/* The numbers of an array, which lie here, checked for their count */
static enum status read_numbers(struct vtu *vtu, struct array *array, bool words, struct error *error)
{
    struct vtk_values *values = array->into ? array->into : &array->own;
    enum status status;
    if (!array->into)
        values->what = vtu->grid.field.item[array->field].name;
    TRY_DONE(words ? read_words(values, &vtu->text, error)
                   : read_bytes(values, vtu->coding, &vtu->text, &vtu->inflated, error));
    if (values->count != values->expected && values != &vtu->grid.node)
        status = text_error(&vtu->text, error, "%s: %lld numbers; expected %lld", values->what,
                            (long long)values->count, (long long)values->expected);
done:
    if (!array->into)
        vtu->grid.field.item[array->field].value = values->value; /* the grid frees it */
    return status;
}

/* What stands inside a DataArray before its numbers; *empty where that is all */
static enum status skip_information(struct vtu *vtu, bool *empty, struct error *error)
{
    int depth = 0;
    for (*empty = false;;) {
        int c = 0;
        TRY(text_byte(&vtu->text, &c, error));
        if (c < 0)
            return text_error(&vtu->text, error, "the file ends inside an array: it is truncated");
        if (c == '<') {
            TRY(next_tag(&vtu->tag, &vtu->text, true, error));
            depth += vtu->tag.opens - vtu->tag.closes;
            if (depth < 0) {
                *empty = true;
                return STATUS_OK;
            }
        } else if (c > ' ' && depth == 0) {
            vtu->text.begin--; /* the first of the numbers */
            return STATUS_OK;
        }
    }
}

static enum status read_array(struct vtu *vtu, struct error *error)
{
    struct array array;
    char format[16];
    bool selected, empty = vtu->tag.closes;
    struct vtu_coding coding = vtu->coding;
    TRY(find_target(vtu, &array, &selected, error));
    if (!selected)
        return STATUS_OK;
    struct vtk_values *values = array.into ? array.into : &array.own;
    if (!vtk_number_find(&values->number, value_of(vtu, "type")))
        return text_error(&vtu->text, error, "'%.40s' is not a supported number type", value_of(vtu, "type"));
    snprintf(format, sizeof format, "%.15s", value_of(vtu, "format"));
    if (strcmp(format, "appended") == 0) {
        TRY(integer_attribute(vtu, "offset", -1, INT64_MAX / 2, &array.offset, error));
        TRY(array_grow((void **)&vtu->array, &vtu->room, vtu->arrays, sizeof *vtu->array, "the mesh", error));
        vtu->array[vtu->arrays++] = array;
        return STATUS_OK;
    }
    if (*format && strcmp(format, "ascii") != 0 && strcmp(format, "binary") != 0)
        return text_error(&vtu->text, error, "format '%s'; expected ascii, binary or appended", format);
    if (!empty)
        TRY(skip_information(vtu, &empty, error));
    if (empty)
        return values->expected ? text_error(&vtu->text, error, "an array without numbers") : STATUS_OK;
    vtu->coding.base64 = true;
    vtu->inside = strcmp(format, "binary") != 0;
    TRY(read_numbers(vtu, &array, vtu->inside, error));
    vtu->coding = coding;
    return STATUS_OK;
}

static int by_offset(const void *a, const void *b)
{
    const struct array *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int64_t handed_out(const struct text_file *text)
{
    return text->bytes - (int64_t)(text->end - text->begin);
}

/* The arrays one after the other, as they lie behind the "_" */
static enum status read_appended(struct vtu *vtu, struct error *error)
{
    struct text_file *text = &vtu->text;
    const char *encoding = value_of(vtu, "encoding");
    unsigned char skipped[4096];
    vtu->coding.base64 = strcmp(encoding, "base64") == 0;
    if (!vtu->coding.base64 && strcmp(encoding, "raw") != 0)
        return text_error(text, error, "appended data in encoding '%.40s'; expected raw or base64", encoding);
    for (int c = ' '; c != '_';) {
        TRY(text_byte(text, &c, error));
        if ((c < 0 || c > ' ') && c != '_')
            return text_error(text, error, "the appended data does not begin with '_'");
    }
    int64_t begin = handed_out(text);
    if (vtu->arrays)
        qsort(vtu->array, (size_t)vtu->arrays, sizeof *vtu->array, by_offset);
    for (int64_t k = 0; k < vtu->arrays; k++) {
        int64_t gap = begin + vtu->array[k].offset - handed_out(text);
        if (gap < 0)
            return text_error(text, error, "the array at offset %lld begins inside another",
                              (long long)vtu->array[k].offset);
        while (gap > 0) {
            size_t now = gap < (int64_t)sizeof skipped ? (size_t)gap : sizeof skipped;
            TRY(text_bytes(text, skipped, now, "the appended data", error));
            gap -= (int64_t)now;
        }
        TRY(read_numbers(vtu, &vtu->array[k], false, error));
    }
    return STATUS_OK;
}

static bool is_section(const struct vtu *vtu, const char *name)
{
    return strcmp(name, "Points") == 0 || strcmp(name, vtu->cells) == 0 || strcmp(name, "PointData") == 0 ||
           strcmp(name, "CellData") == 0;
}

static enum status read_tags(struct vtu *vtu, struct error *error)
{
    struct vtu_xml *tag = &vtu->tag;
    for (bool head = false;;) {
        TRY(next_tag(tag, &vtu->text, vtu->inside, error));
        bool opens = tag->opens, file = opens && strcmp(tag->name, "VTKFile") == 0;
        if (!head && !file)
            return text_error(&vtu->text, error, "not a VTK XML file: it does not start with <VTKFile>");
        if (!tag->opens && !tag->closes)
            return text_error(&vtu->text, error, "the file ends before </VTKFile>: it is truncated");
        if (!opens && strcmp(tag->name, "VTKFile") == 0)
            return STATUS_OK;
        head = true;
        vtu->inside = false;
        if (is_section(vtu, tag->name))
            snprintf(vtu->section, sizeof vtu->section, "%.19s", tag->closes ? "" : tag->name);
        else if (file)
            TRY(read_head(vtu, error));
        else if (opens && strcmp(tag->name, "Piece") == 0)
            TRY(read_piece(vtu, error));
        else if (opens && strcmp(tag->name, "DataArray") == 0)
            TRY(read_array(vtu, error));
        else if (opens && strcmp(tag->name, "AppendedData") == 0)
            return read_appended(vtu, error);
    }
}

static enum status xml_read(const char *extension, struct mesh_builder *builder,
                            const struct format_files *place, struct length_unit unit,
                            struct mesh_notes *notes, struct error *error)
{
    char path[FORMAT_PATH + 16];
    struct vtu vtu = {.cells = "Cells"};
    format_sibling(path, place, extension);
    vtk_grid_start(&vtu.grid, path, builder, unit, notes);
    enum status status = STATUS_OK;
    TRY_DONE(text_open(&vtu.text, path, error));
    TRY_DONE(read_tags(&vtu, error));
    TRY_DONE(vtk_grid_finish(&vtu.grid, error));
done:
    text_close(&vtu.text);
    vtk_grid_free(&vtu.grid);
    free(vtu.array);
    return status;
}

static enum status vtu_read(struct mesh_builder *builder, const struct format_files *place,
                            struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    return xml_read(".vtu", builder, place, unit, notes, error);
}

static enum status vtp_read(struct mesh_builder *builder, const struct format_files *place,
                            struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    return xml_read(".vtp", builder, place, unit, notes, error);
}

const struct mesh_format format_vtu = {.name = "VTK XML",
                                       .extension = {".vtu"},
                                       .read = vtu_read,
                                       .write = vtk_out_xml,
                                       .fields = true,
                                       .faces = true};

const struct mesh_format format_vtp = {.name = "VTK XML", .extension = {".vtp"}, .read = vtp_read};
