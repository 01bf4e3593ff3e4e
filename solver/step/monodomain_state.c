/* monodomain_state.c: access to the state of a tissue: its arrays between packed and mesh order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/step/monodomain_internal.h"

#include "kernels/base/array.h"
#include "solver/ranks/subdomain.h"

/* The first variables of every run: V; in staggered steps V before the last step and, if a long step may
 * follow, that V plus the change by the cells; the changes of the last steps; the beats. Ionic states
 * follow. */
enum { VARIABLE_V, VARIABLE_BEFORE, VARIABLE_ADDED };

static int first_change(const struct monodomain *sim)
{
    const struct scheme *scheme = &sim->report.scheme;
    return !scheme->staggered ? VARIABLE_BEFORE : scheme->holds ? VARIABLE_ADDED + 1 : VARIABLE_ADDED;
}

static int first_map(const struct monodomain *sim)
{
    return first_change(sim) + sim->vectors.depth;
}

static int first_state(const struct monodomain *sim)
{
    return first_map(sim) + sim->beats.maps;
}

/* The map of beats that is variable k; NULL = another variable */
static const struct beats_map *map_of(const struct monodomain *sim, int k)
{
    return k >= first_map(sim) && k < first_state(sim) ? &sim->beats.map[k - first_map(sim)] : NULL;
}

enum status monodomain_list_variables(struct monodomain *sim, struct error *error)
{
    int count = first_state(sim);
    for (int m = 0; m < sim->tissue.models; m++)
        count += sim->tissue.model[m]->states;
    enum status status = STATUS_OK;
    sim->variable = array_zeroed(count, sizeof *sim->variable, "the list of variables", &status, error);
    TRY(status);
    for (int k = 0; k < first_state(sim); k++) {
        struct variable *variable = &sim->variable[sim->variables++];
        const struct beats_map *map = map_of(sim, k);
        if (k == VARIABLE_V)
            snprintf(variable->name, sizeof variable->name, "V");
        else if (map)
            snprintf(variable->name, sizeof variable->name, "%s", map->name);
        else if (k < first_change(sim))
            snprintf(variable->name, sizeof variable->name,
                     k == VARIABLE_BEFORE ? "V_of_last_step" : "V_added");
        else
            snprintf(variable->name, sizeof variable->name, "correction_%d", k - first_change(sim) + 1);
        variable->model = -1;
        variable->width = map ? map->width : 1;
        variable->single = map && map->size == 1;
    }
    for (int m = 0; m < sim->tissue.models; m++) {
        const struct ionic_model *model = sim->tissue.model[m];
        for (int s = 0; s < model->states; s++) {
            struct variable *variable = &sim->variable[sim->variables++];
            snprintf(variable->name, sizeof variable->name, "%s/%s", model->name, model->state[s].name);
            variable->model = m;
            variable->single = ionic_layout(model, sim->params.ionic_mixed, s).fp32;
            variable->width = 1;
        }
    }
    return STATUS_OK;
}

int monodomain_variables(const struct monodomain *sim)
{
    return sim->variables;
}

const struct variable *monodomain_variable(const struct monodomain *sim, int k)
{
    return &sim->variable[k];
}

int monodomain_find(const struct monodomain *sim, const char *name)
{
    for (int k = 0; k < sim->variables; k++)
        if (strcmp(sim->variable[k].name, name) == 0)
            return k;
    return -1;
}

/* The number of variable k among its model's states */
static int state_number(const struct monodomain *sim, int k)
{
    int first = k;
    while (first > first_state(sim) && sim->variable[first - 1].model == sim->variable[k].model)
        first--;
    return k - first;
}

