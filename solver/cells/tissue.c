/* tissue.c: set-up and steps of the cells, group by group. */
#include "solver/cells/tissue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/ranks/subdomain.h"

/* state arrays of one group at the region's initial values */
static enum status fill_states(struct tissue *tissue, struct ionic_cells *cells, const struct region *region,
                               struct error *error)
{
    size_t stride = (size_t)cells->stride;
    enum status status = STATUS_OK;
    double *value = array_new(cells->stride, sizeof *value, "the initial state", &status, error);
    float *value32 = array_new(cells->stride, sizeof *value32, "the initial state", &status, error);
    TRY_DONE(status);
    for (int s = 0; s < cells->model->states; s++) {
        struct ionic_layout layout = ionic_layout(cells->model, cells->mixed, s);
        double initial = region->initial ? region->initial[1 + s] : cells->model->state[s].value;
        for (size_t i = 0; i < stride; i++) {
            value[i] = initial;
            value32[i] = (float)initial;
        }
        if (layout.fp32)
            TRY_DONE(device_upload(tissue->queue, cells->state32 + layout.row * cells->stride, value32,
                                   stride * sizeof *value32, error));
        else
            TRY_DONE(device_upload(tissue->queue, cells->state64 + layout.row * cells->stride, value,
                                   stride * sizeof *value, error));
    }
done:
    free(value);
    free(value32);
    return status;
}

/* index[] of all groups <- the packed rows of their nodes, ascending; cells[].cells <- how many */
static enum status list_rows(struct tissue *tissue, const struct layout *layout, struct error *error)
{
    enum status status = STATUS_OK;
    for (int fill = 0; fill < 2; fill++) {
        for (int g = 0; g < tissue->groups; g++) {
            if (fill)
                tissue->index[g] = array_new(tissue->cells[g].cells, sizeof **tissue->index,
                                             "a region's cells", &status, error);
            tissue->cells[g].cells = 0;
        }
        TRY(status);
        for (int64_t k = 0; k < layout->rows; k++) {
            if (layout->node[k] < 0)
                continue;
            int group = tissue->group_of_node[layout->node[k]];
            if (fill)
                tissue->index[group][tissue->cells[group].cells] = (int32_t)k;
            tissue->cells[group].cells++;
        }
    }
    return STATUS_OK;
}

/* Whether the tables in V of two groups are the same */
static bool tables_equal(const struct ionic_cells *a, const struct ionic_cells *b)
{
    bool equal = a->model == b->model;
    for (int k = 0; equal && k < a->model->parameters; k++)
        equal = a->parameter[k] == b->parameter[k] || !a->model->table_reads(k);
    return equal;
}

/* The first group with the same table in V, or the group itself */
static int table_of(const struct tissue *tissue, int group)
{
    int first = 0;
    while (first < group && !tables_equal(&tissue->cells[first], &tissue->cells[group]))
        first++;
    return first;
}

/* The group's table in V on the device: that of an earlier group, or a new one built on the host */
static enum status create_table(struct tissue *tissue, int group, const struct monodomain_params *params,
                                struct error *error)
{
    struct ionic_cells *cells = &tissue->cells[group];
    enum status status = STATUS_OK;
    TRY(ionic_table_known(cells->model, error));
    int first = table_of(tissue, group);
    if (first < group) {
        cells->table = tissue->cells[first].table;
        return STATUS_OK;
    }
    double part = params->splitting == SPLITTING_STRANG ? params->step / 2 : params->step;
    struct ionic_table table;
    TRY(ionic_table_build(&table, cells->model, cells->parameter, cells->mixed, part / params->ionic_substeps,
                          IONIC_TABLE_PER_MV, error));
    if (!table.value)
        return STATUS_OK;
    void *device =
        device_array(tissue->queue, (int64_t)table.bytes, 1, "an ionic model's tables", &status, error);
    TRY_DONE(status);
    cells->table = table;
    cells->table.value = device;
    status = device_upload(tissue->queue, device, table.value, table.bytes, error);
done:
    ionic_table_free(&table);
    return status;
}

