/* par_file.h: the assignments of an openCARP parameter file, `name[i].part = value`, and which of them were
 * asked for. */
#ifndef CARDIAC_APP_COMMANDS_PAR_FILE_H
#define CARDIAC_APP_COMMANDS_PAR_FILE_H

#include <stdbool.h>

#include "kernels/base/error.h"

struct par_entry {
    char name[120], value[400]; /* without blanks around them, quotes and comments */
    int line;
    bool used;
};

struct par_file {
    struct par_entry *entry; /* [entries] in the file's order */
    int entries;
};

/* STATUS_INPUT with file:line:column for a line that assigns nothing. *par is to be freed in any case. */
enum status par_read(struct par_file *par, const char *path, struct error *error);
void par_free(struct par_file *par);

/* The last value of the name that the format gives, NULL = it has none; it is used now. */
const char *par_text(struct par_file *par, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same as a number, `otherwise` where it is none: then it stays unused. */
double par_number(struct par_file *par, double otherwise, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
