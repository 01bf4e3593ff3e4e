/* values.c: read the mesh of a simulation, and read and set its fields. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/api/handle.h"
#include "app/config/files.h"
#include "app/config/model.h"
#include "app/config/where.h"
#include "app/io/result/vtkhdf_mesh.h"
#include "kernels/base/array.h"

struct shape_call {
    struct cardiac *sim;
    int64_t *count;
    int *corners;
    double *point;
    int64_t *vertex;
    int64_t values;
};

static enum status check_length(int64_t values, int64_t needed, const char *what, struct error *error)
{
    return values == needed ? STATUS_OK
                            : error_set(error, STATUS_INPUT, "%s: the array has %lld values; %lld are needed",
                                        what, (long long)values, (long long)needed);
}

static enum status read_nodes(void *argument, struct error *error)
{
    const struct shape_call *call = argument;
    TRY(handle_check_pointer(call->count, "the result", error));
    *call->count = call->sim->setup.problem.mesh.nodes;
    return STATUS_OK;
}

int cardiac_nodes(struct cardiac *sim, int64_t *nodes)
{
    return handle_call(sim, HANDLE_OPEN, read_nodes, &(struct shape_call){.sim = sim, .count = nodes});
}

static enum status read_elements(void *argument, struct error *error)
{
    const struct shape_call *call = argument;
    TRY(handle_check_pointer(call->count, "the number of elements", error));
    TRY(handle_check_pointer(call->corners, "the number of corners", error));
    *call->count = call->sim->setup.problem.mesh.elements;
    *call->corners = call->sim->setup.problem.mesh.dimension + 1;
    return STATUS_OK;
}

int cardiac_elements(struct cardiac *sim, int64_t *elements, int *corners)
{
    return handle_call(sim, HANDLE_OPEN, read_elements,
                       &(struct shape_call){.sim = sim, .count = elements, .corners = corners});
}

static enum status read_points(void *argument, struct error *error)
{
    const struct shape_call *call = argument;
    const struct mesh *mesh = &call->sim->setup.problem.mesh;
    TRY(handle_check_pointer(call->point, "points", error));
    TRY(check_length(call->values, 3 * mesh->nodes, "points", error));
    memcpy(call->point, mesh->point, (size_t)call->values * sizeof *call->point);
    return STATUS_OK;
}

int cardiac_points(struct cardiac *sim, double *point, int64_t values)
{
    return handle_call(sim, HANDLE_OPEN, read_points,
                       &(struct shape_call){.sim = sim, .point = point, .values = values});
}

static enum status read_cells(void *argument, struct error *error)
{
    const struct shape_call *call = argument;
    const struct mesh *mesh = &call->sim->setup.problem.mesh;
    TRY(handle_check_pointer(call->vertex, "cells", error));
    TRY(check_length(call->values, (mesh->dimension + 1) * mesh->elements, "cells", error));
    for (int64_t k = 0; k < call->values; k++)
        call->vertex[k] = mesh->vertex[k];
    return STATUS_OK;
}

int cardiac_cells(struct cardiac *sim, int64_t *vertex, int64_t values)
{
    return handle_call(sim, HANDLE_OPEN, read_cells,
                       &(struct shape_call){.sim = sim, .vertex = vertex, .values = values});
}

struct write_call {
    struct cardiac *sim;
    const char *path;
    int fields;
    const char *const *name, *const *unit;
    const double *value;
};

/* Checks name[k]: it must be valid for an HDF5 array and differ from the names before it. */
static enum status check_field_name(const char *const *name, int k, struct error *error)
{
    enum { LONGEST = 40 };
    bool twice = false;
    for (int other = 0; other < k; other++)
        twice |= strcmp(name[other], name[k]) == 0;
    if (*name[k] && !strchr(name[k], '/') && strcmp(name[k], ".") != 0 && strlen(name[k]) <= LONGEST &&
        !twice)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "'%.60s' cannot name a field: expected 1 to %d characters without '/', each name once",
                     name[k], LONGEST);
}

