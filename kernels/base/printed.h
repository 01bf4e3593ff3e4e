/* printed.h: texts that are printed piece by piece, into memory that grows or into an array.
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
    char *text; /* once it is closed; NULL without memory */
    size_t length;
};

/* Errors: STATUS_RUN without memory. */
enum status printed_open(struct printed *printed, struct error *error);
/* The same; one that is not open is left as it is. */
enum status printed_close(struct printed *printed, struct error *error);

/* printf after what text[size] holds; a text that does not fit ends in "...". */
void printed_add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for an item of a list: after ", ", unless text is empty. */
void printed_item(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