struct state_array monodomain_array(const struct monodomain *sim, int k, int span)
{
    const struct beats_map *map = map_of(sim, k);
    if (map)
        return (struct state_array){map->array, map->size, sim->layout.rows, NULL};
    if (sim->variable[k].model < 0)
        return (struct state_array){k == VARIABLE_V          ? sim->vectors.v
                                    : k >= first_change(sim) ? sim->vectors.history[k - first_change(sim)]
                                    : k == VARIABLE_BEFORE   ? rotation_before(&sim->vectors)
                                                             : sim->vectors.field,
                                    sizeof(double), sim->layout.rows, NULL};
    const struct tissue_span *own = &sim->tissue.span[span];
    const struct ionic_cells *cells = &own->cells;
    struct ionic_layout layout = ionic_layout(cells->model, cells->mixed, state_number(sim, k));
    const int64_t at = layout.row * cells->stride + own->runs.first;
    void *device = layout.fp32 ? (void *)(cells->state32 + at) : (void *)(cells->state64 + at);
    return (struct state_array){device, layout.fp32 ? sizeof(float) : sizeof(double), cells->cells, own->row};
}

double monodomain_element(const void *array, size_t size, int64_t i)
{
    return size == sizeof(double)  ? ((const double *)array)[i]
           : size == sizeof(float) ? (double)((const float *)array)[i]
                                   : ((const uint8_t *)array)[i];
}

static void set_element(void *array, size_t size, int64_t i, double value)
{
    if (size == sizeof(double))
        ((double *)array)[i] = value;
    else if (size == sizeof(float))
        ((float *)array)[i] = (float)value;
    else
        ((uint8_t *)array)[i] = (uint8_t)value;
}

/* Index of a packed row in the values: of the whole mesh when they are set, else of this rank; -1 = none */
static int64_t position_of_row(const struct monodomain *sim, int64_t row, bool set)
{
    int32_t node = sim->layout.node[row];
    return !set || node < 0 ? sim->local[row] : partition_number(&sim->partition, node);
}

/* Copies a column of the variable's array to or from value[][width], through the staging array */
static enum status move_column(struct monodomain *sim, struct state_array array, int64_t column,
                               int64_t width, double *value, bool set, struct error *error)
{
    size_t bytes = (size_t)array.count * array.size;
    void *device = (char *)array.device + (size_t)column * bytes;
    TRY(device_download(sim->queue, sim->staging, device, bytes, error));
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < array.count; c++) {
        int64_t node = position_of_row(sim, array.index ? array.index[c] : c, set);
        if (node >= 0 && set)
            set_element(sim->staging, array.size, c, value[node * width + column]);
        else if (node >= 0)
            value[node * width + column] = monodomain_element(sim->staging, array.size, c);
    }
    return set ? device_upload(sim->queue, device, sim->staging, bytes, error) : STATUS_OK;
}

static enum status move_variable(struct monodomain *sim, int k, double *value, bool set, struct error *error)
{
    const struct variable *variable = &sim->variable[k];
    for (int64_t column = 0; column < variable->width && variable->model < 0; column++)
        TRY(move_column(sim, monodomain_array(sim, k, 0), column, variable->width, value, set, error));
    for (int p = 0; p < sim->tissue.spans; p++)
        if (sim->tissue.span[p].model == variable->model)
            TRY(move_column(sim, monodomain_array(sim, k, p), 0, 1, value, set, error));
    return STATUS_OK;
}

enum status monodomain_get(struct monodomain *sim, int k, double *value, struct error *error)
{
    enum status status = move_variable(sim, k, value, false, error);
    TRY(comm_agree(sim->partition.comm, COMM_STEPS, status, error));
    partition_collect(&sim->partition, COMM_STEPS, sim->variable[k].width, value);
    return STATUS_OK;
}

enum status monodomain_set(struct monodomain *sim, int k, const double *value, struct error *error)
{
    const struct beats_map *map = map_of(sim, k);
    sim->settings++;
    if (k == VARIABLE_V || sim->variable[k].model >= 0)
        TRY(monodomain_settle(sim, monodomain_lag(sim), error));
    TRY(move_variable(sim, k, (double *)(uintptr_t)value, true, error));
    if (map && beats_are_times(map))
        return beats_count(&sim->beats, sim->layout.rows, sim->staging, sim->queue, error);
    return STATUS_OK;
}

/* *model <- the model of parameter k; returns its index among those that vary in that model */
static int find_varied(const struct monodomain *sim, int k, int *model)
{
    int m = 0;
    for (; k >= sim->tissue.model[m]->varies; m++)
        k -= sim->tissue.model[m]->varies;
    *model = m;
    return k;
}

