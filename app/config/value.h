/* value.h: the values of a config, one by one: each type's reading and writing stand side by side. */
#ifndef CARDIAC_APP_CONFIG_VALUE_H
#define CARDIAC_APP_CONFIG_VALUE_H

#include <stdbool.h>
#include <stdio.h>

#include "app/config/config.h"
#include "app/config/keys.h"
#include "app/config/yaml.h"

struct reader {
    struct config *config;
    struct tree *root;
    const char *directory; /* that relative paths begin at; "" = the working directory */
    struct error *error;
};

/* The error "file:line:column: name: text" of a value; name is its path as the user would write it. */
enum status reader_error(struct reader *reader, const struct tree *node, const char *name, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));

/* base + key->offset <- the value of node. */
enum status value_read(struct reader *reader, const struct key *key, const struct tree *node,
                       const char *name, void *base);

/* base + key->offset <- "not given": NaN, NULL, 0. */
void value_clear(const struct key *key, void *base);

/* Is there something to write? */
bool value_given(const struct key *key, const void *base);

/* The value as it would stand in a config, on one line. KEY_LIST is not written here. */
void value_write(FILE *file, const struct key *key, const void *base);

/* text in quotes unless it is a plain word */
void value_write_text(FILE *file, const char *text);

#endif
