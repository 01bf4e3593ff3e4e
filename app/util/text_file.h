/* text_file.h: reading an input file, plain or gzipped, by lines and words, with line and column for
 * messages.
 *
 * The file is not trusted: only regular files are opened; a line has a bounded length; decompression past
 * 1000 times the size on disk is refused; a truncated or damaged .gz is an error. Memory is one buffer. Every
 * error text starts with file:line:column or, behind binary data, with the byte.
 *
 * Threads share the work on what text_peek() shows: what they cannot read is read again in order, which finds
 * the error and its place. */
#ifndef CARDIAC_APP_UTIL_TEXT_FILE_H
#define CARDIAC_APP_UTIL_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/util/input.h"
#include "app/util/scan.h"
#include "kernels/base/error.h"

struct text_file {
    const char *path; /* not owned; as the messages name it */
    struct input_file in;
    void *gzip;    /* zlib's z_stream; NULL = the file is plain */
    void *packed;  /* what it decompresses */
    int64_t bytes; /* decompressed bytes read so far */
    char *buffer;
    size_t room;       /* bytes of the buffer, and one for a zero */
    size_t begin, end; /* what the buffer holds that has not been handed out */
    bool ended;
    bool binary;        /* what was read last is no line */
    int line;           /* number of the current line, from 1 */
    const char *start;  /* the current line, ... */
    const char *cursor; /* and what is left of it; "" before the first */
};

/* Opens path (kept, not copied), which joins `inputs` (NULL = no list) when it is closed. text_close may be called after
 * a failure, and on a zeroed file. */
enum status text_open(struct text_file *text, const char *path, struct inputs *inputs, struct error *error);
void text_close(struct text_file *text);

/* The next line becomes the current one, without its line end; *more is false at the end of the file. */
enum status text_line(struct text_file *text, bool *more, struct error *error);
/* The same, skipping blank lines and cutting comments from '#' on. */
enum status text_content(struct text_file *text, bool *more, struct error *error);
/* The same, where the end of the file is an error: "the file ends before `what`". */
enum status text_need(struct text_file *text, const char *what, struct error *error);

/* The next word of the current line as a number. `what` names it in the message. */
enum status text_integer(struct text_file *text, int64_t *value, const char *what, struct error *error);
enum status text_integer_within(struct text_file *text, int64_t *value, int64_t low, int64_t high,
                                const char *what, struct error *error);
enum status text_number(struct text_file *text, int shift, double *value, const char *what,
                        struct error *error);
/* A number that must be finite, in the unit -> mm. */
enum status text_length(struct text_file *text, struct length_unit unit, double *value, const char *what,
                        struct error *error);
/* Skips blanks; false if the line has no further word. */
bool text_has_word(struct text_file *text);
/* word <- the next word of the current line, cut to size - 1 bytes; empty if there is none. */
void text_word(struct text_file *text, char *word, size_t size);
/* STATUS_INPUT if the current line holds more. */
enum status text_end_of_line(struct text_file *text, struct error *error);

/* out[bytes] <- the bytes that follow the current line (binary sections). */
enum status text_bytes(struct text_file *text, void *out, size_t bytes, const char *what,
                       struct error *error);

/* *byte <- the next one, -1 at the end of the file; line counts the line ends among them. */
enum status text_byte(struct text_file *text, int *byte, struct error *error);

/* *bytes <- what comes next, at least `want` bytes unless the file ends or cannot be read before; valid until
 * the next call. Nothing is handed out. */
enum status text_peek(struct text_file *text, size_t want, const char **bytes, size_t *got,
                      struct error *error);
/* Hands out so many of the bytes that text_peek() has shown, with so many line ends among them; what follows
 * is read as lines or words, or as binary data. */
void text_skip(struct text_file *text, size_t bytes, int lines, bool binary);

enum { TEXT_TOGETHER = 1 << 22 }; /* bytes that threads share at a time */

/* Reads as many of the next `most` lines with content (text_content) as lie in the next TEXT_TOGETHER bytes,
 * in parallel: row(context, line, k) has the k-th of them as its current line. Returns how many are done;
 * 0 where a row fails: the caller then reads them one by one, as it does lines that are longer than the rows
 * of numbers which this is for. */
typedef enum status text_row(void *context, struct text_file *line, int64_t k, struct error *error);
int64_t text_rows_together(struct text_file *text, int64_t most, text_row *row, void *context);

/* The most items of at least item_bytes each that the rest of the file can hold; a larger count is wrong. */
int64_t text_capacity(const struct text_file *text, int item_bytes);

/* error <- STATUS_INPUT at the current place */
enum status text_error(const struct text_file *text, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
