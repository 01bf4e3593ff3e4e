/* vtu_data.c: words, bytes, base64 and zlib. */
#include "app/meshio/vtk/vtu_data.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "app/meshio/builder.h"

enum { BLOCK = 16384 };

/* Where bytes come from, and go to */
struct stream {
    struct text_file *text;
    struct vtu_coding coding;
    unsigned char held[3]; /* bytes out of base64 that are not handed out */
    int holds, at;
    struct vtk_values *values;
    int64_t *inflated;
    unsigned char part[8]; /* the first bytes of a number */
    int parts;
};

enum status vtu_data_words(struct vtk_values *values, struct text_file *text, struct error *error)
{
    char word[64];
    size_t length = 0;
    for (int c = 0; c != '<';) {
        enum status status = text_byte(text, &c, error);
        if (status)
            return status;
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
        if (length && (status = vtk_values_word(values, word, text, error)))
            return status;
        length = 0;
    }
    return STATUS_OK;
}

/* The next character of base64 as six bits; 64 for the "=" that fills a group up */
static enum status digit(struct stream *stream, unsigned *bits, struct error *error)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    int c = ' ';
    enum status status = STATUS_OK;
    while (!status && (c == ' ' || c == '\n' || c == '\r' || c == '\t'))
        status = text_byte(stream->text, &c, error);
    if (status)
        return status;
    const char *found = c > 0 ? strchr(digits, c) : NULL;
    if (!found)
        return text_error(stream->text, error,
                          c == '<' || c < 0 ? "%s: the data ends too early" : "%s: this is no base64",
                          stream->values->what);
    *bits = (unsigned)(found - digits);
    return STATUS_OK;
}

/* held[] <- the bytes of the next group of four; groups filled up with "=" may stand anywhere */
static enum status decode(struct stream *stream, struct error *error)
{
    unsigned bits[4] = {0}, all = 0;
    enum status status = STATUS_OK;
    for (int i = 0; i < 4 && !status; i++) {
        status = digit(stream, &bits[i], error);
        all = all << 6 | (bits[i] & 63);
    }
    if (status)
        return status;
    if (bits[0] == 64 || bits[1] == 64 || (bits[2] == 64 && bits[3] != 64))
        return text_error(stream->text, error, "%s: this is no base64", stream->values->what);
    for (int i = 0; i < 3; i++)
        stream->held[i] = (unsigned char)(all >> (16 - 8 * i));
    stream->holds = bits[2] == 64 ? 1 : bits[3] == 64 ? 2 : 3;
    stream->at = 0;
    return STATUS_OK;
}

static enum status take(struct stream *stream, unsigned char *out, size_t count, struct error *error)
{
    if (!stream->coding.base64)
        return text_bytes(stream->text, out, count, stream->values->what, error);
    for (size_t i = 0; i < count; i++) {
        enum status status = stream->at < stream->holds ? STATUS_OK : decode(stream, error);
        if (status)
            return status;
        out[i] = stream->held[stream->at++];
    }
    return STATUS_OK;
}

static enum status take_length(struct stream *stream, int64_t *length, struct error *error)
{
    unsigned char bytes[8];
    uint64_t value = 0;
    int count = stream->coding.length_bytes;
    enum status status = take(stream, bytes, (size_t)count, error);
    for (int i = 0; i < count && !status; i++)
        value = value << 8 | bytes[stream->coding.big ? i : count - 1 - i];
    if (!status && value > INT64_MAX / 16)
        return text_error(stream->text, error, "%s: a length of %llu bytes", stream->values->what,
                          (unsigned long long)value);
    *length = (int64_t)value;
    return status;
}

/* values <- numbers of these bytes and of those of the last call that were no whole one */
static enum status pour(struct stream *stream, const unsigned char *bytes, size_t count, struct error *error)
{
    int size = vtk_number_bytes(stream->values->number);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && !status; i++) {
        stream->part[stream->parts++] = bytes[i];
        if (stream->parts < size)
            continue;
        status = vtk_values_bytes(stream->values, stream->part, stream->text, error);
        stream->parts = 0;
    }
    return status;
}

