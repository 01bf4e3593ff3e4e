/* model_json.h: a model for other programs. */
#ifndef CARDIAC_APP_MODELS_MODEL_JSON_H
#define CARDIAC_APP_MODELS_MODEL_JSON_H

#include "app/util/json.h"
#include "kernels/ionic/ionic.h"

/* The unit as people see it. Texts give dimensionless values [1] or none: both are "1". */
const char *model_unit(const char *unit);
/* An object with the states, parameters and currents of the model, each with its unit and meaning */
void model_json_put(struct json *json, const struct ionic_model *model);

#endif
