/* model.h: finds an ionic model by its name, reads its parameters and checks the length of its steps. */
#ifndef CARDIAC_APP_CONFIG_MODEL_H
#define CARDIAC_APP_CONFIG_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "app/models/user_model.h"
#include "kernels/base/error.h"
#include "kernels/ionic/ionic.h"

/* *model <- the model of that name; a bundled one is added to the list, parsed but not compiled. Errors:
 * STATUS_INPUT, which suggests the nearest name. */
enum status model_find(const struct ionic_model **model, struct user_model **list, const char *name,
                       struct error *error);

/* text <- " (did you mean 'ikr.g_Kr'?)" for a name, such as GKr, that no parameter of the model has */
const char *model_parameter_hint(char *text, size_t size, const struct ionic_model *model, const char *name);

/* Whether the names are equal up to component, case and underscores, such as GKr and ikr.g_Kr */
bool model_same_parameter(const char *a, const char *b);

/* *value <- text in the model's unit: "14.838", "14.838 nS/pF", or "x0.5" (0.5 times the default). Quantities
 * other than voltages and pure numbers (rates, conductances, concentrations) must be 0 or more. */
enum status model_read_parameter(double *value, const struct ionic_value *parameter, const char *text,
                                 struct error *error);

/* Whether the value obeys that sign rule */
bool model_allows_parameter(const struct ionic_value *parameter, double value);

/* text <- a warning about a factor of 10 or more (x50 where 50 % was meant), or "" */
const char *model_factor_doubt(char *text, size_t size, const char *name, double factor);

/* text <- that warning, or one about a number without unit that is more than 3 times larger or smaller than the
 * default; or "" */
const char *model_parameter_doubt(char *text, size_t size, const struct ionic_value *parameter,
                                  const char *written, double value);

/* Steps in ms: up to `accurate` the action potential is accurate, up to `largest` V stays within the range that
 * currents can reach; 0 = no limit */
struct model_limits {
    double accurate, largest;
};
struct model_limits model_limits_of(const struct ionic_model *model, bool staggered);

enum model_step { MODEL_STEP_GOOD, MODEL_STEP_POOR, MODEL_STEP_TOO_LONG };

/* Checks a step of `step` ms against the model's limits; text[size] <- what is wrong, if anything */
enum model_step model_check_step(char *text, size_t size, const struct ionic_model *model, bool mixed,
                                 bool staggered, double step);

#endif
