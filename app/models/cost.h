/* cost.h: what a step of a model costs on this machine. */
#ifndef CARDIAC_APP_MODELS_COST_H
#define CARDIAC_APP_MODELS_COST_H

#include "kernels/ionic/ionic.h"

/* *ns <- time of a step of one cell of a model whose loops are there, in fp64, by one core on cells that its
 * cache holds: the shortest of a few milliseconds' trials, so that it varies from call to call */
enum status cost_measure(double *ns, const struct ionic_model *model, struct error *error);

#endif
