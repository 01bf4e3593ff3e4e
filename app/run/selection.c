/* selection.c: nodes by place, tag or list. */
#include "app/run/selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/run/node_list.h"
#include "kernels/base/array.h"

/* Length of the diagonal of the mesh's bounding box, mm */
static double diagonal(const struct mesh *mesh)
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < mesh->nodes; i++) {
            low = fmin(low, mesh->point[3 * i + c]);
            high = fmax(high, mesh->point[3 * i + c]);
        }
        square += (high - low) * (high - low);
    }
    return sqrt(square);
}

static int inside(const struct config_stimulus *s, const double p[3], double slack)
{
    if (s->shape == STIMULUS_SHAPE_BOX) {
        for (int c = 0; c < 3; c++)
            if (p[c] < s->box_min[c] - slack || p[c] > s->box_max[c] + slack)
                return 0;
        return 1;
    }
    double dx = p[0] - s->centre[0], dy = p[1] - s->centre[1], dz = p[2] - s->centre[2];
    return sqrt(dx * dx + dy * dy + dz * dz) <= s->radius + slack;
}

/* chosen[nodes] <- 1 for nodes of elements whose tag is listed; every listed tag must be there */
static enum status choose_tags(const struct config_stimulus *s, const struct mesh *mesh, uint8_t *chosen,
                               struct error *error)
{
    int corners = mesh->dimension + 1;
    enum status status = STATUS_OK;
    bool *found = array_zeroed(s->tags.count + 1, sizeof *found, "a stimulus", &status, error);
    if (status)
        return status;
    for (int64_t e = 0; e < mesh->elements; e++) {
        int k = 0;
        while (k < s->tags.count && s->tags.tag[k] != mesh->tag[e])
            k++;
        found[k] = true;
        for (int a = 0; (s->tags.all || k < s->tags.count) && a < corners; a++)
            chosen[mesh->vertex[e * corners + a]] = 1;
    }
    for (int k = 0; k < s->tags.count && !status; k++)
        if (!found[k])
            status = error_set(error, STATUS_INPUT, "no element of the mesh has tag %d", s->tags.tag[k]);
    free(found);
    return status;
}

enum status selection_nodes(const struct config_stimulus *stimulus, const struct mesh *mesh, int32_t **node,
                            int64_t *count, struct error *error)
{
    enum status status = STATUS_OK;
    uint8_t *chosen = array_zeroed(mesh->nodes, sizeof *chosen, "a stimulus", &status, error);
    *node = NULL;
    *count = 0;
    if (status)
        return status;
    if (stimulus->shape == STIMULUS_SHAPE_TAGS) {
        status = choose_tags(stimulus, mesh, chosen, error);
    } else if (stimulus->shape == STIMULUS_SHAPE_NODES) {
        status = node_list_read(stimulus->nodes, mesh->nodes, chosen, error);
    } else {
        double slack = 1e-9 * diagonal(mesh);
        for (int64_t i = 0; i < mesh->nodes; i++)
            chosen[i] = (uint8_t)inside(stimulus, mesh->point + 3 * i, slack);
    }
    for (int64_t i = 0; i < mesh->nodes; i++)
        *count += chosen[i];
    if (!status && *count == 0)
        status = error_set(error, STATUS_INPUT, "it touches no node of the mesh");
    *node = array_new(*count, sizeof **node, "a stimulus", &status, error);
    if (!status)
        for (int64_t i = 0, k = 0; i < mesh->nodes; i++)
            if (chosen[i])
                (*node)[k++] = (int32_t)i;
    free(chosen);
    return status;
}
