/* s1s2.c: the train goes on from interval to interval; at each the tissue is copied, S2 is followed, and the
 * copy put back. */
#include "app/run/s1s2.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/run/map_values.h"
#include "app/problem/protocol.h"
#include "app/run/stop.h"
#include "kernels/base/array.h"
#include "solver/heart/velocity.h"
#include "solver/cells/stimulus.h"

enum { PULSES_MOST = 999 };
static const double follow_most = 1000, look_every = 10; /* ms */
static const double apart = 1;                           /* ms, less than between two beats of a cell */

/* A tissue on its way, and what is looked at */
struct study {
    const struct config *config;
    const struct problem *problem;
    struct monodomain *sim;
    struct state_copy copy;
    double *v;                           /* [nodes] */
    double *activation, *repolarization; /* [nodes * beats] */
    double *time;                        /* [nodes] of S2's wave */
    double *s1;                          /* [nodes] when S1's last wave comes there; -infinite: before S2 */
    int s2;                              /* its train among the problem's */
};

enum status s1s2_pulses(int64_t *pulses, const struct config *config, struct error *error)
{
    *pulses = 0;
    if (config->stimuli == 0 || config->output.probes == 0)
        return error_set(error, STATUS_INPUT, "%s: %s", config->path,
                         config->stimuli ? "output.probes is missing: S2 responses are measured at probes"
                                         : "stimuli is missing: the first stimulus is S1");
    const struct config_stimulus *s1 = config->stimulus;
    const struct config_phase alone = {.count = s1->count}, *phase = s1->phases ? s1->phase : &alone;
    for (int k = 0; k < protocol_trains(s1); k++) {
        if (phase[k].count == 0 || phase[k].count > PULSES_MOST)
            return error_set(error, STATUS_INPUT, "%s: S1, stimulus %s, comes %s", config->path, s1->name,
                             phase[k].count ? "more than 999 times" : "for ever");
        *pulses += phase[k].count;
    }
    return *pulses <= PULSES_MOST
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: S1, stimulus %s, comes more than %d times", config->path,
                           s1->name, PULSES_MOST);
}

enum status s1s2_append(struct config *config, struct error *error)
{
    struct config_stimulus *s1 = config->stimulus;
    int before = protocol_trains(s1);
    const struct config_phase alone = {s1->count, s1->period, NAN, NAN};
    struct config_phase *phase = arena_take(&config->memory, (size_t)before + 1, sizeof *phase);
    if (!phase)
        return error_memory(error, "a protocol", 1);
    memcpy(phase, s1->phases ? s1->phase : &alone, (size_t)before * sizeof *phase);
    phase[before] = (struct config_phase){1, NAN, NAN, 1};
    s1->phase = phase;
    s1->phases = before + 1;
    s1->count = 1;
    s1->period = NAN;
    return STATUS_OK;
}

/* The beat that began at or after S2, and behind all of S1's; -1 = none */
static int64_t beat_from(const struct study *study, int64_t node, double s2)
{
    int64_t beats = study->config->physics.activation_beats;
    const double *at = study->activation + node * beats;
    for (int64_t b = 0; b < beats; b++)
        if (at[b] >= s2 && at[b] > study->s1[node] + apart)
            return b;
    return -1;
}

static enum status look(struct study *study, struct error *error)
{
    struct monodomain *sim = study->sim;
    TRY(monodomain_voltage(sim, study->v, error));
    TRY(monodomain_get(sim, map_values_variable(sim, "activation_time"), study->activation, error));
    return monodomain_get(sim, map_values_variable(sim, "repolarization_90"), study->repolarization, error);
}

/* Whether a wave may still be on its way */
static bool is_excited(const struct study *study)
{
    bool above = false;
    for (int64_t i = 0; i < study->problem->mesh.nodes; i++)
        above = above || study->v[i] > study->config->physics.activation_threshold;
    return above;
}

/* Whether every probe has repolarised from S2, or no wave will come to it any more */
static bool is_over(const struct study *study, double s2)
{
    const struct config *config = study->config;
    bool above = is_excited(study);
    for (int p = 0; p < config->output.probes; p++) {
        int64_t node = study->problem->probe[p].node, b = beat_from(study, node, s2);
        if (b < 0 ? above : isnan(study->repolarization[node * config->physics.activation_beats + b]))
            return false;
    }
    return true;
}

static enum status advance_to(struct study *study, double time, struct error *error)
{
    int64_t to = (int64_t)floor(time / study->config->physics.step), now = monodomain_step(study->sim);
    return to > now ? monodomain_advance(study->sim, to - now, error) : STATUS_OK;
}

