/* tissue.c: set-up and steps of the cells, batch by batch. */
#include "solver/cells/tissue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/ranks/subdomain.h"

static const char what[] = "the tissue";

enum { MANY = 1 << 14 }; /* cells or rows: with fewer, starting the threads takes longer than the loop */

/* value[cells] <- initial state s of each cell, that of its region */
static void start_state(double *value, const struct tissue *tissue, const struct batch *batch, int s,
                        const int *group, const struct monodomain_params *params)
{
#pragma omp parallel for schedule(static) if (batch->cells > MANY)
    for (int64_t i = 0; i < batch->cells; i++) {
        const int g = batch->group[i];
        const struct region *region = &params->region[group[g]];
        value[i] = region->initial ? region->initial[1 + s] : tissue->group[g].model->state[s].value;
    }
}

/* Uploads the initial states of a batch */
static enum status fill_states(struct tissue *tissue, int b, const int *group,
                               const struct monodomain_params *params, struct error *error)
{
    struct ionic_cells *cells = &tissue->cells[b];
    const size_t count = (size_t)cells->cells;
    enum status status = STATUS_OK;
    double *value = array_new(cells->cells, sizeof *value, "the initial state", &status, error);
    float *value32 = array_new(cells->cells, sizeof *value32, "the initial state", &status, error);
    TRY_DONE(status);
    for (int s = 0; s < cells->model->states; s++) {
        struct ionic_layout layout = ionic_layout(cells->model, cells->mixed, s);
        start_state(value, tissue, &tissue->batch[b], s, group, params);
#pragma omp parallel for schedule(static) if (count > MANY)
        for (size_t i = 0; i < count; i++)
            value32[i] = (float)value[i];
        const size_t at = (size_t)layout.row * (size_t)cells->stride;
        TRY_DONE(
            layout.fp32
                ? device_upload(tissue->queue, cells->state32 + at, value32, count * sizeof *value32, error)
                : device_upload(tissue->queue, cells->state64 + at, value, count * sizeof *value, error));
    }
done:
    free(value);
    free(value32);
    return status;
}

/* Whether two groups have equal tables in V */
static bool tables_equal(const struct batch_group *a, const struct batch_group *b)
{
    bool equal = ionic_same_code(a->model, b->model);
    for (int k = 0; equal && k < a->model->parameters; k++)
        equal = a->parameter[k] == b->parameter[k] || !a->model->table_reads(k);
    return equal;
}

/* The group's table in V on the device: that of an earlier group, or a new one built on the host */
static enum status create_table(struct tissue *tissue, int g, const struct monodomain_params *params,
                                struct error *error)
{
    struct batch_group *own = &tissue->group[g];
    enum status status = STATUS_OK;
    TRY(ionic_table_known(own->model, error));
    int first = 0;
    while (first < g && !tables_equal(&tissue->group[first], own))
        first++;
    if (first < g) {
        own->table = tissue->group[first].table;
        return STATUS_OK;
    }
    struct ionic_table table;
    TRY(ionic_table_build(&table, own->model, own->parameter, params->ionic_mixed, params_cell_step(params),
                          IONIC_TABLE_PER_MV, error));
    if (!table.value)
        return STATUS_OK;
    const size_t bytes = ionic_table_bytes(own->model, params->ionic_mixed, IONIC_TABLE_PER_MV);
    void *device = device_array(tissue->queue, (int64_t)bytes, 1, "an ionic model's tables", &status, error);
    TRY_DONE(status);
    own->table = device;
    status = device_upload(tissue->queue, device, table.value, bytes, error);
    tissue->table[g] = table;
    tissue->table[g].value = NULL; /* the shape alone, which all tables of a code share */
done:
    ionic_table_free(&table);
    return status;
}

