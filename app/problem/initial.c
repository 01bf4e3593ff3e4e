/* initial.c: start from V and all states of a checkpoint or of one frame of a result. */
#include "app/problem/initial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/io/checkpoint/checkpoint_monodomain.h"
#include "app/io/result/result.h"
#include "app/problem/environment.h"
#include "kernels/base/sha256.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "solver/mesh/nearest.h"
#include "solver/mesh/stats.h"

static const char what[] = "an initial state";

/* A result, and its node from which each node of this run takes its state */
struct source {
    struct result result;
    struct config config;  /* the result's */
    int32_t *region;       /* [result's nodes] region in that config; NULL: unknown */
    int32_t *from;         /* [nodes] node of the result; NULL = the same number */
    int64_t far;           /* number of nodes whose source is farther than `near` */
    double near, farthest; /* mm: that limit; the largest distance of a source */
};

/* source->region[] <- the regions of the result's nodes, if it contains a config that this version can read and that
 * has no `where` */
static enum status read_regions(struct source *source, struct error *error)
{
    const struct mesh *mesh = &source->result.mesh;
    struct error unread = {0};
    char *text = NULL;
    enum status status = STATUS_OK;
    bool known =
        !h5_read_text(&source->result.file, "/run/config", &text, &unread) &&
        !config_parse(&source->config, source->result.file.path, "", text, strlen(text), NULL, 0, &unread) &&
        !config_regions_by_position(&source->config);
    free(text);
    if (!known)
        return STATUS_OK;
    int32_t *of_element = array_new(mesh->elements, sizeof *of_element, what, &status, error);
    source->region = array_new(mesh->nodes, sizeof *source->region, what, &status, error);
    for (int r = 0; r < source->config.tissue.regions && known; r++)
        known = !environment_resolve_tags(&source->config.tissue.region[r].tags, mesh, &unread);
    for (int64_t e = 0; e < mesh->elements && !status; e++)
        of_element[e] =
            known ? config_region_of_tag(&source->config, mesh->tag[e], mesh_corners(mesh, e) - 1) : -1;
    if (!status)
        mesh_node_regions(mesh, of_element, source->config.tissue.regions, source->region);
    free(of_element);
    return status;
}

/* The model of a node in the result; NULL = none */
static const char *model_there(const struct source *source, int64_t node)
{
    int32_t region = source->region[node];
    return region == source->config.tissue.regions ? NULL : source->config.tissue.region[region].model->name;
}

/* STATUS_INPUT if a node had a different model in the run that wrote the result; same mesh */
static enum status check_models(const struct monodomain *sim, const struct source *source,
                                const int32_t *of_node, struct error *error)
{
    for (int64_t i = 0; i < source->result.mesh.nodes; i++) {
        const char *then = model_there(source, i), *now = monodomain_model(sim, of_node[i])->name;
        if (then && strcmp(then, now) != 0)
            return error_set(error, STATUS_INPUT,
                             "%s: node %lld is %s there and %s here, so it cannot be the initial state",
                             source->result.file.path, (long long)i, then, now);
    }
    return STATUS_OK;
}

/* Whether variable k is part of the initial state: V or a state */
static bool is_initial(const struct monodomain *sim, int k)
{
    return k == 0 || monodomain_variable(sim, k)->model >= 0;
}

/* The result's field that holds variable k of the tissue, named "model/state", or "state" for all models that have
 * it; -1 = none. */
static int find_array(const struct monodomain *sim, int k, const struct result *result)
{
    const char *name = monodomain_variable(sim, k)->name, *slash = strchr(name, '/');
    int from = result_find(result, name);
    if (from < 0 && slash)
        from = result_find(result, slash + 1);
    return from >= 0 && result->array[from].in_time && result->array[from].real ? from : -1;
}

static enum status check_complete(const struct monodomain *sim, const struct result *result,
                                  struct error *error)
{
    char missing[512] = "";
    for (int k = 0; k < monodomain_variables(sim); k++) {
        const char *name = monodomain_variable(sim, k)->name;
        if (is_initial(sim, k) && find_array(sim, k, result) < 0)
            printed_item(missing, sizeof missing, "%s", name);
    }
    if (missing[0])
        return error_set(error, STATUS_INPUT, "%s: it cannot be the initial state: %s is missing",
                         result->file.path, missing);
    return STATUS_OK;
}

/* Checks that value[] is finite at every node that has variable k. The result has NaN where its own tissue lacked
 * that state. */
