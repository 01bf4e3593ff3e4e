/* cell_trace.c: stepping one cell, its table and its action potentials.
 *
 * The cell is stepped by the same function that steps tissue, with the stimulus of each step scaled by exact
 * overlap, so a trace is that of a tissue without gradients, bit for bit. */
#include "app/commands/cell_trace.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/device/queue.h"
#include "solver/stimulus.h"

static const double voltage_limit = 1e4; /* mV */

struct cell {
    const struct cell_protocol *protocol;
    struct queue *queue;
    struct ionic_cells cells;
    double v;
};

static void cell_free(struct cell *cell)
{
    queue_free(cell->queue);
    free(cell->cells.state64);
    free(cell->cells.state32);
    ionic_table_free(&cell->cells.table);
}

static enum status cell_new(struct cell *cell, const struct cell_protocol *protocol, struct error *error)
{
    const struct ionic_model *model = protocol->model;
    const struct backend *backend = backend_find("cpu", error);
    *cell = (struct cell){.protocol = protocol, .v = model->v_initial};
    if (!backend)
        return STATUS_INPUT;
    enum status status = queue_new(&cell->queue, backend, 1, error);
    double *state64 = array_zeroed(model->states, sizeof *state64, "the cell's state", &status, error);
    float *state32 = array_zeroed(model->states, sizeof *state32, "the cell's state", &status, error);
    cell->cells = (struct ionic_cells){.model = model,
                                       .cells = 1,
                                       .stride = 1,
                                       .mixed = protocol->mixed,
                                       .state64 = state64,
                                       .state32 = state32,
                                       .parameter = protocol->parameter};
    if (!status && protocol->tables)
        status = ionic_table_build(&cell->cells.table, model, protocol->parameter, protocol->mixed,
                                   protocol->step, IONIC_TABLE_PER_MV, error);
    if (status)
        cell_free(cell);
    else
        ionic_initial(cell->cells.state64, cell->cells.state32, model, protocol->mixed, 1, 1);
    return status;
}

static double state_value(const struct cell *cell, int index)
{
    struct ionic_layout at = ionic_layout(cell->cells.model, cell->cells.mixed, index);
    return at.fp32 ? (double)cell->cells.state32[at.row] : cell->cells.state64[at.row];
}

static double column_value(const struct cell *cell, const struct cell_column *column)
{
    double value;
    if (!column->current)
        return state_value(cell, column->index);
    cell->queue->backend->ionic_current(cell->queue, &cell->cells, &cell->v, column->index, &value);
    return value;
}

static void print_header(FILE *table, const struct cell_protocol *protocol)
{
    fputs("t (ms),V (mV)", table);
    for (int k = 0; k < protocol->columns; k++) {
        const struct cell_column *column = &protocol->column[k];
        const struct ionic_value *value = column->current ? &protocol->model->current[column->index]
                                                          : &protocol->model->state[column->index];
        fprintf(table, ",%s (%s)", value->name, value->unit);
    }
    fputc('\n', table);
}

static void print_line(FILE *table, const struct cell *cell, double time)
{
    fprintf(table, "%.12g,%.12g", time, cell->v);
    for (int k = 0; k < cell->protocol->columns; k++)
        fprintf(table, ",%.12g", column_value(cell, &cell->protocol->column[k]));
    fputc('\n', table);
}

/* V at step n; the stimulus during the step is its mean */
static void advance(struct cell *cell, int64_t n)
{
    const struct cell_protocol *protocol = cell->protocol;
    double t0 = (double)n * protocol->step, t1 = (double)(n + 1) * protocol->step;
    const uint16_t class = 1;
    const double current[2] = {0, protocol->stimulus.current * stimulus_overlap(&protocol->stimulus, t0, t1)};
    const struct ionic_drive drive = {protocol->step, 1, &class, current, &cell->v, &cell->v, NULL, 0};
    cell->queue->backend->ionic_step(cell->queue, &cell->cells, &drive);
}

static struct beat beat_begin(double start, double v)
{
    return (struct beat){start, v, v, -INFINITY, NAN, NAN, NAN};
}

/* the time in the step from (t, before) to (t + dt, v) at which V passes `level` downwards, or NAN */
static double fall_through(double level, double t, double dt, double before, double v)
{
    return before > level && v <= level ? t + dt * (before - level) / (before - v) : (double)NAN;
}

static void beat_follow(struct beat *beat, double t, double dt, double before, double v)
{
    if ((v - before) / dt > beat->slope) {
        beat->slope = (v - before) / dt;
        beat->slope_time = t + 0.5 * dt;
    }
    if (v > beat->peak) {
        beat->peak = v;
        beat->apd50 = beat->apd90 = NAN;
        return;
    }
    double height = beat->peak - beat->rest;
    if (isnan(beat->apd50))
        beat->apd50 = fall_through(beat->peak - 0.5 * height, t, dt, before, v) - beat->slope_time;
    if (isnan(beat->apd90))
        beat->apd90 = fall_through(beat->peak - 0.9 * height, t, dt, before, v) - beat->slope_time;
}

/* index of the beat that the step from t belongs to, -1 before the first */
static int64_t beat_at(const struct stimulus *stimulus, double t, double dt, int64_t beats)
{
    double since = t - stimulus->start + 1e-9 * dt;
    if (since < 0)
        return -1;
    double number = beats > 1 ? floor(since / stimulus->period) : 0;
    return number < (double)beats ? (int64_t)number : beats - 1;
}

enum status cell_trace(const struct cell_protocol *protocol, FILE *table, struct beat *beat, int64_t beats,
                       struct error *error)
{
    struct cell cell;
    enum status status = cell_new(&cell, protocol, error);
    if (status)
        return status;
    int64_t now = -1;
    for (int64_t k = 0; k < beats; k++)
        beat[k] = (struct beat){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    print_header(table, protocol);
    print_line(table, &cell, 0);
    for (int64_t n = 0; n < protocol->steps && !status; n++) {
        double t = (double)n * protocol->step, before = cell.v;
        int64_t at = beat_at(&protocol->stimulus, t, protocol->step, beats);
        if (at > now)
            beat[now = at] = beat_begin(t, before);
        advance(&cell, n);
        if (now >= 0)
            beat_follow(&beat[now], t, protocol->step, before, cell.v);
        if (!(fabs(cell.v) <= voltage_limit))
            status = error_set(error, STATUS_RUN, "%s: V is %g mV at %g ms; a smaller step may help",
                               protocol->model->name, cell.v, (double)(n + 1) * protocol->step);
        else if ((n + 1) % protocol->every == 0)
            print_line(table, &cell, (double)(n + 1) * protocol->step);
    }
    if (!status && (fflush(table) || ferror(table)))
        status = error_set(error, STATUS_RUN, "the table cannot be written");
    cell_free(&cell);
    return status;
}
