/* sites.c: find stimulated nodes and their neighbours in one pass over the elements. */
#include "app/problem/sites.h"

#include <stdlib.h>

#include "kernels/base/array.h"
#include "solver/cells/stimulus.h"

static const char what[] = "the sites";

enum { WORD = 64 }; /* trains marked in one pass, a bit each */

static bool several_pulses(const struct config *config)
{
    for (int s = 0; s < config->stimuli; s++)
        if (config->stimulus[s].phases || config->stimulus[s].count != 1)
            return true;
    return config->stimuli > 1;
}

/* Whether to record beats at sites: if there are probes (recorded in any case), or if one activation of each node
 * cannot show the effect of every pulse */
static bool is_recorded(const struct config *config)
{
    return config->output.probes > 0 || several_pulses(config);
}

int64_t sites_times(const struct config *config)
{
    int64_t kept = config->physics.activation_beats + 1;
    return several_pulses(config) && kept < SITES_TIMES ? SITES_TIMES : kept;
}

int64_t sites_points_most(const struct problem *problem, const struct config *config)
{
    int64_t trains = 0;
    for (int s = 0; s < problem->stimuli; s++)
        trains += !problem->stimulus[s].phase;
    return is_recorded(config) ? config->output.probes + 2 * SITES_OF_TRAIN * trains +
                                     (int64_t)SITES_OF_REGION * config->tissue.regions
                               : 0;
}

/* An evenly spaced sample of a stream of nodes, of bounded length */
struct chosen {
    int32_t *node;
    int64_t count, seen, every;
};

/* Adds every `every`-th node of the stream; when the list is full, drops every second entry and doubles `every`. */
static void choose(struct chosen *list, int32_t node, int64_t most)
{
    if (list->seen++ % list->every != 0)
        return;
    if (list->count == 2 * most) {
        for (int64_t k = 0; k < most; k++)
            list->node[k] = list->node[2 * k];
        list->count = most;
        list->every *= 2;
        if ((list->seen - 1) % list->every != 0)
            return;
    }
    list->node[list->count++] = node;
}

/* Reduces the list evenly to at most `most` nodes; returns its length. */
static int64_t thin(const struct chosen *list, int64_t most)
{
    if (list->count <= most)
        return list->count;
    for (int64_t k = 0; k < most; k++)
        list->node[k] = list->node[k * list->count / most];
    return most;
}

static enum status start_list(struct chosen *list, int64_t most, struct error *error)
{
    enum status status = STATUS_OK;
    *list = (struct chosen){.every = 1};
    list->node = array_new(2 * most, sizeof *list->node, what, &status, error);
    return status;
}

/* mark[nodes] <- bit k if train first + k stimulates the node */
static void mark_trains(uint64_t *mark, const struct problem *problem, int first, int count)
{
    for (int64_t i = 0; i < problem->mesh.nodes; i++)
        mark[i] = 0;
    for (int s = first; s < first + count; s++) {
        const struct stimulus *stimulus = &problem->stimulus[s];
        const double least = stimulus_least_weight(stimulus);
        for (int64_t k = 0; k < stimulus->nodes && !stimulus->phase; k++)
            if (stimulus_weight(stimulus, k) >= least)
                mark[stimulus->node[k]] |= UINT64_C(1) << (s - first);
    }
}

/* beside[nodes] <- bits of the trains that stimulate a neighbour of the node but not the node itself */
static void mark_neighbours(uint64_t *beside, const uint64_t *mark, const struct mesh *mesh)
{
    int corners = mesh->dimension + 1;
    for (int64_t i = 0; i < mesh->nodes; i++)
        beside[i] = 0;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * corners;
        uint64_t any = 0, all = ~UINT64_C(0);
        for (int c = 0; c < corners; c++) {
            any |= mark[vertex[c]];
            all &= mark[vertex[c]];
        }
        for (int c = 0; c < corners && any != all; c++)
            __atomic_fetch_or(&beside[vertex[c]], any & ~mark[vertex[c]], __ATOMIC_RELAXED);
    }
}

