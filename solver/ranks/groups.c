/* groups.c: the nodes of a region, by its parameters' values there. */
#include "solver/ranks/groups.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

/* By the parameters' values at two nodes */
static int compare(const struct region *region, int64_t a, int64_t b)
{
    for (int f = 0; f < region->fields; f++) {
        const double *value = region->field[f].value;
        if (value[a] != value[b])
            return value[a] < value[b] ? -1 : 1;
    }
    return 0;
}

/* The first of `count` groups, ascending, that does not come before the node */
static int place_of(const struct group *group, int count, const struct region *region, int64_t node)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (compare(region, group[middle].node, node) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
    struct group *own = group + *groups;
    int count = 0;
    for (int64_t i = 0; i < nodes; i++) {
        if (of_node[i] != r)
            continue;
        int at = place_of(own, count, region, i);
        if (at < count && compare(region, own[at].node, i) == 0)
            continue;
        if (count == PARAMS_GROUPS)
            return error_set(error, STATUS_INPUT,
                             "the parameters of region %d have more than %d different values", r,
                             PARAMS_GROUPS);
        memmove(own + at + 1, own + at, (size_t)(count++ - at) * sizeof *own);
        own[at] = (struct group){r, i};
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < nodes; i++)
        if (of_node[i] == r)
            to[i] = *groups + place_of(own, count, region, i);
    *groups += count;
    return STATUS_OK;
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
