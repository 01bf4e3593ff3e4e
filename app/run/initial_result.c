/* initial_result.c: V and all states from one frame of a result file, as an initial state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/io/checkpoint_monodomain.h"
#include "app/io/result.h"
#include "app/run/initial_models.h"

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
        if (!status)
            status = check_finite(sim, k, result, group, value, error);
        if (!status)
            status = monodomain_set(sim, k, value, error);
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
    if (!status)
        status = initial_models(sim, result, known, error);
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
    double *value = malloc((size_t)nodes * sizeof *value);
    int32_t *group = malloc((size_t)nodes * sizeof *group);
    status = value && group ? set_all(sim, result, frame, value, group, error)
                            : error_memory(error, "an initial state", 12.0 * (double)nodes);
    free(value);
    free(group);
    return status;
}

enum status result_start_from(struct monodomain *sim, int64_t nodes, const char *path, double time,
                              const char *mesh_sha256, bool *known, struct error *error)
{
    struct result result;
    enum status status = result_open(&result, path, error);
    *known = false;
    if (status)
        return status;
    status = start_from(sim, nodes, &result, time, mesh_sha256, known, error);
    result_close(&result);
    return status;
}