static enum status write_mesh(void *argument, struct error *error)
{
    const struct write_call *call = argument;
    const struct mesh *mesh = &call->sim->setup.problem.mesh;
    struct h5_settings settings;
    enum status status = STATUS_OK;
    TRY(handle_check_pointer(call->path, "the path", error));
    if (call->fields > 0) {
        TRY(handle_check_pointer(call->name, "the names of the fields", error));
        TRY(handle_check_pointer(call->unit, "the units of the fields", error));
        TRY(handle_check_pointer(call->value, "the array", error));
    }
    if (call->fields < 0)
        return error_set(error, STATUS_INPUT, "%d fields", call->fields);
    for (int k = 0; k < call->fields; k++) {
        TRY(handle_check_pointer(call->name[k], "the name of a field", error));
        TRY(handle_check_pointer(call->unit[k], "the unit of a field", error));
        TRY(check_field_name(call->name, k, error));
    }
    TRY(files_check_output(&call->sim->setup.config, call->path, error));
    TRY(vtkhdf_mesh_claim(call->path, error));
    struct vtkhdf_field *field = array_new(call->fields, sizeof *field, "the fields", &status, error);
    for (int k = 0; k < call->fields && !status; k++)
        field[k] = (struct vtkhdf_field){call->name[k], call->unit[k], call->value + k * mesh->nodes};
    if (!status) {
        handle_begin_hdf5(&settings);
        status = vtkhdf_mesh_write_with(call->path, mesh, field, call->fields, error);
        handle_end_hdf5(&settings);
    }
    free(field);
    return status;
}

int cardiac_write(struct cardiac *sim, const char *path, int fields, const char *const *name,
                  const char *const *unit, const double *value)
{
    return handle_call(sim, HANDLE_OPEN, write_mesh,
                       &(struct write_call){sim, path, fields, name, unit, value});
}

void handle_name_varied(char *name, size_t size, const struct monodomain *tissue, int k)
{
    const struct monodomain_varied varied = monodomain_varied(tissue, k);
    const struct ionic_model *model = monodomain_model(tissue, varied.model);
    snprintf(name, size, "%s/%s", model->name, model->parameter[varied.parameter].name);
}

/* The first varying parameter, from k on, of that name ("parameter" or "model/parameter"); -1 = none */
static int find_varied(const struct monodomain *tissue, const char *name, int k)
{
    char whole[200];
    for (; k < monodomain_varies(tissue); k++) {
        handle_name_varied(whole, sizeof whole, tissue, k);
        if (strcmp(name, whole) == 0 || strcmp(name, strchr(whole, '/') + 1) == 0)
            return k;
    }
    return -1;
}

/* The error for a parameter that does not vary; STATUS_OK if no parameter has that name */
static enum status refuse_parameter(const struct monodomain *tissue, const char *name, struct error *error)
{
    const char *slash = strchr(name, '/'), *own = slash ? slash + 1 : name;
    for (int m = 0; m < monodomain_models(tissue); m++) {
        const struct ionic_model *model = monodomain_model(tissue, m);
        if (ionic_find_value(model->parameter, model->parameters, own) >= 0)
            return error_set(
                error, STATUS_INPUT,
                "%.60s has one value in each region; to be read and set it must be a field in the "
                "config, as in parameters: {%.60s: {factor: 1}}",
                own, own);
    }
    return STATUS_OK;
}

/* What a field's name denotes: quantities of models, a varying parameter, a map, the leads or their weights, a field of
 * the waves, or a condition */
struct field_source {
    struct snapshot_quantity *quantity; /* [quantities], owned; NULL = not quantities */
    int quantities;
    struct maps_map map;
    struct waves_field wave;
    const char *name, *condition;
    bool leads, lead_weights, waves, varied;
    int64_t rows, width;
};

