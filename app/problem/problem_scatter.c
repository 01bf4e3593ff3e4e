/* problem_scatter.c: broadcast the problem that rank 0 has set up to the other ranks. */
#include <stdlib.h>

#include "app/models/single_cell.h"
#include "app/problem/problem.h"
#include "kernels/base/array.h"

static const char what[] = "the ranks' problem";

/* Broadcasts *array[count] from rank 0, allocating it elsewhere; NULL stays NULL. */
static enum status broadcast_array(const struct comm *comm, void **array, int64_t count, size_t size,
                                   struct error *error)
{
    int64_t sent[] = {*array != NULL, count};
    enum status status = STATUS_OK;
    comm->engine->broadcast(comm, COMM_STEPS, 0, sent, sizeof sent);
    if (comm->rank > 0)
        *array = sent[0] ? array_new(sent[1], size, what, &status, error) : NULL;
    status = comm_agree(comm, COMM_STEPS, status, error);
    if (!status && sent[0])
        comm->engine->broadcast(comm, COMM_STEPS, 0, *array, (size_t)sent[1] * size);
    return status;
}

/* The same for a pointer to const */
static enum status broadcast_const(const struct comm *comm, const void *array, int64_t count, size_t size,
                                   const void **to, struct error *error)
{
    void *own = (void *)(uintptr_t)array;
    enum status status = broadcast_array(comm, &own, count, size, error);
    *to = own;
    return status;
}

/* Broadcasts a region's parameters that vary between nodes, for the whole mesh. */
static enum status broadcast_fields(struct region *region, const struct comm *comm, int64_t nodes,
                                    struct error *error)
{
    struct region_field *field = (struct region_field *)(uintptr_t)region->field;
    const bool first = comm->rank == 0;
    enum status status = broadcast_array(comm, (void **)&field, region->fields, sizeof *field, error);
    for (int f = 0; f < region->fields && !first && field; f++)
        field[f].value = NULL;
    region->field = field;
    for (int f = 0; f < region->fields && !status; f++)
        status = broadcast_const(comm, field[f].value, nodes, sizeof *field->value,
                                 (const void **)&field[f].value, error);
    return status;
}

/* Broadcasts the nodes' initial states, if a region has phases. */
static enum status broadcast_phases(struct problem_paced *paced, const struct comm *comm, int64_t nodes,
                                    struct error *error)
{
    int64_t size[] = {paced->rows, paced->width};
    comm->engine->broadcast(comm, COMM_STEPS, 0, size, sizeof size);
    paced->rows = size[0];
    paced->width = (int)size[1];
    TRY(broadcast_array(comm, (void **)&paced->row, nodes, sizeof *paced->row, error));
    return broadcast_array(comm, (void **)&paced->value, paced->rows * paced->width, sizeof *paced->value,
                           error);
}

/* Broadcasts region[] and paced; models and parameter values come from each rank's own config. */
static enum status broadcast_regions(struct problem *problem, const struct config *config,
                                     const struct subdomain *subdomain, struct error *error)
{
    const struct comm *comm = subdomain->partition.comm;
    int regions = config->tissue.regions;
    enum status status =
        broadcast_array(comm, (void **)&problem->region, regions, sizeof *problem->region, error);
    struct problem_paced *paced = &problem->paced;
    if (!paced->state)
        paced->state = array_zeroed(regions, sizeof *paced->state, what, &status, error);
    for (int r = 0; r < regions && comm->rank > 0 && problem->region; r++) {
        struct region *region = &problem->region[r];
        region->model = config->tissue.region[r].model;
        region->varied = config->tissue.region[r].varied;
        region->parameter = config->tissue.region[r].parameter;
        region->initial = config->tissue.region[r].initial;
        regions_renew_scale(region, problem->scale);
        region->field = NULL;
    }
    problem->params.regions = regions;
    problem->params.region = problem->region;
    TRY(broadcast_array(comm, (void **)&problem->thresholds, regions, sizeof *problem->thresholds, error));
    problem->params.activation_thresholds = (const double(*)[2])problem->thresholds;
    comm->engine->broadcast(comm, COMM_STEPS, 0, &problem->params.activation_slots,
                            sizeof problem->params.activation_slots);
    TRY(broadcast_array(comm, (void **)&problem->goal, regions, sizeof *problem->goal, error));
    TRY(comm_agree(comm, COMM_STEPS, status, error));
    for (int r = 0; r < regions; r++) {
        TRY(broadcast_fields(&problem->region[r], comm, subdomain->partition.nodes, error));
        TRY(broadcast_array(comm, (void **)&paced->state[r], single_cell_values(problem->region[r].model),
                            sizeof **paced->state, error));
        if (paced->state[r])
            problem->region[r].initial = paced->state[r];
    }
    return STATUS_OK;
}