static enum status check_finite(const struct monodomain *sim, int k, const struct result *result,
                                int64_t nodes, const int32_t *of_node, const double *value,
                                struct error *error)
{
    const struct variable *variable = monodomain_variable(sim, k);
    const struct ionic_model *model = variable->model < 0 ? NULL : monodomain_model(sim, variable->model);
    for (int64_t i = 0; i < nodes; i++)
        if (!isfinite(value[i]) && (!model || monodomain_model(sim, of_node[i]) == model))
            return error_set(error, STATUS_INPUT,
                             "%s: %s has no value at node %lld, which an initial state requires",
                             result->file.path, variable->name, (long long)i);
    return STATUS_OK;
}

/* there[result's nodes] <- variable k of the frame; here[nodes] <- its values at their source nodes */
static enum status read_variable(struct source *source, const struct monodomain *sim, int k, int64_t frame,
                                 int64_t nodes, double *there, double *here, struct error *error)
{
    TRY(result_get(&source->result, find_array(sim, k, &source->result), frame, there, error));
    for (int64_t i = 0; i < nodes; i++)
        here[i] = there[source->from ? source->from[i] : i];
    return STATUS_OK;
}

/* The first state of model m; V if it has no states */
static int first_of(const struct monodomain *sim, int m)
{
    for (int k = 0; k < monodomain_variables(sim); k++)
        if (monodomain_variable(sim, k)->model == m)
            return k;
    return 0;
}

/* candidate[] <- the result's nodes with the model or, if models are unknown, those where there[], the model's first
 * state, is finite; returns their number */
static int64_t list_candidates(const struct source *source, const struct ionic_model *model,
                               const double *there, int32_t *candidate)
{
    int64_t candidates = 0;
    for (int64_t i = 0; i < source->result.mesh.nodes; i++) {
        const char *name = source->region ? model_there(source, i) : NULL;
        if (source->region ? name && strcmp(name, model->name) == 0 : isfinite(there[i]))
            candidate[candidates++] = (int32_t)i;
    }
    return candidates;
}

/* source->from[] <- the nearest candidate, for nodes with model m */
static enum status match_model(struct source *source, struct monodomain *sim, const struct mesh *mesh, int m,
                               const int32_t *of_node, int64_t frame, double *there, int32_t *candidate,
                               struct error *error)
{
    const struct ionic_model *model = monodomain_model(sim, m);
    struct nearest nearest = {0};
    int64_t last = -1;
    const int k = first_of(sim, m);
    TRY(result_get(&source->result, find_array(sim, k, &source->result), frame, there, error));
    int64_t candidates = list_candidates(source, model, there, candidate);
    if (candidates == 0)
        return error_set(error, STATUS_INPUT,
                         "%s: it has no node with model %s, so it cannot be the initial state",
                         source->result.file.path, model->name);
    enum status status = nearest_create(&nearest, source->result.mesh.point, candidate, 1, candidates, error);
    for (int64_t i = 0; i < mesh->nodes && !status; i++)
        if (monodomain_model(sim, of_node[i]) == model) {
            double away;
            last = nearest_find(&nearest, mesh->point + 3 * i, last, &away);
            source->from[i] = candidate[last];
            source->far += away > source->near;
            source->farthest = fmax(source->farthest, away);
        }
    nearest_free(&nearest);
    return status;
}

static enum status match_nodes(struct source *source, struct monodomain *sim, const struct mesh *mesh,
                               const int32_t *of_node, int64_t frame, double *there, struct error *error)
{
    const struct mesh *other = &source->result.mesh;
    enum status status = STATUS_OK;
    int32_t *candidate = array_new(other->nodes, sizeof *candidate, what, &status, error);
    source->from = array_new(mesh->nodes, sizeof *source->from, what, &status, error);
    if (!status)
        status = mesh_mean_edge(other, &source->near, error);
    source->near *= 2;
    for (int m = 0; m < monodomain_models(sim) && !status; m++)
        status = match_model(source, sim, mesh, m, of_node, frame, there, candidate, error);
    free(candidate);
    return status;
}

