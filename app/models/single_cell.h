/* single_cell.h: one cell in time, stepped on the CPU by the same loops as tissue, so that it is bit-identical to a
 * tissue without gradients. */
#ifndef CARDIAC_APP_MODELS_SINGLE_CELL_H
#define CARDIAC_APP_MODELS_SINGLE_CELL_H

#include <stdbool.h>

#include "app/models/source.h"
#include "kernels/device/queue.h"
#include "kernels/ionic/ionic.h"

struct single_cell {
    struct queue *queue;
    struct ionic_cells cells; /* one vector of equal cells */
    struct ionic_cells shown; /* buffer for their state at t, if gates lag */
    ionic_step_function *by;
    ionic_step_function *gates, *rest; /* the two parts of a staggered step, instead of by */
    ionic_step_function *gates_alone;  /* without a table */
    void *constants;                   /* derived from the model's parameters and the step */
    void *half;                        /* the same for half a step */
    ionic_current_function *current;   /* called with `still` */
    void *still;                       /* constants for a step of 0 */
    double v;                          /* mV */
    double before;                     /* v before the last step */
    bool behind;                       /* gates lag half a step behind v */
    double step;                       /* ms */
};

/* The number of values of a cell, 1 + model->states: V (mV), then the states in the model's order and units */
int single_cell_values(const struct ionic_model *model);
/* value[] <- the model's own initial values */
void single_cell_rest(double *value, const struct ionic_model *model);

/* *cell <- a cell in the model's own initial state, for steps of `step` ms. parameter[model->parameters] must outlive
 * it unchanged. Free *cell even after an error. */
enum status single_cell_new(struct single_cell *cell, const struct ionic_model *model,
                            const double *parameter, struct source_way way, double step, struct error *error);
void single_cell_free(struct single_cell *cell);

/* Get and set all values at the current time; a cell of the same model that is set to them continues identically. */
void single_cell_get(const struct single_cell *cell, double *value);
void single_cell_set(struct single_cell *cell, const double *value);

/* Value k, only for V or a state that is not a gate: in staggered steps gates lag half a step behind V. Cheap, while
 * single_cell_get() costs as much as a step of the gates. */
double single_cell_stored(const struct single_cell *cell, int k);
/* column[columns] <- at the current time: for number[] = k value k, for single_cell_values + k model->current[k] */
void single_cell_columns(const struct single_cell *cell, const int *number, int columns, double *column);

/* Takes one step with a stimulus of `stimulus` uA/uF. */
void single_cell_step(struct single_cell *cell, double stimulus);

#endif
