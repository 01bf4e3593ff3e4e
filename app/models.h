/* models.h: ionic models by the names that users type. */
#ifndef CARDIAC_APP_MODELS_H
#define CARDIAC_APP_MODELS_H

#include "kernels/error.h"
#include "kernels/ionic.h"

/* The model of that name; NULL and STATUS_INPUT with the nearest name if there is none. */
const struct ionic_model *models_find(const char *name, struct error *error);

#endif
