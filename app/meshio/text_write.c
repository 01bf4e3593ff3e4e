/* text_write.c: buffered text output through zlib, which writes plain files as well. */
#include "app/meshio/text_write.h"

#include "app/util/scan.h"
#include "kernels/base/array.h"

#include <errno.h>
#include <fcntl.h>
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
    char path[4200];
    int number = -1;
    *writer = (struct text_writer){0};
    snprintf(path, sizeof path, "%.4096s%.64s%s", stem, extension, gzipped ? ".gz" : "");
    TRY(own_file_begin(&writer->file, path, "", error));
    enum status status = STATUS_OK;
    writer->buffer = array_new(BUFFER, 1, "writing a file", &status, error);
    if (!status)
        number = fcntl(fileno(writer->file.out), F_DUPFD_CLOEXEC, 0);
    writer->stream = number < 0 ? NULL : gzdopen(number, gzipped ? "wbe6" : "wbeT");
    if (!status && !writer->stream)
        status = error_set(error, STATUS_RUN, "%s: cannot be opened: %s", path, strerror(errno));
    if (!writer->stream && number >= 0)
        close(number);
    if (!status)
        return STATUS_OK;
    free(writer->buffer);
    return own_file_end(&writer->file, status, error);
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

enum status text_writer_leave(struct text_writer *writer, struct own_file *file, struct error *error)
{
    flush_buffer(writer);
    bool failed = gzclose(writer->stream) != Z_OK || writer->failed;
    free(writer->buffer);
    *file = writer->file;
    *writer = (struct text_writer){0};
    return failed ? own_file_error(file, error) : STATUS_OK;
}

enum status text_writer_close(struct text_writer *writer, struct error *error)
{
    struct own_file file;
    if (!writer->stream)
        return STATUS_OK;
    enum status status = text_writer_leave(writer, &file, error);
    return own_file_end(&file, status, error);
}
