/* steps.c: one cell in steps of many lengths. */
#include "app/models/steps.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/device/queue.h"

struct cell {
    struct queue *queue;
    struct ionic_cells cells;
    double *state, *parameter;
};

struct range {
    double low, high;
};

/* What V reaches from the model's initial state; NaN if it is lost */
static struct range follow(struct cell *cell, double step)
{
    const double end = 10, on = 1; /* ms */
    const uint16_t class = 1;
    double v = cell->cells.model->v_initial;
    struct range range = {v, v};
    ionic_initial(cell->state, NULL, cell->cells.model, false, 1, 1);
    for (int64_t n = 0; (double)n * step < end; n++) {
        double rest = fmax(0, fmin(1, (on - (double)n * step) / step));
        const double current[2] = {0, 52 * rest};
        const struct ionic_drive drive = {step, 1, &class, current, &v, &v, NULL, 0};
        cell->queue->backend->ionic_step(cell->queue, &cell->cells, &drive);
        if (!(fabs(v) < 1e4))
            return (struct range){NAN, NAN};
        range.low = fmin(range.low, v);
        range.high = fmax(range.high, v);
    }
    return range;
}

static void find(struct ionic_model *model, struct cell *cell)
{
    static const double ladder[] = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
    const struct range want = follow(cell, 0.0025);
    double height = want.high - want.low;
    bool accurate = true;
    model->step_accurate = model->step_largest = 0.0025;
    for (size_t k = 0; k < sizeof ladder / sizeof *ladder; k++) {
        const struct range got = follow(cell, ladder[k]);
        accurate = accurate && fabs(got.high - want.high) <= 0.05 * height;
        if (accurate)
            model->step_accurate = ladder[k];
        if (!(got.high <= want.high + 0.25 * height && got.low >= want.low - 0.25 * height))
            break;
        model->step_largest = ladder[k];
    }
}

enum status steps_find(struct ionic_model *model, struct error *error)
{
    struct cell cell = {0};
    enum status status = STATUS_OK;
    cell.state = array_zeroed(model->states, sizeof *cell.state, "a cell's state", &status, error);
    cell.parameter =
        array_zeroed(model->parameters, sizeof *cell.parameter, "a cell's parameters", &status, error);
    TRY(queue_new(&cell.queue, backend_find("cpu", error), 1, error));
    if (!status) {
        for (int k = 0; k < model->parameters; k++)
            cell.parameter[k] = model->parameter[k].value;
        cell.cells = (struct ionic_cells){
            .model = model, .cells = 1, .stride = 1, .state64 = cell.state, .parameter = cell.parameter};
        find(model, &cell);
        queue_free(cell.queue);
    }
    free(cell.state);
    free(cell.parameter);
    return status;
}
