/* paced.c: pace a cell for each region, and sample its last beat for nodes that start at a phase of it. */
#include "app/problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/pacing.h"
#include "app/problem/node_list.h"
#include "solver/step/front.h"
#include "kernels/base/array.h"

static const char what[] = "the paced cells";

enum { SAMPLES_MOST = 1 << 16 }; /* of a beat; enough for every step of 0.02 ms in 1.3 s */

/* The last beat of a region's cell */
struct cycle {
    int64_t period, stride; /* steps in the period, and between two samples */
    int64_t *sample;        /* [samples + 1] first: whether a node starts there; then its row in the table */
    int64_t samples;
};

bool paced_by_node(const struct config *config)
{
    bool any = false;
    for (int r = 0; r < config->tissue.regions && !config->initial.file; r++)
        any = any || config->tissue.region[r].phase || config->tissue.region[r].phase_times;
    return any;
}

static struct pacing_cell cell_of(const struct config *config, int r)
{
    const struct monodomain_params *physics = &config->physics;
    const struct config_region *from = config->tissue.region + r;
    return (struct pacing_cell){.model = from->model,
                                .user = user_model_of(config->models, from->model),
                                .parameter = from->parameter,
                                .way = config_way(config),
                                .step = params_cell_step(physics)};
}

void paced_warning(FILE *file, const struct problem *problem, const struct config *config, int r)
{
    const struct pacing_cell cell = cell_of(config, r);
    const struct region *region = &problem->region[r];
    char note[200] = "";
    if (front_is_lifted(region))
        fprintf(
            file,
            "tissue.regions[%d].initial: %s (V %.1f mV, rest %.1f mV); fronts are not measured: initial V is "
            "above the threshold\n",
            r,
            config->tissue.region[r].pace > 0 ? "the cell had not repolarised after its last paced beat"
                                              : "the cells begin depolarised",
            region->initial[0], region->model->v_initial);
    if (config->tissue.region[r].pace > 0 && !config->initial.file)
        pacing_cell_note(note, sizeof note, &cell);
    if (note[0])
        fprintf(file, "tissue.regions[%d].initial: %s\n", r, note);
}

/* Sets up the samples of a beat: every step, or every stride-th if those were more than SAMPLES_MOST */
static enum status open_cycle(struct cycle *cycle, double step, double period, struct error *error)
{
    enum status status = STATUS_OK;
    cycle->period = (int64_t)nearbyint(period / step);
    cycle->stride = 1 + (cycle->period - 1) / SAMPLES_MOST;
    cycle->samples = (cycle->period + cycle->stride - 1) / cycle->stride;
    cycle->sample = array_zeroed(cycle->samples + 1, sizeof *cycle->sample, what, &status, error);
    return status;
}

/* phase[nodes] <- the phases that a region's config gives. Errors: STATUS_INPUT. */
static enum status read_phase(double *phase, const struct config_region *from, const struct mesh *mesh,
                              struct environment *environment, struct error *error)
{
    struct error inner = {0};
    int64_t found;
    int at;
    if (from->phase) {
        enum status status = environment_values(environment, from->phase, LOCATION_NODE, phase, &at, &inner);
        return status ? error_set(error, status, "phase: %.1000s", inner.text) : STATUS_OK;
    }
    TRY(node_list_read_values(from->phase_times, mesh->nodes, phase, &found, environment->inputs, error));
    if (found < mesh->nodes)
        return error_set(error, STATUS_INPUT, "%s: holds fewer than %lld numbers, one for each node",
                         from->phase_times, (long long)mesh->nodes);
    for (int64_t i = 0; i < mesh->nodes; i++)
        phase[i] = 1 - phase[i] / from->pace_period;
    return STATUS_OK;
}

/* row[i] <- the sample at which node i of region r starts; cycle->sample[] <- 1 for samples in use */
static enum status find_samples(struct cycle *cycle, int32_t *row, const double *phase, const int32_t *region,
                                int r, int64_t nodes, struct error *error)
{
    for (int64_t i = 0; i < nodes; i++) {
        if (region[i] != r)
            continue;
        if (!isfinite(phase[i]))
            return error_set(error, STATUS_INPUT, "phase: %g at node %lld; expected a finite number",
                             phase[i], (long long)i);
        const double share = phase[i] - floor(phase[i]);
        const int64_t sample = (int64_t)nearbyint(share * (double)cycle->period / (double)cycle->stride);
        row[i] = (int32_t)(sample == 0 ? cycle->samples : sample);
        cycle->sample[row[i]] = 1;
    }
    return STATUS_OK;
}

