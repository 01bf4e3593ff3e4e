/* text_write.c: buffered text output through zlib, which writes plain files as well. */
#include "app/meshio/text_write.h"

#include "app/util/scan.h"
#include "kernels/base/array.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER = 64 * 1024, ITEM_MAX = 64 };

enum status text_writer_open(struct text_writer *writer, const char *stem, const char *extension,
                             bool gzipped, struct error *error)
{
    *writer = (struct text_writer){0};
    snprintf(writer->path, sizeof writer->path, "%.4096s%.64s%s", stem, extension, gzipped ? ".gz" : "");
    errno = 0;
    writer->stream = gzopen(writer->path, gzipped ? "wbe6" : "wbeT");
    if (!writer->stream)
        return error_at(error, STATUS_INPUT, writer->path, 0, 0, "%s",
                        errno ? strerror(errno) : "cannot be made");
    enum status status = STATUS_OK;
    writer->buffer = array_new(BUFFER, 1, "writing a file", &status, error);
    if (status) {
        gzclose(writer->stream);
        writer->stream = NULL;
    }
    return status;
}

static void flush_buffer(struct text_writer *writer)
{
    if (writer->used > 0 && gzwrite(writer->stream, writer->buffer, (unsigned)writer->used) != writer->used)
        writer->failed = true;
    writer->used = 0;
}

/* Room for the next item, of at most ITEM_MAX bytes */
static char *buffer_room(struct text_writer *writer)
{
    if (writer->used > BUFFER - ITEM_MAX)
        flush_buffer(writer);
    return writer->buffer + writer->used;
}

void text_writer_bytes(struct text_writer *writer, const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        size_t chunk = count - done < ITEM_MAX ? count - done : ITEM_MAX;
        memcpy(buffer_room(writer), (const char *)bytes + done, chunk);
        writer->used += (int)chunk;
        done += chunk;
    }
}

void text_writer_text(struct text_writer *writer, const char *text)
{
    text_writer_bytes(writer, text, strlen(text));
}

void text_writer_print(struct text_writer *writer, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        writer->failed = true;
        return;
    }
    text_writer_bytes(writer, text, (size_t)length);
    free(text);
}

void text_writer_integer(struct text_writer *writer, int64_t value)
{
    char digits[24], *first = digits + sizeof digits;
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        *--first = (char)('0' + magnitude % 10);
    while ((magnitude /= 10) > 0);
    if (value < 0)
        *--first = '-';
    size_t length = (size_t)(digits + sizeof digits - first);
    memcpy(buffer_room(writer), first, length);
    writer->used += (int)length;
}

void text_writer_vector(struct text_writer *writer, const double *value, int shift)
{
    for (int d = 0; d < 3; d++) {
        text_writer_text(writer, d ? " " : "");
        writer->used += scan_number_text(buffer_room(writer), value[d], shift);
    }
}

enum status text_writer_close(struct text_writer *writer, struct error *error)
{
    if (!writer->stream)
        return STATUS_OK;
    flush_buffer(writer);
    errno = 0;
    bool failed = gzclose(writer->stream) != Z_OK || writer->failed;
    int reason = errno;
    free(writer->buffer);
    writer->stream = NULL;
    writer->buffer = NULL;
    if (!failed)
        return STATUS_OK;
    unlink(writer->path);
    return error_at(error, STATUS_RUN, writer->path, 0, 0, "could not be written: %s",
                    reason ? strerror(reason) : "is the disk full?");
}
