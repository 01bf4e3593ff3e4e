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

struct course {
    double low, high; /* of V; NaN if it is lost */
    double apd90;     /* ms from the stimulus until V has fallen by 90 % of its height; NaN if it does not */
};

/* From the model's initial state, until V has fallen again */
static struct course follow(struct cell *cell, double step)
{
    const double end = 600, on = 1; /* ms */
    const uint16_t class = 1;
    const double rest = cell->cells.model->v_initial;
    double v = rest, before;
    struct course course = {v, v, NAN};
    ionic_initial(cell->state, NULL, cell->cells.model, false, 1, 1);
    for (int64_t n = 0; (double)n * step < end && isnan(course.apd90); n++) {
        const double t = (double)n * step, share = fmax(0, fmin(1, (on - t) / step));
        const double current[2] = {0, 52 * share};
        const struct ionic_drive drive = {step, 1, &class, current, &v, &v, NULL, 0};
        before = v;
        cell->queue->backend->ionic_step(cell->queue, &cell->cells, &drive);
        if (!(fabs(v) < 1e4))
            return (struct course){NAN, NAN, NAN};
        course.low = fmin(course.low, v);
        course.high = fmax(course.high, v);
        const double level = course.high - 0.9 * (course.high - rest);
        if (t > on && v < level && before >= level)
            course.apd90 = t + step * (before - level) / (before - v);
    }
    return course;
}

static void find(struct ionic_model *model, struct cell *cell)
{
    static const double ladder[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
    const struct course want = follow(cell, 0.005);
    double height = want.high - want.low;
    bool accurate = true;
    model->step_accurate = model->step_largest = 0.005;
    for (size_t k = 0; k < sizeof ladder / sizeof *ladder; k++) {
        const struct course got = follow(cell, ladder[k]);
        accurate = accurate && fabs(got.high - want.high) <= 0.05 * height &&
                   (isnan(want.apd90) || fabs(got.apd90 - want.apd90) <= 0.01 * want.apd90);
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