/* Appends `count` states of `values` values each to the table, from row paced->rows on */
static enum status add_rows(struct problem_paced *paced, const double *state, int64_t count, int values,
                            struct error *error)
{
    enum status status = STATUS_OK;
    double *larger = array_zeroed((paced->rows + count) * paced->width, sizeof *larger, what, &status, error);
    TRY(status);
    if (paced->rows > 0)
        memcpy(larger, paced->value, (size_t)(paced->rows * paced->width) * sizeof *larger);
    for (int64_t k = 0; k < count; k++)
        memcpy(larger + (paced->rows + k) * paced->width, state + k * values, (size_t)values * sizeof *state);
    free(paced->value);
    paced->value = larger;
    paced->rows += count;
    return STATUS_OK;
}

/* Appends the used samples of region r to the table; row[i] <- the row of each of its nodes */
static enum status add_samples(struct problem *problem, struct cycle *cycle, const struct config *config,
                               int r, const int32_t *region, struct error *error)
{
    const struct config_region *from = config->tissue.region + r;
    const struct pacing_cell cell = cell_of(config, r);
    const int values = single_cell_values(from->model);
    struct problem_paced *paced = &problem->paced;
    int64_t used = 0, *step = NULL;
    double *beat = NULL;
    enum status status = STATUS_OK;
    for (int64_t k = 1; k <= cycle->samples; k++)
        used += cycle->sample[k];
    step = array_new(used, sizeof *step, what, &status, error);
    beat = array_new(used * values, sizeof *beat, what, &status, error);
    TRY_DONE(status);
    used = 0;
    for (int64_t k = 1; k <= cycle->samples; k++)
        if (cycle->sample[k]) {
            step[used] = k == cycle->samples ? cycle->period : k * cycle->stride;
            cycle->sample[k] = paced->rows + used++;
        }
    TRY_DONE(pacing_beat_states(beat, step, used, &cell, from->pace, from->pace_period, error));
    for (int64_t i = 0; i < problem->mesh.nodes; i++)
        if (region[i] == r)
            paced->row[i] = (int32_t)cycle->sample[paced->row[i]];
    status = add_rows(paced, beat, used, values, error);
done:
    free(step);
    free(beat);
    return status;
}

