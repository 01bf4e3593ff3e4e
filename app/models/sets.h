/* sets.h: the models that one text is, as the lines of its .sets say them:
 *
 *   tp06-endo 0.05 0.2 V=-86.709 ito.g_to=0.073
 *
 * a name, the longest steps (struct ionic_model: step_accurate and step_largest, ms), then what differs. */
#ifndef CARDIAC_APP_MODELS_SETS_H
#define CARDIAC_APP_MODELS_SETS_H

#include "kernels/ionic/ionic.h"

/* *model <- with the name, steps and values of a line, whose words are cut out of it and stay in use;
 * values[] are the model's states and parameters. Errors: STATUS_INPUT, naming the word. */
enum status sets_read(struct ionic_model *model, struct ionic_value *values, char *line, struct error *error);

#endif