/* The model, parameters, initial V and table of each group */
static enum status create_groups(struct tissue *tissue, const int *group,
                                 const struct monodomain_params *params, struct error *error)
{
    enum status status = STATUS_OK;
    for (int g = 0; g < tissue->groups; g++) {
        const struct region *region = &params->region[group[g]];
        const struct ionic_model *model = region->varied ? region->varied : region->model;
        bool tabled = params->ionic_tables;
        double *parameter =
            array_new(model->parameters, sizeof *parameter, "a model's parameters", &status, error);
        tissue->group[g] = (struct batch_group){.model = model, .parameter = parameter};
        int m = 0;
        while (m < tissue->models && tissue->model[m] != model)
            m++;
        tissue->models += m == tissue->models;
        tissue->model[m] = model;
        tissue->model_of_group[g] = m;
        tissue->v_initial[g] = region->initial ? region->initial[0] : model->v_initial;
        for (int k = 0; k < 2 && tissue->thresholds; k++)
            tissue->thresholds[g][k] = params->activation_thresholds[group[g]][k];
        TRY(status);
        for (int k = 0; k < model->parameters; k++)
            parameter[k] = region->parameter ? region->parameter[k] : model->parameter[k].value;
        for (int v = 0; v < model->varies && tabled && model->columns; v++)
            tabled = !model->table_reads(model->varied[v]);
        if (tabled)
            TRY(create_table(tissue, g, params, error));
    }
    return STATUS_OK;
}

/* Copies an array of the host to a new array on the device */
static void *copy_up(struct tissue *tissue, const void *from, int64_t count, size_t size, enum status *status,
                     struct error *error)
{
    void *device = *status ? NULL : device_array(tissue->queue, count, size, "the cells", status, error);
    if (!*status)
        *status = device_upload(tissue->queue, device, from, (size_t)count * size, error);
    return device;
}

/* parameter_set[] <- the constants of a batch's parameter sets, for sub-steps of dt */
static void fill_parameter_sets(char *parameter_set, const struct tissue *tissue, int b, double dt)
{
    const struct ionic_cells *cells = &tissue->cells[b];
    const size_t bytes = ionic_set_bytes(cells->model, cells->mixed);
    for (int g = 0; g < tissue->groups; g++) {
        const struct batch_group *group = &tissue->group[g];
        if (group->batch == b)
            ionic_set_fill(parameter_set + (size_t)group->parameter_set * bytes, group->model, cells->mixed,
                           group->parameter, dt, group->table);
    }
}

/* Uploads the parameter sets of a batch, for sub-steps of dt */
static enum status upload_parameter_sets(struct tissue *tissue, int b, double dt, struct error *error)
{
    const struct batch *batch = &tissue->batch[b];
    const size_t bytes = ionic_set_bytes(tissue->cells[b].model, tissue->cells[b].mixed);
    struct ionic_runs *runs = &tissue->runs[b];
    enum status status = STATUS_OK;
    char *parameter_set =
        array_zeroed(batch->parameter_sets, bytes, "the constants of the cells", &status, error);
    TRY_DONE(status);
    fill_parameter_sets(parameter_set, tissue, b, dt);
    if (runs->parameter_set)
        status = device_upload(tissue->queue, (void *)(uintptr_t)runs->parameter_set, parameter_set,
                               (size_t)batch->parameter_sets * bytes, error);
    else
        runs->parameter_set = copy_up(tissue, parameter_set, batch->parameter_sets, bytes, &status, error);
    runs->dt = dt;
done:
    free(parameter_set);
    return status;
}

/* The runs of a batch and the constants of its parameter sets */
static enum status create_runs(struct tissue *tissue, int b, const struct monodomain_params *params,
                               struct error *error)
{
    const struct batch *batch = &tissue->batch[b];
    enum status status = STATUS_OK;
    tissue->runs[b] = (struct ionic_runs){.runs = batch->runs};
    tissue->runs[b].run = copy_up(tissue, batch->run, batch->runs, sizeof *batch->run, &status, error);
    TRY(status);
    TRY(upload_parameter_sets(tissue, b, params_cell_step(params), error));
    tissue->cells[b].runs = &tissue->runs[b];
    return STATUS_OK;
}

/* The table of a batch: its own with one parameter set, else one with the shape that all share */
static struct ionic_table table_of(const struct tissue *tissue, int b)
{
    struct ionic_table table = {0};
    for (int g = 0; g < tissue->groups; g++) {
        const struct batch_group *own = &tissue->group[g];
        for (int h = 0; h < tissue->groups && own->batch == b && own->table && !table.value; h++)
            if (tissue->group[h].table == own->table && tissue->table[h].rows) {
                table = tissue->table[h];
                table.value = own->table;
            }
    }
    return table;
}

