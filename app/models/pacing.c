/* pacing.c: stimuli by their exact overlap with each step, counted from the start of each beat, and cached states after
 * a number of beats. */
#include "app/models/pacing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/cache.h"
#include "app/util/watch.h"
#include "kernels/base/array.h"
#include "kernels/base/cancel.h"
#include "solver/cells/stimulus.h"

static const double voltage_limit = 1e4; /* mV, of |V| */

static const double most_steps = 0x1p60; /* stands for never */

enum status pacing_usual(struct pacing *pacing, const struct user_model *user, const double *parameter,
                         struct error *error)
{
    const struct cell *cell = user ? &user->cell : NULL;
    enum status status = STATUS_OK;
    *pacing =
        (struct pacing){.stimulus = {.current = 52, .start = 10, .duration = 1, .period = 1000, .count = 1}};
    if (!cell || cell->events == 0 || cell->stimulus == 0)
        return STATUS_OK;
    double *value =
        array_zeroed(cell->stimulus + 1 + cell->states, sizeof *value, "a model's stimulus", &status, error);
    if (status)
        return status;
    double *state = value + cell->stimulus + 1;
    for (int k = 0; k < cell->states; k++)
        state[k] = cell->state[k].initial;
    const struct expression_values at = {.v = cell->v_initial, .state = state, .parameter = parameter};
    expression_evaluate(&cell->graph, &at, cell->stimulus + 1, value);
    const struct cell_event *event = &cell->event[0];
    double current = event->level * value[cell->stimulus];
    free(value);
    pacing->stimulus = (struct stimulus){.current = current,
                                         .start = event->start,
                                         .duration = event->duration,
                                         .period = event->period > 0 ? event->period : 1000,
                                         .count = 1};
    return STATUS_OK;
}

void pacing_note(char *text, size_t room, const struct pacing *pacing, const struct user_model *user)
{
    const struct cell *cell = user ? &user->cell : NULL;
    const struct stimulus *stimulus = &pacing->stimulus;
    text[0] = 0;
    if (!cell || cell->events == 0)
        return;
    if (cell->stimulus == 0)
        snprintf(text, room,
                 "the text has a protocol and no stimulus current; it is paced with %g uA/uF for %g ms",
                 stimulus->current, stimulus->duration);
    else if (cell->events > 1)
        snprintf(text, room, "of the %d events of the text's protocol only the first is applied",
                 cell->events);
    else if (stimulus->current == 0)
        snprintf(text, room, "the text's own stimulus is 0 uA/uF: it excites nothing");
}

void pacing_set_period(struct pacing *pacing)
{
    double count = pacing->stimulus.period / pacing->step, whole = nearbyint(count);
    pacing->period = whole >= 1 && whole <= most_steps && fabs(count - whole) <= 1e-6 ? (int64_t)whole : 0;
}

int64_t pacing_beat(const struct pacing *pacing, int64_t n)
{
    const struct stimulus *stimulus = &pacing->stimulus;
    int64_t since = n - (int64_t)fmin(ceil(stimulus->start / pacing->step - 1e-6), most_steps);
    if (since < 0)
        return -1;
    if (pacing->period)
        return since / pacing->period;
    return stimulus->count == 1 ? 0 : (int64_t)floor((double)since * pacing->step / stimulus->period + 1e-9);
}

double pacing_current(const struct pacing *pacing, int64_t n)
{
    struct stimulus left = pacing->stimulus;
    int64_t beat = pacing->period ? pacing_beat(pacing, n) : 0;
    if (beat >= left.count)
        beat = left.count - 1;
    if (beat > 0) {
        n -= beat * pacing->period;
        left.count -= beat;
    }
    return left.current * stimulus_overlap(&left, (double)n * pacing->step, (double)(n + 1) * pacing->step);
}

enum status pacing_step(const struct pacing *pacing, struct single_cell *cell, int64_t n, struct error *error)
{
    single_cell_step(cell, pacing_current(pacing, n));
    if (fabs(cell->v) <= voltage_limit)
        return STATUS_OK;
    return error_set(error, STATUS_RUN, "%s: V is %g mV at %g ms; a smaller step may help",
                     cell->cells.model->name, cell->v, (double)(n + 1) * pacing->step);
}

/* hex <- the digest of everything that determines the cell's steps from its own initial state. The scales of V and time
 * are part of the formulas. */
static void digest_cell(char hex[SHA256_HEX], const struct pacing_cell *cell, const double *parameter)
{
    const double numbers[] = {cell->way.mixed, cell->way.tables, cell->way.staggered, cell->step,
                              cell->model->v_initial};
    const char *texts[] = {cell->model->name, cell->user ? cell->user->sha256 : "",
                           cell->user ? cell->user->compiled.formulas : ""};
    struct sha256 sha;
    sha256_start(&sha);
    for (int k = 0; k < 3; k++)
        sha256_add(&sha, texts[k], strlen(texts[k]) + 1);
    sha256_add(&sha, parameter, (size_t)cell->model->parameters * sizeof *parameter);
    sha256_add(&sha, numbers, sizeof numbers);
    sha256_end(&sha, hex);
}

