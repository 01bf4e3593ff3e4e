/* model.h: finds an ionic model by its name, reads its parameters and checks the length of its steps. */
#ifndef CARDIAC_APP_CONFIG_MODEL_H
#define CARDIAC_APP_CONFIG_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "app/models/user_model.h"
#include "kernels/base/error.h"
#include "kernels/ionic/ionic.h"

/* *model <- the one of that name; a bundled one is added to the list, described but not compiled. Errors:
 * STATUS_INPUT with the nearest name. */
enum status model_find(const struct ionic_model **model, struct user_model **list, const char *name,
                       struct error *error);

/* text <- " (did you mean 'ikr.g_Kr'?)" of a name, such as GKr, that is none of the model's parameters */
const char *model_parameter_hint(char *text, size_t size, const struct ionic_model *model, const char *name);

/* Whether the names differ in component, case and underscores alone: GKr and ikr.g_Kr */
bool model_same_parameter(const char *a, const char *b);

/* *value <- "14.838" or "14.838 nS/pF", in the unit that the model states, or "x0.5", that times the default.
 * A rate, a conductance, a concentration (all but voltages and pure numbers) is 0 or more. */
enum status model_read_parameter(double *value, const struct ionic_value *parameter, const char *text,
                                 struct error *error);

/* Whether that last rule allows the value */
bool model_allows_parameter(const struct ionic_value *parameter, double value);

/* text <- a warning of a factor of 10 or more, such as x50 for 50 %; or "" */
const char *model_factor_doubt(char *text, size_t size, const char *name, double factor);

/* text <- that, or a warning of a number written without a unit that is beyond 3 times the default either way; or ""
 */
const char *model_parameter_doubt(char *text, size_t size, const struct ionic_value *parameter,
                                  const char *written, double value);

/* ms: up to `accurate` an action potential is kept, up to `largest` V stays where currents can drive it; 0 =
 * no limit */
struct model_limits {
    double accurate, largest;
};
struct model_limits model_limits_of(const struct ionic_model *model, bool staggered);

enum model_step { MODEL_STEP_GOOD, MODEL_STEP_POOR, MODEL_STEP_TOO_LONG };

/* Whether steps of so many ms suit the model; text[size] <- what is wrong, if anything */
enum model_step model_check_step(char *text, size_t size, const struct ionic_model *model, bool mixed,
                                 bool staggered, double step);

#endif
