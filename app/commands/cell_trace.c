/* cell_trace.c: stepping one cell, its table and its action potentials. */
#include "app/commands/cell_trace.h"

#include <math.h>
#include <stdlib.h>

#include "app/commands/cell_steady.h"
#include "kernels/base/array.h"

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

static void print_line(FILE *table, const struct cell_protocol *protocol, const struct single_cell *cell,
                       int64_t n)
{
    fprintf(table, "%.12g,%.12g", (double)n * cell->step, cell->v);
    for (int k = 0; k < protocol->columns; k++) {
        const struct cell_column *column = &protocol->column[k];
        fprintf(table, ",%.12g",
                column->current ? single_cell_current(cell, column->index)
                                : single_cell_value(cell, 1 + column->index));
    }
    fputc('\n', table);
}

struct action_potentials cell_potentials(const struct cell_protocol *protocol)
{
    struct action_potentials potentials;
    action_potentials_start(&potentials, protocol->threshold,
                            params_rearm(protocol->threshold, protocol->model->v_initial));
    return potentials;
}

enum status cell_begin(struct single_cell *cell, const struct cell_protocol *protocol, struct error *error)
{
    enum status status = single_cell_new(cell, protocol->model, protocol->parameter, protocol->way,
                                         protocol->pacing.step, error);
    if (!status)
        single_cell_set(cell, protocol->initial);
    return status;
}

enum status cell_outcome_new(struct cell_outcome *outcome, const struct cell_protocol *protocol,
                             struct error *error)
{
    int64_t beats = protocol->pacing.stimulus.count;
    enum status status = STATUS_OK;
    *outcome = (struct cell_outcome){.change = NAN, .watch.potentials = cell_potentials(protocol)};
    outcome->beat = array_zeroed(beats, sizeof *outcome->beat, "the beats", &status, error);
    outcome->value = array_zeroed(single_cell_values(protocol->model), sizeof *outcome->value,
                                  "the cell's state", &status, error);
    for (int64_t k = 0; k < beats && !status; k++)
        outcome->beat[k].start = outcome->beat[k].potential.activation = NAN;
    return status;
}

void cell_outcome_free(struct cell_outcome *outcome)
{
    free(outcome->beat);
    free(outcome->value);
}

/* So many beats have ended; whether the cell is steady */
static bool end_beat(const struct cell_protocol *protocol, struct cell_outcome *outcome,
                     struct steady *steady, const struct single_cell *cell, int64_t beats)
{
    outcome->beats = beats;
    if (!(protocol->steady > 0))
        return false;
    steady_begin(steady, cell);
    outcome->change = steady->change;
    outcome->changing = steady->changing;
    return steady->change < protocol->steady;
}

/* The step number n, measured as part of a beat if one has begun */
static enum status step(const struct cell_protocol *protocol, struct single_cell *cell,
                        struct beat_watch *watch, struct beat *beat, int64_t n, struct error *error)
{
    double before = cell->v;
    enum status status = pacing_step(&protocol->pacing, cell, n, error);
    beat_follow(watch, beat, cell, n, before, beat ? pacing_current(&protocol->pacing, n) : 0);
    return status;
}

enum status cell_trace(const struct cell_protocol *protocol, FILE *table, struct cell_outcome *outcome,
                       struct error *error)
{
    const int64_t count = protocol->pacing.stimulus.count;
    struct single_cell cell;
    struct steady steady = {0};
    int64_t now = -1;
    enum status status = cell_begin(&cell, protocol, error);
    AND(steady_new(&steady, &cell, error));
    if (table && !status) {
        print_header(table, protocol);
        print_line(table, protocol, &cell, 0);
    }
    for (int64_t n = 0; !status; n++) {
        int64_t at = pacing_beat(&protocol->pacing, n);
        bool begins = at > now && at <= count;
        outcome->time = (double)n * cell.step;
        if (begins && end_beat(protocol, outcome, &steady, &cell, now = at))
            break;
        if (n == protocol->steps)
            break;
        if (begins && now < count)
            outcome->beat[now] = beat_begin(outcome->time, &cell);
        struct beat *beat = now < 0 ? NULL : &outcome->beat[now < count ? now : count - 1];
        status = step(protocol, &cell, &outcome->watch, beat, n, error);
        if (protocol->steady > 0)
            steady_follow(&steady, &cell);
        if (table && !status && (n + 1) % protocol->every == 0)
            print_line(table, protocol, &cell, n + 1);
    }
    if (table && !status && (fflush(table) || ferror(table)))
        status = error_set(error, STATUS_RUN, "the table cannot be written");
    if (!status)
        single_cell_get(&cell, outcome->value);
    steady_free(&steady);
    single_cell_free(&cell);
    return status;
}
