/* value.h: the values of a config, one by one: each form's reading and writing stand side by side. */
#ifndef CARDIAC_APP_CONFIG_VALUE_H
#define CARDIAC_APP_CONFIG_VALUE_H

#include <stdbool.h>
#include <stdio.h>

#include "app/config/keys.h"
#include "app/config/reader.h"

/* base + key->offset <- the value of node. */
enum status value_read(struct reader *reader, const struct key *key, const struct tree *node,
                       const char *name, void *base);

/* base + key->offset <- "not given": NaN, NULL, 0. */
void value_clear(const struct key *key, void *base);

/* Is there something to write? */
bool value_given(const struct key *key, const void *base);

/* The value as it would stand in a config, on one line. KEY_LIST is not written here. */
void value_write(FILE *file, const struct key *key, const void *base);

#endif