/* Broadcasts stimulus[] with their lists; a phase shares those of the previous train. */
static enum status broadcast_stimuli(struct problem *problem, const struct comm *comm, struct error *error)
{
    int64_t stimuli = problem->stimuli;
    comm->engine->broadcast(comm, COMM_STEPS, 0, &stimuli, sizeof stimuli);
    enum status status =
        broadcast_array(comm, (void **)&problem->stimulus, stimuli, sizeof *problem->stimulus, error);
    for (int s = 0; s < stimuli && comm->rank > 0 && problem->stimulus; s++) {
        problem->stimulus[s].node = NULL;
        problem->stimulus[s].delay = NULL;
        problem->stimulus[s].weight = NULL;
        problem->stimulus[s].shape = NULL;
    }
    problem->stimuli = problem->stimulus ? (int)stimuli : 0;
    problem->params.stimulus = problem->stimulus;
    problem->params.stimuli = problem->stimuli;
    TRY(status); /* equal on all ranks */
    TRY(broadcast_array(comm, (void **)&problem->stimulus_from, stimuli, sizeof *problem->stimulus_from,
                        error));
    for (int s = 0; s < stimuli; s++) {
        struct stimulus *own = &problem->stimulus[s];
        if (own->phase) {
            own->node = own[-1].node;
            own->delay = own[-1].delay;
            own->weight = own[-1].weight;
            own->shape = own[-1].shape;
            continue;
        }
        TRY(broadcast_const(comm, own->node, own->nodes, sizeof *own->node, (const void **)&own->node,
                            error));
        TRY(broadcast_const(comm, own->delay, own->nodes, sizeof *own->delay, (const void **)&own->delay,
                            error));
        TRY(broadcast_const(comm, own->weight, own->nodes, sizeof *own->weight, (const void **)&own->weight,
                            error));
        TRY(broadcast_const(comm, own->shape, own->shapes, sizeof *own->shape, (const void **)&own->shape,
                            error));
    }
    return STATUS_OK;
}

enum status problem_scatter(struct problem *problem, const struct config *config, struct subdomain *subdomain,
                            bool all_nodes, struct error *error)
{
    const struct comm *comm = subdomain->partition.comm;
    const struct subdomain_array beside[] = {
        {(void **)&problem->element_region, sizeof *problem->element_region},
        {(void **)&problem->scale[0], sizeof **problem->scale},
        {(void **)&problem->scale[1], sizeof **problem->scale},
        {(void **)&problem->scale[2], sizeof **problem->scale}};
    if (comm->rank > 0) {
        problem->params = config->physics;
        problem->params.fiber = config->tissue.fibers == FIBERS_UNIFORM ? config->tissue.fiber : NULL;
    }
    enum status status = subdomain_scatter(subdomain, &problem->mesh, all_nodes, beside, 4, error);
    problem->params.element_region = problem->element_region;
    TRY(status);
    TRY(broadcast_regions(problem, config, subdomain, error));
    TRY(broadcast_stimuli(problem, comm, error));
    TRY(broadcast_phases(&problem->paced, comm, subdomain->partition.nodes, error));
    return broadcast_array(comm, (void **)&problem->probe, config->output.probes, sizeof *problem->probe,
                           error);
}