/* Sets V and all states of the tissue from a frame. same: the result is on this mesh */
static enum status set_all(struct monodomain *sim, const struct mesh *mesh, struct source *source, bool same,
                           int64_t frame, struct error *error)
{
    int64_t nodes = mesh->nodes;
    enum status status = STATUS_OK;
    double *there = array_new(source->result.mesh.nodes, sizeof *there, what, &status, error);
    double *here = array_new(nodes, sizeof *here, what, &status, error);
    int32_t *of_node = array_new(nodes, sizeof *of_node, what, &status, error);
    if (status)
        goto done;
    monodomain_model_map(sim, of_node);
    if (!same)
        TRY_DONE(match_nodes(source, sim, mesh, of_node, frame, there, error));
    else if (source->region)
        TRY_DONE(check_models(sim, source, of_node, error));
    for (int k = 0; k < monodomain_variables(sim); k++) {
        if (!is_initial(sim, k))
            continue;
        TRY_DONE(read_variable(source, sim, k, frame, nodes, there, here, error));
        TRY_DONE(check_finite(sim, k, &source->result, nodes, of_node, here, error));
        TRY_DONE(monodomain_set(sim, k, here, error));
    }
    status = monodomain_restart(sim, 0, 0, error);
done:
    free(there);
    free(here);
    free(of_node);
    return status;
}

static enum status start_from(struct monodomain *sim, const struct mesh *mesh, struct source *source,
                              const struct config *config, const char *mesh_sha256, struct error *error)
{
    struct result *result = &source->result;
    double time = config->initial.time;
    char digest[SHA256_HEX] = "";
    const bool same = h5_get_text(&result->file, "/run", "mesh_sha256", digest, sizeof digest) &&
                      strcmp(digest, mesh_sha256) == 0 && result->mesh.nodes == mesh->nodes;
    TRY(check_complete(sim, result, error));
    TRY(read_regions(source, error));
    if (!result->frames)
        return error_set(error, STATUS_INPUT, "%s: it has no frame", result->file.path);
    int64_t nearest = result->frames - 1, frame = nearest;
    if (!isnan(time))
        frame = result_frame(result, time, &nearest);
    if (frame < 0)
        return error_set(error, STATUS_INPUT, "%s: it has no frame at %g ms; the nearest is at %.15g ms",
                         result->file.path, time, result->time[nearest]);
    return set_all(sim, mesh, source, same, frame, error);
}

/* A model of this run for which the result's config gives another `voltage` or `time_unit`; NULL = none */
static const char *find_rescaled(const struct config *now, const struct config *then)
{
    for (const struct user_model *a = now->models; a; a = a->next)
        for (const struct user_model *b = then->models; b; b = b->next)
            if (strcmp(a->model.name, b->model.name) == 0 && !user_model_same_scale(a, b))
                return a->model.name;
    return NULL;
}

static enum status start_from_result(struct monodomain *sim, const struct mesh *mesh,
                                     const struct config *config, const char *mesh_sha256,
                                     char doubt[INITIAL_DOUBT], struct error *error)
{
    struct source source = {0};
    TRY(result_open(&source.result, config->initial.file, error));
    enum status status = result_mesh(&source.result, error);
    if (!status)
        status = start_from(sim, mesh, &source, config, mesh_sha256, error);
    if (!source.region)
        snprintf(doubt, INITIAL_DOUBT, "%.200s: its config does not give the ionic models of its nodes",
                 config->initial.file);
    const char *model = find_rescaled(config, &source.config);
    if (model)
        snprintf(doubt, INITIAL_DOUBT, "%.200s: there %.60s has another `voltage` or `time_unit`",
                 config->initial.file, model);
    if (source.far) { /* more important than the warnings above: replaces them */
        snprintf(doubt, INITIAL_DOUBT,
                 "initial.file: %lld of %lld nodes are farther than %.3g mm (two edge lengths) from "
                 "the nearest node of %.200s with the same model, the farthest %.3g mm: do both meshes have "
                 "the same position and unit?",
                 (long long)source.far, (long long)mesh->nodes, source.near, config->initial.file,
                 source.farthest);
    }
    config_free(&source.config);
    free(source.region);
    free(source.from);
    result_close(&source.result);
    return status;
}

enum status initial_start(struct monodomain *sim, const struct mesh *mesh, const struct config *config,
                          const char *mesh_sha256, char doubt[INITIAL_DOUBT], struct error *error)
{
    struct checkpoint *checkpoint = NULL;
    *doubt = 0;
    if (!config->initial.file)
        return STATUS_OK;
    if (config_starts_from_result(config))
        return start_from_result(sim, mesh, config, mesh_sha256, doubt, error);
    TRY(checkpoint_open(&checkpoint, config->initial.file, error));
    enum status status = checkpoint_start_from(sim, mesh->nodes, checkpoint, mesh_sha256, error);
    checkpoint_close(checkpoint);
    return status;
}
