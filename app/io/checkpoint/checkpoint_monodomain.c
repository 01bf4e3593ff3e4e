/* checkpoint_monodomain.c: writes and reads the variables of a tissue, one at a time. A state covers only the
 * nodes of its model; the model of a node is stored as the CRC-32 of its name, which does not depend on the
 * order of regions in a config. */
#include "app/io/checkpoint/checkpoint_monodomain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/ionic/layout.h"
#include "kernels/ops/rhs.h"
#include "solver/cells/beats.h"
#include "solver/step/snapshot.h"

static const char model_name[] = "model_crc32", before_name[] = "V_before", followed_name[] = "probe_beats";

/* Work space of one variable. */
struct space {
    int64_t nodes;
    int32_t *model; /* [nodes] of the tissue's */
    bool known;     /* model[] is; else the checkpoint's models are used */
    double *value;  /* [nodes * widest] */
};

static void free_space(struct space *space)
{
    free(space->model);
    free(space->value);
    *space = (struct space){0};
}

/* CRC-32 of its name */
static int32_t number_of_model(const struct monodomain *sim, int m)
{
    const char *name = monodomain_model(sim, m)->name;
    return (int32_t)(uint32_t)crc32_z(0, (const void *)name, strlen(name));
}

/* Work space for `nodes` nodes; model[] only for a whole mesh */
static enum status make_space(struct space *space, struct monodomain *sim, int64_t nodes, bool whole,
                              struct error *error)
{
    int64_t widest = 1;
    for (int k = 0; k < monodomain_variables(sim); k++)
        if (monodomain_variable(sim, k)->width > widest)
            widest = monodomain_variable(sim, k)->width;
    enum status status = STATUS_OK;
    space->nodes = nodes;
    space->value = array_new(nodes * widest, sizeof *space->value, "a checkpoint", &status, error);
    if (!status && !whole)
        return status;
    space->model = array_new(nodes, sizeof *space->model, "a checkpoint", &status, error);
    if (status) {
        free_space(space);
        return status;
    }
    space->known = monodomain_model_map(sim, space->model);
    return STATUS_OK;
}

static bool covers_node(const struct space *space, const struct variable *variable, int64_t node)
{
    return variable->model < 0 || space->model[node] == variable->model;
}

static int64_t count_values(const struct space *space, const struct variable *variable)
{
    int64_t nodes = 0;
    for (int64_t i = 0; i < space->nodes; i++)
        nodes += covers_node(space, variable, i);
    return nodes * variable->width;
}

/* A variable on its way to the file: the values of its nodes, in blocks of `each` nodes of the mesh */
struct pack {
    const struct space *space;
    const struct monodomain *sim;
    const struct variable *variable;
    int64_t each;
};

static int64_t block_end(const struct pack *pack, int64_t block)
{
    return (block + 1) * pack->each < pack->space->nodes ? (block + 1) * pack->each : pack->space->nodes;
}

/* For checkpoint_blocks: the values of the covered nodes in the stored type */
static const void *pack_values(const void *context, int64_t block, void *room)
{
    const struct pack *pack = context;
    const struct space *space = pack->space;
    const int64_t width = pack->variable->width;
    double *wide = room;
    float *narrow = room;
    int64_t n = 0;
    for (int64_t i = block * pack->each; i < block_end(pack, block); i++)
        for (int64_t w = 0; w < width && covers_node(space, pack->variable, i); w++, n++) {
            if (pack->variable->single)
                narrow[n] = (float)space->value[i * width + w];
            else
                wide[n] = space->value[i * width + w];
        }
    return room;
}

/* For checkpoint_blocks: CRC-32s of the models' names */
static const void *name_models(const void *context, int64_t block, void *room)
{
    const struct pack *pack = context;
    const int32_t *model = pack->space->model;
    const int64_t first = block * pack->each;
    int32_t *name = room;
    for (int64_t i = first; i < block_end(pack, block); i++)
        name[i - first] = i > first && model[i] == model[i - 1] ? name[i - first - 1]
                                                                : number_of_model(pack->sim, model[i]);
    return room;
}

