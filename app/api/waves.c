/* waves.c: the causes of activations so far: the forest of a simulation, updated from call to call. */
#include "app/api/handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/results.h"
#include "app/util/json.h"
#include "solver/cells/stimulus.h"
#include "solver/heart/velocity.h"

/* Frees the forest; the next update starts from the tissue's record. */
static void forget(struct cardiac *sim)
{
    forest_free(&sim->run.forest);
    sim->run.grows = false;
}

/* ---- pulses: numbered within a stimulus of the config, as in cardiac_move ---- */

/* The number of a train's first pulse */
static int64_t first_pulse(const struct problem *problem, int train)
{
    int64_t first = 0;
    while (--train >= 0 && problem->stimulus_from[train] == problem->stimulus_from[train + 1])
        first += problem->stimulus[train].count;
    return first;
}

/* *train, *pulse <- pulse `number` of a stimulus; false: it has no such pulse */
static bool find_pulse(int32_t *train, int64_t *pulse, const struct problem *problem, int stimulus,
                       int64_t number)
{
    *pulse = number;
    for (*train = 0; *train < problem->stimuli; ++*train) {
        const int64_t count = problem->stimulus[*train].count;
        if (problem->stimulus_from[*train] != stimulus)
            continue;
        if (*pulse >= 0 && (*pulse < count || count == 0))
            return true;
        *pulse -= count;
    }
    return false;
}

/* Replaces trains in owner[] by the config's stimuli and their pulse numbers. */
static void name_pulses(struct waves *waves, const struct problem *problem)
{
    for (int64_t k = 0; k < waves->owners; k++) {
        struct waves_owner *owner = &waves->owner[k];
        owner->pulse += first_pulse(problem, owner->stimulus);
        owner->stimulus = problem->stimulus_from[owner->stimulus];
    }
}

/* The reverse, with the problem's current trains, which must have all these pulses */
static enum status find_pulses(struct waves *waves, const struct problem *problem, struct error *error)
{
    for (int64_t k = 0; k < waves->owners; k++) {
        struct waves_owner *owner = &waves->owner[k];
        const int64_t number = owner->pulse;
        find_pulse(&owner->stimulus, &owner->pulse, problem, owner->stimulus, number);
    }
    return waves_set_stimuli(waves, problem->stimulus, problem->stimuli, error);
}

void waves_leave_drive(struct cardiac *sim)
{
    if (sim->run.grows)
        name_pulses(&sim->run.forest.waves, &sim->setup.problem);
}

enum status waves_follow_drive(struct cardiac *sim, struct error *error)
{
    if (!sim->run.grows)
        return STATUS_OK;
    enum status status = find_pulses(&sim->run.forest.waves, &sim->setup.problem, error);
    if (status)
        forget(sim);
    return status;
}

/* ---- the forest ---- */

/* Empties the tissue's record, except the beats of the maps and each node's last activation. */
static enum status empty_record(struct cardiac *sim, struct error *error)
{
    struct forest *forest = &sim->run.forest;
    const int64_t kept = sim->setup.config.physics.activation_beats, slots = forest->slots;
    for (int64_t i = 0; i < forest->waves.nodes; i++) {
        double *time = forest->time + i * slots, *over = forest->over + i * slots;
        int64_t last = slots - 1;
        while (last > kept && isnan(time[last]))
            last--;
        time[kept] = time[last];
        over[kept] = over[last];
        for (int64_t b = kept + 1; b < slots; b++)
            time[b] = over[b] = NAN;
    }
    return forest_write(forest, &sim->setup, error);
}

static enum status begin(struct cardiac *sim, struct error *error)
{
    forget(sim);
    struct forest *forest = &sim->run.forest;
    TRY(forest_create(forest, &sim->setup, true, error));
    if (!memchr(forest->excitable, 1,
                (size_t)forest->waves.nodes)) /* if all cells are passive, all count as excitable */
        forest->waves.excitable = NULL;
    sim->run.grows = true;
    return STATUS_OK;
}

/* Adds all activations up to now to the forest. After the first call the tissue's record needs room only for
 * the activations between two calls. Errors: STATUS_RUN. */
static enum status update_waves(struct cardiac *sim, struct error *error)
{
    struct forest *forest = &sim->run.forest;
    bool full = false;
    if (!sim->run.grows)
        TRY(begin(sim, error));
    if (forest->waves.until == monodomain_time(sim->setup.sim))
        return STATUS_OK;
    TRY(forest_read(forest, &sim->setup, error));
    TRY(forest_grow(forest, &sim->setup, error));
    for (int64_t i = 0; i < forest->waves.nodes; i++)
        full |= !isnan(forest->time[(i + 1) * forest->slots - 1]);
    return full ? empty_record(sim, error) : STATUS_OK;
}

/* ---- states ---- */

