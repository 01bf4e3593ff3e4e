/* text_media.c: find the characters that a medium cannot show, and replace them. */
#include "app/util/text_media.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

/* Whether a character is an ASCII control, DEL, an ISO 8859 control (U+0080 to U+009F) or invalid UTF-8 (length 0) */
static bool is_control(const unsigned char *at, int length)
{
    return length == 0 || *at < 0x20 || *at == 0x7f || (length == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

static void put_control(FILE *out, enum text_medium medium, const unsigned char *at, int length)
{
    if (medium == TEXT_XML)
        fputs(*at == '\t' ? "&#9;" : *at == '\n' ? "&#10;" : "\xef\xbf\xbd", out);
    else if (medium == TEXT_JSON)
        fprintf(out, "\\u%04x", length ? at[length - 1] : 0xfffdu);
    else
        for (int k = 0; k < (length ? length : 1); k++)
            fprintf(out, "\\x%02x", at[k]);
}

/* The escape of a character that has a special meaning in the medium; NULL = none needed */
static const char *markup_of(enum text_medium medium, char c)
{
    if (medium == TEXT_JSON)
        return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : NULL;
    if (medium == TEXT_XML)
        return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
    return medium == TEXT_CSV && c == '"' ? "\"\"" : NULL;
}

void text_media_put(FILE *out, enum text_medium medium, const char *text)
{
    while (*text) {
        int length = text_utf8_length(text);
        const char *markup = markup_of(medium, *text);
        if (markup)
            fputs(markup, out);
        else if (medium == TEXT_TERMINAL && (*text == '\n' || *text == '\t'))
            fputc(*text, out);
        else if (is_control((const unsigned char *)text, length))
            put_control(out, medium, (const unsigned char *)text, length);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length ? length : 1;
    }
}

/* A stream, and the start of a character that the next write completes */
struct terminal {
    FILE *to;
    char start[4];
    size_t started;
    char buffer[BUFSIZ],
        before[BUFSIZ]; /* buffers of `to` and the stream, so that messages need no memory later */
};

/* Number of bytes at the end of a text that may be the start of a longer character */
static size_t count_started(const char *text, size_t size)
{
    for (size_t k = 1; k <= 3 && k <= size; k++) {
        unsigned char byte = (unsigned char)text[size - k];
        size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        if (byte < 0x80 || byte >= 0xc0)
            return length > k ? k : 0;
    }
    return 0;
}

/* Write function for fopencookie(3); returns 0 on failure */
static ssize_t put_terminal(void *cookie, const char *bytes, size_t size)
{
    struct terminal *terminal = cookie;
    char text[512];
    for (size_t done = 0; done < size;) {
        size_t old = terminal->started, room = sizeof text - 1 - old;
        size_t more = size - done < room ? size - done : room, whole = old + more;
        memcpy(text, terminal->start, old);
        memcpy(text + old, bytes + done, more);
        done += more;
        terminal->started = count_started(text, whole);
        whole -= terminal->started;
        memcpy(terminal->start, text + whole, terminal->started);
        text[whole] = '\0';
        text_media_put(terminal->to, TEXT_TERMINAL, text);
    }
    if (fflush(terminal->to) == 0 && !ferror(terminal->to))
        return (ssize_t)size;
    __fpurge(terminal->to);
    clearerr(terminal->to);
    return 0;
}

FILE *text_media_stream(FILE *to, int mode)
{
    struct terminal *terminal = calloc(1, sizeof *terminal);
    FILE *stream =
        terminal ? fopencookie(terminal, "w", (cookie_io_functions_t){.write = put_terminal}) : NULL;
    if (!stream) {
        free(terminal);
        return NULL;
    }
    terminal->to = to;
    setvbuf(to, terminal->buffer, _IOFBF, sizeof terminal->buffer);
    setvbuf(stream, terminal->before, mode, sizeof terminal->before);
    return stream;
}

/* Whether a spreadsheet would evaluate the text as a formula; -85 mV is a value */
static bool is_formula(const char *text)
{
    return *text && (strchr("=@", *text) || (strchr("+-", *text) && !strchr("0123456789.", text[1])));
}

void text_media_line(FILE *out, const char *start, const char *text)
{
    fputs(start, out);
    text_media_put(out, TEXT_TERMINAL, text);
    fputc('\n', out);
}

void text_media_cell(FILE *out, const char *name, const char *unit)
{
    const size_t length = strlen(name);
    const bool blank = length > 0 && (strchr(" \t", *name) || strchr(" \t", name[length - 1]));
    const char *quote = blank || strpbrk(name, ",\"") ? "\"" : "";
    fprintf(out, "%s%s", quote, is_formula(name) ? "'" : "");
    text_media_put(out, TEXT_CSV, name);
    if (unit)
        fprintf(out, " (%s)", unit);
    fputs(quote, out);
}

int text_utf8_length(const char *text)
{
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    unsigned first = *at++;
    int more = first < 0x80 ? 0 : first < 0xc0 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if (!first || more < 0 || first >= 0xf8)
        return 0;
    uint32_t code = more ? first & (0x3fu >> more) : first;
    for (int k = 0; k < more; k++) {
        if ((*at & 0xc0) != 0x80) /* the final zero is none either */
            return 0;
        code = code << 6 | (*at++ & 0x3fu);
    }
    bool good = code >= least[more] && code <= 0x10ffff && (code < 0xd800 || code >= 0xe000);
    return good ? more + 1 : 0;
}

bool text_is_utf8(const char *text)
{
    int length = 1;
    while (*text && (length = text_utf8_length(text)) > 0)
        text += length;
    return length > 0;
}
