/* text_media.h: escape the user's texts for the medium to which they are written.
 *
 * Titles, names and paths may contain anything: a terminal interprets ESC, a spreadsheet evaluates text that begins
 * with '='. Bytes that a medium cannot show are written as \xNN (terminal, log, CSV), \uNNNN (JSON) or U+FFFD (XML). */
#ifndef CARDIAC_APP_UTIL_TEXT_MEDIA_H
#define CARDIAC_APP_UTIL_TEXT_MEDIA_H

#include <stdbool.h>
#include <stdio.h>

enum text_medium { TEXT_TERMINAL, TEXT_JSON, TEXT_XML, TEXT_CSV };

/* Writes the text escaped. TEXT_TERMINAL, also for logs: newlines and tabs are unchanged. TEXT_JSON: for use between
 * quotes. TEXT_XML: for contents, or an attribute in double quotes. */
void text_media_put(FILE *out, enum text_medium medium, const char *text);

/* A stream that escapes text as TEXT_TERMINAL does and writes it to `to`, which nothing else may use from then on; NULL
 * if out of memory. mode: as for setvbuf(3). */
FILE *text_media_stream(FILE *to, int mode);

/* Writes a line for the terminal: `start`, then the escaped text. */
void text_media_line(FILE *out, const char *start, const char *text);

/* Writes a cell of a CSV file, NAME or NAME (UNIT): quoted if necessary, with ' before text that a spreadsheet would
 * evaluate. */
void text_media_cell(FILE *out, const char *name, const char *unit);

/* Length of the UTF-8 character at `at`, 1 to 4 bytes; 0 if it is invalid, or the end. */
int text_utf8_length(const char *at);
bool text_is_utf8(const char *text);

#endif