/* Allocates the states of a batch */
static void create_states(struct tissue_states *states, struct tissue *tissue,
                          const struct ionic_cells *cells, enum status *status, struct error *error)
{
    const int rows64 = ionic_states64(cells->model, cells->mixed), rows32 = cells->model->states - rows64;
    states->state64 = device_array(tissue->queue, rows64 * cells->stride, sizeof *states->state64,
                                   "the ionic states", status, error);
    if (cells->mixed)
        states->state32 = device_array(tissue->queue, rows32 * cells->stride, sizeof *states->state32,
                                       "the ionic states", status, error);
}

/* The cells of a batch: their rows, parameters, states and table */
static enum status create_batch(struct tissue *tissue, int b, const int *group,
                                const struct monodomain_params *params, const struct layout *layout,
                                struct error *error)
{
    const struct batch *batch = &tissue->batch[b];
    struct ionic_cells *cells = &tissue->cells[b];
    enum status status = STATUS_OK;
    int first = 0;
    while (tissue->group[first].batch != b)
        first++;
    const struct ionic_model *model = tissue->group[first].model;
    *cells = (struct ionic_cells){.model = model,
                                  .cells = batch->cells,
                                  .stride = (batch->cells + 15) / 16 * 16,
                                  .mixed = params->ionic_mixed,
                                  .parameter = tissue->group[first].parameter,
                                  .table = table_of(tissue, b)};
    if (batch->row)
        cells->index = copy_up(tissue, batch->row, batch->cells, sizeof *batch->row, &status, error);
    TRY(status);
    if (batch->run)
        TRY(create_runs(tissue, b, params, error));
    struct tissue_states states = {0};
    create_states(&states, tissue, cells, &status, error);
    cells->state64 = states.state64;
    cells->state32 = states.state32;
    TRY(status);
    TRY(fill_states(tissue, b, group, params, error));
    if (model->varies > 0)
        return varied_create(&tissue->varied[b], cells, batch, tissue->group, group, params, layout,
                             tissue->queue, error);
    free(tissue->batch[b].group); /* needed only by varied_create */
    tissue->batch[b].group = NULL;
    return STATUS_OK;
}

/* of_row[rows] <- the group of each row, -1 = padding */
static void find_rows(int32_t *of_row, const struct tissue *tissue, const struct layout *layout)
{
    for (int64_t k = 0; k < layout->rows; k++)
        of_row[k] = layout->node[k] < 0 ? -1 : tissue->group_of_node[layout->node[k]];
}

/* Appends the spans of batch b */
static void add_spans(struct tissue *tissue, int b)
{
    const struct batch *batch = &tissue->batch[b];
    for (int s = 0; s < batch->spans; s++) {
        const struct batch_span *of = &batch->span[s];
        struct tissue_span *span = &tissue->span[tissue->spans++];
        *span = (struct tissue_span){.batch = b,
                                     .first = of->first,
                                     .cells = tissue->cells[b],
                                     .row = batch->row ? batch->row + of->first : NULL};
        while (tissue->model[span->model] != of->model)
            span->model++;
        span->cells.model = of->model;
        span->cells.cells = of->cells;
        if (span->cells.runs) {
            span->runs = tissue->runs[b];
            span->runs.run += of->run;
            span->runs.runs = of->runs;
            span->runs.first = (int32_t)of->first;
            span->cells.runs = &span->runs;
        } else {
            span->cells.index += span->cells.index ? of->first : 0;
            span->cells.state64 += of->first;
            span->cells.state32 += span->cells.state32 ? of->first : 0;
            if (span->cells.own)
                span->cells.own = (const char *)span->cells.own +
                                  (size_t)of->first * (span->cells.mixed ? sizeof(float) : sizeof(double));
        }
    }
}

