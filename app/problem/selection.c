/* selection.c: find the nodes of a stimulus, or say why there are none. */
#include "app/problem/selection.h"

#include <math.h>
#include <stdlib.h>

#include "app/problem/node_list.h"
#include "app/problem/weights.h"
#include "kernels/base/array.h"
#include "solver/mesh/check.h"

/* weight[nodes] <- 1 at the nodes in the stimulus' file of delays, time[nodes] <- their delays */
static enum status read_delays(const struct config_stimulus *stimulus, const struct environment *environment,
                               double *weight, double *time, struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    enum status status = STATUS_OK;
    uint8_t *chosen = array_zeroed(mesh->nodes, sizeof *chosen, "a stimulus", &status, error);
    if (!status)
        status = node_list_read_times(stimulus->delays, mesh, chosen, time, environment->inputs, error);
    for (int64_t i = 0; i < mesh->nodes && !status; i++)
        weight[i] = chosen[i];
    free(chosen);
    return status;
}

/* The error for a condition (NULL = a list) that selects no node: it is outside the tissue, never holds, or is too
 * small */
static enum status none_selected(const struct where *where, const struct volume *volume,
                                 const struct mesh *mesh, struct error *error)
{
    double away = 0, edge = 0, low[3], high[3];
    int64_t nearest = 0;
    if (where)
        TRY(where_nearest(where, mesh->point, mesh->nodes, &nearest, &away, error));
    const double *at = mesh->point + 3 * nearest;
    for (int64_t e = 0; e < mesh->elements; e++)
        edge = fmax(edge, mesh_longest_edge(mesh, e));
    if (away > edge) /* no point inside the mesh is that far from its nearest node */
        return error_set(
            error, STATUS_INPUT,
            "it selects no node of the mesh: the nearest tissue is %.3g mm away, at (%.6g, %.6g, %.6g) mm",
            away, at[0], at[1], at[2]);
    mesh_box(low, high, mesh);
    if (isnan(volume->asked) || (volume->asked == 0 && away == 0))
        return error_set(
            error, STATUS_INPUT,
            "it selects no node of the mesh, which has x from %.6g to %.6g, y from %.6g to %.6g, z from "
            "%.6g to %.6g mm",
            low[0], high[0], low[1], high[1], low[2], high[2]);
    return error_set(
        error, STATUS_INPUT,
        "it selects no node of the mesh: it covers %.3g %s of it, and a node is stimulated if 1/512 "
        "of the volume around it is covered; use a larger shape, or `nodes` for single ones",
        volume->asked, volume_unit(mesh->dimension));
}

/* *to <- the nodes found, with their weights unless all are 1 */
static enum status copy_list(struct selection *to, const struct environment_weights *found,
                             struct error *error)
{
    enum status status = STATUS_OK;
    bool partial = false;
    for (int64_t k = 0; k < found->count; k++)
        partial = partial || found->of[k].weight < 1;
    to->volume = (struct volume){found->asked, found->given};
    to->node = array_new(found->count, sizeof *to->node, "a stimulus", &status, error);
    to->weight = partial ? array_new(found->count, sizeof *to->weight, "a stimulus", &status, error) : NULL;
    TRY(status);
    to->nodes = found->count;
    for (int64_t k = 0; k < found->count; k++) {
        to->node[k] = (int32_t)found->of[k].node;
        if (partial)
            to->weight[k] = found->of[k].weight;
    }
    return STATUS_OK;
}

/* *to <- the nodes whose weight is not 0, with their weights unless all are 1, and their times if given */
static enum status list_nodes(struct selection *to, const double *weight, const double *time, int64_t nodes,
                              struct error *error)
{
    enum status status = STATUS_OK;
    bool partial = false;
    for (int64_t i = 0; i < nodes; i++) {
        to->nodes += weight[i] > 0;
        partial = partial || (weight[i] > 0 && weight[i] < 1);
    }
    to->node = array_new(to->nodes, sizeof *to->node, "a stimulus", &status, error);
    to->time = time ? array_new(to->nodes, sizeof *to->time, "a stimulus", &status, error) : NULL;
    to->weight = partial ? array_new(to->nodes, sizeof *to->weight, "a stimulus", &status, error) : NULL;
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
    const struct where *where = stimulus->selection;
    const bool on_places = where && !volume_names_nodes(where);
    const struct environment_weights *found;
    enum status status = STATUS_OK;
    double *weight = NULL, *time = NULL;
    *selection = (struct selection){.volume = {NAN, NAN}};
    if (!on_places)
        weight = array_new(mesh->nodes, sizeof *weight, "a stimulus", &status, error);
    if (!where)
        time = array_zeroed(mesh->nodes, sizeof *time, "a stimulus", &status, error);
    TRY_DONE(status);
    if (on_places)
        status = volume_find(&found, environment, where, at, error);
    else if (where)
        status = environment_values(environment, where, LOCATION_NODE, weight, at, error);
    else
        status = read_delays(stimulus, environment, weight, time, error);
    if (!stimulus->where)
        *at = -1; /* a shape's short form has no text */
    TRY_DONE(status);
    TRY_DONE(on_places ? copy_list(selection, found, error)
                       : list_nodes(selection, weight, time, mesh->nodes, error));
    if (selection->nodes == 0)
        status = none_selected(where, &selection->volume, mesh, error);
done:
    free(weight);
    free(time);
    return status;
}
