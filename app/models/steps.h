/* steps.h: the longest steps that suit a model, found on one cell, and what a step costs.
 *
 * A user's text does not contain them. A cell is stimulated with 52 uA/uF for 1 ms and followed until V has
 * fallen by 90 % of its height, or for 600 ms. The first beat is in steps of 0.005 ms, or of half of it, half
 * of that and so on down to 1/16, until steps twice as long lose no conserved sum and give the same action
 * potential: the peak of V within 1.25 % of its height, APD90 within 0.25 %. Then come longer steps, up to 1
 * ms: step_accurate is the last before the peak strays from the first beat's by more than 5 % or APD90 by
 * more than 1 %, step_largest the last before V leaves its range by a quarter of it, or a conserved sum is
 * lost. In staggered steps both hold with the stimulus at four places between two steps.
 */
#ifndef CARDIAC_APP_MODELS_STEPS_H
#define CARDIAC_APP_MODELS_STEPS_H

#include "kernels/compiler/algebra/sums.h"
#include "kernels/ionic/ionic.h"

/* model->step_accurate and step_largest, or those of staggered steps, <- those of the model, whose loops are
 * there; sums NULL = none. Errors: STATUS_INPUT where the shortest step loses a sum. */
enum status steps_find(struct ionic_model *model, const struct sums *sums, bool staggered,
                       struct error *error);

/* *ns <- the time of a step of one cell, in fp64, by one core on cells that its cache holds, of a model whose
 * loops are there: the shortest of a few milliseconds' trials, so that it varies from call to call */
enum status steps_cost(double *ns, const struct ionic_model *model, struct error *error);

#endif
