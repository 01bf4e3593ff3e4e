/* text_media.h: texts of the user, escaped for the medium that they are written to.
 *
 * Titles, names and paths may hold anything: a terminal obeys ESC, a spreadsheet computes what begins with
 * '='. What a medium would not show as a character is written as \xNN (terminal, log, CSV), \uNNNN (JSON) or
 * U+FFFD (XML). */
#ifndef CARDIAC_APP_UTIL_TEXT_MEDIA_H
#define CARDIAC_APP_UTIL_TEXT_MEDIA_H

#include <stdbool.h>
#include <stdio.h>

enum text_medium { TEXT_TERMINAL, TEXT_JSON, TEXT_XML, TEXT_CSV };

/* TEXT_TERMINAL, also for logs: newlines and tabs stay. TEXT_JSON: between quotes. TEXT_XML: contents or an
 * attribute in double quotes. */
void text_media_put(FILE *out, enum text_medium medium, const char *text);

/* A stream that writes to `to`, which nothing else may use from here on, and escapes all text as
 * TEXT_TERMINAL does; NULL without memory. mode: of setvbuf(3). */
FILE *text_media_stream(FILE *to, int mode);

/* A line for the terminal: `start`, then the text */
void text_media_line(FILE *out, const char *start, const char *text);

/* A cell of a CSV file: NAME, or NAME (UNIT); quoted where it must be, with ' before what a spreadsheet would
 * compute */
void text_media_cell(FILE *out, const char *name, const char *unit);

/* Bytes of the character at `at`, 1 to 4; 0 if it is none, or the end. */
int text_utf8_length(const char *at);
bool text_is_utf8(const char *text);

#endif