static enum status create_batches(struct tissue *tissue, const int *group,
                                  const struct monodomain_params *params, const struct layout *layout,
                                  struct error *error)
{
    enum status status = STATUS_OK;
    tissue->batches = batches_find(tissue->group, tissue->groups);
    tissue->batch = array_zeroed(tissue->batches, sizeof *tissue->batch, what, &status, error);
    tissue->cells = array_zeroed(tissue->batches, sizeof *tissue->cells, what, &status, error);
    tissue->runs = array_zeroed(tissue->batches, sizeof *tissue->runs, what, &status, error);
    tissue->varied = array_zeroed(tissue->batches, sizeof *tissue->varied, what, &status, error);
    int32_t *of_row = array_new(layout->rows, sizeof *of_row, what, &status, error);
    TRY_DONE(status);
    find_rows(of_row, tissue, layout);
    TRY_DONE(batches_make(tissue->batch, tissue->batches, tissue->group, tissue->groups, of_row, layout->rows,
                          error));
    tissue->span =
        array_zeroed((int64_t)tissue->batches * tissue->models, sizeof *tissue->span, what, &status, error);
    TRY_DONE(status);
    for (int b = 0; b < tissue->batches; b++) {
        TRY_DONE(create_batch(tissue, b, group, params, layout, error));
        add_spans(tissue, b);
    }
done:
    free(of_row);
    return status;
}

static void free_stimuli(struct tissue *tissue)
{
    device_release(tissue->queue, tissue->stimulus_class);
    device_release(tissue->queue, tissue->stimulus_current);
    free(tissue->stimulus_host);
    stimulus_plan_free(&tissue->plan);
}