/* entry <- the cache name of a result of pacing the cell; false if it cannot be cached */
static bool name_entry(char entry[CACHE_NAME], const char *kind, const struct pacing_cell *cell,
                       const double *parameter, const struct pacing *pacing)
{
    const struct stimulus *s = &pacing->stimulus;
    const double numbers[] = {(double)s->count, s->period, s->current, s->start, s->duration};
    char program[SHA256_HEX], of[SHA256_HEX];
    const bool good = cache_program(program);
    digest_cell(of, cell, parameter);
    const struct cache_input input[] = {CACHE_TEXT(program), CACHE_TEXT(of), {numbers, sizeof numbers}};
    cache_name(entry, kind, input, sizeof input / sizeof *input);
    return good;
}

/* value[count][values] <- after step[k] steps of the last beat, ascending */
static enum status pace(double *value, const int64_t *step, int64_t count, const struct pacing_cell *cell,
                        const double *parameter, const struct pacing *pacing, struct error *error)
{
    struct single_cell one;
    int64_t n = 0, beat = -1;
    enum status status = single_cell_new(&one, cell->model, parameter, cell->way, pacing->step, error);
    for (; !status && pacing_beat(pacing, n) < pacing->stimulus.count - 1; n++) {
        if (pacing_beat(pacing, n) > beat)
            watch_now("pacing a cell of %s: beat %lld of %lld", cell->model->name, (long long)++beat + 1,
                      (long long)pacing->stimulus.count);
        status = cancel_requested() ? cancel_check(error) : pacing_step(pacing, &one, n, error);
    }
    for (int64_t k = 0, since = 0; k < count && !status; k++) {
        for (; since < step[k] && !status; since++)
            status = pacing_step(pacing, &one, n + since, error);
        single_cell_get(&one, value + k * single_cell_values(cell->model));
    }
    single_cell_free(&one);
    return status;
}

/* *pacing <- the default train with this number of beats and period */
static enum status make_pacing(struct pacing *pacing, const struct pacing_cell *cell, const double *parameter,
                               int64_t beats, double period, struct error *error)
{
    enum status status = pacing_usual(pacing, cell->user, parameter, error);
    pacing->step = cell->step;
    pacing->stimulus.count = beats;
    pacing->stimulus.period = period;
    pacing_set_period(pacing);
    if (!status && pacing->period == 0)
        status =
            error_set(error, STATUS_INPUT,
                      "period: %g ms is not a multiple of the cell's step (%g ms); the nearest is %.12g ms",
                      period, cell->step, fmax(1, nearbyint(period / cell->step)) * cell->step);
    if (!status && period < pacing->stimulus.duration)
        status = error_set(error, STATUS_INPUT, "period: %g ms is shorter than the stimulus (%g ms)", period,
                           pacing->stimulus.duration);
    if (!status && (double)beats * period / cell->step > PACING_STEPS_MOST)
        status = error_set(
            error, STATUS_INPUT,
            "pace: %lld beats are more than %g steps of %g ms; compute them once with `cardiac cell --save`",
            (long long)beats, (double)PACING_STEPS_MOST, cell->step);
    return status;
}

/* *parameter <- [model->parameters] the cell's values; the caller frees them */
static enum status read_parameters(double **parameter, const struct pacing_cell *cell, struct error *error)
{
    const struct ionic_model *model = cell->model;
    enum status status = STATUS_OK;
    *parameter = array_zeroed(model->parameters, sizeof **parameter, "a model's parameters", &status, error);
    for (int k = 0; k < model->parameters && !status; k++)
        (*parameter)[k] = cell->parameter ? cell->parameter[k] : model->parameter[k].value;
    return status;
}

void pacing_cell_note(char *text, size_t room, const struct pacing_cell *cell)
{
    struct error error = {0};
    struct pacing pacing;
    double *parameter;
    text[0] = 0;
    if (!read_parameters(&parameter, cell, &error) && !pacing_usual(&pacing, cell->user, parameter, &error))
        pacing_note(text, room, &pacing, cell->user);
    free(parameter);
}

enum status pacing_beat_states(double *value, const int64_t *step, int64_t count,
                               const struct pacing_cell *cell, int64_t beats, double period,
                               struct error *error)
{
    struct pacing pacing;
    double *parameter;
    enum status status;
    TRY_DONE(read_parameters(&parameter, cell, error));
    TRY_DONE(make_pacing(&pacing, cell, parameter, beats, period, error));
    status = pace(value, step, count, cell, parameter, &pacing, error);
done:
    free(parameter);
    return status;
}

