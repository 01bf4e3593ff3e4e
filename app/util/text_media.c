/* text_media.c: which characters a medium cannot show, and what is written instead. */
#include "app/util/text_media.h"

#include <stdbool.h>
#include <string.h>

#include "app/util/utf8.h"

/* Controls of ASCII, DEL, those of ISO 8859 (U+0080 to U+009F), and bytes that are no UTF-8 (length 0) */
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

/* What the medium gives a meaning of its own, as it is written there; NULL = as it is */
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
        int length = utf8_length(text);
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

void text_media_line(FILE *out, const char *start, const char *text)
{
    fputs(start, out);
    text_media_put(out, TEXT_TERMINAL, text);
    fputc('\n', out);
}

void text_media_cell(FILE *out, const char *name, const char *unit)
{
    const char *quote = strpbrk(name, ",\"") ? "\"" : "";
    fprintf(out, "%s%s", quote, *name && strchr("=+-@", *name) ? "'" : "");
    text_media_put(out, TEXT_CSV, name);
    if (unit)
        fprintf(out, " (%s)", unit);
    fputs(quote, out);
}
