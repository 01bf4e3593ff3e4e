/* printed.h: texts printed piece by piece into growing memory or into an array.
 *
 *     struct printed lines;
 *     TRY(printed_open(&lines, error));
 *     describe(lines.file);
 *     TRY(printed_close(&lines, error));
 *     ... lines.text ...
 *     free(lines.text); */
#ifndef CARDIAC_KERNELS_BASE_PRINTED_H
#define CARDIAC_KERNELS_BASE_PRINTED_H

#include <stddef.h>
#include <stdio.h>

#include "kernels/base/error.h"

struct printed {
    FILE *file;
    char *text; /* set by printed_close; NULL if out of memory */
    size_t length;
};

/* Errors: STATUS_RUN without memory. */
enum status printed_open(struct printed *printed, struct error *error);
/* Sets text and length. No effect if not open. Errors: STATUS_RUN if out of memory. */
enum status printed_close(struct printed *printed, struct error *error);

/* Appends to text[size]; truncated text ends in "...". */
void printed_add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Appends a list item, preceded by ", " unless text is empty. */
void printed_item(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