int monodomain_varies(const struct monodomain *sim)
{
    int count = 0;
    for (int m = 0; m < sim->tissue.models; m++)
        count += sim->tissue.model[m]->varies;
    return count;
}

struct monodomain_varied monodomain_varied(const struct monodomain *sim, int k)
{
    struct monodomain_varied varied = {0};
    const int own = find_varied(sim, k, &varied.model);
    varied.parameter = sim->tissue.model[varied.model]->varied[own];
    for (int p = 0; p < sim->tissue.spans; p++)
        if (sim->tissue.span[p].model == varied.model)
            varied.set |= sim->tissue.varied[sim->tissue.span[p].batch].set[own];
    return varied;
}

/* The node of cell c of a span; -1 = padding */
static int64_t node_of(const struct monodomain *sim, const struct tissue_span *span, int64_t c)
{
    return sim->layout.node[span->row ? span->row[c] : c];
}

/* The values of a span's cells */
static double *values_of(const struct monodomain *sim, const struct tissue_span *span, double *of_batch,
                         int own)
{
    return of_batch + own * sim->tissue.batch[span->batch].cells + span->first;
}

void monodomain_get_varied(const struct monodomain *sim, int k, double *value)
{
    int model;
    const int own = find_varied(sim, k, &model);
    for (int p = 0; p < sim->tissue.spans; p++) {
        const struct tissue_span *span = &sim->tissue.span[p];
        if (span->model != model)
            continue;
        const double *from = values_of(sim, span, sim->tissue.varied[span->batch].value, own);
        for (int64_t c = 0; c < span->cells.cells; c++)
            if (node_of(sim, span, c) >= 0)
                value[node_of(sim, span, c)] = from[c];
    }
}

/* The values of a span <- value[nodes], or the params' */
static enum status set_span(struct monodomain *sim, const struct tissue_span *span, int own,
                            const double *value, struct error *error)
{
    struct tissue *tissue = &sim->tissue;
    struct varied *varied = &tissue->varied[span->batch];
    double *to = values_of(sim, span, varied->value, own);
    const double *config = varied->config ? values_of(sim, span, varied->config, own) : to;
    bool changes = false;
    for (int64_t c = 0; c < span->cells.cells && !changes; c++) {
        const int64_t node = node_of(sim, span, c);
        changes = node >= 0 && memcmp(value ? &value[node] : &config[c], &to[c], sizeof *to) != 0;
    }
    if (!changes)
        return STATUS_OK;
    TRY(varied_begin(varied, span->cells.model, own, tissue->batch[span->batch].cells, error));
    config = values_of(sim, span, varied->config, own);
    for (int64_t c = 0; c < span->cells.cells; c++)
        if (node_of(sim, span, c) >= 0)
            to[c] = value ? value[node_of(sim, span, c)] : config[c];
    varied->set[own] = value;
    sim->settings++;
    monodomain_change_level(sim, 0);
    return tissue_change_varied(tissue, span->batch, error);
}

enum status monodomain_set_varied(struct monodomain *sim, int k, const double *value, struct error *error)
{
    int model;
    const int own = find_varied(sim, k, &model);
    for (int p = 0; p < sim->tissue.spans; p++)
        if (sim->tissue.span[p].model == model)
            TRY(set_span(sim, &sim->tissue.span[p], own, value, error));
    return STATUS_OK;
}

double monodomain_lag(const struct monodomain *sim)
{
    return sim->report.scheme.staggered && sim->before > 0 ? params_cell_step(&sim->params) / 2 : 0;
}

enum status monodomain_settle(struct monodomain *sim, double lag, struct error *error)
{
    sim->before = 0;
    return lag > 0 ? tissue_gates(&sim->tissue, lag, sim->vectors.v, error) : STATUS_OK;
}

enum status monodomain_show(struct monodomain *sim, struct error *error)
{
    const double lag = monodomain_lag(sim);
    return lag > 0 ? tissue_show(&sim->tissue, lag, sim->vectors.v, error) : STATUS_OK;
}

void monodomain_hide(struct monodomain *sim)
{
    tissue_hide(&sim->tissue);
}

