/* regions.h: the region of each element and node, and factors on the conductivity. */
#ifndef CARDIAC_APP_PROBLEM_REGIONS_H
#define CARDIAC_APP_PROBLEM_REGIONS_H

#include "app/problem/environment.h"
#include "app/problem/problem.h"

/* problem->element_region[], node_region[] where a region says `where`, and the regions' scale <- the first
 * region that has the tag and whose `where` holds. Faults: elements or nodes that no region has, regions and
 * tags that nothing has, factors below 0. */
enum status regions_assign(struct problem *problem, const struct config *config,
                           struct environment *environment, struct faults *faults);
/* region[mesh.nodes] <- those whose cells the nodes have */
void regions_of_nodes(int32_t *region, const struct problem *problem);

#endif
