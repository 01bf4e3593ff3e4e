/* initial_models.h: had the nodes of a result the ionic models that the tissue has? */
#ifndef CARDIAC_APP_RUN_INITIAL_MODELS_H
#define CARDIAC_APP_RUN_INITIAL_MODELS_H

#include "app/io/result.h"
#include "solver/monodomain.h"

/* STATUS_INPUT if a node had another model in the run that wrote the result, on the same mesh. *known <-
 * false if that cannot be told: its config is not there, or not for this program. */
enum status initial_models(const struct monodomain *sim, struct result *result, bool *known,
                           struct error *error);

#endif
