/* initial_result.c: V and all states from one frame of a result file, as an initial state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/checkpoint_monodomain.h"
#include "app/result.h"

/* V, and the states. */
static bool wanted(const struct monodomain *sim, int k)
{
    return k == 0 || monodomain_variable(sim, k)->group >= 0;
}

/* The array in time that holds variable k of the tissue, or -1. */
static int find(const struct monodomain *sim, int k, const struct result *result)
{
    int from = result_find(result, monodomain_variable(sim, k)->name);
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

static enum status set_all(struct monodomain *sim, struct result *result, int64_t frame, double *value,
                           struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < monodomain_variables(sim) && !status; k++) {
        if (!wanted(sim, k))
            continue;
        status = result_get(result, find(sim, k, result), frame, value, error);
        for (int64_t i = 0; i < result->mesh.nodes && !status && k == 0; i++)
            if (!isfinite(value[i]))
                status = error_set(error, STATUS_INPUT, "%s: V of node %lld is not finite", result->file.path,
                                   (long long)i);
        if (!status)
            status = monodomain_set(sim, k, value, error);
    }
    return status ? status : monodomain_restart(sim, 0, 0, error);
}

static enum status start_from(struct monodomain *sim, int64_t nodes, struct result *result, double time,
                              const char *mesh_sha256, struct error *error)
{
    char digest[SHA256_HEX] = "";
    if (!h5_get_text(&result->file, "/run", "mesh_sha256", digest, sizeof digest) ||
        strcmp(digest, mesh_sha256) || result->mesh.nodes != nodes)
        return error_set(error, STATUS_INPUT, "%s: a result on another mesh; it is no initial state here",
                         result->file.path);
    enum status status = find_all(sim, result, error);
    if (status)
        return status;
    int64_t nearest, frame = result_frame(result, time, &nearest);
    if (!result->frames)
        return error_set(error, STATUS_INPUT, "%s: it has no frame", result->file.path);
    if (frame < 0)
        return error_set(error, STATUS_INPUT, "%s: it has no frame at %g ms; the nearest is at %.15g ms",
                         result->file.path, time, result->time[nearest]);
    double *value = malloc((size_t)nodes * sizeof *value);
    status = value ? set_all(sim, result, frame, value, error)
                   : error_memory(error, "an initial state", 8.0 * (double)nodes);
    free(value);
    return status;
}

enum status result_start_from(struct monodomain *sim, int64_t nodes, const char *path, double time,
                              const char *mesh_sha256, struct error *error)
{
    struct result result;
    enum status status = result_open(&result, path, error);
    if (status)
        return status;
    status = start_from(sim, nodes, &result, time, mesh_sha256, error);
    result_close(&result);
    return status;
}
