/* single.h: one cell on the device, stepped by the kernel that steps tissue. */
#ifndef CARDIAC_APP_VERIFY_SINGLE_H
#define CARDIAC_APP_VERIFY_SINGLE_H

#include "app/verify/verify.h"
#include "kernels/ionic/ionic.h"

struct verify_single {
    struct queue *queue;
    struct ionic_cells cells; /* one, in fp64 */
    uint16_t *class;          /* device */
    double *current, *v;      /* device */
    double stimulus;          /* uA/uF, what `current` holds */
};

/* A cell in the model's initial state; parameter[model->parameters] must outlive it. *single is to be freed
 * in any case. */
enum status verify_single_make(struct verify_single *single, const struct verify *verify,
                               const struct ionic_model *model, const double *parameter, struct error *error);
void verify_single_free(struct verify_single *single);

/* `substeps` steps of dt (ms) under this stimulus (uA/uF) */
enum status verify_single_step(struct verify_single *single, double dt, int substeps, double stimulus,
                               struct error *error);

/* *v <- V, mV; state[model->states] <- the states, unless NULL */
enum status verify_single_get(const struct verify_single *single, double *v, double *state,
                              struct error *error);

#endif
