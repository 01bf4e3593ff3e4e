/* cell.c: tp06 cells at 1 Hz against their published CellML texts.
 *
 * The model's step is first order in dt, so each figure of the last beat is extrapolated from two step sizes,
 * 2 fine - coarse; the remaining error is O(dt^2). */
#include "app/verify/cell.h"

#include <math.h>
#include <string.h>

#include "app/verify/tissue.h"

/* Output of `cellml_<model> --print` (tests/kernels/cellml_check.c) */
const struct cell_stored cell_stored[] = {
    {"tp06-epi",
     {-85.4864258, 38.7741941, 0.915425082, 386.900759, 16.3188026, 23.7526611, 278.932428, 307.423162,
      0.000931707281, 0.000104310511, 3.53324919, 8.6569413, 136.861464}},
    {"tp06-endo",
     {-85.9617281, 38.5281105, 0.927528894, 379.076834, 24.2568962, 22.6620302, 270.190958, 298.478005,
      0.00099141021, 0.000107094349, 3.63158988, 10.3555532, 138.420493}},
    {"tp06-m",
     {-85.8446904, 37.3626603, 0.925245468, 379.002738, 14.9861163, 24.4254412, 359.572327, 390.514237,
      0.00140981456, 0.000117537979, 4.22189979, 10.1276158, 138.543459}},
};
const int cell_stored_count = sizeof cell_stored / sizeof *cell_stored;

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
    action_potentials_start(&beat.potentials, 0, -40, (double)NAN);
    return beat;
}

static bool reaches(const struct cell_sample *before, const struct cell_sample *now, double time)
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
    if (reaches(before, now, 10))
        figure[CELL_NOTCH] = now->v;
    if (reaches(before, now, 100))
        figure[CELL_PLATEAU] = now->v;
    figure[CELL_CA_REST] = now->ca_i;
    figure[CELL_CA_SR] = now->ca_sr;
    figure[CELL_NA] = now->na_i;
    figure[CELL_K] = now->k_i;
}

static double named_state(const struct ionic_model *model, const double *state, const char *name)
{
    int k = ionic_find_value(model->state, model->states, name);
    return k < 0 ? NAN : state[k];
}

static enum status sample(struct cell_sample *sample, const struct verify_single *cell, double time,
                          struct error *error)
{
    double state[STATES_MAX];
    const struct ionic_model *model = cell->cells.model;
    enum status status = verify_single_get(cell, &sample->v, state, error);
    sample->time = time;
    sample->ca_i = named_state(model, state, "Ca_i");
    sample->ca_sr = named_state(model, state, "Ca_SR");
    sample->na_i = named_state(model, state, "Na_i");
    sample->k_i = named_state(model, state, "K_i");
    return status;
}

/* figure[] <- the figures of the last beat, with steps of 1 / per_ms ms */
static enum status pace_cell(struct verify *verify, const struct ionic_model *model, const double *parameter,
                             int per_ms, double *figure, struct error *error)
{
    struct verify_single cell;
    enum status status;
    TRY_DONE(verify_single_make(&cell, verify, model, parameter, error));
    for (int beat = 0; beat < CELL_BEATS - 1; beat++)
        for (int t = 0; t < CELL_PERIOD; t++)
            TRY_DONE(verify_single_step(&cell, 1.0 / per_ms, per_ms, t ? 0 : CELL_STIMULUS, error));
    struct cell_sample before, now;
    TRY_DONE(sample(&before, &cell, 0, error));
    struct cell_beat last = cell_beat_begin();
    int substeps;
    for (int n = 0; n < CELL_PERIOD * per_ms; n += substeps) {
        substeps = n < CELL_FINE * per_ms ? 1 : (int)(CELL_SAMPLE * per_ms + 0.5);
        TRY_DONE(verify_single_step(&cell, 1.0 / per_ms, substeps, n < per_ms ? CELL_STIMULUS : 0, error));
        TRY_DONE(sample(&now, &cell, (double)(n + substeps) / per_ms, error));
        cell_beat_follow(&last, &before, &now);
        before = now;
    }
    memcpy(figure, last.figure, sizeof last.figure);
done:
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
    TRY(pace_cell(verify, model, parameter, 50, coarse, error));
    TRY(pace_cell(verify, model, parameter, 100, fine, error));
    verify_case(verify, "%s, beat %d at 1 Hz, extrapolated from dt = 0.02 and 0.01 ms", model->name,
                CELL_BEATS);
    for (int k = 0; k < CELL_FIGURES_ALL; k++) {
        double want = stored->figure[k], within = figure_within[k] * fabs(want);
        verify_interval(verify, figure_what[k], 2 * fine[k] - coarse[k], want - within, want + within);
    }
    return STATUS_OK;
}

enum status verify_cell(struct verify *verify, struct error *error)
{
    for (int k = 0; k < cell_stored_count; k++)
        TRY(model_case(verify, cell_stored + k, error));
    return STATUS_OK;
}
