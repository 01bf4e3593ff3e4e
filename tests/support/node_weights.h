/* node_weights.h: the weight of a condition at every node, as an array. */
#ifndef CARDIAC_TESTS_SUPPORT_NODE_WEIGHTS_H
#define CARDIAC_TESTS_SUPPORT_NODE_WEIGHTS_H

#include <math.h>
#include <string.h>

#include "app/problem/volume.h"

/* weight[nodes] <- w_i (volume.h), or the condition at the nodes if it names them: then *volume <- NAN */
static inline enum status node_weights(double *weight, struct volume *volume, struct environment *environment,
                                       const struct where *where, int *at, struct error *error)
{
    const struct environment_weights *found;
    *volume = (struct volume){NAN, NAN};
    if (volume_names_nodes(where))
        return environment_values(environment, where, LOCATION_NODE, weight, at, error);
    TRY(volume_find(&found, environment, where, at, error));
    *volume = (struct volume){found->asked, found->given};
    memset(weight, 0, (size_t)environment->mesh->nodes * sizeof *weight);
    for (int64_t k = 0; k < found->count; k++)
        weight[found->of[k].node] = found->of[k].weight;
    return STATUS_OK;
}

#endif