/* The cells of one group: their rows, parameters, states and table */
static enum status create_group(struct tissue *tissue, int group, const struct group *of,
                                const struct monodomain_params *params, const struct layout *layout,
                                struct error *error)
{
    const struct region *region = &params->region[of->region];
    struct queue *queue = tissue->queue;
    enum status status = STATUS_OK;
    struct ionic_cells *cells = tissue->cells + group;
    const struct ionic_model *model = region->model;
    tissue->v_initial[group] = region->initial ? region->initial[0] : model->v_initial;
    cells->model = model;
    cells->mixed = params->ionic_mixed;
    if (tissue->groups == 1) {
        cells->cells = layout->rows;
    } else {
        const int32_t *index = tissue->index[group];
        int32_t *on_device =
            device_array(queue, cells->cells, sizeof *index, "a region's cells", &status, error);
        cells->index = on_device;
        TRY(status);
        TRY(device_upload(queue, on_device, index, (size_t)cells->cells * sizeof *index, error));
    }
    cells->stride = (cells->cells + 15) / 16 * 16;
    double *parameter =
        array_new(model->parameters, sizeof *parameter, "a model's parameters", &status, error);
    tissue->parameter[group] = parameter;
    TRY(status);
    for (int k = 0; k < model->parameters; k++)
        parameter[k] = region->parameter ? region->parameter[k] : model->parameter[k].value;
    for (int f = 0; f < region->fields; f++)
        parameter[region->field[f].parameter] = region->field[f].value[of->node];
    cells->parameter = parameter;
    int rows64 = ionic_states64(model, cells->mixed), rows32 = model->states - rows64;
    cells->state64 = device_array(queue, rows64 * cells->stride, sizeof *cells->state64, "the ionic states",
                                  &status, error);
    if (cells->mixed)
        cells->state32 = device_array(queue, rows32 * cells->stride, sizeof *cells->state32,
                                      "the ionic states", &status, error);
    TRY(status);
    if (params->ionic_tables)
        TRY(create_table(tissue, group, params, error));
    return fill_states(tissue, cells, region, error);
}

