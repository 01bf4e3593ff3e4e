/* paced.h: the states of one cell after a number of beats, kept in the cache of compiled models. */
#ifndef CARDIAC_APP_MODELS_PACED_H
#define CARDIAC_APP_MODELS_PACED_H

#include "app/models/pacing.h"

enum { PACED_STEPS_MOST = 1000000000 };

/* A cell of the model, stepped in one way */
struct paced_cell {
    const struct ionic_model *model;
    const struct user_model *user; /* NULL = built in */
    const double *parameter;       /* [model->parameters]; NULL = the model's own */
    struct source_way way;
    double step; /* ms */
};

/* value[single_cell_values] <- when its last beat ends, of so many, `period` ms (a multiple of the step)
 * apart, from the model's own state and with the usual stimulus: what `cardiac cell` ends with, bit for bit.
 * STATUS_RUN when V is lost; errors of cache_open. */
enum status paced_states(double *value, const struct paced_cell *cell, int64_t beats, double period,
                         struct error *error);

#endif
