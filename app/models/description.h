/* description.h: what a model's text says of itself as the words of an ionic model: names, units, values.
 *
 * The same for a model that is built in and for a user's: only the code of its loops is missing. */
#ifndef CARDIAC_APP_MODELS_DESCRIPTION_H
#define CARDIAC_APP_MODELS_DESCRIPTION_H

#include "kernels/compiler/emit/compiler.h"
#include "kernels/ionic/ionic.h"

/* The described fields of *model <- the cell's; names belong to the cell, *values (states, parameters,
 * currents) is to be freed. */
enum status description_make(struct ionic_model *model, struct ionic_value **values, const struct cell *cell,
                             const struct compiled *compiled, struct error *error);

#endif
