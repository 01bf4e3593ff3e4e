/* model.h: an ionic model by the name that a user types, and how it fares in steps of a length. */
#ifndef CARDIAC_APP_CONFIG_MODEL_H
#define CARDIAC_APP_CONFIG_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/error.h"
#include "kernels/ionic/ionic.h"

/* The model of that name; NULL and STATUS_INPUT with the nearest name if there is none. */
const struct ionic_model *model_find(const char *name, struct error *error);

/* *value <- "14.838" or "14.838 nS/pF", in the unit that the model states, or "x0.5", that times the default.
 * A rate, a conductance, a concentration (all but voltages and pure numbers) is 0 or more. */
enum status model_read_parameter(double *value, const struct ionic_value *parameter, const char *text,
                                 struct error *error);

/* That last */
bool model_allows_parameter(const struct ionic_value *parameter, double value);

enum model_step { MODEL_STEP_GOOD, MODEL_STEP_POOR, MODEL_STEP_TOO_LONG };

/* How the model fares in steps of so many ms; unless it is well, what is wrong -> text[size] */
enum model_step model_judge_step(char *text, size_t size, const struct ionic_model *model, bool mixed,
                                 double step);

#endif
