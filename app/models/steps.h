/* steps.h: the longest steps that suit a model, found on one cell.
 *
 * A user's text does not say them. A cell is stimulated with 52 uA/uF for 1 ms and followed until V has
 * fallen by 90 % of its height, or for 600 ms, in steps of 0.005 ms and then of 0.01, 0.02, 0.05, 0.1, 0.2,
 * 0.5 and 1 ms: step_accurate is the last before the peak of V strays by more than 5 % of its height or APD90
 * by more than 1 %, step_largest the last before V leaves its range by a quarter of it. */
#ifndef CARDIAC_APP_MODELS_STEPS_H
#define CARDIAC_APP_MODELS_STEPS_H

#include "kernels/ionic/ionic.h"

/* model->step_accurate and step_largest <- those of the model, whose loops are there */
enum status steps_find(struct ionic_model *model, struct error *error);

#endif