enum status monodomain_create_lengths(struct monodomain *sim, struct error *error)
{
    const struct scheme *scheme = &sim->report.scheme;
    if (scheme->lengths == 1)
        return STATUS_OK;
    return lengths_create(&sim->lengths, &sim->tissue, &sim->beats, sim->layout.rows, scheme->staggered,
                          sim->queue, error);
}

enum status monodomain_follow(struct monodomain *sim, const int64_t *node, int64_t nodes, int64_t times,
                              struct error *error)
{
    enum status status = STATUS_OK;
    sim->settings++;
    int32_t *row = array_new(nodes, sizeof *row, "the probes", &status, error);
    TRY_DONE(status);
    for (int64_t k = 0; k < nodes; k++) {
        int64_t here = partition_find(&sim->partition, node[k]);
        row[k] = here >= 0 && partition_has(&sim->partition, here) ? sim->layout.row[here] : -1;
    }
    tissue_models_rest(&sim->tissue, &sim->layout, sim->staging);
    TRY_DONE(beats_follow(&sim->beats, &sim->params, times, row, nodes, sim->staging, sim->queue, error));
    status = monodomain_create_lengths(sim, error);
done:
    free(row);
    return status;
}

int64_t monodomain_followed_values(const struct monodomain *sim)
{
    return beats_values_at_point(sim->beats.points.observer.beats) * sim->beats.points.points;
}

enum status monodomain_followed(struct monodomain *sim, double *value, struct error *error)
{
    int64_t all = monodomain_followed_values(sim);
    enum status status = all > 0 ? beats_get_points(&sim->beats, value, sim->queue, error) : STATUS_OK;
    partition_share(&sim->partition, COMM_STEPS, value, all);
    return status;
}

enum status monodomain_set_followed(struct monodomain *sim, const double *value, struct error *error)
{
    sim->settings++;
    return beats_set_points(&sim->beats, value, sim->queue, error);
}

int64_t monodomain_held(const struct monodomain *sim)
{
    return partition_held(&sim->partition);
}

enum status monodomain_voltage(struct monodomain *sim, double *v, struct error *error)
{
    return monodomain_get(sim, VARIABLE_V, v, error);
}

int monodomain_history(const struct monodomain *sim)
{
    return sim->vectors.count;
}

double monodomain_before(const struct monodomain *sim)
{
    return sim->report.scheme.staggered ? sim->before : 0;
}

void monodomain_set_before(struct monodomain *sim, double before)
{
    sim->before = before;
}

int monodomain_level(const struct monodomain *sim)
{
    return sim->lengths.level;
}

void monodomain_set_level(struct monodomain *sim, int level)
{
    int most = sim->report.scheme.lengths - 1;
    sim->lengths.level = level < most ? level : most;
    sim->diffusion.at = &sim->diffusion.level[sim->lengths.level];
}

void monodomain_change_level(struct monodomain *sim, int level)
{
    if (level == sim->lengths.level)
        return;
    monodomain_set_level(sim, level);
    sim->vectors.count = 0;
    sim->control.recent = 0;
}

enum status monodomain_restart(struct monodomain *sim, int64_t step, int history, struct error *error)
{
    struct rotation *vectors = &sim->vectors;
    sim->settings++;
    vectors->count = history < vectors->depth ? history : vectors->depth;
    monodomain_set_level(sim, 0);
    sim->before = 0;
    sim->control = (struct control){.step = step};
    sim->work = (struct monodomain_work){0};
    profile_start(&sim->profile, sim->queue);
    sim->origin = step;
    return device_upload(sim->queue, sim->diffusion.control, &sim->control, sizeof sim->control, error);
}

enum status monodomain_set_stimuli(struct monodomain *sim, const struct stimulus *stimulus, int stimuli,
                                   struct error *error)
{
    struct monodomain_params params = sim->params;
    params.stimulus = stimulus;
    params.stimuli = stimuli;
    TRY(tissue_set_stimuli(&sim->tissue, &params, sim->partition.nodes, &sim->layout, error));
    sim->settings++;
    monodomain_change_level(sim, 0);
    return STATUS_OK;
}

