/* par_file.h: the assignments of an openCARP parameter file, `name[i].part = value`, which of them were
 * asked for, and which are refused. */
#ifndef CARDIAC_APP_COMMANDS_PAR_FILE_H
#define CARDIAC_APP_COMMANDS_PAR_FILE_H

#include <stdbool.h>

#include "kernels/base/error.h"

struct par_entry {
    char name[120], value[400]; /* without blanks around them, quotes and comments */
    int line;
    bool used;
    char reason[200]; /* why it is refused, as if it were not there; "": it is not */
};

struct par_file {
    struct par_entry *entry; /* [entries] in the file's order */
    int entries;
    int *order;  /* [entries] by name, of one name in the file's order */
    int *recent; /* [recents] entries used since par_settle() or par_forget() */
    int recents, recent_room;
    bool changed; /* an entry was refused since par_restart() */
};

/* STATUS_INPUT with file:line:column for a line that assigns nothing. *par is to be freed in any case. */
enum status par_read(struct par_file *par, const char *path, struct error *error);
void par_free(struct par_file *par);

/* The last value of the name that the format gives, NULL = it has none; it is used now. */
const char *par_text(struct par_file *par, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same as a number; `otherwise` where there is none. One that is no number is refused. */
double par_number(struct par_file *par, double otherwise, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The entry that counts for a name, NULL = there is none or it is refused; it is not used by that. */
struct par_entry *par_find(struct par_file *par, const char *name);
/* How many entries have names that begin so; *refused <- one of them that is refused, but for NAME.name, NULL
 * = none */
int par_count(const struct par_file *par, const char *prefix, const struct par_entry **refused);
/* The later entry that replaces this one; NULL = none */
const struct par_entry *par_replaced(const struct par_file *par, int entry);

/* From now on the entry is not there. */
void par_refuse(struct par_file *par, struct par_entry *entry, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What was used recently stays used, or is not used after all. */
void par_settle(struct par_file *par);
void par_forget(struct par_file *par);
/* Nothing is used. */
void par_restart(struct par_file *par);

#endif
