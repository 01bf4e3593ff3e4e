/* resolved.h: a config with all its values as one tree, in the order of the table of keys.
 *
 * Groups of keys and lists of groups are blocks, values are not; file paths are marked and stored as they are opened.
 * The printed config, its JSON, its digests and its list of files are derived from this tree. */
#ifndef CARDIAC_APP_CONFIG_RESOLVED_H
#define CARDIAC_APP_CONFIG_RESOLVED_H

#include <stdbool.h>
#include <stdio.h>

#include "app/config/keys.h"
#include "app/config/reader.h"

/* reader->config->resolved <- the tree of a config read without a fault. Errors: STATUS_RUN if out of memory. */
enum status resolved_create(struct reader *reader);

/* The path of a child as the table names it: "mesh.slab.size", "stimuli[]", "stimuli[].start" */
enum { RESOLVED_PATH = 200 };
void resolved_path(char path[RESOLVED_PATH], const char *parent, const struct tree *node,
                   const struct tree *child);

/* Writes the tree as a config, one key a line in blocks. */
void resolved_write(FILE *file, const struct tree *resolved);

#endif
