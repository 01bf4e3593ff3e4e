/* bounds.h: the keys that a fit varies, as the value of fit.parameters. */
#ifndef CARDIAC_APP_CONFIG_BOUNDS_H
#define CARDIAC_APP_CONFIG_BOUNDS_H

#include <stdio.h>

#include "app/config/reader.h"

/* *parameter <- the [*count] keys of the map `node`, called `name`; and as they would stand in a config.
 * Whether a key takes its bounds is known once a config with them is read. */
enum status bounds_read(struct reader *reader, const struct tree *node, const char *name,
                        struct config_parameter **parameter, int *count);
void bounds_write(FILE *file, const struct config_parameter *parameter, int count);

#endif
