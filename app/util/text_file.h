/* text_file.h: read an input file, plain or gzipped, by lines and words, with line and column for messages.
 *
 * The file is not trusted: only regular files are opened; a line has a bounded length; decompression to more than
 * 1000 times the size on disk is refused; a truncated or damaged .gz is an error. Memory is one buffer. Every
 * error text starts with file:line:column or, in binary data, with the byte offset.
 *
 * Threads can parse what text_peek() returns in parallel. If that fails, the caller reads it again in order, which
 * finds the error and its position. */
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
    void *packed;  /* its compressed input */
    int64_t bytes; /* decompressed bytes read so far */
    char *buffer;
    size_t room;       /* bytes of the buffer, without the one for a final zero */
    size_t begin, end; /* range of the buffer that has not been read by the caller */
    bool ended;
    bool binary;        /* the last data read were not a line */
    int line;           /* number of the current line, from 1 */
    const char *start;  /* the current line */
    const char *cursor; /* the unread rest of it; "" before the first line */
};

/* Opens path (stored by reference); closing adds it to `inputs` (NULL = no record). text_close may be called after a
 * failure, and on a zeroed struct. */
enum status text_open(struct text_file *text, const char *path, struct inputs *inputs, struct error *error);
void text_close(struct text_file *text);

/* The next line becomes the current one, without its line end; *more is false at the end of the file. */
enum status text_line(struct text_file *text, bool *more, struct error *error);
/* The same, skipping blank lines and cutting comments from '#' on. */
enum status text_content(struct text_file *text, bool *more, struct error *error);
/* The same, but the end of the file is an error: "the file ends before `what`". */
enum status text_need(struct text_file *text, const char *what, struct error *error);

/* The next word of the current line as a number. `what` names it in the message. */
enum status text_integer(struct text_file *text, int64_t *value, const char *what, struct error *error);
enum status text_integer_within(struct text_file *text, int64_t *value, int64_t low, int64_t high,
                                const char *what, struct error *error);
enum status text_number(struct text_file *text, int shift, double *value, const char *what,
                        struct error *error);
/* *value <- a finite number, converted from the unit to mm. */
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

/* *byte <- the next byte, -1 at the end of the file; a line end increments text->line. */
enum status text_byte(struct text_file *text, int *byte, struct error *error);

/* *bytes <- the next *got bytes, at least `want` unless the file ends or cannot be read before; valid until the next
 * call. Does not consume them. */
enum status text_peek(struct text_file *text, size_t want, const char **bytes, size_t *got,
                      struct error *error);
/* Consumes `bytes` of the bytes returned by text_peek(), which contain `lines` line ends. binary: whether what follows
 * is binary data. */
void text_skip(struct text_file *text, size_t bytes, int lines, bool binary);

enum { TEXT_TOGETHER = 1 << 22 }; /* bytes parsed in parallel at a time */

/* Parses in parallel those of the next `most` lines with content (text_content) that lie in the next TEXT_TOGETHER
 * bytes: row(context, line, k) gets the k-th of them as its current line. Returns their number; 0 if a row fails or a
 * line is too long for a row of numbers: the caller then reads the lines one by one. */
typedef enum status text_row(void *context, struct text_file *line, int64_t k, struct error *error);
int64_t text_rows_together(struct text_file *text, int64_t most, text_row *row, void *context);

/* Upper bound on the number of items of at least item_bytes each in the rest of the file; a larger count is wrong. */
int64_t text_capacity(const struct text_file *text, int item_bytes);

/* error <- STATUS_INPUT at the current position */
enum status text_error(const struct text_file *text, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
