/* initial.c: V and all states from a checkpoint or from one frame of a result file, as an initial state. */
#include "app/run/initial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/io/checkpoint_monodomain.h"
#include "app/io/result.h"
#include "app/util/sha256.h"
#include "kernels/base/array.h"

static enum status compare(const struct monodomain *sim, const struct config *config,
                           const struct result *result, struct error *error)
{
    const struct mesh *mesh = &result->mesh;
    int64_t nodes = mesh->nodes;
    enum status status = STATUS_OK;
    int32_t *of_element = array_new(mesh->elements, sizeof *of_element, "an initial state", &status, error);
    int32_t *region = array_new(nodes, sizeof *region, "an initial state", &status, error);
    int32_t *group = array_new(nodes, sizeof *group, "an initial state", &status, error);
    for (int64_t e = 0; e < mesh->elements && !status; e++)
        of_element[e] = config_region_of_tag(config, mesh->tag[e]);
    if (!status) {
        mesh_node_regions(mesh, of_element, config->tissue.regions, region);
        monodomain_group_map(sim, group);
    }
    for (int64_t i = 0; i < nodes && !status; i++) {
        if (region[i] == config->tissue.regions)
            continue;
        const char *then = config->tissue.region[region[i]].model->name;
        const char *now = monodomain_group_model(sim, group[i])->name;
        if (strcmp(then, now) != 0)
            status = error_set(error, STATUS_INPUT,
                               "%s: node %lld is %s there and %s here; it is no initial state",
                               result->file.path, (long long)i, then, now);
    }
    free(of_element);
    free(region);
    free(group);
    return status;
}

/* STATUS_INPUT if a node had another model in the run that wrote the result, on the same mesh. *known <-
 * false if that cannot be told: its config is not there, not for this program,
 * or says where regions are. */
static enum status initial_models(const struct monodomain *sim, struct result *result, bool *known,
                                  struct error *error)
{
    struct config config = {0};
    struct error unread = {0};
    char *text = NULL;
    enum status status = STATUS_OK;
    *known = !h5_read_text(&result->file, "/run/config", &text, &unread) &&
             !config_parse(&config, result->file.path, "", text, strlen(text), NULL, 0, &unread) &&
             !config_regions_by_place(&config);
    if (*known)
        status = compare(sim, &config, result, error);
    config_free(&config);
    free(text);
    return status;
}

/* V, and the states. */
static bool wanted(const struct monodomain *sim, int k)
{
    return k == 0 || monodomain_variable(sim, k)->group >= 0;
}

/* The array in time that holds variable k of the tissue: as "model/state" or, for all models that have it, as
 * "state"; -1 = there is none. */
static int find(const struct monodomain *sim, int k, const struct result *result)
{
    const char *name = monodomain_variable(sim, k)->name, *slash = strchr(name, '/');
    int from = result_find(result, name);
    if (from < 0 && slash)
        from = result_find(result, slash + 1);
    return from >= 0 && result->array[from].in_time && result->array[from].real ? from : -1;
}

static enum status find_all(const struct monodomain *sim, const struct result *result, struct error *error)
{
    char missing[512] = "";
    for (int k = 0; k < monodomain_variables(sim); k++) {
        const char *name = monodomain_variable(sim, k)->name;
        size_t used = strlen(missing);
        if (!wanted(sim, k) || find(sim, k, result) >= 0 || used + strlen(name) + 3 >= sizeof missing)
            continue;
        strcat(missing, used ? ", " : "");
        strcat(missing, name);
    }
    if (missing[0])
        return error_set(error, STATUS_INPUT, "%s: as an initial state it lacks %s", result->file.path,
                         missing);
    return STATUS_OK;
}

/* Every node that has variable k has a number there: a state that the result's tissue does not have at a node
 * is NaN. */
static enum status check_finite(const struct monodomain *sim, int k, const struct result *result,
                                const int32_t *group, const double *value, struct error *error)
{
    const struct variable *variable = monodomain_variable(sim, k);
    const struct ionic_model *model =
        variable->group < 0 ? NULL : monodomain_group_model(sim, variable->group);
    for (int64_t i = 0; i < result->mesh.nodes; i++)
        if (!isfinite(value[i]) && (!model || monodomain_group_model(sim, group[i]) == model))
            return error_set(error, STATUS_INPUT,
                             "%s: %s has no value at node %lld; an initial state needs one",
                             result->file.path, variable->name, (long long)i);
    return STATUS_OK;
}

static enum status set_all(struct monodomain *sim, struct result *result, int64_t frame, double *value,
                           int32_t *group, struct error *error)
{
    monodomain_group_map(sim, group);
    enum status status = STATUS_OK;
    for (int k = 0; k < monodomain_variables(sim) && !status; k++) {
        if (!wanted(sim, k))
            continue;
        status = result_get(result, find(sim, k, result), frame, value, error);
        TRY(check_finite(sim, k, result, group, value, error));
        TRY(monodomain_set(sim, k, value, error));
    }
    return status ? status : monodomain_restart(sim, 0, 0, error);
}

static enum status start_from(struct monodomain *sim, int64_t nodes, struct result *result, double time,
                              const char *mesh_sha256, bool *known, struct error *error)
{
    char digest[SHA256_HEX] = "";
    if (!h5_get_text(&result->file, "/run", "mesh_sha256", digest, sizeof digest) ||
        strcmp(digest, mesh_sha256) || result->mesh.nodes != nodes)
        return error_set(error, STATUS_INPUT, "%s: a result on another mesh; it is no initial state here",
                         result->file.path);
    enum status status = find_all(sim, result, error);
    TRY(initial_models(sim, result, known, error));
    if (status)
        return status;
    if (!result->frames)
        return error_set(error, STATUS_INPUT, "%s: it has no frame", result->file.path);
    int64_t nearest = result->frames - 1, frame = nearest;
    if (!isnan(time))
        frame = result_frame(result, time, &nearest);
    if (frame < 0)
        return error_set(error, STATUS_INPUT, "%s: it has no frame at %g ms; the nearest is at %.15g ms",
                         result->file.path, time, result->time[nearest]);
    double *value = array_new(nodes, sizeof *value, "an initial state", &status, error);
    int32_t *group = array_new(nodes, sizeof *group, "an initial state", &status, error);
    TRY(set_all(sim, result, frame, value, group, error));
    free(value);
    free(group);
    return status;
}

static enum status start_from_result(struct monodomain *sim, int64_t nodes, const struct config *config,
                                     const char *mesh_sha256, bool *known, struct error *error)
{
    struct result result;
    enum status status = result_open(&result, config->initial.file, error);
    if (status)
        return status;
    status = start_from(sim, nodes, &result, config->initial.time, mesh_sha256, known, error);
    result_close(&result);
    return status;
}

enum status initial_start(struct monodomain *sim, const struct mesh *mesh, const struct config *config,
                          const char *mesh_sha256, bool *known, struct error *error)
{
    struct checkpoint *checkpoint = NULL;
    *known = true;
    if (!config->initial.file)
        return STATUS_OK;
    if (config_starts_from_result(config))
        return start_from_result(sim, mesh->nodes, config, mesh_sha256, known, error);
    enum status status = checkpoint_open(&checkpoint, config->initial.file, error);
    TRY(checkpoint_start_from(sim, mesh->nodes, checkpoint, mesh_sha256, error));
    checkpoint_close(checkpoint);
    return status;
}
