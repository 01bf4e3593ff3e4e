/* branch.c: extra stimuli after S1, and copies of the tissue from which they go on. */
#include "app/study/branch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem/protocol.h"
#include "kernels/base/array.h"
#include "solver/cells/stimulus.h"

enum { PULSES_MOST = 999 };
static const double rounding = 1e-6; /* steps: 84.8 / 0.1 is less than 848 */

enum status branch_pulses(int64_t *pulses, const struct config *config, struct error *error)
{
    *pulses = 0;
    if (config->stimuli == 0)
        return error_set(error, STATUS_INPUT, "%s: stimuli is missing: the first stimulus is S1",
                         config->path);
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

/* The config's S1 <- with `extra` single pulses after it, so that a problem has them */
static enum status append_extra(struct config *config, int extra, struct error *error)
{
    struct config_stimulus *s1 = config->stimulus;
    int before = protocol_trains(s1);
    const struct config_phase alone = {s1->count, s1->period, NAN, NAN};
    struct config_phase *phase = arena_take(&config->memory, (size_t)(before + extra), sizeof *phase);
    if (!phase)
        return error_memory(error, "a protocol", 1);
    memcpy(phase, s1->phases ? s1->phase : &alone, (size_t)before * sizeof *phase);
    for (int k = 0; k < extra; k++)
        phase[before + k] = (struct config_phase){1, NAN, NAN, 1};
    s1->phase = phase;
    s1->phases = before + extra;
    s1->count = 1;
    s1->period = NAN;
    return STATUS_OK;
}

enum status branch_open(struct branches *branches, struct setup *setup, int extra, struct error *error)
{
    enum status status = STATUS_OK;
    *branches = (struct branches){.setup = setup, .extra = extra};
    TRY(append_extra(&setup->config, extra, error));
    setup->config.ecg.electrodes = 0;
    setup->records = 1;
    TRY(setup_tissue(setup, error));
    branches->v = array_new(setup->problem.mesh.nodes, sizeof *branches->v, "V", &status, error);
    TRY(status);
    TRY(forest_create(&branches->forest, setup, true, error));
    bool excitable = false;
    for (int64_t i = 0; i < setup->problem.mesh.nodes; i++)
        excitable |= branches->forest.excitable[i];
    if (!excitable) /* passive cells alone follow every pulse */
        branches->forest.waves.excitable = NULL;
    for (int k = 0; k < extra; k++)
        branch_move(branches, k, INFINITY);
    return simulation_start(setup, error);
}

void branch_free(struct branches *branches)
{
    free(branches->v);
    forest_free(&branches->forest);
    *branches = (struct branches){0};
}

int branch_train(const struct branches *branches, int k)
{
    return protocol_trains(branches->setup->config.stimulus) - branches->extra + k;
}

double branch_last(const struct branches *branches)
{
    const struct stimulus *s1 = branches->setup->problem.stimulus + branch_train(branches, -1);
    return stimulus_start(s1, s1->count - 1);
}

void branch_move(struct branches *branches, int k, double start)
{
    int train = branch_train(branches, k);
    branches->setup->problem.stimulus[train].start = start;
    monodomain_move_stimulus(branches->setup->sim, train, start);
}

/* With longer steps a run stops at whole blocks alone: so does a branch. */
enum status branch_advance(struct branches *branches, double time, struct error *error)
{
    const struct monodomain_params *physics = &branches->setup->config.physics;
    int64_t to = (int64_t)floor(time / physics->step + rounding);
    return simulation_advance(branches->setup, to >> physics->doublings << physics->doublings, error);
}

enum status branch_is_excited(bool *excited, struct branches *branches, struct error *error)
{
    const struct setup *setup = branches->setup;
    *excited = false;
    TRY(monodomain_voltage(setup->sim, branches->v, error));
    for (int64_t i = 0; i < setup->problem.mesh.nodes; i++)
        *excited |= setup->node_region[i] < setup->config.tissue.regions &&
                    branches->v[i] > setup->problem.level[setup->node_region[i]][1];
    return STATUS_OK;
}

/* Of each node the last beat is left in the record. */
static enum status empty_record(struct branches *branches, struct error *error)
{
    struct forest *forest = &branches->forest;
    for (int64_t i = 0; i < forest->waves.nodes; i++) {
        double *time = forest->time + i * forest->slots, *over = forest->over + i * forest->slots;
        int64_t last = forest->slots - 1;
        while (last > 0 && isnan(time[last]))
            last--;
        time[0] = time[last];
        over[0] = over[last];
        for (int64_t b = 1; b < forest->slots; b++)
            time[b] = over[b] = NAN;
    }
    return forest_write(forest, branches->setup, error);
}

enum status branch_look(struct branches *branches, bool empty, struct error *error)
{
    struct forest *forest = &branches->forest;
    bool full = false;
    TRY(forest_read(forest, branches->setup, error));
    TRY(forest_grow(forest, branches->setup, error));
    for (int64_t i = 0; i < forest->waves.nodes; i++)
        full |= !isnan(forest->time[(i + 1) * forest->slots - 1]);
    return full && empty ? empty_record(branches, error) : STATUS_OK;
}

enum status branch_restore(struct branches *branches, const struct simulation_copy *copy, struct error *error)
{
    TRY(simulation_copy_restore(copy, branches->setup, error));
    waves_cut(&branches->forest.waves, monodomain_time(branches->setup->sim));
    return STATUS_OK;
}