static enum status assign_phases(struct problem *problem, const struct config *config, int r,
                                 struct environment *environment, const int32_t *region, struct error *error)
{
    const struct config_region *from = config->tissue.region + r;
    const int64_t nodes = problem->mesh.nodes;
    struct cycle cycle = {0};
    enum status status = STATUS_OK;
    double *phase = array_new(nodes, sizeof *phase, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(open_cycle(&cycle, cell_of(config, r).step, from->pace_period, error));
    TRY_DONE(read_phase(phase, from, &problem->mesh, environment, error));
    TRY_DONE(find_samples(&cycle, problem->paced.row, phase, region, r, nodes, error));
    status = add_samples(problem, &cycle, config, r, region, error);
done:
    free(phase);
    free(cycle.sample);
    return status;
}

/* Allocates problem->paced.row[] and region[nodes] if any region has phases. */
static enum status open_rows(struct problem *problem, const struct config *config, int32_t **region,
                             struct error *error)
{
    struct problem_paced *paced = &problem->paced;
    const int64_t nodes = problem->mesh.nodes;
    enum status status = STATUS_OK;
    if (!paced_by_node(config))
        return STATUS_OK;
    for (int r = 0; r < config->tissue.regions; r++) {
        const int values = single_cell_values(config->tissue.region[r].model);
        paced->width = values > paced->width ? values : paced->width;
    }
    paced->row = array_new(nodes, sizeof *paced->row, what, &status, error);
    *region = array_new(nodes, sizeof **region, what, &status, error);
    TRY(status);
    regions_of_nodes(*region, problem);
    return STATUS_OK;
}

/* Appends one row for all nodes of a region without phases: the region's initial state. */
static enum status assign_one(struct problem *problem, int r, const int32_t *region, struct error *error)
{
    struct problem_paced *paced = &problem->paced;
    const struct region *own = &problem->region[r];
    const int values = single_cell_values(own->model);
    enum status status = STATUS_OK;
    double *state = array_new(values, sizeof *state, what, &status, error);
    TRY(status);
    single_cell_rest(state, own->model);
    for (int64_t i = 0; i < problem->mesh.nodes; i++)
        if (region[i] == r)
            paced->row[i] = (int32_t)paced->rows;
    status = add_rows(paced, own->initial ? own->initial : state, 1, values, error);
    free(state);
    return status;
}

/* region[r].initial <- the state after all beats; adds the rows of its nodes if any region has phases. */
static enum status pace_region(struct problem *problem, const struct config *config, int r,
                               struct environment *environment, const int32_t *region, struct error *error)
{
    const struct config_region *from = config->tissue.region + r;
    const struct pacing_cell cell = cell_of(config, r);
    enum status status = STATUS_OK;
    if (from->pace > 0) {
        double *state = array_zeroed(single_cell_values(from->model), sizeof *state, what, &status, error);
        problem->paced.state[r] = state;
        problem->region[r].initial = state;
        TRY(status);
        TRY(pacing_states(state, &cell, from->pace, from->pace_period, error));
    }
    if (from->phase || from->phase_times)
        return assign_phases(problem, config, r, environment, region, error);
    return region ? assign_one(problem, r, region, error) : STATUS_OK;
}

enum status paced_assign(struct problem *problem, const struct config *config,
                         struct environment *environment, struct faults *faults)
{
    enum status status = STATUS_OK;
    int32_t *region = NULL;
    problem->paced.state =
        array_zeroed(config->tissue.regions, sizeof *problem->paced.state, what, &status, faults->error);
    TRY(status);
    status = open_rows(problem, config, &region, faults->error);
    for (int r = 0; r < config->tissue.regions && !config->initial.file; r++) {
        struct error inner = {0};
        if (status && status != STATUS_INPUT)
            break;
        if (pace_region(problem, config, r, environment, region, &inner))
            status =
                config_fault_found(faults, config, config_key("tissue.regions[%d].initial", r).text, &inner);
    }
    free(region);
    return status;
}

void paced_free(struct problem *problem)
{
    struct problem_paced *paced = &problem->paced;
    for (int r = 0; paced->state && r < problem->params.regions; r++)
        free(paced->state[r]);
    free(paced->state);
    free(paced->row);
    free(paced->value);
    *paced = (struct problem_paced){0};
}

/* value[nodes] <- V (m < 0, state = -1), or a state of model m at the nodes with that model, NaN elsewhere */
static void read_table(double *value, const struct problem_paced *paced, const int32_t *of_node, int m,
                       int state, int64_t nodes)
{
    for (int64_t i = 0; i < nodes; i++)
        value[i] =
            m < 0 || of_node[i] == m ? paced->value[paced->row[i] * paced->width + 1 + state] : (double)NAN;
}

enum status paced_start(struct monodomain *sim, const struct problem *problem, struct error *error)
{
    const struct problem_paced *paced = &problem->paced;
    const int64_t nodes = problem->mesh.nodes;
    enum status status = STATUS_OK;
    double *value = array_new(nodes, sizeof *value, what, &status, error);
    int32_t *of_node = array_new(nodes, sizeof *of_node, what, &status, error);
    TRY_DONE(status);
    monodomain_model_map(sim, of_node);
    for (int k = 0, state = -1, before = -1; k < monodomain_variables(sim); k++) {
        const int m = monodomain_variable(sim, k)->model;
        if (k > 0 && m < 0)
            continue;
        state = k == 0 ? -1 : m == before ? state + 1 : 0;
        before = m;
        read_table(value, paced, of_node, m, state, nodes);
        TRY_DONE(monodomain_set(sim, k, value, error));
    }
    status = monodomain_restart(sim, 0, 0, error);
done:
    free(value);
    free(of_node);
    return status;
}
