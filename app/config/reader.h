/* reader.h: a config while it is read, and errors and warnings with their place in the file. */
#ifndef CARDIAC_APP_CONFIG_READER_H
#define CARDIAC_APP_CONFIG_READER_H

#include <stdbool.h>

#include "app/config/config.h"
#include "app/config/units.h"
#include "app/config/yaml.h"
#include "app/util/faults.h"

struct reader {
    struct config *config;
    struct tree *root;
    struct tree *
        stated; /* while keys of one struct are read: their values of several parts (value.h); NULL = not kept */
    bool stepped;          /* by a program, which sets V, states and currents itself */
    const char *directory; /* that relative paths begin at; "" = the working directory */
    struct error *error;
    struct faults faults; /* of keys */
    char faulty[400];     /* sections with a fault: "/mesh/time/" */
};

/* One more fault, "file:line:column: name: text" of a value; name is its path as the user would write it. */
enum status reader_error(struct reader *reader, const struct tree *node, const char *name, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));

/* The same, `at` characters into the text of the value */
enum status reader_error_within(struct reader *reader, const struct tree *node, const char *name, int at,
                                const char *text);

/* One more fault, `found`, in the text of a model that the key `name` gives; it has its own place. Any status
 * but STATUS_INPUT ends the reading. */
enum status reader_error_of_text(struct reader *reader, const char *name, const struct error *found);

/* A fault of the key at that path, with the place of the key or of the nearest one around it. */
enum status reader_error_at(struct reader *reader, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One more line of config->warning. */
enum status reader_warning(struct reader *reader, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of an implausible value: config->suspect */
enum status reader_doubt(struct reader *reader, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a section ("mesh") is without a fault so far, so that its values can be checked. */
bool reader_sound(const struct reader *reader, const char *section);

/* Whether the config has a value at that path. */
bool reader_given(const struct reader *reader, const char *path);

/* The node at a path such as "tissue.regions[2].tags", or, if there is none, the nearest one around it.
 * *exact (may be NULL) says which. */
struct tree *reader_node(const struct tree *root, const char *path, bool *exact);

/* The node of a resolved config becomes that number or word; STATUS_RUN without memory */
enum status reader_restate(struct reader *reader, struct tree *node, const char *text);

/* The items of a list become these numbers. */
enum status reader_restate_numbers(struct reader *reader, struct tree *list, const double *value,
                                   enum quantity quantity);

/* Room for count such items as long as the config lasts, zeroed; NULL without memory, which is a fault. */
void *reader_allocate(struct reader *reader, int count, size_t size);

#endif
