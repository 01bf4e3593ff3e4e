/* state.c: copy and restore the state of a simulation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/api/handle.h"
#include "kernels/base/array.h"

struct state_call {
    struct cardiac *sim;
    struct cardiac_state **out;
    const struct cardiac_state *in;
};

void cardiac_state_free(struct cardiac_state *state)
{
    if (!state)
        return;
    simulation_copy_free(&state->copy);
    waves_free(&state->waves);
    drive_free(&state->drive);
    free(state->name);
    free(state->width);
    free(state);
}

static enum status name_variables(struct cardiac_state *state, const struct monodomain *tissue,
                                  struct error *error)
{
    const int count = monodomain_variables(tissue), varies = monodomain_varies(tissue);
    enum status status = STATUS_OK;
    state->name = array_new(count + varies, sizeof *state->name, "a tissue's state", &status, error);
    state->width = array_new(count, sizeof *state->width, "a tissue's state", &status, error);
    for (int k = 0; k < count && !status; k++) {
        memcpy(state->name[k], monodomain_variable(tissue, k)->name, sizeof state->name[k]);
        state->width[k] = monodomain_variable(tissue, k)->width;
    }
    for (int k = 0; k < varies && !status; k++)
        handle_name_varied(state->name[count + k], sizeof state->name[count + k], tissue, k);
    return status;
}

static void digest_sites(const struct sites *sites, char hex[SHA256_HEX])
{
    struct sha256 sha;
    sha256_start(&sha);
    sha256_add(&sha, &sites->times, sizeof sites->times);
    sha256_add(&sha, sites->node, (size_t)sites->points * sizeof *sites->node);
    sha256_end(&sha, hex);
}

static enum status fill_state(struct cardiac_state *state, const struct cardiac *sim, struct error *error)
{
    const struct setup *setup = &sim->setup;
    state->nodes = setup->problem.mesh.nodes;
    state->step = setup->config.physics.step;
    state->stimuli = setup->config.stimuli;
    memcpy(state->mesh_sha256, setup->head.mesh_sha256, sizeof state->mesh_sha256);
    memcpy(state->models_sha256, setup->head.models_sha256, sizeof state->models_sha256);
    digest_sites(&setup->sites, state->sites_sha256);
    TRY(name_variables(state, setup->sim, error));
    TRY(simulation_copy_create(&state->copy, setup, error));
    TRY(simulation_copy_take(&state->copy, setup, error));
    TRY(waves_keep(state, sim, error));
    return drive_copy(&state->drive, &sim->drive, state->nodes, error);
}

enum status state_take(struct cardiac_state **state, const struct cardiac *sim, struct error *error)
{
    *state = calloc(1, sizeof **state);
    if (!*state)
        return error_memory(error, "a tissue's state", sizeof **state);
    enum status status = fill_state(*state, sim, error);
    if (status) {
        cardiac_state_free(*state);
        *state = NULL;
    }
    return status;
}

static enum status copy(void *argument, struct error *error)
{
    const struct state_call *call = argument;
    TRY(handle_check_pointer(call->out, "the result", error));
    return state_take(call->out, call->sim, error);
}

int cardiac_copy(struct cardiac *sim, struct cardiac_state **state)
{
    return handle_call(sim, HANDLE_SOUND, copy, &(struct state_call){sim, state, NULL});
}

/* STATUS_INPUT if the state belongs to another tissue */
static enum status check_state(const struct cardiac_state *state, const struct cardiac *sim,
                               struct error *error)
{
    const struct setup *setup = &sim->setup;
    const int count = monodomain_variables(setup->sim);
    char sites[SHA256_HEX];
    digest_sites(&setup->sites, sites);
    if (strcmp(state->mesh_sha256, setup->head.mesh_sha256) != 0)
        return error_set(error, STATUS_INPUT, "the state is one of another mesh");
    if (state->step != setup->config.physics.step)
        return error_set(error, STATUS_INPUT, "the state was copied at time.step %g ms, which is %g ms here",
                         state->step, setup->config.physics.step);
    bool same =
        state->copy.state.variables == count && strcmp(state->models_sha256, setup->head.models_sha256) == 0;
    for (int k = 0; k < count && same; k++)
        same = strcmp(state->name[k], monodomain_variable(setup->sim, k)->name) == 0 &&
               state->width[k] == monodomain_variable(setup->sim, k)->width;
    if (!same)
        return error_set(error, STATUS_INPUT, "the state has other models, maps or numbers of beats");
    for (int k = 0; k < state->copy.state.varies; k++) {
        char name[64] = "";
        if (k < monodomain_varies(setup->sim))
            handle_name_varied(name, sizeof name, setup->sim, k);
        if (state->copy.state.varied[k] && strcmp(name, state->name[count + k]) != 0)
            return error_set(error, STATUS_INPUT,
                             "the state has values of %s at nodes, which is no field of this config",
                             state->name[count + k]);
    }
    if (strcmp(state->sites_sha256, sites) != 0)
        return error_set(error, STATUS_INPUT,
                         "the state has the beats of other probes, or of nodes at other stimuli");
    if ((state->drive.moves > 0 && state->stimuli != setup->config.stimuli) || !waves_fit(state, sim))
        return error_set(error, STATUS_INPUT, "the state has moved pulses, or waves, of other stimuli");
    return STATUS_OK;
}

enum status state_put(struct cardiac *sim, const struct cardiac_state *state, struct error *error)
{
    struct drive drive = {0};
    TRY(drive_copy(&drive, &state->drive, state->nodes, error));
    enum status status = drive_apply(sim, &drive, error);
    drive_free(&drive);
    TRY(status);
    status = simulation_copy_restore(&state->copy, &sim->setup, error);
    if (!status)
        status = waves_restore(sim, state, error);
    sim->failed = status != STATUS_OK;
    return status;
}

static enum status restore(void *argument, struct error *error)
{
    const struct state_call *call = argument;
    TRY(handle_check_pointer(call->in, "the state", error));
    TRY(check_state(call->in, call->sim, error));
    return state_put(call->sim, call->in, error);
}

int cardiac_restore(struct cardiac *sim, const struct cardiac_state *state)
{
    return handle_call(sim, HANDLE_OPEN, restore, &(struct state_call){sim, NULL, state});
}
