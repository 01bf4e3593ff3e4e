/* description.h: an ionic model's names, units and values, taken from its text.
 *
 * The same for a built-in model and for a user's: only the code of its loops is missing. */
#ifndef CARDIAC_APP_MODELS_DESCRIPTION_H
#define CARDIAC_APP_MODELS_DESCRIPTION_H

#include "kernels/base/model.h"
#include "kernels/compiler/emit/compiler.h"

/* The described fields of *model, except its name <- the cell's, or its variant's (NULL = none). All names
 * belong to the cell; *values (states, parameters, currents) is to be freed. */
enum status description_make(struct ionic_model *model, struct ionic_value **values, const struct cell *cell,
                             const struct cell_variant *variant, const struct compiled *compiled,
                             struct error *error);

#endif
