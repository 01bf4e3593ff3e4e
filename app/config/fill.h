/* fill.h: tree -> struct config, by the table of keys. */
#ifndef CARDIAC_APP_CONFIG_FILL_H
#define CARDIAC_APP_CONFIG_FILL_H

#include "app/config/value.h"

/* Fills reader->config from reader->root: defaults first, then what the tree says; every key of the tree must
 * be known and every required key be there. */
enum status config_fill(struct reader *reader);

/* The node at a path such as "tissue.regions[2].tags", or, if there is none, the nearest one around it.
 * *exact (may be NULL) says which. */
struct tree *config_node(const struct tree *root, const char *path, bool *exact);

#endif