/* Whether the config records what the map is computed from */
static bool is_stored_map(const struct cardiac *sim, const char *name, struct maps_map *map)
{
    return maps_find(map, name, NULL) && maps_stored(&sim->setup.config.physics.maps, map);
}

static enum status find_field(struct field_source *source, const struct cardiac *sim, const char *name,
                              struct error *error)
{
    const struct setup *setup = &sim->setup;
    const char *unit;
    enum status status = STATUS_OK;
    *source = (struct field_source){.name = name, .rows = setup->problem.mesh.nodes, .width = 1};
    TRY(handle_check_pointer(name, "the name of the field", error));
    if (strcmp(name, "leads") == 0 && setup->ecg.columns > 0) {
        source->leads = true;
        source->rows = setup->ecg.columns;
        return STATUS_OK;
    }
    if (strcmp(name, "lead_weights") == 0 && setup->ecg.columns > 0) {
        source->lead_weights = true;
        source->width = setup->ecg.columns;
        return STATUS_OK;
    }
    if (strncmp(name, "where/", 6) == 0) {
        source->condition = name + 6;
        return STATUS_OK;
    }
    source->waves = waves_find_field(&source->wave, sim, name);
    if (source->waves)
        return STATUS_OK;
    if (is_stored_map(sim, name, &source->map)) {
        source->width = map_values_width(&sim->run.values, &source->map);
        return STATUS_OK;
    }
    if (maps_find(&source->map, name, NULL))
        return error_set(error, STATUS_INPUT, "the map '%.60s' is not recorded: add it to output.maps", name);
    source->quantity =
        array_new(monodomain_models(setup->sim) + 1, sizeof *source->quantity, "a field", &status, error);
    TRY(status);
    status = fields_find(setup->sim, name, source->quantity, &source->quantities, &unit, error);
    if (!status)
        return STATUS_OK;
    free(source->quantity);
    source->quantity = NULL;
    source->varied = find_varied(setup->sim, name, 0) >= 0;
    if (source->varied)
        return STATUS_OK;
    TRY(refuse_parameter(setup->sim, name, error));
    return status;
}

/* value[nodes] <- 1 where the condition `text` holds, else 0 */
static enum status read_condition(struct cardiac *sim, const char *text, double *value, struct error *error)
{
    struct arena memory = {.limit = 64 << 20};
    struct where *where = NULL;
    struct error inner = {0};
    int at = 0;
    enum status status = where_parse(&where, &memory, text, WHERE_CONDITION, &at, &inner);
    if (!status)
        status = environment_values(&sim->reuse.mesh.environment, where, LOCATION_NODE, value, &at, &inner);
    if (status)
        error_set(error, status, "'%.80s': %.600s", text, inner.text);
    for (int64_t i = 0; i < sim->setup.problem.mesh.nodes && !status; i++)
        value[i] = value[i] != 0;
    arena_free(&memory);
    return status;
}

/* value[rows * width] <- the field */
static enum status read_field(struct cardiac *sim, const struct field_source *source, double *value,
                              struct error *error)
{
    struct monodomain *tissue = sim->setup.sim;
    struct map_values *maps = &sim->run.values;
    if (source->leads)
        return ecg_read(&sim->setup.ecg, value, error);
    if (source->lead_weights)
        return ecg_weights(&sim->setup.ecg, value, source->rows, error);
    if (source->condition)
        return read_condition(sim, source->condition, value, error);
    if (source->waves)
        return waves_read_field(value, sim, &source->wave, error);
    if (!source->quantity && !source->varied) {
        TRY(map_values_make(maps, &source->map, NULL, error));
        memcpy(value, maps->value, (size_t)(source->rows * source->width) * sizeof *value);
        return STATUS_OK;
    }
    for (int64_t i = 0; i < source->rows; i++)
        value[i] = NAN;
    for (int k = -1; source->varied && (k = find_varied(tissue, source->name, k + 1)) >= 0;)
        monodomain_get_varied(tissue, k, value);
    enum status status = source->quantity ? monodomain_show(tissue, error) : STATUS_OK;
    for (int k = 0; k < source->quantities && !status; k++) {
        const struct snapshot_quantity *from = &source->quantity[k];
        status = from->variable >= 0 ? monodomain_get(tissue, from->variable, value, error)
                                     : monodomain_current(tissue, from->model, from->current, value, error);
    }
    monodomain_hide(tissue);
    return status;
}