/* Unpacks doubles to the covered nodes, 0 elsewhere; backwards, so that none is overwritten before it is
 * read. */
static void unpack_values(struct space *space, const struct variable *variable)
{
    int64_t n = count_values(space, variable), width = variable->width;
    for (int64_t i = space->nodes - 1; i >= 0; i--)
        for (int64_t w = width - 1; w >= 0; w--)
            space->value[i * width + w] = covers_node(space, variable, i) ? space->value[--n] : 0;
}

struct checkpoint_state {
    struct monodomain *sim;
    struct snapshot *snapshot; /* of all variables, in their order */
    struct space space;
    double *before;   /* [nodes + 1] */
    double *followed; /* [monodomain_followed_values] */
    bool has_before;
    struct checkpoint *file; /* being saved; NULL = none is, or another rank does */
    struct error failure;    /* of that */
    int64_t step;
    double time;
    int history, level;
    double last, lag; /* ms */
};

enum status checkpoint_state_new(struct checkpoint_state **out, struct monodomain *sim, int64_t nodes,
                                 struct error *error)
{
    static const char what[] = "a checkpoint";
    enum status status = STATUS_OK;
    int count = monodomain_variables(sim);
    struct checkpoint_state *state = array_zeroed(1, sizeof *state, what, &status, error);
    struct snapshot_quantity *quantity = array_zeroed(count, sizeof *quantity, what, &status, error);
    *out = NULL;
    if (status)
        goto done;
    for (int k = 0; k < count; k++)
        quantity[k].variable = k;
    TRY_DONE(make_space(&state->space, sim, monodomain_held(sim), monodomain_held(sim) == nodes, error));
    TRY_DONE(snapshot_create(&state->snapshot, sim, quantity, count, 1, error));
    state->sim = sim;
    state->before = array_new(state->space.nodes + 1, sizeof *state->before, what, &status, error);
    state->followed =
        array_new(monodomain_followed_values(sim), sizeof *state->followed, what, &status, error);
done:
    free(quantity);
    if (status)
        checkpoint_state_free(state);
    else
        *out = state;
    return status;
}

void checkpoint_state_free(struct checkpoint_state *state)
{
    if (!state)
        return;
    checkpoint_close(state->file); /* not committed */
    snapshot_free(state->snapshot);
    free_space(&state->space);
    free(state->before);
    free(state->followed);
    free(state);
}

double checkpoint_state_bytes(double nodes, const struct monodomain_params *params)
{
    double states = 0;
    for (int r = 0; r < params->regions; r++) {
        const struct ionic_model *model = params->region[r].model;
        double bytes = 0;
        for (int s = 0; s < model->states; s++)
            bytes += ionic_layout(model, params->ionic_mixed, s).fp32 ? 4 : 8;
        states = bytes > states ? bytes : states;
    }
    return nodes * (8 * (1 + RHS_HISTORY + (double)beats_values(params)) + states);
}

double checkpoint_state_space(double nodes, const struct monodomain_params *params)
{
    return nodes * (4 + 8 * (double)params->activation_beats + 8);
}

enum status checkpoint_state_take(struct checkpoint_state *state, const double *before, struct error *error)
{
    state->step = monodomain_step(state->sim);
    state->time = monodomain_time(state->sim);
    state->history = monodomain_history(state->sim);
    state->level = monodomain_level(state->sim);
    state->last = monodomain_before(state->sim);
    state->lag = monodomain_lag(state->sim);
    state->has_before = before;
    if (before)
        memcpy(state->before, before, (size_t)(state->space.nodes + 1) * sizeof *before);
    TRY(monodomain_followed(state->sim, state->followed, error));
    return snapshot_take(state->snapshot, 0, error);
}

enum status checkpoint_state_arrive(struct checkpoint_state *state, struct error *error)
{
    return snapshot_arrive(state->snapshot, 0, error);
}

const double *checkpoint_state_value(struct checkpoint_state *state, int k)
{
    snapshot_read(state->snapshot, 0, k, state->space.value);
    snapshot_collect(state->snapshot, monodomain_variable(state->sim, k)->width, state->space.value);
    return state->space.value;
}

