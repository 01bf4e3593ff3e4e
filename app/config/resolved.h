/* resolved.h: a config with all its values as one tree, in the order of the table of keys.
 *
 * Groups of keys and lists of groups are blocks, values are not; files are marked and named as they are opened. What is
 * printed, the JSON, the ids and the list of files are read from it. */
#ifndef CARDIAC_APP_CONFIG_RESOLVED_H
#define CARDIAC_APP_CONFIG_RESOLVED_H

#include <stdbool.h>
#include <stdio.h>

#include "app/config/keys.h"
#include "app/config/reader.h"

/* reader->config->resolved <- of the config, which was read without a fault. Errors: STATUS_RUN without memory. */
enum status resolved_create(struct reader *reader);

/* The path of a child as the table names it: "mesh.slab.size", "stimuli[]", "stimuli[].start" */
enum { RESOLVED_PATH = 200 };
void resolved_path(char path[RESOLVED_PATH], const char *parent, const struct tree *node,
                   const struct tree *child);

/* Writes it as a config: blocks by lines. */
void resolved_write(FILE *file, const struct tree *resolved);

#endif