static enum status read_plain(struct stream *stream, struct error *error)
{
    unsigned char bytes[BLOCK];
    int64_t length = 0;
    enum status status = take_length(stream, &length, error);
    if (!status && length > text_capacity(stream->text, 1))
        return text_error(stream->text, error, "%s: %lld bytes are announced, which the file does not have",
                          stream->values->what, (long long)length);
    for (int64_t left = length; left > 0 && !status;) {
        size_t now = left < BLOCK ? (size_t)left : BLOCK;
        status = take(stream, bytes, now, error);
        AND(pour(stream, bytes, now, error));
        left -= (int64_t)now;
    }
    return status;
}

/* A block of `length` bytes that makes `due` */
static enum status inflate_block(struct stream *stream, z_stream *z, int64_t length, int64_t due,
                                 struct error *error)
{
    unsigned char in[BLOCK], out[BLOCK];
    int code = inflateReset(z);
    enum status status = STATUS_OK;
    for (int64_t left = length; left > 0 && code == Z_OK && !status;) {
        size_t now = left < BLOCK ? (size_t)left : BLOCK;
        status = take(stream, in, now, error);
        left -= (int64_t)now;
        z->next_in = in;
        z->avail_in = (unsigned)now;
        do {
            z->next_out = out;
            z->avail_out = BLOCK;
            code = status ? code : inflate(z, Z_NO_FLUSH);
            size_t made = BLOCK - z->avail_out;
            due -= (int64_t)made;
            *stream->inflated += (int64_t)made;
            if (!status && *stream->inflated - VTU_DATA_FREE > VTU_DATA_EXPANSION * stream->text->disk_size)
                return text_error(
                    stream->text, error,
                    "%s: the file grows to more than %d times its size when decompressed; no mesh "
                    "does that",
                    stream->values->what, VTU_DATA_EXPANSION);
            if (!status && due < 0)
                return text_error(stream->text, error, "%s: a block holds more than it announces",
                                  stream->values->what);
            AND(pour(stream, out, made, error));
        } while (!status && code == Z_OK && z->avail_out == 0);
        code = code == Z_BUF_ERROR ? Z_OK : code;
    }
    if (!status && (code != Z_STREAM_END || due))
        return text_error(stream->text, error, "%s: the compressed data is damaged", stream->values->what);
    return status;
}

/* Blocks, their size, that of the last if it is another, 0 if not; then what each is compressed to */
static enum status read_blocks(struct stream *stream, struct error *error)
{
    int64_t blocks = 0, size = 0, last = 0, *length = NULL, room = 0;
    z_stream z = {0};
    enum status status = take_length(stream, &blocks, error);
    AND(take_length(stream, &size, error));
    AND(take_length(stream, &last, error));
    if (!status && (blocks > text_capacity(stream->text, 1) || last > size))
        return text_error(stream->text, error, "%s: %lld blocks of %lld bytes, the last of %lld",
                          stream->values->what, (long long)blocks, (long long)size, (long long)last);
    for (int64_t b = 0; b < blocks && !status; b++) {
        status = builder_grow((void **)&length, &room, b, sizeof *length, error);
        AND(take_length(stream, &length[b], error));
    }
    stream->holds = stream->at = 0; /* the blocks begin a base64 of their own */
    if (!status && inflateInit(&z) != Z_OK)
        status = error_memory(error, "zlib", 1 << 16);
    for (int64_t b = 0; b < blocks && !status; b++)
        status = inflate_block(stream, &z, length[b], last && b + 1 == blocks ? last : size, error);
    inflateEnd(&z);
    free(length);
    return status;
}

enum status vtu_data_bytes(struct vtk_values *values, struct vtu_coding coding, struct text_file *text,
                           int64_t *inflated, struct error *error)
{
    struct stream stream = {.text = text, .coding = coding, .values = values, .inflated = inflated};
    values->big = coding.big;
    enum status status = coding.zlib ? read_blocks(&stream, error) : read_plain(&stream, error);
    if (!status && stream.parts)
        return text_error(text, error, "%s end within a number", values->what);
    return status;
}
