/* text_file.c: buffered lines and words of a plain or gzipped file. */
#include "app/util/text_file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
    BUFFER = 64 * 1024,    /* also the longest line */
    PACKED = 32 * 1024,    /* bytes that zlib is given at a time */
    MOST_READ = 1 << 30,   /* bytes of a call of zlib's */
    EXPANSION_MAX = 1000,  /* decompressed bytes over bytes on disk, at most */
    EXPANSION_FREE = 65536 /* ... beyond this many decompressed bytes */
};

enum status text_error(const struct text_file *text, struct error *error, const char *format, ...)
{
    char message[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    int column = text->start ? (int)(text->cursor - text->start) + 1 : 0;
    if (text->binary)
        return error_at(error, STATUS_INPUT, text->path, 0, 0, "byte %lld: %s",
                        (long long)(text->bytes - (int64_t)(text->end - text->begin)), message);
    return error_at(error, STATUS_INPUT, text->path, text->line, column, "%s", message);
}

/* Whether the file is a Git LFS pointer, left by Git for a large file that was not fetched */
static bool is_lfs_pointer(int file)
{
    static const char begin[] = "version https://git-lfs.github.com/spec/";
    char text[sizeof begin - 1];
    return pread(file, text, sizeof text, 0) == sizeof text && memcmp(text, begin, sizeof text) == 0;
}

/* text->gzip <- a decompressor if the file begins with the magic bytes of RFC 1952 */
static enum status open_gzip(struct text_file *text, struct error *error)
{
    enum { GZIP = 16 }; /* tells inflateInit2 to accept only a gzip header */
    unsigned char begin[2];
    if (pread(text->in.file, begin, 2, 0) != 2 || begin[0] != 0x1f || begin[1] != 0x8b)
        return STATUS_OK;
    z_stream *gzip = calloc(1, sizeof *gzip);
    text->packed = malloc(PACKED);
    if (gzip && text->packed && inflateInit2(gzip, MAX_WBITS + GZIP) == Z_OK) {
        gzip->next_in = text->packed;
        text->gzip = gzip;
        return STATUS_OK;
    }
    free(gzip);
    return error_memory(error, "reading a file", PACKED);
}

static enum status open_buffers(struct text_file *text, struct error *error)
{
    if (text->in.disk_size == 0)
        return error_at(error, STATUS_INPUT, text->path, 0, 0, "the file is empty");
    if (is_lfs_pointer(text->in.file))
        return error_at(
            error, STATUS_INPUT, text->path, 0, 0,
            "a pointer of Git LFS, not the file itself; `git lfs pull` in its repository fetches it");
    text->buffer = malloc(BUFFER);
    text->room = BUFFER - 1;
    return text->buffer ? open_gzip(text, error) : error_memory(error, "reading a file", BUFFER);
}

enum status text_open(struct text_file *text, const char *path, struct inputs *inputs, struct error *error)
{
    *text = (struct text_file){.path = path, .cursor = ""};
    TRY(input_open(&text->in, path, inputs, error));
    enum status status = open_buffers(text, error);
    if (status)
        text_close(text);
    return status;
}

void text_close(struct text_file *text)
{
    if (text->gzip)
        inflateEnd(text->gzip);
    input_close(&text->in);
    free(text->gzip);
    free(text->packed);
    free(text->buffer);
    text->gzip = text->packed = NULL;
    text->buffer = NULL;
    text->start = NULL;
    text->cursor = "";
}

static enum status damaged_error(struct text_file *text, const char *message, struct error *error)
{
    text->start = NULL;
    return text_error(text, error, "%s", message);
}

/* Appends more compressed bytes to the unread ones; returns their total number, -1 if the file cannot be read. */
static int64_t fill_packed(struct text_file *text)
{
    z_stream *gzip = text->gzip;
    memmove(text->packed, gzip->next_in, gzip->avail_in);
    gzip->next_in = text->packed;
    const int64_t got =
        input_read(&text->in, (unsigned char *)text->packed + gzip->avail_in, PACKED - gzip->avail_in);
    gzip->avail_in += got > 0 ? (unsigned)got : 0;
    return got < 0 ? -1 : (int64_t)gzip->avail_in;
}

/* At the end of a gzip member: continues with the next one, or sets text->ended; other bytes are padding. */
static void begin_member(struct text_file *text)
{
    z_stream *gzip = text->gzip;
    if (gzip->avail_in < 2)
        fill_packed(text);
    text->ended = gzip->avail_in < 2 || gzip->next_in[0] != 0x1f || gzip->next_in[1] != 0x8b;
    if (!text->ended)
        inflateReset(gzip);
}

/* out[*got] <- up to `room` decompressed bytes; *got is 0 at the end of the file, or with an error */
static enum status inflate_some(struct text_file *text, char *out, size_t room, size_t *got,
                                struct error *error)
{
    z_stream *gzip = text->gzip;
    gzip->next_out = (unsigned char *)out;
    gzip->avail_out = (unsigned)room;
    while (gzip->avail_out > 0 && !text->ended) {
        const int64_t there = gzip->avail_in > 0 ? (int64_t)gzip->avail_in : fill_packed(text);
        *got = room - gzip->avail_out;
        if (there <= 0 && *got > 0)
            return STATUS_OK; /* the next call returns the error */
        if (there <= 0)
            return damaged_error(text,
                                 there < 0 ? strerror(errno)
                                           : "the compressed data ends too early: the file is truncated",
                                 error);
        const int code = inflate(gzip, Z_NO_FLUSH);
        if (code == Z_STREAM_END)
            begin_member(text);
        else if (code == Z_MEM_ERROR)
            return error_memory(error, "reading a file", PACKED);
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return damaged_error(text, gzip->msg ? gzip->msg : "the compressed data is damaged", error);
    }
    *got = room - gzip->avail_out;
    return STATUS_OK;
}

/* out[*got] <- up to `room` further bytes; *got is 0 only at the end of the file. */
static enum status read_some(struct text_file *text, char *out, size_t room, size_t *got, struct error *error)
{
    room = room < MOST_READ ? room : MOST_READ;
    *got = 0;
    if (text->gzip) {
        TRY(inflate_some(text, out, room, got, error));
    } else {
        const int64_t count = input_read(&text->in, out, room);
        if (count < 0)
            return damaged_error(text, strerror(errno), error);
        *got = (size_t)count;
    }
    text->ended = text->ended || *got == 0;
    text->bytes += (int64_t)*got;
    if (text->gzip && text->bytes - EXPANSION_FREE > EXPANSION_MAX * text->in.disk_size)
        return error_at(error, STATUS_INPUT, text->path, 0, 0,
                        "the file decompresses to more than %d times its size, which no mesh does",
                        EXPANSION_MAX);
    return STATUS_OK;
}

/* Moves the unread bytes to the front of the buffer, and appends new ones. */
static enum status fill_buffer(struct text_file *text, struct error *error)
{
    memmove(text->buffer, text->buffer + text->begin, text->end - text->begin);
    text->end -= text->begin;
    text->begin = 0;
    text->start = NULL;
    size_t got;
    enum status status = read_some(text, text->buffer + text->end, text->room - text->end, &got, error);
    text->end += got;
    return status;
}

/* *stop <- the end of the current line, NULL: none in the buffer */
static enum status find_line_end(struct text_file *text, char **stop, struct error *error)
{
    size_t ready = text->end - text->begin, most = BUFFER - 1;
    *stop = memchr(text->buffer + text->begin, '\n', ready < most ? ready : most);
    if (*stop || ready < most)
        return STATUS_OK;
    text->line++;
    text->start = NULL;
    return text_error(text, error, "the line is longer than %d bytes: this is not text", BUFFER - 1);
}

enum status text_line(struct text_file *text, bool *more, struct error *error)
{
    char *stop;
    *more = false;
    text->cursor = "";
    TRY(find_line_end(text, &stop, error));
    while (!stop && !text->ended) {
        TRY(fill_buffer(text, error));
        TRY(find_line_end(text, &stop, error));
    }
    text->start = NULL;
    if (!stop && text->begin == text->end)
        return STATUS_OK;
    text->binary = false;
    char *line = text->buffer + text->begin;
    size_t length = stop ? (size_t)(stop - line) : text->end - text->begin;
    text->begin += length + (stop != NULL);
    if (text->line == 0 && length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
        line += 3; /* an editor's byte order mark */
        length -= 3;
    }
    if (length > 0 && line[length - 1] == '\r')
        length--;
    line[length] = '\0';
    text->line++;
    text->start = text->cursor = line;
    if (memchr(line, '\0', length))
        return text_error(text, error, "a zero byte: binary data where text is expected");
    *more = true;
    return STATUS_OK;
}

enum status text_content(struct text_file *text, bool *more, struct error *error)
{
    do {
        enum status status = text_line(text, more, error);
        if (status || !*more)
            return status;
        size_t length = strcspn(text->start, "#");
        text->buffer[(size_t)(text->start - text->buffer) + length] = '\0';
    } while (!text_has_word(text));
    return STATUS_OK;
}

enum status text_need(struct text_file *text, const char *what, struct error *error)
{
    bool more;
    enum status status = text_content(text, &more, error);
    if (!status && !more)
        return text_error(text, error, "the file ends before %s", what);
    return status;
}

bool text_has_word(struct text_file *text)
{
    text->cursor += strspn(text->cursor, " \t\r\v\f");
    return *text->cursor != '\0';
}

void text_word(struct text_file *text, char *word, size_t size)
{
    text_has_word(text);
    size_t length = strcspn(text->cursor, " \t\r\v\f");
    size_t kept = length < size - 1 ? length : size - 1;
    memcpy(word, text->cursor, kept);
    word[kept] = '\0';
    text->cursor += length;
}

/* "expected WHAT, found 'word'" */
static enum status unexpected(struct text_file *text, const char *what, const char *kind, struct error *error)
{
    if (!text_has_word(text))
        return text_error(text, error, "the line ends before %s", what);
    int length = (int)strcspn(text->cursor, " \t\r\v\f");
    return text_error(text, error, "%s: '%.*s'%s is not %s", what, length < 40 ? length : 40, text->cursor,
                      length < 40 ? "" : "...", kind);
}

enum status text_integer(struct text_file *text, int64_t *value, const char *what, struct error *error)
{
    if (scan_integer(&text->cursor, value))
        return STATUS_OK;
    return unexpected(text, what, "a whole number", error);
}

enum status text_integer_within(struct text_file *text, int64_t *value, int64_t low, int64_t high,
                                const char *what, struct error *error)
{
    text_has_word(text);
    const char *begin = text->cursor;
    enum status status = text_integer(text, value, what, error);
    if (status || (*value >= low && *value <= high))
        return status;
    text->cursor = begin;
    return text_error(text, error, "%s is %lld; it must lie between %lld and %lld", what, (long long)*value,
                      (long long)low, (long long)high);
}

enum status text_number(struct text_file *text, int shift, double *value, const char *what,
                        struct error *error)
{
    if (scan_number(&text->cursor, shift, value))
        return STATUS_OK;
    return unexpected(text, what, "a number", error);
}

enum status text_length(struct text_file *text, struct length_unit unit, double *value, const char *what,
                        struct error *error)
{
    const char *word = text->cursor;
    TRY(text_number(text, unit.shift, value, what, error));
    *value *= unit.factor;
    if (isfinite(*value))
        return STATUS_OK;
    text->cursor = word;
    return unexpected(text, what, "a finite number", error);
}

enum status text_end_of_line(struct text_file *text, struct error *error)
{
    if (!text_has_word(text))
        return STATUS_OK;
    int length = (int)strcspn(text->cursor, " \t\r\v\f");
    return text_error(text, error, "unexpected '%.*s': the line should end here", length < 40 ? length : 40,
                      text->cursor);
}

enum status text_bytes(struct text_file *text, void *out, size_t bytes, const char *what, struct error *error)
{
    text->start = NULL;
    text->cursor = "";
    text->binary = true;
    char *to = out;
    while (bytes > 0) {
        if (text->begin == text->end) {
            if (!text->ended)
                TRY(fill_buffer(text, error));
            if (text->begin == text->end)
                return text_error(text, error, "the file ends inside %s: it is truncated", what);
        }
        size_t ready = text->end - text->begin;
        size_t copied = ready < bytes ? ready : bytes;
        memcpy(to, text->buffer + text->begin, copied);
        text->begin += copied;
        to += copied;
        bytes -= copied;
    }
    return STATUS_OK;
}

enum status text_byte(struct text_file *text, int *byte, struct error *error)
{
    text->start = NULL;
    text->cursor = "";
    text->binary = false;
    text->line += text->line == 0;
    if (text->begin == text->end && !text->ended)
        TRY(fill_buffer(text, error));
    *byte = text->begin == text->end ? -1 : (unsigned char)text->buffer[text->begin++];
    text->line += *byte == '\n';
    return STATUS_OK;
}

enum status text_peek(struct text_file *text, size_t want, const char **bytes, size_t *got,
                      struct error *error)
{
    if (text->room < want) {
        char *larger = realloc(text->buffer, want + 1);
        if (!larger)
            return error_memory(error, "reading a file", (double)want);
        text->buffer = larger;
        text->room = want;
    }
    /* an error is ignored here: it is found again once the bytes before it are consumed */
    enum status status = STATUS_OK;
    while (text->end - text->begin < want && !text->ended && !status)
        status = fill_buffer(text, NULL);
    *bytes = text->buffer + text->begin;
    *got = text->end - text->begin;
    return STATUS_OK;
}

void text_skip(struct text_file *text, size_t bytes, int lines, bool binary)
{
    text->start = NULL;
    text->cursor = "";
    text->binary = binary;
    text->begin += bytes;
    text->line += lines;
}

enum { ROW = 512 }; /* longest line that threads parse, including its final zero */

/* A part of the peeked bytes: whole lines, with or without content */
struct part {
    const char *begin, *end;
    int64_t rows, first; /* number of lines with content; index of the first */
    int lines;
};

/* line <- a copy of the line at `at`, without line end and comment; *next <- the next line. False if it is too long or
 * not text */
static bool copy_line(char line[ROW], const char *at, const char *end, const char **next)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop ? stop : end) - at);
    *next = stop ? stop + 1 : end;
    if (length >= ROW || memchr(at, '\0', length))
        return false;
    memcpy(line, at, length);
    line[length] = '\0';
    line[strcspn(line, "#")] = '\0';
    return true;
}