struct value_call {
    struct cardiac *sim;
    const char *name;
    double *out;
    const double *in;
    bool some;           /* only at node[values], else at all nodes */
    const int64_t *node; /* [values] */
    int64_t values;
};

/* Reads a field at call->node[] or at all nodes; a task. */
static enum status get(void *argument, struct error *error)
{
    const struct value_call *call = argument;
    struct field_source source;
    double *all = NULL;
    enum status status;
    if (call->values > 0)
        TRY(handle_check_pointer(call->out, "the array", error));
    TRY(find_field(&source, call->sim, call->name, error));
    if (!call->some) {
        TRY_DONE(check_length(call->values, source.rows * source.width, call->name, error));
        status = read_field(call->sim, &source, call->out, error);
        goto done;
    }
    TRY_DONE(handle_check_nodes(call->node, call->values, source.rows, error));
    all = array_new(source.rows * source.width, sizeof *all, "a field", &status, error);
    TRY_DONE(status);
    TRY_DONE(read_field(call->sim, &source, all, error));
    for (int64_t k = 0; k < call->values; k++)
        memcpy(call->out + k * source.width, all + call->node[k] * source.width,
               (size_t)source.width * sizeof *all);
done:
    free(all);
    free(source.quantity);
    return status;
}

int cardiac_get(struct cardiac *sim, const char *field, double *value, int64_t values)
{
    return handle_call(sim, HANDLE_OPEN, get,
                       &(struct value_call){.sim = sim, .name = field, .out = value, .values = values});
}

int cardiac_get_at(struct cardiac *sim, const char *field, const int64_t *node, int64_t nodes, double *value)
{
    return handle_call(sim, HANDLE_OPEN, get,
                       &(struct value_call){sim, field, value, NULL, true, node, nodes});
}

/* Checks that a value is finite and, for V, within solver.voltage_limit; states are not limited. */
static enum status check_value(const struct cardiac *sim, const struct field_source *source, double value,
                               int64_t node, struct error *error)
{
    const char *name = source->name;
    const double limit = sim->setup.config.physics.voltage_limit;
    if (!isfinite(value))
        return error_set(error, STATUS_INPUT, "%.60s: the value of node %lld is not finite", name,
                         (long long)node);
    if (strcmp(name, "V") == 0 && fabs(value) > limit)
        return error_set(error, STATUS_INPUT, "V: %g mV at node %lld is beyond solver.voltage_limit (%g mV)",
                         value, (long long)node, limit);
    return STATUS_OK;
}

/* STATUS_INPUT if all[nodes] has a value that a parameter of that name may not have; NaN = no value */
static enum status check_parameters(const struct monodomain *tissue, const char *name, const double *all,
                                    int64_t nodes, struct error *error)
{
    for (int k = -1; (k = find_varied(tissue, name, k + 1)) >= 0;) {
        const struct monodomain_varied varied = monodomain_varied(tissue, k);
        const struct ionic_value *parameter =
            &monodomain_model(tissue, varied.model)->parameter[varied.parameter];
        for (int64_t i = 0; i < nodes; i++)
            if (!isnan(all[i]) && !model_allows_parameter(parameter, all[i]))
                return error_set(error, STATUS_INPUT, "%.60s: %g at node %lld; must be 0 or more", name,
                                 all[i], (long long)i);
    }
    return STATUS_OK;
}

