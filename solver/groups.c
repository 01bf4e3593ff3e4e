/* groups.c: the nodes of a region, sorted by its parameters' values there. */
#include "solver/groups.h"

#include <stdlib.h>

#include "kernels/base/array.h"

struct sample {
    const struct region *region;
    int32_t node;
};

static int by_values(const void *a, const void *b)
{
    const struct sample *p = a, *q = b;
    for (int f = 0; f < p->region->fields; f++) {
        const double *value = p->region->field[f].value;
        if (value[p->node] != value[q->node])
            return value[p->node] < value[q->node] ? -1 : 1;
    }
    return 0;
}

static int by_values_and_node(const void *a, const void *b)
{
    const struct sample *p = a, *q = b;
    int order = by_values(a, b);
    return order ? order : (p->node > q->node) - (p->node < q->node);
}

int groups_most(const struct monodomain_params *params)
{
    int most = 0;
    for (int r = 0; r < params->regions; r++)
        most += params->region[r].fields ? PARAMS_GROUPS : 1;
    return most;
}

/* The groups of region r; the numbers of its nodes -> to[] */
static enum status split(struct group *group, int *groups, int32_t *to, const int32_t *of_node, int64_t nodes,
                         const struct region *region, int r, struct error *error)
{
    const int first = *groups;
    int64_t count = 0, at = 0;
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < nodes; i++)
        count += of_node[i] == r;
    struct sample *sample = array_new(count, sizeof *sample, "the regions", &status, error);
    for (int64_t i = 0; i < nodes && !status; i++)
        if (of_node[i] == r)
            sample[at++] = (struct sample){region, (int32_t)i};
    if (!status)
        qsort(sample, (size_t)count, sizeof *sample, by_values_and_node);
    for (int64_t k = 0; k < count && !status; k++) {
        bool new = k == 0 || by_values(&sample[k - 1], &sample[k]) != 0;
        if (new &&*groups - first == PARAMS_GROUPS)
            status =
                error_set(error, STATUS_INPUT,
                          "the parameters of region %d have more than %d different values", r, PARAMS_GROUPS);
        else if (new)
            group[(*groups)++] = (struct group){r, sample[k].node};
        to[sample[k].node] = *groups - 1;
    }
    free(sample);
    return status;
}

enum status groups_find(struct group **group, int *groups, int32_t *of_node, int64_t nodes,
                        const struct monodomain_params *params, struct error *error)
{
    enum status status = STATUS_OK;
    *groups = 0;
    *group = array_new(groups_most(params), sizeof **group, "the regions", &status, error);
    int32_t *to = array_new(nodes, sizeof *to, "the regions", &status, error);
    int64_t *some = array_new(params->regions, sizeof *some, "the regions", &status, error);
    for (int r = 0; r < params->regions && !status; r++)
        some[r] = -1;
    for (int64_t i = 0; i < nodes && !status; i++)
        some[of_node[i]] = i;
    for (int r = 0; r < params->regions && !status; r++) {
        const struct region *region = &params->region[r];
        int64_t node = some[r];
        if (node >= 0 && region->fields)
            status = split(*group, groups, to, of_node, nodes, region, r, error);
        else if (node >= 0) {
            some[r] = *groups;
            (*group)[(*groups)++] = (struct group){r, node};
        }
    }
    for (int64_t i = 0; i < nodes && !status; i++)
        of_node[i] = params->region[of_node[i]].fields ? to[i] : (int32_t)some[of_node[i]];
    free(some);
    free(to);
    if (status) {
        free(*group);
        *group = NULL;
    }
    return status;
}