/* Counts the lines with content, and calls row() for each unless row is NULL; false if a line or row() fails. */
static bool read_part(struct part *part, text_row *row, void *context)
{
    char copy[ROW];
    struct text_file line = {.path = "", .start = copy};
    bool good = true;
    part->rows = part->lines = 0;
    for (const char *at = part->begin; at < part->end && good; part->lines++) {
        good = copy_line(copy, at, part->end, &at);
        line.cursor = copy;
        if (!good || !text_has_word(&line))
            continue;
        good = !row || row(context, &line, part->first + part->rows, NULL) == STATUS_OK;
        part->rows++;
    }
    return good;
}

/* Ends the part after its first `most` lines with content; all of these must be valid. */
static void cut_part(struct part *part, int64_t most)
{
    char copy[ROW];
    struct text_file line = {.path = "", .start = copy};
    const char *at = part->begin;
    for (int64_t rows = 0; rows < most;) {
        copy_line(copy, at, part->end, &at);
        line.cursor = copy;
        rows += text_has_word(&line);
    }
    part->end = at;
}

/* Divides the peeked bytes into part[parts], each ending with a line end. */
static void divide(struct part *part, int parts, const char *bytes, size_t size)
{
    const char *at = bytes, *end = bytes + size;
    for (int k = 0; k < parts; k++) {
        const char *least = bytes + size / (size_t)parts * (size_t)(k + 1);
        const char *stop = least > at && k + 1 < parts ? memchr(least, '\n', (size_t)(end - least)) : NULL;
        part[k].begin = at;
        part[k].end = k + 1 == parts ? end : stop ? stop + 1 : at;
        at = part[k].end;
    }
}