double checkpoint_state_time(const struct checkpoint_state *state)
{
    return state->time;
}

enum { LEAST_BLOCKS = 16, MOST_NODES = 8192 }; /* for that many threads; of a block */

/* Array k <- the values that make() makes of the nodes that pack->variable covers, NULL = of all */
static enum status fill_packed(struct checkpoint *checkpoint, int k, struct pack *pack,
                               const void *(*make)(const void *context, int64_t block, void *room),
                               struct error *error)
{
    const int64_t nodes = pack->space->nodes, most = (nodes + LEAST_BLOCKS - 1) / LEAST_BLOCKS;
    pack->each = most < 1 ? 1 : most < MOST_NODES ? most : MOST_NODES;
    const int64_t blocks = (nodes + pack->each - 1) / pack->each;
    enum status status = STATUS_OK;
    int64_t *first = array_zeroed(blocks + 1, sizeof *first, "a checkpoint", &status, error);
    TRY(status);
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t i = b * pack->each; i < block_end(pack, b); i++)
            first[b + 1] += !pack->variable                               ? 1
                            : covers_node(pack->space, pack->variable, i) ? pack->variable->width
                                                                          : 0;
    for (int64_t b = 0; b < blocks; b++)
        first[b + 1] += first[b];
    const struct checkpoint_blocks all = {blocks, first, make, pack};
    status = checkpoint_fill(checkpoint, k, &all, error);
    free(first);
    return status;
}

/* A make() for values that are stored unchanged: context is the array */
static const void *take_values(const void *context, int64_t block, void *room)
{
    (void)block, (void)room;
    return context;
}
static enum status fill_values(struct checkpoint *checkpoint, int k, const double *value, struct error *error)
{
    const int64_t first[2] = {0, checkpoint_array(checkpoint, k)->count};
    const struct checkpoint_blocks one = {1, first, take_values, value};
    return checkpoint_fill(checkpoint, k, &one, error);
}

/* The arrays in their order: the models of the nodes, the variables, the records at points, V at the last test of
 * stop_when */
static enum status reserve_arrays(const struct checkpoint_state *state, struct checkpoint *checkpoint,
                                  struct error *error)
{
    const struct space *space = &state->space;
    const int64_t followed = monodomain_followed_values(state->sim);
    TRY(checkpoint_reserve(checkpoint, model_name, CHECKPOINT_INT32, space->nodes, error));
    for (int k = 0; k < monodomain_variables(state->sim); k++) {
        const struct variable *variable = monodomain_variable(state->sim, k);
        TRY(checkpoint_reserve(checkpoint, variable->name,
                               variable->single ? CHECKPOINT_FLOAT : CHECKPOINT_DOUBLE,
                               count_values(space, variable), error));
    }
    if (followed > 0)
        TRY(checkpoint_reserve(checkpoint, followed_name, CHECKPOINT_DOUBLE, followed, error));
    if (state->has_before)
        TRY(checkpoint_reserve(checkpoint, before_name, CHECKPOINT_DOUBLE, space->nodes + 1, error));
    return STATUS_OK;
}

enum status checkpoint_state_begin(struct checkpoint_state *state, const char *directory,
                                   struct checkpoint_head *head, struct error *error)
{
    head->step = state->step;
    head->time = state->time;
    head->history = state->history;
    head->level = state->level;
    head->before = state->last;
    head->lag = state->lag;
    state->failure = (struct error){0};
    if (!directory)
        return STATUS_OK;
    enum status status = checkpoint_create(&state->file, directory, head, &state->failure);
    if (!status)
        status = reserve_arrays(state, state->file, &state->failure);
    state->failure.status = status;
    if (status && error)
        *error = state->failure;
    return status;
}

