/* single_cell.h: one cell in time, stepped on the CPU by the loops that step tissue, so that it is a tissue
 * without gradients, bit for bit. */
#ifndef CARDIAC_APP_MODELS_SINGLE_CELL_H
#define CARDIAC_APP_MODELS_SINGLE_CELL_H

#include <stdbool.h>

#include "app/models/source.h"
#include "kernels/device/queue.h"
#include "kernels/ionic/ionic.h"

struct single_cell {
    struct queue *queue;
    struct ionic_cells cells; /* as many equal ones as a vector steps */
    struct ionic_cells shown; /* room for those at t, where gates are behind */
    ionic_step_function *by;
    ionic_step_function *gates, *rest; /* instead, of a staggered step */
    ionic_step_function *gates_alone;  /* without a table */
    void *constants;                   /* of the model, its parameters and the step */
    void *half;                        /* of half a step */
    ionic_current_function *current;   /* with */
    void *still;                       /* those of no step */
    double v;                          /* mV */
    double before;                     /* before the last step */
    bool behind;                       /* gates are half a step behind v */
    double step;                       /* ms */
};

/* V (mV) and all states of a model, in its order and units: the cell of an array [1 + model->states] */
int single_cell_values(const struct ionic_model *model);
/* value[] <- the model's own */
void single_cell_rest(double *value, const struct ionic_model *model);

/* A cell of the model's own state, for steps of `step` ms; parameter[model->parameters] must outlive it,
 * unchanged. *cell is to be freed in any case. */
enum status single_cell_new(struct single_cell *cell, const struct ionic_model *model,
                            const double *parameter, struct source_way way, double step, struct error *error);
void single_cell_free(struct single_cell *cell);

/* All values at the present: another cell of the same model that gets them continues this one. */
void single_cell_get(const struct single_cell *cell, double *value);
void single_cell_set(struct single_cell *cell, const double *value);

/* Value k of those, of V or a state that is no gate. Gates are half a step behind V in a staggered step, and
 * single_cell_get costs as much as stepping them. */
double single_cell_stored(const struct single_cell *cell, int k);
/* column[columns] <- of the present: value k of those, or at values + k model->current[k] */
void single_cell_columns(const struct single_cell *cell, const int *number, int columns, double *column);

/* One step under a stimulus of so many uA/uF */
void single_cell_step(struct single_cell *cell, double stimulus);

#endif
