/* induction_sites.c: list the sites of a config, and choose places no closer to each other than a spacing. */
#include "app/study/induction_sites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem/selection.h"
#include "kernels/base/array.h"
#include "solver/cells/stimulus.h"

static const char what[] = "the sites";

enum { SITES_MOST = 10000 };

enum status induction_sites_apply(struct config *config, const struct induction_sites *sites, int k,
                                  struct error *error)
{
    struct config_stimulus *s1 = config->stimulus;
    if (sites->kind == INDUCTION_SITES_S1)
        return STATUS_OK;
    s1->shape = STIMULUS_SHAPE_WHERE;
    s1->where = s1->selection = config->induction.where;
    if (sites->kind == INDUCTION_SITES_WHERE)
        return STATUS_OK;
    double *ball = arena_take(&config->memory, 4, sizeof *ball);
    if (!ball)
        return error_memory(error, what, 32);
    memcpy(ball, sites->site[k].point, sizeof sites->site[k].point);
    ball[3] = config->induction.radius;
    s1->shape = STIMULUS_SHAPE_SPHERE;
    s1->where = NULL;
    s1->selection = where_of_leaf(&config->memory, &(struct where_leaf){.kind = WHERE_BALL, .numbers = ball});
    return s1->selection ? STATUS_OK : error_memory(error, what, 32);
}

static struct induction_site *add_site(struct induction_sites *sites, const char *name, const double *point)
{
    struct induction_site *site = &sites->site[sites->sites++];
    snprintf(site->name, sizeof site->name, "%s", name);
    memcpy(site->point, point, sizeof site->point);
    return site;
}

static double distance2(const double *a, const double *b)
{
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

/* The nodes of a set, in their order, that are no closer than `spacing` to the sites before */
static enum status space_sites(struct induction_sites *sites, const struct mesh *mesh, const double *holds,
                               double spacing, struct error *error)
{
    char name[64];
    for (int64_t i = 0; i < mesh->nodes; i++) {
        const double *point = mesh->point + 3 * i;
        bool far = holds[i] != 0;
        for (int k = 0; k < sites->sites && far; k++)
            far = distance2(point, sites->site[k].point) >= spacing * spacing;
        if (far && sites->sites == SITES_MOST)
            return error_set(error, STATUS_INPUT, "more than %d sites; use a larger one", SITES_MOST);
        snprintf(name, sizeof name, "node %lld", (long long)i);
        if (far)
            add_site(sites, name, point);
    }
    return sites->sites > 0 ? STATUS_OK : error_set(error, STATUS_INPUT, "it selects no node of the mesh");
}

/* The sites of the config by name and place */
static enum status list_sites(struct induction_sites *sites, struct problem_mesh *mesh,
                              const struct config *config, struct error *error)
{
    static const double nowhere[3];
    const struct config_induction *induction = &config->induction;
    struct faults faults = {.error = error};
    struct error inner = {0};
    bool spaced = !isnan(induction->spacing);
    int at = -1;
    enum status status = STATUS_OK;
    sites->site =
        array_zeroed(spaced ? SITES_MOST : induction->sites + 1, sizeof *sites->site, what, &status, error);
    TRY(status);
    sites->kind = spaced || induction->sites > 0 ? INDUCTION_SITES_BALLS
                  : induction->where             ? INDUCTION_SITES_WHERE
                                                 : INDUCTION_SITES_S1;
    for (int k = 0; k < induction->sites; k++)
        add_site(sites, induction->site[k].name, induction->site[k].point);
    if (!spaced && induction->sites == 0)
        add_site(sites, induction->where ? "where" : config->stimulus->name, nowhere);
    if (!spaced)
        return STATUS_OK;
    double *holds = array_new(mesh->mesh.nodes, sizeof *holds, what, &status, error);
    TRY(status);
    status = environment_values(&mesh->environment, induction->where, LOCATION_NODE, holds, &at, &inner);
    if (status)
        status = config_fault_within(&faults, config, "induction.where", at, inner.text);
    else if (space_sites(sites, &mesh->mesh, holds, induction->spacing, &inner))
        status = config_fault(&faults, config, "induction.spacing", "%s", inner.text);
    free(holds);
    return status;
}

/* site->node[] <- the nodes that S1 of the config stimulates; its point, unless it has one, their mean */
static enum status find_nodes(struct induction_site *site, bool placed, struct problem_mesh *mesh,
                              const struct config *config, const char *key, struct error *error)
{
    struct faults faults = {.error = error};
    struct error inner = {0};
    struct selection selection;
    int at = -1;
    if (selection_make(&selection, config->stimulus, &mesh->environment, &at, &inner)) {
        selection_free(&selection);
        return config_fault(&faults, config, key, "%s%s%s", placed ? site->name : "", placed ? ": " : "",
                            inner.text);
    }
    const struct stimulus own = {
        .node = selection.node, .nodes = selection.nodes, .weight = selection.weight};
    const double least = stimulus_least_weight(&own);
    for (int64_t k = 0; k < own.nodes; k++)
        if (stimulus_weight(&own, k) >= least)
            selection.node[site->nodes++] = selection.node[k];
    site->node = selection.node;
    selection.node = NULL;
    selection_free(&selection);
    for (int64_t k = 0; k < site->nodes && !placed; k++)
        for (int c = 0; c < 3; c++)
            site->point[c] += mesh->mesh.point[3 * site->node[k] + c] / (double)site->nodes;
    return STATUS_OK;
}

enum status induction_sites_find(struct induction_sites *sites, struct problem_mesh *mesh,
                                 struct config *config, struct error *error)
{
    static const char *const key[] = {"stimuli[0]", "induction.where", "induction.sites"};
    const struct config_stimulus s1 = *config->stimulus;
    TRY(list_sites(sites, mesh, config, error));
    for (int k = 0; k < sites->sites; k++) {
        TRY(induction_sites_apply(config, sites, k, error));
        TRY(find_nodes(&sites->site[k], sites->kind == INDUCTION_SITES_BALLS, mesh, config, key[sites->kind],
                       error));
    }
    *config->stimulus = s1;
    return STATUS_OK;
}

void induction_sites_free(struct induction_sites *sites)
{
    for (int k = 0; k < sites->sites; k++)
        free(sites->site[k].node);
    free(sites->site);
    *sites = (struct induction_sites){0};
}
