/* s1s2.c: the train goes on from interval to interval; at each the tissue is copied, S2 is followed, and the
 * copy put back. */
#include "app/study/s1s2.h"

#include <math.h>
#include <stdlib.h>

#include "app/run/map_values.h"
#include "kernels/base/array.h"
#include "solver/heart/velocity.h"

static const double follow_most = 1000, look_every = 10; /* ms */

/* A tissue on its way, and what is looked at */
struct study {
    const struct config *config;
    const struct problem *problem;
    struct branches *branches;
    struct simulation_copy copy;
    double *repolarization; /* [nodes * beats] */
    double *time;           /* [nodes] of S2's wave */
};

enum status s1s2_pulses(int64_t *pulses, const struct config *config, struct error *error)
{
    TRY(branch_pulses(pulses, config, error));
    return config->output.probes > 0
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "%s: output.probes is missing: S2 responses are measured at probes", config->path);
}

/* ms of the node's first activation by S2's wave; NaN = none */
static double activation_of(const struct study *study, int64_t node)
{
    const struct waves *waves = &study->branches->forest.waves;
    const int32_t s2 = branch_train(study->branches, 0);
    double first = NAN;
    for (int32_t a = waves->latest[node]; a >= 0; a = waves_before(waves, a, NULL))
        if (waves->wave[waves->activation[a].wave].stimulus == s2)
            first = waves->activation[a].time;
    return first;
}

/* The beat of the node that began then */
static int64_t beat_at(const struct study *study, int64_t node, double time)
{
    const double *at = study->branches->forest.time + node * study->branches->forest.slots;
    int64_t b = 0;
    while (at[b] != time)
        b++;
    return b;
}

static enum status look(struct study *study, struct error *error)
{
    struct monodomain *sim = study->branches->setup->sim;
    TRY(branch_look(study->branches, false, error));
    return monodomain_get(sim, monodomain_find(sim, "repolarization_90"), study->repolarization, error);
}

static double repolarization_of(const struct study *study, int64_t node, int64_t beat)
{
    const int64_t beats = study->config->physics.activation_beats;
    return beat >= 0 && beat < beats ? study->repolarization[node * beats + beat] : (double)NAN;
}

/* *over <- whether the tissue is at rest, and every probe that S2's wave came to has repolarised */
static enum status see_over(bool *over, const struct study *study, struct error *error)
{
    bool excited;
    TRY(branch_is_excited(&excited, study->branches, error));
    *over = !excited;
    for (int p = 0; p < study->config->output.probes && *over; p++) {
        int64_t node = study->problem->probe[p].node;
        double at = activation_of(study, node);
        *over = isnan(at) || !isnan(repolarization_of(study, node, beat_at(study, node, at)));
    }
    return STATUS_OK;
}

/* row[probes] <- of S2 at s2 ms, as it was seen last */
static enum status measure(const struct study *study, double interval, double s2, struct s1s2_row *row,
                           struct error *error)
{
    const struct mesh *mesh = &study->problem->mesh;
    for (int64_t i = 0; i < mesh->nodes; i++)
        study->time[i] = activation_of(study, i);
    for (int p = 0; p < study->config->output.probes; p++) {
        int64_t node = study->problem->probe[p].node;
        double at = study->time[node];
        row[p] = (struct s1s2_row){interval, NAN, NAN, NAN, NAN};
        if (isnan(at))
            continue;
        int64_t b = beat_at(study, node, at);
        row[p].activation = at - s2;
        row[p].rested = at - repolarization_of(study, node, b - 1);
        row[p].apd90 = repolarization_of(study, node, b) - at;
    }
    enum status status = velocity_of_times(mesh, study->time, 1, error);
    for (int p = 0; p < study->config->output.probes && !status; p++)
        row[p].velocity = study->time[study->problem->probe[p].node];
    return status;
}

/* Room for the beat of S2 is left at each node. */
static enum status check_room(const struct study *study, double s2, struct error *error)
{
    const int64_t beats = study->config->physics.activation_beats;
    for (int64_t i = 0; i < study->problem->mesh.nodes; i++)
        if (!isnan(study->branches->forest.time[i * study->branches->forest.slots + beats - 1]))
            return error_set(error, STATUS_RUN,
                             "%s: node %lld is activated more than %lld times before S2 at %.10g ms, the "
                             "number of S1 pulses: something other than S1 activates the tissue",
                             study->config->path, (long long)i, (long long)beats - 1, s2);
    return STATUS_OK;
}

/* One S2, from the tissue as it is at that time */
static enum status branch(struct study *study, double interval, double s2, struct s1s2_row *row,
                          struct error *error)
{
    const double begin = s2 + study->problem->stimulus->duration;
    bool over = false;
    enum status status;
    TRY(look(study, error));
    TRY(check_room(study, s2, error));
    TRY(simulation_copy_take(&study->copy, study->branches->setup, error));
    branch_move(study->branches, 0, s2);
    for (int k = 1; !over && begin + look_every * (k - 1) < s2 + follow_most; k++) {
        TRY_DONE(branch_advance(study->branches, fmin(begin + look_every * k, s2 + follow_most), error));
        TRY_DONE(look(study, error));
        TRY_DONE(see_over(&over, study, error));
    }
    status = measure(study, interval, s2, row, error);
done:
    branch_move(study->branches, 0, INFINITY);
    return status ? status : branch_restore(study->branches, &study->copy, error);
}

enum status s1s2_run(struct s1s2_row *row, const double *interval, int64_t count, struct branches *branches,
                     struct error *error)
{
    static const char what[] = "a restitution";
    const struct setup *setup = branches->setup;
    int64_t nodes = setup->problem.mesh.nodes, beats = nodes * setup->config.physics.activation_beats;
    struct study study = {.config = &setup->config, .problem = &setup->problem, .branches = branches};
    enum status status = STATUS_OK;
    study.time = array_new(nodes, sizeof *study.time, what, &status, error);
    study.repolarization = array_new(beats, sizeof *study.repolarization, what, &status, error);
    if (status)
        goto done;
    TRY_DONE(simulation_copy_create(&study.copy, branches->setup, error));
    for (int64_t k = 0; k < count; k++) {
        double s2 = branch_last(branches) + interval[k];
        TRY_DONE(branch_advance(branches, s2, error));
        TRY_DONE(branch(&study, interval[k], s2, row + k * setup->config.output.probes, error));
    }
done:
    simulation_copy_free(&study.copy);
    free(study.time);
    free(study.repolarization);
    return status;
}