int monodomain_models(const struct monodomain *sim)
{
    return sim->tissue.models;
}

const struct ionic_model *monodomain_model(const struct monodomain *sim, int model)
{
    return sim->tissue.model[model];
}

bool monodomain_model_map(const struct monodomain *sim, int32_t *model_of_node)
{
    const struct partition *p = &sim->partition;
    const struct subdomain *subdomain = sim->params.subdomain;
    if (p->number && p->comm->rank > 0)
        return false;
    const int32_t *group_of_node = p->number ? subdomain->group_of_node : sim->tissue.group_of_node;
    for (int64_t i = 0; i < p->nodes; i++)
        model_of_node[i] = sim->tissue.model_of_group[group_of_node[i]];
    return true;
}

enum status monodomain_current(struct monodomain *sim, int model, int current, double *value,
                               struct error *error)
{
    /* b serves as workspace for the currents, cell by cell: unlike u, every step recomputes it in all rows */
    double *out = sim->diffusion.b;
    for (int p = 0; p < sim->tissue.spans; p++) {
        const struct tissue_span *span = &sim->tissue.span[p];
        const int64_t cells = span->cells.cells;
        if (span->model != model)
            continue;
        sim->queue->backend->ionic_current(sim->queue, &span->cells, sim->vectors.v, current, out);
        TRY(device_download(sim->queue, sim->staging, out, (size_t)cells * sizeof *sim->staging, error));
        for (int64_t c = 0; c < cells; c++) {
            int32_t local = sim->local[span->row ? span->row[c] : c];
            if (local >= 0)
                value[local] = sim->staging[c];
        }
    }
    return STATUS_OK;
}

enum status state_copy_create(struct state_copy *copy, const struct monodomain *sim, int64_t nodes,
                              struct error *error)
{
    enum status status = STATUS_OK;
    *copy = (struct state_copy){.variables = sim->variables, .varies = monodomain_varies(sim)};
    copy->varied = array_zeroed(copy->varies, sizeof *copy->varied, "a tissue's state", &status, error);
    for (int k = 0; k < copy->varies && !status; k++)
        if (monodomain_varied(sim, k).set)
            copy->varied[k] = array_zeroed(nodes, sizeof **copy->varied, "a tissue's state", &status, error);
    copy->value = array_zeroed(copy->variables, sizeof *copy->value, "a tissue's state", &status, error);
    for (int k = 0; k < copy->variables && !status; k++)
        copy->value[k] = array_zeroed(nodes * sim->variable[k].width, sizeof **copy->value,
                                      "a tissue's state", &status, error);
    return status;
}

void state_copy_free(struct state_copy *copy)
{
    for (int k = 0; k < copy->variables && copy->value; k++)
        free(copy->value[k]);
    for (int k = 0; k < copy->varies && copy->varied; k++)
        free(copy->varied[k]);
    free(copy->varied);
    free(copy->value);
    *copy = (struct state_copy){0};
}

enum status state_copy_take(struct state_copy *copy, struct monodomain *sim, struct error *error)
{
    copy->step = sim->control.step;
    copy->history = sim->vectors.count;
    copy->level = sim->lengths.level;
    copy->before = monodomain_before(sim);
    for (int k = 0; k < copy->variables; k++)
        TRY(monodomain_get(sim, k, copy->value[k], error));
    for (int k = 0; k < copy->varies; k++)
        if (copy->varied[k])
            monodomain_get_varied(sim, k, copy->varied[k]);
    return STATUS_OK;
}

enum status state_copy_restore(const struct state_copy *copy, struct monodomain *sim, struct error *error)
{
    TRY(monodomain_restart(sim, copy->step, copy->history, error));
    for (int k = 0; k < copy->variables; k++)
        TRY(monodomain_set(sim, k, copy->value[k], error));
    for (int k = 0; k < monodomain_varies(sim); k++)
        TRY(monodomain_set_varied(sim, k, k < copy->varies ? copy->varied[k] : NULL, error));
    monodomain_set_level(sim, copy->level);
    monodomain_set_before(sim, copy->before);
    return STATUS_OK;
}
