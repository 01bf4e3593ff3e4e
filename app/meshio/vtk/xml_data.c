/* xml_data.c: read the numbers of an array in a VTK XML file: words, or bytes, raw or in base64, compressed with zlib
 * or not (VTK file formats, "XML file formats"). Large arrays are decoded and decompressed in parallel. */
#include "app/meshio/vtk/vtk.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "kernels/base/array.h"

/* All arrays of a file together may decompress to at most EXPANSION times its size + FREE bytes. */
enum { EXPANSION = 100, FREE = 1 << 20 };

enum { BLOCK = 16384, HEAD = 8 };

/* A buffer that all threads share, after space for the incomplete number of the previous call */
struct shared {
    unsigned char *space; /* [HEAD + room] */
    int64_t room;
};

/* The source of the bytes and the values they become */
struct stream {
    struct text_file *text;
    struct xml_coding coding;
    unsigned char held[3]; /* decoded bytes, not yet used from `at` on */
    int holds, at;
    struct vtk_values *values;
    int64_t *inflated;
    unsigned char head[HEAD]; /* the bytes of an incomplete number */
    int head_bytes;
    struct shared decoded, made; /* bytes after base64, and after zlib */
};

enum status xml_data_words(struct vtk_values *values, struct text_file *text, struct error *error)
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

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

/* The next character of base64 as six bits; 64 for the padding "=" */
static enum status read_digit(struct stream *stream, unsigned *bits, struct error *error)
{
    int c = ' ';
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t')
        TRY(text_byte(stream->text, &c, error));
    const char *found = c > 0 ? strchr(base64_digits, c) : NULL;
    if (!found)
        return text_error(stream->text, error,
                          c == '<' || c < 0 ? "%s: the data ends too early" : "%s: not base64",
                          stream->values->what);
    *bits = (unsigned)(found - base64_digits);
    return STATUS_OK;
}

/* held[] <- the bytes of the next group of four characters; groups with "=" may occur anywhere */
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

static enum status read_decoded(struct stream *stream, unsigned char *out, size_t count, struct error *error)
{
    if (!stream->coding.base64)
        return text_bytes(stream->text, out, count, stream->values->what, error);
    for (size_t i = 0; i < count; i++) {
        TRY(stream->at < stream->holds ? STATUS_OK : decode_group(stream, error));
        out[i] = stream->held[stream->at++];
    }
    return STATUS_OK;
}

static enum status read_length(struct stream *stream, int64_t *length, struct error *error)
{
    unsigned char bytes[8];
    uint64_t value = 0;
    int count = stream->coding.length_bytes;
    TRY(read_decoded(stream, bytes, (size_t)count, error));
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[stream->coding.big ? i : count - 1 - i];
    if (value > INT64_MAX / 16)
        return text_error(stream->text, error, "%s: a length of %llu bytes", stream->values->what,
                          (unsigned long long)value);
    *length = (int64_t)value;
    return STATUS_OK;
}

/* Appends to values the numbers in these bytes, which continue the incomplete number of the previous call. */
static enum status pour_numbers(struct stream *stream, const unsigned char *bytes, size_t count,
                                struct error *error)
{
    int size = vtk_number_bytes(stream->values->number);
    for (size_t i = 0; i < count; i++) {
        stream->head[stream->head_bytes++] = bytes[i];
        if (stream->head_bytes < size)
            continue;
        TRY(vtk_values_bytes(stream->values, stream->head, stream->text, error));
        stream->head_bytes = 0;
    }
    return STATUS_OK;
}

enum {
    TOGETHER = 3 << 20,      /* bytes decoded in parallel at a time */
    LEAST_TOGETHER = 1 << 16 /* fewer are decoded serially */
};

/* out[3 groups] <- the bytes of `groups` groups of four characters; false if any is not a digit of base64 */
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

/* Makes room for `bytes` bytes; the old contents are lost. */
static enum status share(struct shared *shared, int64_t bytes, struct error *error)
{
    enum status status = STATUS_OK;
    if (bytes <= shared->room)
        return STATUS_OK;
    free(shared->space);
    shared->room = 0;
    shared->space = array_new(HEAD + bytes, 1, "the mesh", &status, error);
    shared->room = status ? 0 : bytes;
    return status;
}

/* The next bytes of the data, decoded but not yet consumed */
struct ahead {
    unsigned char *bytes; /* NULL: use the serial path */
    int64_t count;
    size_t used;           /* their bytes in the file, after those of stream->held */
    unsigned char held[3]; /* the rest of the last group of base64 */
    int holds;
};

/* *ahead <- the next `count` bytes, if the buffer contains them and they are valid; else ahead->bytes is NULL */
static enum status peek(struct stream *stream, int64_t count, struct ahead *ahead, struct error *error)
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
    bytes = stream->decoded.space + HEAD;
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

