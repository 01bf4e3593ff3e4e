/* reader.h: a config while it is read, and errors and warnings with their position in the file. */
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
    struct tree *stated;   /* multi-part values of the current struct as read (value.h), or NULL */
    bool stepped;          /* by a program, which sets V, states and currents itself */
    const char *directory; /* base of relative paths; "" = the working directory */
    struct error *error;
    struct faults faults; /* found so far */
    char faulty[400];     /* sections with a fault: "/mesh/time/" */
};

/* Adds the fault "file:line:column: name: text" of a value; name: its path as the user would write it. */
enum status reader_error(struct reader *reader, const struct tree *node, const char *name, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));

/* The same with the position `at` characters into the value's text */
enum status reader_error_within(struct reader *reader, const struct tree *node, const char *name, int at,
                                const char *text);

/* Adds the fault `found` in the text of the model that the key `name` gives; it names its own file and line. Any
 * status but STATUS_INPUT ends the reading. */
enum status reader_error_of_text(struct reader *reader, const char *name, const struct error *found);

/* Adds a fault at the position of the key of that path, or of the nearest enclosing one. */
enum status reader_error_at(struct reader *reader, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a line to config->warning. */
enum status reader_warning(struct reader *reader, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for an implausible value; the first one becomes config->suspect. */
enum status reader_doubt(struct reader *reader, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a section ("mesh") has no fault so far, so that its values can be checked. */
bool reader_sound(const struct reader *reader, const char *section);

/* Whether the config has a value at that path. */
bool reader_given(const struct reader *reader, const char *path);

/* The node at a path such as "tissue.regions[2].tags"; if there is none, the nearest enclosing one, and *exact
 * (may be NULL) <- false. */
struct tree *reader_node(const struct tree *root, const char *path, bool *exact);

/* Replaces a node of the resolved config by that number or word; STATUS_RUN if out of memory. */
enum status reader_restate(struct reader *reader, struct tree *node, const char *text);

/* Replaces the items of a list of the resolved config by these numbers; STATUS_RUN if out of memory. */
enum status reader_restate_numbers(struct reader *reader, struct tree *list, const double *value,
                                   enum quantity quantity);

/* Allocates count zeroed items that live as long as the config; NULL if out of memory, recorded as an error. */
void *reader_allocate(struct reader *reader, int count, size_t size);

#endif