enum status waves_keep(struct cardiac_state *state, const struct cardiac *sim, struct error *error)
{
    if (!sim->run.grows)
        return STATUS_OK;
    TRY(waves_copy(&state->waves, &sim->run.forest.waves, error));
    name_pulses(&state->waves, &sim->setup.problem);
    state->grows = true;
    return STATUS_OK;
}

bool waves_fit(const struct cardiac_state *state, const struct cardiac *sim)
{
    bool fit = true;
    for (int64_t k = 0; k < state->waves.owners && fit; k++) {
        const struct waves_owner *owner = &state->waves.owner[k];
        int32_t train;
        int64_t pulse;
        fit = find_pulse(&train, &pulse, &sim->setup.problem, owner->stimulus, owner->pulse);
    }
    return fit;
}

enum status waves_restore(struct cardiac *sim, const struct cardiac_state *state, struct error *error)
{
    if (!state->grows)
        forget(sim);
    else if (!sim->run.grows)
        TRY(begin(sim, error));
    if (!state->grows)
        return STATUS_OK;
    enum status status = waves_copy(&sim->run.forest.waves, &state->waves, error);
    if (!status)
        status = find_pulses(&sim->run.forest.waves, &sim->setup.problem, error);
    if (status)
        forget(sim);
    return status;
}

/* ---- fields ---- */

bool waves_find_field(struct waves_field *field, const struct cardiac *sim, const char *name)
{
    static const struct {
        const char *name;
        enum waves_kind kind;
    } kinds[] = {{"wave/", WAVES_TIME},
                 {"velocity/", WAVES_VELOCITY},
                 {"stimulus/", WAVES_STIMULUS},
                 {"last_activation", WAVES_LAST},
                 {"last_cycle", WAVES_CYCLE}};
    const struct config *config = &sim->setup.config;
    size_t k = 0;
    while (k < sizeof kinds / sizeof *kinds && strncmp(name, kinds[k].name, strlen(kinds[k].name)) != 0)
        k++;
    if (k == sizeof kinds / sizeof *kinds)
        return false;
    *field = (struct waves_field){.kind = kinds[k].kind};
    name += strlen(kinds[k].name);
    if (field->kind >= WAVES_LAST)
        return !*name;
    const bool pulsed = field->kind != WAVES_STIMULUS;
    const char *slash = pulsed ? strrchr(name, '/') : name + strlen(name);
    char rest = 0;
    long long pulse = 0;
    if (!slash || (pulsed && sscanf(slash, "/%lld%c", &pulse, &rest) != 1))
        return false;
    for (int s = 0; s < config->stimuli; s++) {
        const char *own = config->stimulus[s].name;
        if (strlen(own) == (size_t)(slash - name) && memcmp(own, name, strlen(own)) == 0)
            return find_pulse(&field->train, &field->pulse, &sim->setup.problem, s, pulse);
    }
    return false;
}

/* The first activation of node i by the wave of a pulse, ms; NaN = none */
static double first_time(const struct waves *waves, int64_t i, const struct waves_field *field)
{
    double first = NAN;
    for (int32_t a = waves->latest[i]; a >= 0; a = waves_before(waves, a, NULL))
        if (waves_owns(waves, field->train, field->pulse, (int32_t)waves->activation[a].wave))
            first = waves->activation[a].time;
    return first;
}

static double last_time(const struct waves *waves, int64_t i, bool cycle)
{
    const int32_t a = waves->latest[i], before = a < 0 ? -1 : waves_before(waves, a, NULL);
    if (a < 0 || (cycle && before < 0))
        return NAN;
    return waves->activation[a].time - (cycle ? waves->activation[before].time : 0);
}

enum status waves_read_field(double *value, struct cardiac *sim, const struct waves_field *field,
                             struct error *error)
{
    const struct problem *problem = &sim->setup.problem;
    const struct waves *waves = &sim->run.forest.waves;
    if (field->kind == WAVES_STIMULUS) {
        const struct stimulus *stimulus = &problem->stimulus[field->train];
        memset(value, 0, (size_t)problem->mesh.nodes * sizeof *value);
        for (int64_t k = 0; k < stimulus->nodes; k++)
            value[stimulus->node[k]] = stimulus_weight(stimulus, k);
        return STATUS_OK;
    }
    TRY(update_waves(sim, error));
    for (int64_t i = 0; i < waves->nodes; i++)
        value[i] = field->kind >= WAVES_LAST ? last_time(waves, i, field->kind == WAVES_CYCLE)
                                             : first_time(waves, i, field);
    if (field->kind != WAVES_VELOCITY)
        return STATUS_OK;
    TRY(velocity_of_times(&problem->mesh, value, 1, error));
    const struct stimulus *stimulus = &problem->stimulus[field->train];
    for (int64_t k = 0; k < stimulus->nodes; k++) /* activated by the pulse, not by a front */
        value[stimulus->node[k]] = NAN;
    return STATUS_OK;
}

