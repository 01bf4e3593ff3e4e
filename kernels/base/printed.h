/* printed.h: texts printed piece by piece, into growing memory or into an array.
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
    char *text; /* after printed_close; NULL without memory */
    size_t length;
};

/* Errors: STATUS_RUN without memory. */
enum status printed_open(struct printed *printed, struct error *error);
/* The same; no effect if it is not open. */
enum status printed_close(struct printed *printed, struct error *error);

/* Appends to text[size]; a text that does not fit ends in "...". */
void printed_add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Appends an item of a list: after ", ", unless text is empty. */
void printed_item(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
