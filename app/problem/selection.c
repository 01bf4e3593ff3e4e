/* selection.c: nodes by place, tag or list. */
#include "app/problem/selection.h"

#include <stdlib.h>
#include <string.h>

#include "app/problem/delays.h"
#include "app/problem/node_list.h"
#include "kernels/base/array.h"

static bool inside(const struct config_stimulus *s, const double p[3], double slack)
{
    const bool box = s->shape == STIMULUS_SHAPE_BOX;
    const double *a = box ? s->box_min : s->centre, *b = box ? s->box_max : &s->radius;
    const double numbers[] = {a[0], a[1], a[2], b[0], box ? b[1] : 0, box ? b[2] : 0};
    return where_inside(&(struct where_leaf){box ? WHERE_BOX : WHERE_BALL, .numbers = numbers}, p, slack);
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

/* chosen[nodes] <- 1 where the stimulus' condition holds */
static enum status choose_where(const struct config_stimulus *s, struct places *places, uint8_t *chosen,
                                int *at, struct error *error)
{
    enum status status = STATUS_OK;
    double *holds = array_new(places->mesh->nodes, sizeof *holds, "a stimulus", &status, error);
    AND(places_values(places, s->where, LOCATION_NODE, holds, at, error));
    for (int64_t i = 0; i < places->mesh->nodes && !status; i++)
        chosen[i] = holds[i] != 0;
    free(holds);
    return status;
}

static enum status choose_surface(const char *name, struct places *places, uint8_t *chosen,
                                  struct error *error)
{
    const uint8_t *on;
    enum heart_surface surface;
    enum status status = places_surface(places, name, &surface, &on, error);
    for (int64_t i = 0; i < places->mesh->nodes && !status; i++)
        chosen[i] = on[i] >> surface & 1;
    return status;
}

enum status selection_nodes(const struct config_stimulus *stimulus, struct places *places, int32_t **node,
                            int64_t *count, double **time, int *at, struct error *error)
{
    const struct mesh *mesh = places->mesh;
    bool timed = stimulus->shape == STIMULUS_SHAPE_DELAYS;
    enum status status = STATUS_OK;
    uint8_t *chosen = array_zeroed(mesh->nodes, sizeof *chosen, "a stimulus", &status, error);
    *time = timed ? array_zeroed(mesh->nodes, sizeof **time, "a stimulus", &status, error) : NULL;
    *node = NULL;
    *count = 0;
    if (status) {
        free(chosen);
        return status;
    }
    if (stimulus->shape == STIMULUS_SHAPE_WHERE) {
        status = choose_where(stimulus, places, chosen, at, error);
    } else if (stimulus->shape == STIMULUS_SHAPE_SURFACE) {
        status = choose_surface(stimulus->surface, places, chosen, error);
    } else if (timed) {
        status = delays_read(stimulus->delays, mesh, chosen, *time, error);
    } else if (stimulus->shape == STIMULUS_SHAPE_TAGS) {
        status = choose_tags(stimulus, mesh, chosen, error);
    } else if (stimulus->shape == STIMULUS_SHAPE_NODES) {
        status = node_list_read(stimulus->nodes, mesh->nodes, chosen, error);
    } else {
        double slack = 1e-9 * places_diagonal(mesh);
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
            if (chosen[i]) {
                if (timed)
                    (*time)[k] = (*time)[i];
                (*node)[k++] = (int32_t)i;
            }
    free(chosen);
    return status;
}