/* study->s1 <- from the tissue as it goes on without S2, where a wave of S1 is still on its way at s2 ms */
static enum status follow_s1(struct study *study, double s2, struct error *error)
{
    int64_t nodes = study->problem->mesh.nodes, beats = study->config->physics.activation_beats;
    TRY(look(study, error));
    for (int64_t i = 0; i < nodes; i++)
        study->s1[i] = -HUGE_VAL;
    if (stop_activated(study->activation, nodes, beats, beats - 1, s2) || !is_excited(study))
        return STATUS_OK;
    TRY(state_copy_take(&study->copy, study->sim, error));
    for (double to = s2 + look_every; is_excited(study) && to < s2 + follow_most; to += look_every) {
        TRY(advance_to(study, to, error));
        TRY(look(study, error));
    }
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t b = 0; b < beats; b++)
            study->s1[i] = fmax(study->s1[i], study->activation[i * beats + b]);
    return state_copy_restore(&study->copy, study->sim, error);
}

/* row[probes] <- of S2 at s2 ms, as it was seen last */
static enum status measure(const struct study *study, double interval, double s2, struct s1s2_row *row,
                           struct error *error)
{
    const struct mesh *mesh = &study->problem->mesh;
    int64_t beats = study->config->physics.activation_beats;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        int64_t b = beat_from(study, i, s2);
        if (b < 0 && !isnan(study->activation[(i + 1) * beats - 1]))
            return error_set(error, STATUS_RUN,
                             "%s: node %lld is activated more than %lld times before S2 at %.10g ms, the "
                             "number of S1 pulses: something other than S1 activates the tissue",
                             study->config->path, (long long)i, (long long)beats - 1, s2);
        study->time[i] = b < 0 ? NAN : study->activation[i * beats + b];
    }
    for (int p = 0; p < study->config->output.probes; p++) {
        int64_t node = study->problem->probe[p].node, b = beat_from(study, node, s2);
        const double *from = study->activation + node * beats, *to = study->repolarization + node * beats;
        row[p] = (struct s1s2_row){interval, NAN, NAN, NAN, NAN};
        if (b < 0)
            continue;
        row[p].activation = from[b] - s2;
        row[p].rested = b > 0 ? from[b] - to[b - 1] : (double)NAN;
        row[p].apd90 = to[b] - from[b];
    }
    enum status status = velocity_of_times(mesh, study->time, 1, error);
    for (int p = 0; p < study->config->output.probes && !status; p++)
        row[p].velocity = study->time[study->problem->probe[p].node];
    return status;
}

/* One S2, from the tissue as it is at that time */
static enum status branch(struct study *study, double interval, double s2, struct s1s2_row *row,
                          struct error *error)
{
    const struct stimulus *pulse = study->problem->stimulus + study->s2;
    double end = s2 + follow_most;
    enum status status;
    TRY(state_copy_take(&study->copy, study->sim, error));
    monodomain_move_stimulus(study->sim, study->s2, s2);
    for (double to = s2 + pulse->duration + look_every;; to += look_every) {
        TRY_DONE(advance_to(study, fmin(to, end), error));
        TRY_DONE(look(study, error));
        if (to >= end || is_over(study, s2))
            break;
    }
    status = measure(study, interval, s2, row, error);
done:
    monodomain_move_stimulus(study->sim, study->s2, INFINITY);
    return status ? status : state_copy_restore(&study->copy, study->sim, error);
}

enum status s1s2_run(struct s1s2_row *row, const double *interval, int64_t count, const struct config *config,
                     const struct problem *problem, struct monodomain *sim, struct error *error)
{
    static const char what[] = "a restitution";
    int64_t nodes = problem->mesh.nodes, beats = nodes * config->physics.activation_beats;
    struct study study = {.config = config, .problem = problem, .sim = sim};
    enum status status = STATUS_OK;
    study.s2 = protocol_trains(config->stimulus) - 1;
    study.v = array_new(nodes, sizeof *study.v, what, &status, error);
    study.time = array_new(nodes, sizeof *study.time, what, &status, error);
    study.s1 = array_new(nodes, sizeof *study.s1, what, &status, error);
    study.activation = array_new(beats, sizeof *study.activation, what, &status, error);
    study.repolarization = array_new(beats, sizeof *study.repolarization, what, &status, error);
    if (status)
        goto done;
    TRY_DONE(state_copy_create(&study.copy, sim, nodes, error));
    const struct stimulus *s1 = problem->stimulus + study.s2 - 1;
    double last = stimulus_start(s1, s1->count - 1);
    monodomain_move_stimulus(sim, study.s2, INFINITY);
    for (int64_t k = 0; k < count; k++) {
        double s2 = last + interval[k];
        TRY_DONE(advance_to(&study, s2, error));
        if (k == 0)
            TRY_DONE(follow_s1(&study, s2, error));
        TRY_DONE(branch(&study, interval[k], s2, row + k * config->output.probes, error));
    }
done:
    state_copy_free(&study.copy);
    free(study.v);
    free(study.time);
    free(study.s1);
    free(study.activation);
    free(study.repolarization);
    return status;
}