/* Sets the field's variables to all[nodes] at the nodes that have the field. */
static enum status write_field(struct cardiac *sim, const struct field_source *source, const double *all,
                               struct error *error)
{
    sim->started = true;
    for (int k = -1; source->varied && (k = find_varied(sim->setup.sim, source->name, k + 1)) >= 0;)
        TRY(monodomain_set_varied(sim->setup.sim, k, all, error));
    for (int k = 0; k < source->quantities; k++)
        TRY(monodomain_set(sim->setup.sim, source->quantity[k].variable, all, error));
    return STATUS_OK;
}

static enum status check_writable(const struct field_source *source, const char *name, struct error *error)
{
    bool writable = source->quantity || source->varied;
    for (int k = 0; k < source->quantities && writable; k++)
        writable = source->quantity[k].variable >= 0;
    return writable
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "'%.60s' is computed and cannot be set; V, states and parameters that vary can",
                           name);
}

/* Warns if values[count] of V seem to be in volts: all within 1 mV, while before[nodes], V until now, is not. */
static void doubt_volts(struct cardiac *sim, const double *values, int64_t count, const double *before,
                        int64_t nodes)
{
    const double most = 1, volts = 10; /* mV */
    double highest = 0, tissue = 0;
    for (int64_t k = 0; k < count; k++)
        highest = fmax(highest, fabs(values[k]));
    for (int64_t i = 0; i < nodes; i++)
        tissue = fmax(tissue, fabs(before[i]));
    if (highest > 0 && highest < most && tissue > volts)
        progress_warn(sim->setup.progress, "V: is set to values up to %g mV; V is in mV, not in V", highest);
}

/* Sets a field at call->node[], all of which must have it, or at all nodes that have it; a task. */
static enum status set(void *argument, struct error *error)
{
    const struct value_call *call = argument;
    struct field_source source;
    double *all = NULL; /* NaN at nodes without the field */
    bool changes = false;
    enum status status;
    if (call->values > 0 || !call->some)
        TRY(handle_check_pointer(call->in, "the array", error));
    TRY(find_field(&source, call->sim, call->name, error));
    TRY_DONE(check_writable(&source, call->name, error));
    TRY_DONE(call->some ? handle_check_nodes(call->node, call->values, source.rows, error)
                        : check_length(call->values, source.rows, call->name, error));
    all = array_new(source.rows, sizeof *all, "a field", &status, error);
    TRY_DONE(status);
    TRY_DONE(read_field(call->sim, &source, all, error));
    for (int64_t k = 0; k < call->values; k++) {
        const int64_t i = call->some ? call->node[k] : k;
        if (!isnan(all[i]))
            TRY_DONE(check_value(call->sim, &source, call->in[k], i, error));
        else if (call->some)
            TRY_DONE(error_set(error, STATUS_INPUT, "node %lld does not have '%.60s': it has another model",
                               (long long)i, call->name));
    }
    if (strcmp(call->name, "V") == 0)
        doubt_volts(call->sim, call->in, call->values, all, source.rows);
    for (int64_t k = 0; k < call->values; k++) {
        double *to = &all[call->some ? call->node[k] : k];
        changes |= !isnan(*to) && memcmp(to, &call->in[k], sizeof *to) != 0;
        *to = isnan(*to) ? *to : call->in[k];
    }
    if (source.varied)
        TRY_DONE(check_parameters(call->sim->setup.sim, call->name, all, source.rows, error));
    if (changes)
        status = write_field(call->sim, &source, all, error);
done:
    free(all);
    free(source.quantity);
    return status;
}

int cardiac_set(struct cardiac *sim, const char *field, const double *value, int64_t values)
{
    return handle_call(sim, HANDLE_SOUND, set,
                       &(struct value_call){.sim = sim, .name = field, .in = value, .values = values});
}

int cardiac_set_at(struct cardiac *sim, const char *field, const int64_t *node, int64_t nodes,
                   const double *value)
{
    return handle_call(sim, HANDLE_SOUND, set,
                       &(struct value_call){sim, field, NULL, value, true, node, nodes});
}
