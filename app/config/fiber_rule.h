/* fiber_rule.h: where a tissue's fibres come from, as the value of tissue.fibers. */
#ifndef CARDIAC_APP_CONFIG_FIBER_RULE_H
#define CARDIAC_APP_CONFIG_FIBER_RULE_H

#include <stdio.h>

#include "app/config/reader.h"

/* tissue's fibres <- the value of node, called `name`; and as it would stand in a config */
enum status fiber_rule_read(struct reader *reader, const struct tree *node, const char *name,
                            struct config_tissue *tissue);
void fiber_rule_write(FILE *file, const struct config_tissue *tissue);

#endif