/* Stimulus classes in packed order, on the device */
static enum status create_stimuli(struct tissue *tissue, const struct mesh *mesh,
                                  const struct monodomain_params *params, const struct layout *layout,
                                  struct error *error)
{
    struct queue *queue = tissue->queue;
    const char *what = "the stimuli";
    enum status status = STATUS_OK;
    const struct partition alone = {0},
                           *partition = params->subdomain ? &params->subdomain->partition : &alone;
    int64_t nodes = mesh_nodes_whole(mesh);
    uint16_t *of_node = array_new(nodes, sizeof *of_node, what, &status, error);
    uint16_t *of_row = array_new(layout->rows, sizeof *of_row, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(stimulus_plan(&tissue->plan, params->stimulus, params->stimuli, nodes, of_node, error));
    for (int64_t k = 0; k < layout->rows; k++)
        of_row[k] = layout->node[k] < 0 ? 0 : of_node[partition_number(partition, layout->node[k])];
    int64_t currents = (int64_t)TISSUE_FRAME * tissue->parts * tissue->plan.classes;
    tissue->stimulus_class = device_array(queue, layout->rows, sizeof *of_row, what, &status, error);
    tissue->stimulus_current = device_array(queue, currents, sizeof(double), what, &status, error);
    tissue->stimulus_host = array_zeroed(currents, sizeof(double), what, &status, error);
    TRY_DONE(status);
    status =
        device_upload(queue, tissue->stimulus_class, of_row, (size_t)layout->rows * sizeof *of_row, error);
done:
    free(of_node);
    free(of_row);
    return status;
}

/* group[] and tissue->group_of_node[]: those of the subdomain, or found here on a single rank */
static enum status find_groups(struct tissue *tissue, struct group **group, const struct mesh *mesh,
                               const struct monodomain_params *params, struct error *error)
{
    const struct subdomain *subdomain = params->subdomain;
    int32_t *of_node = tissue->group_of_node;
    enum status status = STATUS_OK;
    if (!subdomain) {
        if (params->node_region)
            memcpy(of_node, params->node_region, (size_t)mesh->nodes * sizeof *of_node);
        else
            mesh_node_regions(mesh, params->element_region, params->regions, of_node);
        return groups_find(group, &tissue->groups, of_node, mesh->nodes, params, error);
    }
    *group = array_new(subdomain->groups, sizeof **group, "the tissue", &status, error);
    TRY(status);
    tissue->groups = subdomain->groups;
    memcpy(*group, subdomain->group, (size_t)subdomain->groups * sizeof **group);
    for (int64_t i = 0; i < mesh->nodes; i++)
        of_node[i] = subdomain_group(subdomain, i);
    return STATUS_OK;
}

enum status tissue_create(struct tissue *tissue, const struct mesh *mesh,
                          const struct monodomain_params *params, const struct layout *layout,
                          struct queue *queue, struct error *error)
{
    const char *what = "the tissue";
    struct group *group = NULL;
    enum status status = STATUS_OK;
    memset(tissue, 0, sizeof *tissue);
    tissue->queue = queue;
    tissue->parts = params->splitting == SPLITTING_STRANG ? 2 : 1;
    tissue->group_of_node = array_new(mesh->nodes, sizeof *tissue->group_of_node, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(find_groups(tissue, &group, mesh, params, error));
    tissue->cells = array_zeroed(tissue->groups, sizeof *tissue->cells, what, &status, error);
    tissue->index = array_zeroed(tissue->groups, sizeof *tissue->index, what, &status, error);
    tissue->parameter = array_zeroed(tissue->groups, sizeof *tissue->parameter, what, &status, error);
    tissue->v_initial = array_zeroed(tissue->groups, sizeof *tissue->v_initial, what, &status, error);
    TRY_DONE(status);
    if (tissue->groups > 1)
        TRY_DONE(list_rows(tissue, layout, error));
    for (int g = 0; g < tissue->groups; g++)
        TRY_DONE(create_group(tissue, g, &group[g], params, layout, error));
    status = create_stimuli(tissue, mesh, params, layout, error);
done:
    free(group);
    if (status)
        tissue_free(tissue);
    return status;
}

/* An estimate: where more than two stimuli overlap there are more classes than counted here. */
static double stimulus_bytes(const struct monodomain_params *params)
{
    double classes = 1;
    for (int s = 0; s < params->stimuli; s++)
        classes += stimulus_classes(params->stimulus + s, params->step);
    return 8.0 * TISSUE_FRAME * (params->splitting == SPLITTING_STRANG ? 2 : 1) * classes;
}

/* Upper bound on the bytes of the tables in V of a region's groups */
static double tables_bytes(const struct monodomain_params *params, const struct region *region)
{
    const struct ionic_model *model = region->model;
    double tables = 1;
    for (int f = 0; f < region->fields; f++)
        if (model->columns && model->table_reads(region->field[f].parameter))
            tables = PARAMS_GROUPS;
    return tables * (double)ionic_table_bytes(model, params->ionic_mixed, IONIC_TABLE_PER_MV);
}

double tissue_bytes(const struct monodomain_params *params, double rows)
{
    double most = 0, tables = 0;
    int groups = groups_most(params);
    for (int r = 0; r < params->regions; r++) {
        const struct ionic_model *model = params->region[r].model;
        most = fmax(most, (double)ionic_state_bytes(model, params->ionic_mixed, 1));
        tables += params->ionic_tables ? tables_bytes(params, &params->region[r]) : 0;
    }
    return (rows + 16.0 * groups) * most + rows * (groups > 1 ? 2 + 4 : 2) + tables + stimulus_bytes(params);
}

double tissue_host_bytes(const struct monodomain_params *params, double rows)
{
    return rows * (groups_most(params) > 1 ? 4 + 4 : 4) + stimulus_bytes(params);
}

/* Whether the group's table is that of an earlier group */
static bool shares_table(const struct tissue *tissue, int group)
{
    bool shares = false;
    for (int g = 0; g < group && !shares; g++)
        shares = tissue->cells[g].table.value == tissue->cells[group].table.value;
    return shares;
}

void tissue_free(struct tissue *tissue)
{
    if (!tissue->queue)
        return;
    for (int g = 0; tissue->cells && g < tissue->groups; g++) {
        device_release(tissue->queue, tissue->cells[g].index);
        device_release(tissue->queue, tissue->cells[g].state64);
        device_release(tissue->queue, tissue->cells[g].state32);
        if (!shares_table(tissue, g))
            device_release(tissue->queue, tissue->cells[g].table.value);
        free(tissue->index ? tissue->index[g] : NULL);
        free(tissue->parameter ? tissue->parameter[g] : NULL);
    }
    device_release(tissue->queue, tissue->stimulus_class);
    device_release(tissue->queue, tissue->stimulus_current);
    free(tissue->cells);
    free(tissue->index);
    free(tissue->parameter);
    free(tissue->v_initial);
    free(tissue->group_of_node);
    free(tissue->stimulus_host);
    stimulus_plan_free(&tissue->plan);
    memset(tissue, 0, sizeof *tissue);
}

void tissue_rest(const struct tissue *tissue, const struct layout *layout, double *v)
{
    for (int64_t k = 0; k < layout->rows; k++) {
        int group = layout->node[k] < 0 ? 0 : tissue->group_of_node[layout->node[k]];
        v[k] = tissue->v_initial[group];
    }
}

enum status tissue_prepare(struct tissue *tissue, int64_t first, int64_t steps, double dt,
                           struct error *error)
{
    int classes = tissue->plan.classes, parts = tissue->parts;
    double part_dt = parts == 2 ? dt / 2 : dt;
    if (classes == 1)
        return STATUS_OK;
    for (int64_t k = 0; k < steps * parts; k++) {
        double t = (double)(first + k / parts) * dt, t0 = k % parts ? t + part_dt : t;
        stimulus_currents(&tissue->plan, t0, t0 + part_dt, tissue->stimulus_host + k * classes);
    }
    return device_upload(tissue->queue, tissue->stimulus_current, tissue->stimulus_host,
                         (size_t)(steps * parts * classes) * sizeof(double), error);
}

void tissue_step(struct tissue *tissue, int part, double dt, int substeps, const double *v_in, double *v_out,
                 const struct control *control)
{
    int classes = tissue->plan.classes;
    struct ionic_drive drive = {.dt = dt / substeps,
                                .substeps = substeps,
                                .stimulus_class = classes > 1 ? tissue->stimulus_class : NULL,
                                .stimulus_current = tissue->stimulus_current + part * classes,
                                .v_in = v_in,
                                .v_out = v_out,
                                .control = control,
                                .stimulus_row = tissue->parts * classes};
    for (int g = 0; g < tissue->groups; g++)
        tissue->queue->backend->ionic_step(tissue->queue, tissue->cells + g, &drive);
}
