/* fill.h: tree -> struct config, by the table of keys. */
#ifndef CARDIAC_APP_CONFIG_FILL_H
#define CARDIAC_APP_CONFIG_FILL_H

#include "app/config/value.h"

/* Fills reader->config from reader->root: defaults first, then what the tree says; every key of the tree must
 * be known and every required key be there. */
enum status config_fill(struct reader *reader);

#endif