/* The arrays of nodes; all ranks exchange, whatever failed. */
static enum status fill_variables(struct checkpoint_state *state, struct error *error)
{
    struct pack models = {.space = &state->space, .sim = state->sim};
    enum status status = state->failure.status;
    if (state->file && !status)
        status = fill_packed(state->file, 0, &models, name_models, error);
    for (int k = 0; k < monodomain_variables(state->sim); k++) {
        struct pack values = {.space = &state->space, .variable = monodomain_variable(state->sim, k)};
        checkpoint_state_value(state, k);
        if (state->file && !status)
            status = fill_packed(state->file, k + 1, &values, pack_values, error);
    }
    return status;
}

static enum status fill_all(struct checkpoint_state *state, struct error *error)
{
    TRY(fill_variables(state, error));
    if (!state->file)
        return STATUS_OK;
    int k = checkpoint_find(state->file, followed_name);
    if (k >= 0)
        TRY(fill_values(state->file, k, state->followed, error));
    k = checkpoint_find(state->file, before_name);
    if (k >= 0)
        TRY(fill_values(state->file, k, state->before, error));
    return checkpoint_filled(state->file, error);
}

void checkpoint_state_fill(struct checkpoint_state *state)
{
    state->failure.status = fill_all(state, &state->failure);
}

enum status checkpoint_state_commit(struct checkpoint_state *state, int keep, struct error *error)
{
    enum status status = state->failure.status;
    if (status && error)
        *error = state->failure;
    if (state->file && !status)
        status = checkpoint_commit(state->file, keep, error);
    checkpoint_close(state->file);
    state->file = NULL;
    return status;
}

enum status checkpoint_before(struct checkpoint *checkpoint, int64_t nodes, double *before,
                              struct error *error)
{
    int k = checkpoint_find(checkpoint, before_name);
    for (int64_t i = 0; i <= nodes; i++)
        before[i] = NAN;
    return k >= 0 && checkpoint_array(checkpoint, k)->count == nodes + 1
               ? checkpoint_get_double(checkpoint, k, before, error)
               : STATUS_OK;
}

/* model[] <- the checkpoint's models; rank 0, which knows the nodes' models, compares them. */
static enum status map_models(struct space *space, const struct monodomain *sim, const int32_t *then,
                              struct checkpoint *checkpoint, struct error *error)
{
    const int models = monodomain_models(sim);
    for (int64_t i = 0; i < space->nodes; i++) {
        int m = i > 0 && then[i] == then[i - 1] ? space->model[i - 1] : 0;
        while (m < models && number_of_model(sim, m) != then[i])
            m++;
        if (m == models)
            return error_set(error, STATUS_INPUT, "%s: node %lld has another ionic model in the checkpoint",
                             checkpoint_path(checkpoint), (long long)i);
        space->model[i] = m;
    }
    return STATUS_OK;
}

/* STATUS_INPUT unless every node has the model that it had */
static enum status same_models(struct space *space, const struct monodomain *sim,
                               struct checkpoint *checkpoint, struct error *error)
{
    int k = checkpoint_find(checkpoint, model_name);
    const struct checkpoint_array *array = k < 0 ? NULL : checkpoint_array(checkpoint, k);
    if (!array || array->type != CHECKPOINT_INT32 || array->count != space->nodes)
        return error_set(error, STATUS_INPUT, "%s: its mesh does not have %lld nodes",
                         checkpoint_path(checkpoint), (long long)space->nodes);
    TRY(checkpoint_get(checkpoint, k, space->value, error));
    const int32_t *then = (const void *)space->value;
    if (!space->known)
        return map_models(space, sim, then, checkpoint, error);
    for (int64_t i = 0; i < space->nodes; i++)
        if (then[i] != number_of_model(sim, space->model[i]))
            return error_set(error, STATUS_INPUT, "%s: node %lld has another ionic model in the checkpoint",
                             checkpoint_path(checkpoint), (long long)i);
    return STATUS_OK;
}

/* A resumed run restores all variables; a run that starts, V and the states. */
static bool is_restored(const struct variable *variable, int k, bool whole)
{
    return whole || k == 0 || variable->model >= 0;
}