enum status tissue_set_stimuli(struct tissue *tissue, const struct monodomain_params *params, int64_t nodes,
                               const struct layout *layout, struct error *error)
{
    struct queue *queue = tissue->queue;
    struct tissue next = {.queue = queue};
    enum status status = STATUS_OK;
    const struct partition alone = {0},
                           *partition = params->subdomain ? &params->subdomain->partition : &alone;
    uint16_t *of_node = array_new(nodes, sizeof *of_node, what, &status, error);
    uint16_t *of_row = array_new(layout->rows, sizeof *of_row, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(stimulus_plan(&next.plan, params->stimulus, params->stimuli, nodes, of_node, error));
    for (int64_t k = 0; k < layout->rows; k++)
        of_row[k] = layout->node[k] < 0 ? 0 : of_node[partition_number(partition, layout->node[k])];
    int64_t currents = (int64_t)TISSUE_FRAME * next.plan.classes;
    next.stimulus_class = device_array(queue, layout->rows, sizeof *of_row, what, &status, error);
    next.stimulus_current = device_array(queue, currents, sizeof(double), what, &status, error);
    next.stimulus_host = array_zeroed(currents, sizeof(double), what, &status, error);
    TRY_DONE(status);
    status = device_upload(queue, next.stimulus_class, of_row, (size_t)layout->rows * sizeof *of_row, error);
done:
    free(of_node);
    free(of_row);
    free_stimuli(status ? &next : tissue);
    if (status)
        return status;
    tissue->plan = next.plan;
    tissue->stimulus_class = next.stimulus_class;
    tissue->stimulus_current = next.stimulus_current;
    tissue->stimulus_host = next.stimulus_host;
    return STATUS_OK;
}

/* group[], tissue->group_of_node[] <- those of the subdomain, or found here on a single rank */
static enum status find_groups(struct tissue *tissue, int **group, const struct mesh *mesh,
                               const struct monodomain_params *params, struct error *error)
{
    const struct subdomain *subdomain = params->subdomain;
    int32_t *of_node = tissue->group_of_node;
    enum status status = STATUS_OK;
    if (!subdomain)
        return subdomain_find_groups(group, &tissue->groups, of_node, mesh, params, error);
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
    int *group = NULL;
    enum status status = STATUS_OK;
    memset(tissue, 0, sizeof *tissue);
    tissue->queue = queue;
    tissue->cell_step = params_cell_step(params);
    tissue->group_of_node = array_new(mesh->nodes, sizeof *tissue->group_of_node, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(find_groups(tissue, &group, mesh, params, error));
    tissue->group = array_zeroed(tissue->groups, sizeof *tissue->group, what, &status, error);
    tissue->table = array_zeroed(tissue->groups, sizeof *tissue->table, what, &status, error);
    tissue->model = array_zeroed(tissue->groups, sizeof *tissue->model, what, &status, error);
    tissue->model_of_group =
        array_zeroed(tissue->groups, sizeof *tissue->model_of_group, what, &status, error);
    tissue->v_initial = array_zeroed(tissue->groups, sizeof *tissue->v_initial, what, &status, error);
    if (params->activation_thresholds)
        tissue->thresholds = array_zeroed(tissue->groups, sizeof *tissue->thresholds, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(create_groups(tissue, group, params, error));
    TRY_DONE(create_batches(tissue, group, params, layout, error));
    status = tissue_set_stimuli(tissue, params, mesh_nodes_whole(mesh), layout, error);
done:
    free(group);
    if (status)
        tissue_free(tissue);
    return status;
}

/* An estimate: if more than two stimuli overlap, there are more classes than counted here. */
static double stimulus_bytes(const struct monodomain_params *params)
{
    double classes = 1;
    for (int s = 0; s < params->stimuli; s++)
        classes += stimulus_classes(params->stimulus + s, params->step);
    return 8.0 * TISSUE_FRAME * classes;
}

/* Upper bound on the bytes of a cell's own constants */
static double own_bytes(const struct monodomain_params *params)
{
    double most = 0;
    for (int r = 0; r < params->regions; r++)
        if (params->region[r].varied)
            most = fmax(most, params->region[r].varied->own * (params->ionic_mixed ? 4.0 : 8.0));
    return most;
}

double tissue_bytes(const struct monodomain_params *params, double rows)
{
    double most = 0, tables = 0, parameter_sets = 0;
    const int groups = params->regions;
    for (int r = 0; r < params->regions; r++) {
        const struct ionic_model *model = params->region[r].model;
        most = fmax(most, (double)ionic_state_bytes(model, params->ionic_mixed));
        parameter_sets = fmax(parameter_sets, (double)ionic_set_bytes(model, params->ionic_mixed));
        tables += params->ionic_tables
                      ? (double)ionic_table_bytes(model, params->ionic_mixed, IONIC_TABLE_PER_MV)
                      : 0;
    }
    const double spans = IONIC_RUN * (double)params->regions, runs = rows / IONIC_RUN + groups;
    return (rows + spans) * (most + own_bytes(params) + (groups > 1 ? 4 : 0)) + rows * 2 + tables +
           stimulus_bytes(params) +
           (groups > 1 ? groups * parameter_sets + runs * (double)sizeof(struct ionic_run) : 0);
}

double tissue_host_bytes(const struct monodomain_params *params, double rows)
{
    double fields = 0;
    for (int r = 0; r < params->regions; r++)
        if (params->region[r].varied)
            fields = fmax(fields, 4 + 8.0 * params->region[r].varied->varies);
    return rows * (4 + 4 + (params->regions > 1 ? 4 : 0) + fields + own_bytes(params)) +
           stimulus_bytes(params);
}

void tissue_free(struct tissue *tissue)
{
    if (!tissue->queue)
        return;
    for (int b = 0; tissue->cells && b < tissue->batches; b++) {
        device_release(tissue->queue, tissue->cells[b].index);
        device_release(tissue->queue, tissue->cells[b].state64);
        device_release(tissue->queue, tissue->cells[b].state32);
        device_release(tissue->queue, (void *)(uintptr_t)tissue->cells[b].own);
    }
    for (int b = 0; tissue->varied && b < tissue->batches; b++)
        varied_free(&tissue->varied[b]);
    for (int b = 0; tissue->shown && b < tissue->batches; b++) {
        device_release(tissue->queue, tissue->shown[b].state64);
        device_release(tissue->queue, tissue->shown[b].state32);
    }
    free(tissue->shown);
    for (int b = 0; tissue->runs && b < tissue->batches; b++) {
        device_release(tissue->queue, tissue->runs[b].run);
        device_release(tissue->queue, tissue->runs[b].parameter_set);
    }
    for (int g = 0; tissue->table && g < tissue->groups; g++) {
        if (tissue->table[g].rows) /* otherwise it belongs to an earlier group */
            device_release(tissue->queue, tissue->group[g].table);
        free((void *)(uintptr_t)tissue->group[g].parameter);
    }
    free_stimuli(tissue);
    if (tissue->batch)
        batches_free(tissue->batch, tissue->batches);
    free(tissue->batch);
    free(tissue->cells);
    free(tissue->runs);
    free(tissue->varied);
    free(tissue->group);
    free(tissue->table);
    free(tissue->v_initial);
    free(tissue->thresholds);
    free(tissue->model);
    free(tissue->model_of_group);
    free(tissue->span);
    free(tissue->group_of_node);
    memset(tissue, 0, sizeof *tissue);
}

/* The group of a row; for padding the first group */
static int group_of_row(const struct tissue *tissue, const struct layout *layout, int64_t k)
{
    return layout->node[k] < 0 ? 0 : tissue->group_of_node[layout->node[k]];
}

void tissue_rest(const struct tissue *tissue, const struct layout *layout, double *v)
{
#pragma omp parallel for schedule(static) if (layout->rows > MANY)
    for (int64_t k = 0; k < layout->rows; k++)
        v[k] = tissue->v_initial[group_of_row(tissue, layout, k)];
}

void tissue_models_rest(const struct tissue *tissue, const struct layout *layout, double *v)
{
#pragma omp parallel for schedule(static) if (layout->rows > MANY)
    for (int64_t k = 0; k < layout->rows; k++)
        v[k] = tissue->group[group_of_row(tissue, layout, k)].model->v_initial;
}

void tissue_thresholds(const struct tissue *tissue, const struct layout *layout, double *by_row)
{
#pragma omp parallel for schedule(static) if (layout->rows > MANY)
    for (int64_t k = 0; k < layout->rows; k++)
        for (int side = 0; side < 2; side++)
            by_row[side * layout->rows + k] = tissue->thresholds[group_of_row(tissue, layout, k)][side];
}

/* stimulus_host <- the currents of the stimuli in steps first .. first + steps - 1 */
static void find_currents(struct tissue *tissue, int64_t first, int64_t steps, double dt)
{
    for (int64_t k = 0; k < steps; k++) {
        double t = (double)(first + k) * dt;
        stimulus_currents(&tissue->plan, t, t + dt, tissue->stimulus_host + k * tissue->plan.classes);
    }
}

enum status tissue_prepare(struct tissue *tissue, int64_t first, int64_t steps, double dt,
                           struct error *error)
{
    if (tissue->plan.classes == 1)
        return STATUS_OK;
    find_currents(tissue, first, steps, dt);
    return device_upload(tissue->queue, tissue->stimulus_current, tissue->stimulus_host,
                         (size_t)(steps * tissue->plan.classes) * sizeof(double), error);
}

bool tissue_stimuli_constant(struct tissue *tissue, int64_t first, int64_t steps, double dt)
{
    int64_t classes = tissue->plan.classes;
    bool steady = true;
    if (classes == 1 || first == 0)
        return classes == 1;
    find_currents(tissue, first - 1, steps + 1, dt);
    for (int64_t k = 1; k <= steps && steady; k++)
        steady = memcmp(tissue->stimulus_host, tissue->stimulus_host + k * classes,
                        (size_t)classes * sizeof(double)) == 0;
    return steady;
}

void tissue_step(struct tissue *tissue, double dt, int substeps, struct tissue_staggered by,
                 const double *v_in, double *v_out, const struct control *control)
{
    int classes = tissue->plan.classes;
    struct ionic_drive drive = {.dt = dt / substeps,
                                .substeps = substeps,
                                .stimulus_class = classes > 1 ? tissue->stimulus_class : NULL,
                                .stimulus_current = tissue->stimulus_current,
                                .v_in = v_in,
                                .v_out = v_out,
                                .control = control,
                                .v_before = by.v,
                                .extrapolation = by.length > 0 ? dt / substeps / (2 * by.length) : 0,
                                .field = by.field,
                                .theta = by.theta,
                                .holds = by.holds,
                                .subset = by.length > 0 ? IONIC_BOTH : IONIC_REST,
                                .stimulus_row = classes};
    for (int b = 0; b < tissue->batches; b++)
        tissue->queue->backend->ionic_step(tissue->queue, tissue->cells + b, &drive);
}

/* Whether a model has code that advances only the gates; user models compiled for other steps do not */
static bool has_gates(const struct ionic_model *model, bool mixed)
{
    const struct ionic_loops *const loops[] = {model->plain, model->avx2, model->avx512};
    bool has = model->cuda && model->cuda->gates[mixed];
    for (int k = 0; k < 3; k++)
        has |= loops[k] && loops[k]->gates[mixed];
    return has;
}

static enum status fill_own(struct tissue *tissue, int b, double dt, struct error *error)
{
    return varied_fill(&tissue->varied[b], &tissue->cells[b], &tissue->batch[b], tissue->group, dt,
                       tissue->queue, error);
}

enum status tissue_change_varied(struct tissue *tissue, int b, struct error *error)
{
    return fill_own(tissue, b, tissue->cell_step, error);
}

enum status tissue_gates(struct tissue *tissue, double dt, const double *v, struct error *error)
{
    const struct ionic_drive drive = {.dt = dt,
                                      .substeps = 1,
                                      .v_in = v,
                                      .v_out = (double *)(uintptr_t)v,
                                      .v_before = v,
                                      .subset = IONIC_GATES};
    for (int b = 0; b < tissue->batches; b++) {
        const struct ionic_cells *cells = &tissue->cells[b];
        const bool runs = cells->runs;
        if (!has_gates(cells->model, cells->mixed))
            return error_set(error, STATUS_INPUT,
                             "the states come from staggered steps; start %s from them by solver.splitting: "
                             "staggered",
                             cells->model->name);
        const double sub_step = tissue->runs[b].dt;
        if (runs)
            TRY(upload_parameter_sets(tissue, b, dt, error));
        if (cells->model->own_of_gates)
            TRY(fill_own(tissue, b, dt, error));
        tissue->queue->backend->ionic_step(tissue->queue, tissue->cells + b, &drive);
        if (runs)
            TRY(upload_parameter_sets(tissue, b, sub_step, error));
        if (cells->model->own_of_gates)
            TRY(fill_own(tissue, b, tissue->cell_step, error));
    }
    return STATUS_OK;
}

/* Allocates the states of tissue_show() */
static enum status create_shown(struct tissue *tissue, struct error *error)
{
    enum status status = STATUS_OK;
    if (tissue->shown)
        return STATUS_OK;
    tissue->shown = array_zeroed(tissue->batches, sizeof *tissue->shown, what, &status, error);
    for (int b = 0; b < tissue->batches && !status; b++)
        create_states(&tissue->shown[b], tissue, &tissue->cells[b], &status, error);
    return status;
}

/* Swaps the states of the steps and those shown */
static void exchange_states(struct tissue *tissue)
{
    struct tissue_span *span = tissue->span;
    for (int b = 0; b < tissue->batches; b++) {
        struct ionic_cells *cells = &tissue->cells[b];
        const struct tissue_states own = {cells->state64, cells->state32};
        cells->state64 = tissue->shown[b].state64;
        cells->state32 = tissue->shown[b].state32;
        tissue->shown[b] = own;
        for (int s = 0; s < tissue->batch[b].spans; s++, span++) {
            span->cells.state64 = cells->state64 + (span->cells.state64 - own.state64);
            if (own.state32)
                span->cells.state32 = cells->state32 + (span->cells.state32 - own.state32);
        }
    }
    tissue->shows = !tissue->shows;
}

enum status tissue_show(struct tissue *tissue, double dt, const double *v, struct error *error)
{
    TRY(create_shown(tissue, error));
    for (int b = 0; b < tissue->batches; b++) {
        const struct ionic_cells *cells = &tissue->cells[b];
        const int64_t rows64 = ionic_states64(cells->model, cells->mixed),
                      rows32 = cells->model->states - rows64;
        tissue->queue->backend->copy(tissue->queue, tissue->shown[b].state64, cells->state64,
                                     (size_t)(rows64 * cells->stride) * sizeof *cells->state64);
        if (cells->mixed)
            tissue->queue->backend->copy(tissue->queue, tissue->shown[b].state32, cells->state32,
                                         (size_t)(rows32 * cells->stride) * sizeof *cells->state32);
    }
    exchange_states(tissue);
    enum status status = tissue_gates(tissue, dt, v, error);
    if (status)
        exchange_states(tissue);
    return status;
}

void tissue_hide(struct tissue *tissue)
{
    if (tissue->shows)
        exchange_states(tissue);
}
