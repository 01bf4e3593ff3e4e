/* models.h: ionic models by the names that users type. */
#ifndef CARDIAC_APP_COMMANDS_MODELS_H
#define CARDIAC_APP_COMMANDS_MODELS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/error.h"
#include "kernels/ionic/ionic.h"

/* The model of that name; NULL and STATUS_INPUT with the nearest name if there is none. */
const struct ionic_model *models_find(const char *name, struct error *error);

enum models_step { STEP_GOOD, STEP_POOR, STEP_TOO_LONG };

/* How the model fares in steps of so many ms; unless it is well, what is wrong -> text[size] */
enum models_step models_judge_step(char *text, size_t size, const struct ionic_model *model, bool mixed,
                                   double step);

#endif
