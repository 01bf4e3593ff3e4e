/* single.c: see single.h. */
#include "app/verify/single.h"

#include <math.h>
#include <string.h>

enum status verify_single_make(struct verify_single *single, const struct verify *verify,
                               const struct ionic_model *model, const double *parameter, struct error *error)
{
    enum { STATES_MAX = 64 };
    const uint16_t one = 1;
    double state[STATES_MAX];
    *single = (struct verify_single){.queue = verify->queue, .stimulus = NAN};
    struct queue *queue = single->queue;
    enum status status = STATUS_OK;
    single->class = device_array(queue, 1, sizeof *single->class, "a cell", &status, error);
    single->current = device_array(queue, 2, sizeof *single->current, "a cell", &status, error);
    single->v = device_array(queue, 1, sizeof *single->v, "a cell", &status, error);
    single->cells = (struct ionic_cells){.model = model, .cells = 1, .stride = 1, .parameter = parameter};
    single->cells.state64 = device_array(queue, STATES_MAX, sizeof *state, "a cell", &status, error);
    if (status)
        return status;
    ionic_initial(state, NULL, model, false, 1, 1);
    status = device_upload(queue, single->class, &one, sizeof one, error);
    AND(device_upload(queue, single->v, &model->v_initial, sizeof *single->v, error));
    AND(device_upload(queue, single->cells.state64, state, (size_t)model->states * sizeof *state, error));
    return status;
}

void verify_single_free(struct verify_single *single)
{
    if (!single->queue)
        return;
    device_release(single->queue, single->class);
    device_release(single->queue, single->current);
    device_release(single->queue, single->v);
    device_release(single->queue, single->cells.state64);
}

enum status verify_single_step(struct verify_single *single, double dt, int substeps, double stimulus,
                               struct error *error)
{
    const double current[2] = {0, stimulus};
    enum status status = STATUS_OK;
    if (single->stimulus != stimulus)
        status = device_upload(single->queue, single->current, current, sizeof current, error);
    single->stimulus = stimulus;
    const struct ionic_drive drive = {.dt = dt,
                                      .substeps = substeps,
                                      .stimulus_class = single->class,
                                      .stimulus_current = single->current,
                                      .v_in = single->v,
                                      .v_out = single->v};
    if (!status)
        single->queue->backend->ionic_step(single->queue, &single->cells, &drive);
    return status;
}

enum status verify_single_get(const struct verify_single *single, double *v, double *state,
                              struct error *error)
{
    enum status status = device_download(single->queue, v, single->v, sizeof *v, error);
    if (!status && state)
        status = device_download(single->queue, state, single->cells.state64,
                                 (size_t)single->cells.model->states * sizeof *state, error);
    return status;
}