/* Consumes the bytes that peek() decoded. */
static void skip_ahead(struct stream *stream, const struct ahead *ahead)
{
    text_skip(stream->text, ahead->used, stream->coding.base64 && stream->text->line == 0,
              !stream->coding.base64);
    memcpy(stream->held, ahead->held, sizeof stream->held);
    stream->holds = ahead->holds;
    stream->at = 0;
}

/* Like pour_numbers(), in parallel; HEAD bytes of space must precede `bytes`. False, with nothing appended, if a number
 * is invalid: use the serial path, which reports it. */
static bool pour_together(struct stream *stream, unsigned char *bytes, int64_t count)
{
    int64_t size = vtk_number_bytes(stream->values->number), all = stream->head_bytes + count;
    bytes -= stream->head_bytes;
    memcpy(bytes, stream->head, (size_t)stream->head_bytes);
    if (!vtk_values_block(stream->values, bytes, all / size))
        return false;
    stream->head_bytes = (int)(all % size);
    memcpy(stream->head, bytes + all - stream->head_bytes, (size_t)stream->head_bytes);
    return true;
}

/* Reads some of the `left` next bytes in parallel. *read <- the number of bytes read; 0: use the serial path, because
 * there are too few or some are invalid */
static enum status read_together(struct stream *stream, int64_t left, int64_t *read, struct error *error)
{
    int64_t holds = stream->holds - stream->at, most = left < TOGETHER ? left : TOGETHER;
    struct ahead ahead;
    *read = 0;
    if (most < LEAST_TOGETHER)
        return STATUS_OK;
    TRY(peek(stream, stream->coding.base64 ? holds + (most - holds) / 3 * 3 : most, &ahead, error));
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
    TRY(read_decoded(stream, bytes, (size_t)*read, error));
    return pour_numbers(stream, bytes, (size_t)*read, error);
}

static enum status read_plain(struct stream *stream, struct error *error)
{
    int64_t length = 0, read = 0;
    bool together = true;
    TRY(read_length(stream, &length, error));
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

/* Decompresses consecutive blocks of these lengths to `size` bytes each; false if any is damaged or of another size. */
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

/* Reads some of these blocks in parallel; the last block of the array, which may be shorter, must not be among them.
 * *read <- the number of blocks read; 0: use the serial path for one */
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
        *stream->inflated + count * size - FREE > EXPANSION * stream->text->in.disk_size)
        return STATUS_OK;
    TRY(peek(stream, all, &ahead, error));
    TRY(share(&stream->made, count * size, error));
    unsigned char *made = stream->made.space + HEAD;
    if (ahead.bytes && inflate_blocks(made, size, ahead.bytes, length, count) &&
        pour_together(stream, made, count * size)) {
        skip_ahead(stream, &ahead);
        *stream->inflated += count * size;
        *read = count;
    }
    return STATUS_OK;
}

/* Reads a block of `length` bytes that must decompress to `due` bytes. */
static enum status inflate_block(struct stream *stream, z_stream *z, int64_t length, int64_t due,
                                 struct error *error)
{
    unsigned char in[BLOCK], out[BLOCK];
    int code = inflateReset(z);
    for (int64_t left = length; left > 0 && code == Z_OK;) {
        size_t now = left < BLOCK ? (size_t)left : BLOCK;
        TRY(read_decoded(stream, in, now, error));
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
            if (*stream->inflated - FREE > EXPANSION * stream->text->in.disk_size)
                return text_error(
                    stream->text, error,
                    "%s: the file decompresses to more than %d times its size, which no mesh does",
                    stream->values->what, EXPANSION);
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

/* Reads the number of blocks, their size, the size of the last (0 = the same), each compressed size, and the blocks. */
static enum status read_blocks(struct stream *stream, struct error *error)
{
    int64_t blocks = 0, size = 0, last = 0, *length = NULL, room = 0;
    z_stream z = {0};
    enum status status = STATUS_OK;
    TRY_DONE(read_length(stream, &blocks, error));
    TRY_DONE(read_length(stream, &size, error));
    TRY_DONE(read_length(stream, &last, error));
    if (blocks > text_capacity(stream->text, 1) || last > size)
        return text_error(stream->text, error, "%s: %lld blocks of %lld bytes, the last of %lld",
                          stream->values->what, (long long)blocks, (long long)size, (long long)last);
    for (int64_t b = 0; b < blocks; b++) {
        TRY_DONE(array_grow((void **)&length, &room, b, sizeof *length, "the mesh", error));
        TRY_DONE(read_length(stream, &length[b], error));
    }
    stream->holds = stream->at = 0; /* the blocks are encoded in base64 separately */
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

enum status xml_data_bytes(struct vtk_values *values, struct xml_coding coding, struct text_file *text,
                           int64_t *inflated, struct error *error)
{
    struct stream stream = {.text = text, .coding = coding, .values = values, .inflated = inflated};
    values->big = coding.big;
    enum status status = coding.zlib ? read_blocks(&stream, error) : read_plain(&stream, error);
    free(stream.decoded.space);
    free(stream.made.space);
    if (!status && stream.head_bytes)
        return text_error(text, error, "%s end within a number", values->what);
    return status;
}
