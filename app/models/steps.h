/* steps.h: find the longest steps suitable for a model, on one cell, and measure the cost of a step.
 *
 * A user's text does not contain them. A cell is stimulated with 52 uA/uF for 1 ms and simulated until V has
 * fallen by 90 % of its amplitude, or for 600 ms. The reference beat uses steps of 0.005 ms, halved down to 1/16 of
 * that until steps twice as long violate no conserved sum and give the same action potential: peak V within 1.25 % of
 * the amplitude, APD90 within 0.25 %. Then steps are lengthened, up to 1 ms. step_accurate is the last step before the
 * peak differs from the reference by more than 5 % or APD90 by more than 1 %. step_largest is the last step before V
 * leaves its range by a quarter of it, or a conserved sum is violated. Staggered steps must meet both with the stimulus
 * at each of four offsets between two steps. */
#ifndef CARDIAC_APP_MODELS_STEPS_H
#define CARDIAC_APP_MODELS_STEPS_H

#include "kernels/compiler/algebra/sums.h"
#include "kernels/ionic/ionic.h"

/* model->step_accurate and step_largest, or those of staggered steps, <- found as above; the model's loops must be
 * loaded. sums: its conserved sums, NULL = none. Errors: STATUS_INPUT if the shortest step violates a sum. */
enum status steps_find(struct ionic_model *model, const struct sums *sums, bool staggered,
                       struct error *error);

/* *ns <- the time of a step of one cell in fp64, on one core with the cells in its cache; the model's loops must be
 * loaded. It is the shortest of trials over a few milliseconds, so it varies from call to call. */
enum status steps_cost(double *ns, const struct ionic_model *model, struct error *error);

#endif
