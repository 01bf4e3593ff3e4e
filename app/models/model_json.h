/* model_json.h: write a model as JSON. */
#ifndef CARDIAC_APP_MODELS_MODEL_JSON_H
#define CARDIAC_APP_MODELS_MODEL_JSON_H

#include "app/util/json.h"
#include "kernels/ionic/ionic.h"

/* The unit for display. Texts give dimensionless values the unit [1] or none: both become "1". */
const char *model_unit(const char *unit);
/* Writes an object with the states, parameters and currents of the model, each with its unit and meaning. */
void model_json_put(struct json *json, const struct ionic_model *model);

#endif
