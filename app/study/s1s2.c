/* s1s2.c: the train goes on from interval to interval; at each the tissue is copied, S2 is followed, and the
 * copy put back. */
#include "app/study/s1s2.h"

#include <math.h>
#include <stdlib.h>

#include "app/run/map_values.h"
#include "app/run/stop.h"
#include "kernels/base/array.h"
#include "solver/heart/velocity.h"

static const double follow_most = 1000, look_every = 10; /* ms */
static const double apart = 1;                           /* ms, less than between two beats of a cell */

/* A tissue on its way, and what is looked at */
struct study {
    const struct config *config;
    const struct problem *problem;
    struct branches *branches;
    struct simulation_copy copy;
    bool excited;                        /* when it was looked at last */
    double *activation, *repolarization; /* [nodes * beats] */
    double *time;                        /* [nodes] of S2's wave */
    double *s1;                          /* [nodes] when S1's last wave comes there; -infinite: before S2 */
};

enum status s1s2_pulses(int64_t *pulses, const struct config *config, struct error *error)
{
    TRY(branch_pulses(pulses, config, error));
    return config->output.probes > 0
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "%s: output.probes is missing: S2 responses are measured at probes", config->path);
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
    struct monodomain *sim = study->branches->setup->sim;
    TRY(branch_is_excited(&study->excited, study->branches, error));
    TRY(monodomain_get(sim, monodomain_find(sim, "activation_time"), study->activation, error));
    return monodomain_get(sim, monodomain_find(sim, "repolarization_90"), study->repolarization, error);
}

/* Whether every probe has repolarised from S2, or no wave will come to it any more */
static bool is_over(const struct study *study, double s2)
{
    const struct config *config = study->config;
    for (int p = 0; p < config->output.probes; p++) {
        int64_t node = study->problem->probe[p].node, b = beat_from(study, node, s2);
        if (b < 0 ? study->excited
                  : isnan(study->repolarization[node * config->physics.activation_beats + b]))
            return false;
    }
    return true;
}

/* study->s1 <- from the tissue as it goes on without S2, where a wave of S1 is still on its way at s2 ms */
static enum status follow_s1(struct study *study, double s2, struct error *error)
{
    int64_t nodes = study->problem->mesh.nodes, beats = study->config->physics.activation_beats;
    TRY(look(study, error));
    for (int64_t i = 0; i < nodes; i++)
        study->s1[i] = -HUGE_VAL;
    if (stop_activated(study->activation, nodes, beats, beats - 1, s2) || !study->excited)
        return STATUS_OK;
    TRY(simulation_copy_take(&study->copy, study->branches->setup, error));
    for (double to = s2 + look_every; study->excited && to < s2 + follow_most; to += look_every) {
        TRY(branch_advance(study->branches, to, error));
        TRY(look(study, error));
    }
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t b = 0; b < beats; b++)
            study->s1[i] = fmax(study->s1[i], study->activation[i * beats + b]);
    return simulation_copy_restore(&study->copy, study->branches->setup, error);
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
    double end = s2 + follow_most;
    enum status status;
    TRY(simulation_copy_take(&study->copy, study->branches->setup, error));
    branch_move(study->branches, 0, s2);
    for (double to = s2 + study->problem->stimulus->duration + look_every;; to += look_every) {
        TRY_DONE(branch_advance(study->branches, fmin(to, end), error));
        TRY_DONE(look(study, error));
        if (to >= end || is_over(study, s2))
            break;
    }
    status = measure(study, interval, s2, row, error);
done:
    branch_move(study->branches, 0, INFINITY);
    return status ? status : simulation_copy_restore(&study->copy, study->branches->setup, error);
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
    study.s1 = array_new(nodes, sizeof *study.s1, what, &status, error);
    study.activation = array_new(beats, sizeof *study.activation, what, &status, error);
    study.repolarization = array_new(beats, sizeof *study.repolarization, what, &status, error);
    if (status)
        goto done;
    TRY_DONE(simulation_copy_create(&study.copy, branches->setup, error));
    for (int64_t k = 0; k < count; k++) {
        double s2 = branch_last(branches) + interval[k];
        TRY_DONE(branch_advance(branches, s2, error));
        if (k == 0)
            TRY_DONE(follow_s1(&study, s2, error));
        TRY_DONE(branch(&study, interval[k], s2, row + k * setup->config.output.probes, error));
    }
done:
    simulation_copy_free(&study.copy);
    free(study.time);
    free(study.s1);
    free(study.activation);
    free(study.repolarization);
    return status;
}
