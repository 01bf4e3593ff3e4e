/* initial_models.c: models by the config that a result keeps. */
#include "app/run/initial_models.h"

#include <stdlib.h>
#include <string.h>

#include "app/config/config.h"

/* region[nodes] <- the first-listed region among a node's elements, regions where there is none */
static void assign_regions(const struct config *config, const struct mesh *mesh, int32_t *region)
{
    int corners = mesh->dimension + 1;
    for (int64_t i = 0; i < mesh->nodes; i++)
        region[i] = config->tissue.regions;
    for (int64_t e = 0; e < mesh->elements; e++) {
        int r = config_region_of_tag(config, mesh->tag[e]);
        for (int a = 0; r >= 0 && a < corners; a++) {
            int32_t *own = &region[mesh->vertex[e * corners + a]];
            *own = r < *own ? r : *own;
        }
    }
}

static enum status compare(const struct monodomain *sim, const struct config *config,
                           const struct result *result, struct error *error)
{
    int64_t nodes = result->mesh.nodes;
    int32_t *region = malloc((size_t)nodes * sizeof *region + 1);
    int32_t *group = malloc((size_t)nodes * sizeof *group + 1);
    enum status status =
        region && group ? STATUS_OK : error_memory(error, "an initial state", 8.0 * (double)nodes);
    if (!status) {
        assign_regions(config, &result->mesh, region);
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
    free(region);
    free(group);
    return status;
}

enum status initial_models(const struct monodomain *sim, struct result *result, bool *known,
                           struct error *error)
{
    struct config config = {0};
    struct error unread = {0};
    char *text = NULL;
    enum status status = STATUS_OK;
    *known = !h5_read_text(&result->file, "/run/config", &text, &unread) &&
             !config_parse(&config, result->file.path, "", text, strlen(text), NULL, 0, &unread);
    if (*known)
        status = compare(sim, &config, result, error);
    config_free(&config);
    free(text);
    return status;
}
