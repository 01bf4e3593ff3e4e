/* steps.c: step one cell with many step lengths, and time the steps of many cells. */
#include "app/models/steps.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/device/queue.h"

/* The model's default parameters [model->parameters]; the caller frees them */
static double *default_parameters(const struct ionic_model *model, enum status *status, struct error *error)
{
    double *parameter =
        array_zeroed(model->parameters, sizeof *parameter, "a cell's parameters", status, error);
    for (int k = 0; k < model->parameters && !*status; k++)
        parameter[k] = model->parameter[k].value;
    return parameter;
}

struct followed {
    struct queue *queue;
    struct ionic_cells cells;
    const struct sums *sums;
    double *state, *parameter;
    bool staggered;
};

struct course {
    double low, high; /* of V; NaN if it is lost */
    double apd90;     /* ms from the stimulus until V has fallen by 90 % of its height; NaN if it does not */
    int lost;         /* number of a sum, -1 = none; the state is that after the step that lost it */
};

/* Advances the gates by dt at fixed V. */
static void settle(struct followed *cell, double *v, double dt)
{
    const struct ionic_drive gates = {
        .dt = dt, .substeps = 1, .v_in = v, .v_out = v, .v_before = v, .subset = IONIC_GATES};
    cell->queue->backend->ionic_step(cell->queue, &cell->cells, &gates);
}

/* The fraction of a step from t on that lies before `end` */
static double share_before(double end, double t, double step)
{
    return fmax(0, fmin(1, (end - t) / step));
}

/* Simulates a beat from the model's initial state, with a stimulus at `start` ms, until V has fallen again. */
static struct course follow(struct followed *cell, double step, double start)
{
    const double end = 600, on = 1; /* ms */
    const uint16_t class = 1;
    const double rest = cell->cells.model->v_initial;
    double v = rest, before = rest;
    struct course course = {v, v, NAN, -1};
    ionic_initial(cell->state, NULL, cell->cells.model, false, 1, 1);
    for (int64_t n = 0; (double)n * step < end && isnan(course.apd90); n++) {
        const double t = (double)n * step,
                     share = share_before(start + on, t, step) - share_before(start, t, step);
        const double current[2] = {0, 52 * share};
        struct ionic_drive drive = {.dt = step,
                                    .substeps = 1,
                                    .stimulus_class = &class,
                                    .stimulus_current = current,
                                    .v_in = &v,
                                    .v_out = &v,
                                    .v_before = cell->staggered ? &before : NULL,
                                    .extrapolation = n > 0 ? 0.5 : 0,
                                    .subset = n > 0 ? IONIC_BOTH : IONIC_REST};
        if (cell->staggered && n == 0)
            settle(cell, &v, step / 2);
        const double now = v;
        cell->queue->backend->ionic_step(cell->queue, &cell->cells, &drive);
        before = now;
        if (!(fabs(v) < 1e4))
            return (struct course){NAN, NAN, NAN, -1};
        course.lost = cell->sums ? sums_lost(cell->sums, cell->state, true) : -1;
        if (course.lost >= 0)
            return course;
        course.low = fmin(course.low, v);
        course.high = fmax(course.high, v);
        const double threshold = course.high - 0.9 * (course.high - rest);
        if (t > start + on && v < threshold && before >= threshold)
            course.apd90 = t + step * (before - threshold) / (before - v) - start;
    }
    return course;
}

/* Whether the peak differs by at most share x 5 % of the amplitude and APD90 by at most share x 1 % */
static bool is_near(const struct course *got, const struct course *want, double share)
{
    return got->lost < 0 && want->lost < 0 &&
           fabs(got->high - want->high) <= share * 0.05 * (want->high - want->low) &&
           (isnan(want->apd90) || fabs(got->apd90 - want->apd90) <= share * 0.01 * want->apd90);
}

/* The reference beat: the first one that steps twice as long confirm, else that with the shortest step; *step <- its
 * step, ms */
static struct course find_reference(struct followed *cell, double *step)
{
    struct course before = follow(cell, 0.01, 0), want = follow(cell, *step = 0.005, 0);
    for (int k = 0; k < 4; k++) {
        if (is_near(&before, &want, 0.25) && isnan(before.apd90) == isnan(want.apd90))
            break;
        before = want;
        want = follow(cell, *step /= 2, 0);
    }
    return want;
}

static enum status find_steps(double *accurate_to, double *largest, struct followed *cell,
                              struct error *error)
{
    enum { PHASES = 4 }; /* of the stimulus between two staggered steps */
    static const double ladder[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
    double first;
    char text[512];
    const struct course want = find_reference(cell, &first);
    const double height = want.high - want.low;
    bool accurate = true;
    if (want.lost >= 0) {
        sums_describe(text, sizeof text, cell->sums, want.lost, cell->state);
        return error_set(error, STATUS_INPUT,
                         "%s during a beat in steps of %g ms, although the rates conserve that sum", text,
                         first);
    }
    *accurate_to = *largest = first;
    const int halvings = (int)round(log2(0.005 / first));
    for (int k = 1; k <= halvings + (int)(sizeof ladder / sizeof *ladder); k++) {
        const double step = k <= halvings ? ldexp(first, k) : ladder[k - halvings - 1];
        bool stable = true;
        for (int phase = 0; phase < (cell->staggered ? PHASES : 1) && stable; phase++) {
            const struct course got = follow(cell, step, step * phase / PHASES);
            accurate = accurate && is_near(&got, &want, 1);
            stable =
                got.lost < 0 && got.high <= want.high + 0.25 * height && got.low >= want.low - 0.25 * height;
        }
        if (!stable)
            break;
        if (accurate)
            *accurate_to = step;
        *largest = step;
    }
    return STATUS_OK;
}

enum status steps_find(struct ionic_model *model, const struct sums *sums, bool staggered,
                       struct error *error)
{
    struct followed cell = {.sums = sums, .staggered = staggered};
    enum status status = STATUS_OK;
    cell.state = array_zeroed(model->states, sizeof *cell.state, "a cell's state", &status, error);
    cell.parameter = default_parameters(model, &status, error);
    if (status)
        goto done;
    TRY_DONE(queue_new(&cell.queue, backend_find("cpu", error), 1, error));
    cell.cells = (struct ionic_cells){
        .model = model, .cells = 1, .stride = 1, .state64 = cell.state, .parameter = cell.parameter};
    status = find_steps(staggered ? &model->staggered_accurate : &model->step_accurate,
                        staggered ? &model->staggered_largest : &model->step_largest, &cell, error);
done:
    queue_free(cell.queue);
    free(cell.state);
    free(cell.parameter);
    return status;
}

enum status steps_cost(double *ns, const struct ionic_model *model, struct error *error)
{
    enum { CELLS = 512, STEPS = 8, TRIALS = 5 };
    struct queue *queue = NULL;
    enum status status = STATUS_OK;
    double *state =
               array_zeroed((int64_t)model->states * CELLS, sizeof *state, "a cell's state", &status, error),
           *v = array_zeroed(CELLS, sizeof *v, "a cell's state", &status, error),
           *parameter = default_parameters(model, &status, error);
    *ns = INFINITY;
    if (status)
        goto done;
    TRY_DONE(queue_new(&queue, backend_find("cpu", error), 1, error));
    for (int trial = 0; trial < TRIALS; trial++) {
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
done:
    queue_free(queue);
    free(state);
    free(v);
    free(parameter);
    return status;
}
