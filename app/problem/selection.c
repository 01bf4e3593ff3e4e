/* selection.c: select the nodes of a stimulus by a condition or a list of delays. */
#include "app/problem/selection.h"

#include <stdlib.h>

#include "app/problem/node_list.h"
#include "kernels/base/array.h"

/* chosen[nodes] <- 1 where the stimulus' condition holds */
static enum status choose_where(const struct config_stimulus *stimulus, struct environment *environment,
                                uint8_t *chosen, int *at, struct error *error)
{
    enum status status = STATUS_OK;
    double *holds = array_new(environment->mesh->nodes, sizeof *holds, "a stimulus", &status, error);
    if (status)
        return status;
    status = environment_values(environment, stimulus->selection, LOCATION_NODE, holds, at, error);
    for (int64_t i = 0; i < environment->mesh->nodes && !status; i++)
        chosen[i] = holds[i] != 0;
    if (!stimulus->where)
        *at = -1; /* a short form has no text */
    free(holds);
    return status;
}

/* *node <- [*count] the chosen ones; time[*count] <- theirs of time[nodes], where that is not NULL */
static enum status list_chosen(int32_t **node, int64_t *count, double *time, const uint8_t *chosen,
                               int64_t nodes, struct error *error)
{
    enum status status = STATUS_OK;
    *count = 0;
    for (int64_t i = 0; i < nodes; i++)
        *count += chosen[i];
    if (*count == 0)
        return error_set(error, STATUS_INPUT, "it selects no node of the mesh");
    *node = array_new(*count, sizeof **node, "a stimulus", &status, error);
    for (int64_t i = 0, k = 0; i < nodes && !status; i++)
        if (chosen[i]) {
            if (time)
                time[k] = time[i];
            (*node)[k++] = (int32_t)i;
        }
    return status;
}

enum status selection_nodes(const struct config_stimulus *stimulus, struct environment *environment,
                            int32_t **node, int64_t *count, double **time, int *at, struct error *error)
{
    const int64_t nodes = environment->mesh->nodes;
    enum status status = STATUS_OK;
    *time = NULL;
    *node = NULL;
    *count = 0;
    uint8_t *chosen = array_zeroed(nodes, sizeof *chosen, "a stimulus", &status, error);
    if (status)
        return status;
    if (stimulus->selection) {
        TRY_DONE(choose_where(stimulus, environment, chosen, at, error));
    } else {
        *time = array_zeroed(nodes, sizeof **time, "a stimulus", &status, error);
        if (status)
            goto done;
        TRY_DONE(node_list_read_times(stimulus->delays, environment->mesh, chosen, *time, error));
    }
    status = list_chosen(node, count, *time, chosen, nodes, error);
done:
    free(chosen);
    return status;
}
