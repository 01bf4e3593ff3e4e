/* cells.h: what the cells of a region are, as values of a config: their model, its parameters, and the state
 * that they begin with. */
#ifndef CARDIAC_APP_CONFIG_CELLS_H
#define CARDIAC_APP_CONFIG_CELLS_H

#include <stdio.h>

#include "app/config/reader.h"

/* region <- the value of node, called `name`: parameters behind the model, the state behind both */
enum status cells_read_model(struct reader *reader, const struct tree *node, const char *name,
                             struct config_region *region);
enum status cells_read_parameters(struct reader *reader, const struct tree *node, const char *name,
                                  struct config_region *region);
/* Applies tissue.parameters to all regions, which have been read. */
enum status cells_apply_factors(struct reader *reader);
enum status cells_read_initial(struct reader *reader, const struct tree *node, const char *name,
                               struct config_region *region);

/* As they would stand in a config; units: with those of the model */
void cells_write_parameters(FILE *file, const struct config_region *region, bool units);
void cells_write_initial(FILE *file, const struct config_region *region);

#endif