/* ---- as JSON ---- */

/* *excited <- whether V is above activation.rearm anywhere, so that a front may still run or begin */
static enum status see_excited(bool *excited, struct cardiac *sim, struct error *error)
{
    const struct setup *setup = &sim->setup;
    double *v = sim->run.forest.scratch; /* has at least as many values */
    *excited = false;
    TRY(monodomain_voltage(setup->sim, v, error));
    for (int64_t i = 0; i < setup->problem.mesh.nodes; i++)
        *excited |= setup->node_region[i] < setup->config.tissue.regions &&
                    v[i] > setup->problem.thresholds[setup->node_region[i]][1];
    return STATUS_OK;
}

static void put_wave(struct json *json, const struct cardiac *sim, const struct wave *wave)
{
    const struct waves *waves = &sim->run.forest.waves;
    const struct problem *problem = &sim->setup.problem;
    const struct waves_owner *owner = wave->owner < 0 ? NULL : &waves->owner[wave->owner];
    const int from = owner ? problem->stimulus_from[owner->stimulus] : 0;
    const int64_t begin = waves->activation[wave->returned >= 0 ? wave->returned : wave->first].node;
    json_open(json, NULL, '{');
    json_text(json, "stimulus", owner ? sim->setup.config.stimulus[from].name : NULL);
    json_integer(json, "pulse", owner ? first_pulse(problem, owner->stimulus) + owner->pulse : -1);
    json_number(json, "start", wave->start);
    json_number(json, "last", waves->activation[wave->last].time);
    json_integer(json, "activations", wave->activations);
    json_integer(json, "again", wave->again);
    json_number(json, "last_again", wave->again > 0 ? waves->activation[wave->latest].time : (double)NAN);
    json_open(json, "place", '[');
    for (int c = 0; c < 3; c++)
        json_number(json, NULL, problem->mesh.point[3 * begin + c]);
    json_close(json);
    json_close(json);
}

/* Writes how a pulse ended; "open" if it counts as captured only because its wave is still running and may yet fade */
static void put_end(struct json *json, const struct waves *waves, int32_t s, int64_t k)
{
    struct waves_response response;
    waves_response(&response, waves, s, k);
    json_text(json, NULL, response.open ? "open" : results_end_word(response.end));
}

/* Writes a stimulus: the starts of its pulses (null = never), how they have ended so far, and its end. The lists are
 * empty if it repeats without end. */
static void put_stimulus(struct json *json, const struct cardiac *sim, int from)
{
    const struct problem *problem = &sim->setup.problem;
    double end = 0;
    json_open(json, NULL, '{');
    json_text(json, "name", sim->setup.config.stimulus[from].name);
    json_open(json, "pulses", '[');
    for (int s = 0; s < problem->stimuli; s++)
        if (problem->stimulus_from[s] == from) {
            const struct stimulus *train = &problem->stimulus[s];
            for (int64_t k = 0; k < train->count; k++)
                json_number(json, NULL, stimulus_start(train, k));
            end = fmax(end, stimulus_end(train));
        }
    json_close(json);
    json_open(json, "ends", '[');
    for (int s = 0; s < problem->stimuli; s++)
        for (int64_t k = 0; problem->stimulus_from[s] == from && k < problem->stimulus[s].count; k++)
            put_end(json, &sim->run.forest.waves, s, k);
    json_close(json);
    json_number(json, "end", end);
    json_close(json);
}

static enum status print_waves(FILE *file, struct cardiac *sim, struct error *error)
{
    static const char *const failures[] = {
        [FAILURE_VOLTAGE] = "voltage", [FAILURE_SWEEPS] = "sweeps", [FAILURE_DEVICE] = "device"};
    const struct waves *waves = &sim->run.forest.waves;
    bool excited;
    TRY(update_waves(sim, error));
    TRY(see_excited(&excited, sim, error));
    struct json json = json_line(file);
    json_open(&json, NULL, '{');
    json_text(&json, "failure", sim->failed ? failures[monodomain_failure(sim->setup.sim)->kind] : NULL);
    json_flag(&json, "excited", excited);
    json_integer(&json, "activations", waves->activations);
    json_number(&json, "last",
                waves->activations > 0 ? waves->activation[waves->activations - 1].time : (double)NAN);
    json_open(&json, "stimuli", '[');
    for (int s = 0; s < sim->setup.config.stimuli; s++)
        put_stimulus(&json, sim, s);
    json_close(&json);
    json_open(&json, "waves", '[');
    for (int64_t w = 0; w < waves->waves; w++)
        put_wave(&json, sim, &waves->wave[w]);
    json_close(&json);
    json_close(&json);
    return STATUS_OK;
}

int cardiac_waves(struct cardiac *sim, char **json)
{
    return handle_json(sim, json, print_waves);
}
