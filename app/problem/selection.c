/* selection.c: select the nodes of a stimulus by a condition or a list of delays. */
#include "app/problem/selection.h"

#include <math.h>
#include <stdlib.h>

#include "app/problem/node_list.h"
#include "kernels/base/array.h"

static const char what[] = "a stimulus";

/* weight[nodes] <- 1 at those of the stimulus' file of delays, time[nodes] <- theirs */
static enum status read_delays(const struct config_stimulus *stimulus, const struct mesh *mesh,
                               double *weight, double *time, struct error *error)
{
    enum status status = STATUS_OK;
    uint8_t *chosen = array_zeroed(mesh->nodes, sizeof *chosen, what, &status, error);
    if (!status)
        status = node_list_read_times(stimulus->delays, mesh, chosen, time, error);
    for (int64_t i = 0; i < mesh->nodes && !status; i++)
        weight[i] = chosen[i];
    free(chosen);
    return status;
}

static enum status none_selected(const struct volume *volume, int dimension, struct error *error)
{
    if (isnan(volume->asked))
        return error_set(error, STATUS_INPUT, "it selects no node of the mesh");
    return error_set(
        error, STATUS_INPUT,
        "it selects no node of the mesh: it covers %.3g %s of it, and a node is stimulated if 1/512 "
        "of the volume around it is covered; use a larger shape, or `nodes` for single ones",
        volume->asked, volume_unit(dimension));
}

/* The lists <- nodes whose weight is not 0, with their weights, unless all are 1, and times, if there are
 * some
 */
static enum status list_nodes(struct selection *to, const double *weight, const double *time, int64_t nodes,
                              struct error *error)
{
    enum status status = STATUS_OK;
    bool partial = false;
    for (int64_t i = 0; i < nodes; i++) {
        to->nodes += weight[i] > 0;
        partial = partial || (weight[i] > 0 && weight[i] < 1);
    }
    to->node = array_new(to->nodes, sizeof *to->node, what, &status, error);
    to->time = time ? array_new(to->nodes, sizeof *to->time, what, &status, error) : NULL;
    to->weight = partial ? array_new(to->nodes, sizeof *to->weight, what, &status, error) : NULL;
    for (int64_t i = 0, k = 0; i < nodes && !status; i++) {
        if (!(weight[i] > 0))
            continue;
        to->node[k] = (int32_t)i;
        if (time)
            to->time[k] = time[i];
        if (partial)
            to->weight[k] = weight[i];
        k++;
    }
    return status;
}

enum status selection_make(struct selection *selection, const struct config_stimulus *stimulus,
                           struct environment *environment, int *at, struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    enum status status = STATUS_OK;
    *selection = (struct selection){.volume = {NAN, NAN}};
    double *weight = array_new(mesh->nodes, sizeof *weight, what, &status, error), *time = NULL;
    if (!stimulus->selection)
        time = array_zeroed(mesh->nodes, sizeof *time, what, &status, error);
    TRY_DONE(status);
    if (stimulus->selection)
        status = volume_weights(weight, &selection->volume, environment, stimulus->selection, at, error);
    else
        status = read_delays(stimulus, mesh, weight, time, error);
    if (!stimulus->where)
        *at = -1; /* a short form has no text */
    TRY_DONE(status);
    TRY_DONE(list_nodes(selection, weight, time, mesh->nodes, error));
    if (selection->nodes == 0)
        status = none_selected(&selection->volume, mesh->dimension, error);
done:
    free(weight);
    free(time);
    return status;
}