/* Reads all parts in parallel; false if any fails. part->first must be set unless row is NULL. */
static bool read_parts(struct part *part, int parts, text_row *row, void *context)
{
    bool good = true;
#pragma omp parallel for schedule(dynamic, 1) reduction(&& : good)
    for (int k = 0; k < parts; k++)
        good = read_part(&part[k], row, context) && good;
    return good;
}

int64_t text_rows_together(struct text_file *text, int64_t most, text_row *row, void *context)
{
    enum { PARTS = 64 };
    struct part part[PARTS];
    const char *bytes = NULL;
    size_t size = 0;
    int64_t rows = 0;
    int lines = 0, parts = 0;
    if (text->line == 0 || text_peek(text, TEXT_TOGETHER, &bytes, &size, NULL))
        return 0;
    while (size > 0 && bytes[size - 1] != '\n')
        size--;
    divide(part, PARTS, bytes, size);
    if (!read_parts(part, PARTS, NULL, NULL))
        return 0;
    for (; parts < PARTS && rows < most; parts++) {
        part[parts].first = rows;
        if (part[parts].rows > most - rows)
            cut_part(&part[parts], most - rows);
        rows += part[parts].rows < most - rows ? part[parts].rows : most - rows;
    }
    if (!read_parts(part, parts, row, context))
        return 0;
    for (int k = 0; k < parts; k++)
        lines += part[k].lines;
    if (rows > 0)
        text_skip(text, (size_t)(part[parts - 1].end - bytes), lines, false);
    return rows;
}

int64_t text_capacity(const struct text_file *text, int item_bytes)
{
    int64_t whole = text->gzip ? text->in.disk_size * EXPANSION_MAX + EXPANSION_FREE : text->in.disk_size;
    int64_t handed = text->bytes - (int64_t)(text->end - text->begin);
    return (whole - handed) / item_bytes + 1;
}
