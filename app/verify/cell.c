/* cell.c: tp06 cells at 1 Hz against their published CellML texts.
 *
 * The model's step is of first order, so a figure of the last beat is extrapolated from two steps dt, 2 fine
 * - coarse; what is left of its error falls as dt^2. */
#include "app/verify/cell.h"

#include <math.h>
#include <string.h>

#include "app/verify/single.h"
#include "app/verify/verify.h"

enum { PARAMETERS_MAX = 80, STATES_MAX = 64 };

#define CELL_WHAT(name, what, within) what,
#define CELL_WITHIN(name, what, within) within,
static const char *const figure_what[] = {CELL_FIGURES(CELL_WHAT)};
static const double figure_within[] = {CELL_FIGURES(CELL_WITHIN)};

struct cell_beat cell_beat_begin(void)
{
    struct cell_beat beat;
    for (int k = 0; k < CELL_FIGURES_ALL; k++)
        beat.figure[k] = NAN;
    beat.figure[CELL_CA_PEAK] = 0;
    action_potentials_start(&beat.potentials, 0, -40);
    return beat;
}

static bool reached(const struct cell_sample *before, const struct cell_sample *now, double time)
{
    return before->time < time - 1e-6 && now->time > time - 1e-6;
}

void cell_beat_follow(struct cell_beat *beat, const struct cell_sample *before, const struct cell_sample *now)
{
    double *figure = beat->figure;
    double apart = now->time - before->time;
    action_potentials_follow(&beat->potentials, llround(before->time / apart), apart, before->v, now->v);
    const struct action_potential potential = action_potentials_latest(&beat->potentials);
    figure[CELL_REST] = potential.rest;
    figure[CELL_PEAK] = potential.peak;
    figure[CELL_UP] = potential.activation;
    figure[CELL_SLOPE] = potential.slope;
    figure[CELL_APD50] = potential.apd[ACTION_POTENTIAL_50];
    figure[CELL_APD90] = potential.apd[ACTION_POTENTIAL_90];
    figure[CELL_CA_PEAK] = fmax(figure[CELL_CA_PEAK], now->ca_i);
    if (reached(before, now, 10))
        figure[CELL_NOTCH] = now->v;
    if (reached(before, now, 100))
        figure[CELL_PLATEAU] = now->v;
    figure[CELL_CA_REST] = now->ca_i;
    figure[CELL_CA_SR] = now->ca_sr;
    figure[CELL_NA] = now->na_i;
    figure[CELL_K] = now->k_i;
}

static double named(const struct ionic_model *model, const double *state, const char *name)
{
    for (int k = 0; k < model->states; k++)
        if (strcmp(model->state[k].name, name) == 0)
            return state[k];
    return NAN;
}

static enum status take(struct cell_sample *sample, const struct verify_single *cell, double time,
                        struct error *error)
{
    double state[STATES_MAX];
    const struct ionic_model *model = cell->cells.model;
    enum status status = verify_single_get(cell, &sample->v, state, error);
    sample->time = time;
    sample->ca_i = named(model, state, "Ca_i");
    sample->ca_sr = named(model, state, "Ca_SR");
    sample->na_i = named(model, state, "Na_i");
    sample->k_i = named(model, state, "K_i");
    return status;
}

/* figure[] <- those of the last beat in steps of 1 / per_ms */
static enum status pace(struct verify *verify, const struct ionic_model *model, const double *parameter,
                        int per_ms, double *figure, struct error *error)
{
    struct verify_single cell;
    enum status status = verify_single_make(&cell, verify, model, parameter, error);
    for (int beat = 0; beat < CELL_BEATS - 1 && !status; beat++)
        for (int t = 0; t < CELL_PERIOD && !status; t++)
            status = verify_single_step(&cell, 1.0 / per_ms, per_ms, t ? 0 : CELL_STIMULUS, error);
    struct cell_sample before, now;
    AND(take(&before, &cell, 0, error));
    struct cell_beat last = cell_beat_begin();
    int substeps;
    for (int n = 0; n < CELL_PERIOD * per_ms && !status; n += substeps) {
        substeps = n < CELL_FINE * per_ms ? 1 : (int)(CELL_SAMPLE * per_ms + 0.5);
        status = verify_single_step(&cell, 1.0 / per_ms, substeps, n < per_ms ? CELL_STIMULUS : 0, error);
        AND(take(&now, &cell, (double)(n + substeps) / per_ms, error));
        if (!status)
            cell_beat_follow(&last, &before, &now);
        before = now;
    }
    memcpy(figure, last.figure, sizeof last.figure);
    verify_single_free(&cell);
    return status;
}

static enum status model_case(struct verify *verify, const struct cell_stored *stored, struct error *error)
{
    const struct ionic_model *model = ionic_find(stored->model);
    double parameter[PARAMETERS_MAX], coarse[CELL_FIGURES_ALL], fine[CELL_FIGURES_ALL];
    for (int k = 0; k < model->parameters; k++) {
        parameter[k] = model->parameter[k].value;
        if (verify->inject && strcmp(model->parameter[k].name, "g_Ks") == 0)
            parameter[k] *= 1.01;
    }
    enum status status = pace(verify, model, parameter, 50, coarse, error);
    AND(pace(verify, model, parameter, 100, fine, error));
    if (status)
        return status;
    verify_case(verify, "%s, beat %d at 1 Hz, extrapolated from dt = 0.02 and 0.01 ms", model->name,
                CELL_BEATS);
    for (int k = 0; k < CELL_FIGURES_ALL; k++) {
        double want = stored->figure[k], within = figure_within[k] * fabs(want);
        verify_interval(verify, figure_what[k], 2 * fine[k] - coarse[k], want - within, want + within);
    }
    return STATUS_OK;
}

enum status verify_cell(struct verify *verify, const char *name, struct error *error)
{
    enum status status = STATUS_OK;
    (void)name;
    for (int k = 0; k < cell_stored_count && !status; k++)
        status = model_case(verify, cell_stored + k, error);
    return status;
}
