/* groups.h: model groups: the nodes that one region's model and one set of parameters step. Where a parameter
 * is given node by node, those of equal values are a group. */
#ifndef CARDIAC_SOLVER_GROUPS_H
#define CARDIAC_SOLVER_GROUPS_H

#include "kernels/base/error.h"
#include "solver/params.h"

struct group {
    int region;
    int64_t node; /* one of it, whose values are all of its nodes' */
};

/* *group <- [*groups], to be freed, in the order of regions and within them of rising values; of_node[nodes],
 * the region of each node, <- its group. STATUS_INPUT when a region has more than PARAMS_GROUPS. */
enum status groups_find(struct group **group, int *groups, int32_t *of_node, int64_t nodes,
                        const struct monodomain_params *params, struct error *error);

/* So many at most */
int groups_most(const struct monodomain_params *params);

#endif