/* *train <- the sites of the train with that bit */
static enum status find_train(struct sites_train *train, const uint64_t *mark, const uint64_t *beside,
                              uint64_t bit, int64_t nodes, const struct sites_cells *cells,
                              struct error *error)
{
    struct chosen own = {0}, next = {0};
    enum status status = start_list(&own, SITES_OF_TRAIN, error);
    if (!status)
        status = start_list(&next, SITES_OF_TRAIN, error);
    for (int64_t i = 0; i < nodes && !status; i++) {
        if (!((mark[i] | beside[i]) & bit) || !sites_excitable(cells, i))
            continue;
        choose(mark[i] & bit ? &own : &next, (int32_t)i, SITES_OF_TRAIN);
    }
    *train =
        (struct sites_train){own.node, next.node, thin(&own, SITES_OF_TRAIN), thin(&next, SITES_OF_TRAIN)};
    return status;
}

static enum status find_trains(struct sites *sites, const struct problem *problem,
                               const struct sites_cells *cells, struct error *error)
{
    const struct mesh *mesh = &problem->mesh;
    enum status status = STATUS_OK;
    uint64_t *mark = array_new(mesh->nodes, sizeof *mark, what, &status, error);
    uint64_t *beside = array_new(mesh->nodes, sizeof *beside, what, &status, error);
    for (int first = 0; first < sites->trains && !status; first += WORD) {
        int count = sites->trains - first < WORD ? sites->trains - first : WORD;
        mark_trains(mark, problem, first, count);
        mark_neighbours(beside, mark, mesh);
        for (int s = first; s < first + count && !status; s++)
            if (!problem->stimulus[s].phase)
                status = find_train(&sites->train[s], mark, beside, UINT64_C(1) << (s - first), mesh->nodes,
                                    cells, error);
    }
    free(mark);
    free(beside);
    return status;
}

static void add_points(struct sites *sites, const int32_t *node, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        sites->node[sites->points++] = node[k];
}

static enum status add_regions(struct sites *sites, int64_t nodes, const struct sites_cells *cells,
                               struct error *error)
{
    enum status status = STATUS_OK;
    int regions = cells->regions;
    struct chosen *list = array_zeroed(regions, sizeof *list, what, &status, error);
    for (int r = 0; r < regions && !status; r++)
        status = start_list(&list[r], SITES_OF_REGION, error);
    for (int64_t i = 0; i < nodes && !status; i++)
        if (sites_excitable(cells, i))
            choose(&list[cells->region[i]], (int32_t)i, SITES_OF_REGION);
    for (int r = 0; list && r < regions; r++) {
        if (!status)
            add_points(sites, list[r].node, thin(&list[r], SITES_OF_REGION));
        free(list[r].node);
    }
    free(list);
    return status;
}

enum status sites_find(struct sites *sites, const struct problem *problem, const struct config *config,
                       const struct sites_cells *cells, struct error *error)
{
    enum status status = STATUS_OK;
    *sites = (struct sites){.trains = problem->stimuli, .times = sites_times(config)};
    sites->train = array_zeroed(sites->trains, sizeof *sites->train, what, &status, error);
    sites->node = array_new(sites_points_most(problem, config), sizeof *sites->node, what, &status, error);
    if (!status)
        status = find_trains(sites, problem, cells, error);
    if (status || !is_recorded(config))
        return status;
    for (int p = 0; p < config->output.probes; p++)
        sites->node[sites->points++] = problem->probe[p].node;
    for (int s = 0; s < sites->trains; s++) {
        const struct sites_train *train = &sites->train[s];
        if (problem->stimulus[s].phase)
            continue;
        add_points(sites, train->own, train->owns);
        add_points(sites, train->next, train->nexts);
    }
    return add_regions(sites, problem->mesh.nodes, cells, error);
}

void sites_free(struct sites *sites)
{
    for (int s = 0; sites->train && s < sites->trains; s++) {
        free(sites->train[s].own);
        free(sites->train[s].next);
    }
    free(sites->train);
    free(sites->node);
    *sites = (struct sites){0};
}
