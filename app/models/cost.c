/* cost.c: cells at rest, stepped against the clock. */
#include "app/models/cost.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/device/queue.h"

enum status cost_measure(double *ns, const struct ionic_model *model, struct error *error)
{
    enum { CELLS = 512, STEPS = 8, TRIALS = 5 };
    struct queue *queue = NULL;
    enum status status = STATUS_OK;
    double *state =
               array_zeroed((int64_t)model->states * CELLS, sizeof *state, "a cell's state", &status, error),
           *v = array_zeroed(CELLS, sizeof *v, "a cell's state", &status, error),
           *parameter =
               array_zeroed(model->parameters, sizeof *parameter, "a cell's parameters", &status, error);
    AND(queue_new(&queue, backend_find("cpu", error), 1, error));
    *ns = INFINITY;
    for (int k = 0; k < model->parameters && !status; k++)
        parameter[k] = model->parameter[k].value;
    for (int trial = 0; trial < TRIALS && !status; trial++) {
        const struct ionic_cells cells = {
            .model = model, .cells = CELLS, .stride = CELLS, .state64 = state, .parameter = parameter};
        const struct ionic_drive drive = {.dt = 0.01, .substeps = STEPS, .v_in = v, .v_out = v};
        ionic_initial(state, NULL, model, false, CELLS, CELLS);
        for (int k = 0; k < CELLS; k++)
            v[k] = model->v_initial;
        const double begin = clock_seconds();
        queue->backend->ionic_step(queue, &cells, &drive);
        *ns = fmin(*ns, 1e9 * (clock_seconds() - begin) / (CELLS * STEPS));
    }
    queue_free(queue);
    free(state);
    free(v);
    free(parameter);
    return status;
}