/* STATUS_INPUT, listing them, if variables to be restored are missing or have another number of values */
static enum status find_all(struct monodomain *sim, const struct space *space, struct checkpoint *checkpoint,
                            bool whole, struct error *error)
{
    char missing[512] = "";
    for (int k = 0; k < monodomain_variables(sim); k++) {
        const struct variable *variable = monodomain_variable(sim, k);
        if (!is_restored(variable, k, whole))
            continue;
        int from = checkpoint_find(checkpoint, variable->name);
        if (from >= 0 && checkpoint_array(checkpoint, from)->count == count_values(space, variable))
            continue;
        printed_item(missing, sizeof missing, "%s", variable->name);
    }
    if (missing[0])
        return error_set(error, STATUS_INPUT, "%s: the checkpoint has no %s", checkpoint_path(checkpoint),
                         missing);
    return STATUS_OK;
}

static enum status set_all(struct monodomain *sim, struct space *space, struct checkpoint *checkpoint,
                           bool whole, struct error *error)
{
    TRY(same_models(space, sim, checkpoint, error));
    TRY(find_all(sim, space, checkpoint, whole, error));
    for (int k = 0; k < monodomain_variables(sim); k++) {
        const struct variable *variable = monodomain_variable(sim, k);
        if (!is_restored(variable, k, whole))
            continue;
        int from = checkpoint_find(checkpoint, variable->name);
        TRY(checkpoint_get_double(checkpoint, from, space->value, error));
        unpack_values(space, variable);
        TRY(monodomain_set(sim, k, space->value, error));
    }
    return STATUS_OK;
}

/* Restores the records at points, if the tissue has any. */
static enum status set_followed(struct monodomain *sim, struct checkpoint *checkpoint, struct error *error)
{
    int64_t values = monodomain_followed_values(sim);
    int k = checkpoint_find(checkpoint, followed_name);
    enum status status = STATUS_OK;
    if (values == 0)
        return STATUS_OK;
    if (k < 0)
        return error_set(error, STATUS_INPUT,
                         "%s: written without output.probes; resume refused (initial.file: starts a run of "
                         "its own from there)",
                         checkpoint_path(checkpoint));
    if (checkpoint_array(checkpoint, k)->count != values)
        return error_set(error, STATUS_INPUT,
                         "%s: written with another number of output.probes; resume "
                         "refused (initial.file: starts a run of its own from there)",
                         checkpoint_path(checkpoint));
    double *value = array_new(values, sizeof *value, "the probes", &status, error);
    if (!value)
        return status;
    TRY_DONE(checkpoint_get_double(checkpoint, k, value, error));
    TRY_DONE(monodomain_set_followed(sim, value, error));
done:
    free(value);
    return status;
}

static enum status restore_variables(struct monodomain *sim, int64_t nodes, struct checkpoint *checkpoint,
                                     bool whole, struct error *error)
{
    struct space space;
    TRY(make_space(&space, sim, nodes, true, error));
    enum status status = set_all(sim, &space, checkpoint, whole, error);
    free_space(&space);
    TRY(status);
    if (whole)
        TRY(set_followed(sim, checkpoint, error));
    const struct checkpoint_head *head = checkpoint_head(checkpoint);
    TRY(monodomain_restart(sim, whole ? head->step : 0, whole ? head->history : 0, error));
    monodomain_set_level(sim, whole ? head->level : 0);
    if (!whole)
        return monodomain_settle(sim, head->lag, error);
    monodomain_set_before(sim, head->before);
    return STATUS_OK;
}

enum status checkpoint_restore(struct monodomain *sim, int64_t nodes, struct checkpoint *checkpoint,
                               struct error *error)
{
    return restore_variables(sim, nodes, checkpoint, true, error);
}

enum status checkpoint_start_from(struct monodomain *sim, int64_t nodes, struct checkpoint *checkpoint,
                                  const char *mesh_sha256, struct error *error)
{
    if (strcmp(checkpoint_head(checkpoint)->mesh_sha256, mesh_sha256))
        return error_set(error, STATUS_INPUT,
                         "%s: the checkpoint belongs to another mesh; it cannot be the initial state",
                         checkpoint_path(checkpoint));
    return restore_variables(sim, nodes, checkpoint, false, error);
}