enum status pacing_states(double *value, const struct pacing_cell *cell, int64_t beats, double period,
                          struct error *error)
{
    const struct ionic_model *model = cell->model;
    struct cache cache = {.folder = -1};
    struct pacing pacing;
    char entry[CACHE_NAME];
    enum status status;
    size_t size, bytes = (size_t)single_cell_values(model) * sizeof *value;
    void *stored = NULL;
    double *parameter;
    TRY_DONE(read_parameters(&parameter, cell, error));
    TRY_DONE(make_pacing(&pacing, cell, parameter, beats, period, error));
    TRY_DONE(cache_open(&cache, error));
    const bool named = name_entry(entry, "states", cell, parameter, &pacing);
    stored = named ? cache_read(&cache, entry, &size) : NULL;
    if (stored && size == bytes) {
        memcpy(value, stored, bytes);
    } else {
        TRY_DONE(pace(value, &pacing.period, 1, cell, parameter, &pacing, error));
        if (named)
            TRY_DONE(cache_write(&cache, entry, value, bytes, error));
    }
done:
    cache_close(&cache);
    free(stored);
    free(parameter);
    return status;
}

/* *peak <- the highest V of a beat evoked by the default stimulus of a built-in model; the resting V if the stimulus
 * alone would raise V as high (the cell's own current is not inward). NAN if V diverges. */
static void find_peak(double *peak, struct single_cell *one, const struct pacing *pacing, double share,
                      struct error *error)
{
    const struct stimulus *stimulus = &pacing->stimulus;
    const double rest = one->v, over = stimulus->start + stimulus->duration, end = over + stimulus->period;
    *peak = rest;
    for (int64_t n = 0; (double)n * one->step < end; n++) {
        if (pacing_step(pacing, one, n, error)) {
            *peak = NAN;
            return;
        }
        *peak = fmax(*peak, one->v);
        if ((double)n * one->step > over && one->v < rest + share * (*peak - rest))
            break; /* V will not rise further */
    }
    if (!(*peak - rest > stimulus->current * stimulus->duration))
        *peak = rest;
}

enum status pacing_alone(double rise[2], const struct pacing_cell *cell, const double *initial,
                         const double threshold[2], double until, struct error *error)
{
    struct single_cell one = {0};
    double *parameter;
    int rises = 0;
    enum status status;
    rise[0] = rise[1] = HUGE_VAL;
    TRY_DONE(read_parameters(&parameter, cell, error));
    TRY_DONE(single_cell_new(&one, cell->model, parameter, cell->way, cell->step, error));
    if (initial)
        single_cell_set(&one, initial);
    bool armed = one.v < threshold[1];
    for (int64_t n = 1; rises < 2 && (double)n * cell->step <= until && isfinite(one.v); n++) {
        single_cell_step(&one, 0);
        if (armed && one.v >= threshold[0])
            rise[rises++] = (double)n * cell->step;
        armed = one.v < threshold[1] || (armed && one.v < threshold[0]);
    }
done:
    single_cell_free(&one);
    free(parameter);
    return status;
}

static enum status find_threshold(double *threshold, const struct pacing_cell *cell, const double *parameter,
                                  const struct pacing *pacing, struct error *error)
{
    const double share = 0.4, round = 5;
    struct single_cell one = {0};
    enum status status = STATUS_OK;
    double *value = array_new(single_cell_values(cell->model), sizeof *value, "a cell", &status, error), peak;
    *threshold = 0;
    TRY_DONE(status);
    TRY_DONE(single_cell_new(&one, cell->model, parameter, cell->way, pacing->step, error));
    single_cell_rest(value, cell->model);
    single_cell_set(&one, value);
    find_peak(&peak, &one, pacing, share, error);
    if (!(peak <= value[0]))
        *threshold = floor((value[0] + share * (peak - value[0])) / round) * round;
done:
    single_cell_free(&one);
    free(value);
    return status;
}

enum status pacing_threshold(double *threshold, const struct pacing_cell *cell, struct error *error)
{
    struct cache cache = {.folder = -1};
    struct error unused;
    struct pacing pacing;
    char entry[CACHE_NAME];
    enum status status;
    size_t size;
    void *stored = NULL;
    double *parameter;
    TRY_DONE(read_parameters(&parameter, cell, error));
    TRY_DONE(pacing_usual(&pacing, NULL, NULL, error));
    pacing.step = fmin(fmax(cell->step, 0.001), 0.02);
    const bool named = name_entry(entry, "rise", cell, parameter, &pacing) && !cache_open(&cache, &unused);
    stored = named ? cache_read(&cache, entry, &size) : NULL;
    if (stored && size == sizeof *threshold) {
        memcpy(threshold, stored, size);
    } else {
        TRY_DONE(find_threshold(threshold, cell, parameter, &pacing, error));
        if (named && !isnan(*threshold))
            (void)cache_write(&cache, entry, threshold, sizeof *threshold, &unused); /* else found again */
    }
done:
    cache_close(&cache);
    free(stored);
    free(parameter);
    return status;
}
