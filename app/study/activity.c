/* activity.c: read the activation map of a tissue, and empty it before it is full. */
#include "app/study/activity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/run/map_values.h"
#include "kernels/base/array.h"
#include "solver/cells/stimulus.h"

static const char what[] = "the activations";
static const double near = 2, far = 4; /* mm */

enum status activity_create(struct activity *activity, int64_t nodes, struct error *error)
{
    enum status status = STATUS_OK;
    *activity = (struct activity){.nodes = nodes};
    activity->zone = array_zeroed(nodes, sizeof *activity->zone, what, &status, error);
    activity->count = array_zeroed(nodes, sizeof *activity->count, what, &status, error);
    activity->last = array_new(nodes, sizeof *activity->last, what, &status, error);
    activity->before = array_new(nodes, sizeof *activity->before, what, &status, error);
    activity->map = array_new(nodes * ACTIVITY_BEATS, sizeof *activity->map, what, &status, error);
    for (int64_t i = 0; i < nodes && !status; i++)
        activity->last[i] = activity->before[i] = -HUGE_VAL;
    return status;
}

/* distance[nodes] <- mm along edges from the nodes where it is 0, up to `far`; returns whether it changed */
static bool shorten(double *distance, const struct mesh *mesh)
{
    int corners = mesh->dimension + 1;
    bool changed = false;
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * corners;
        for (int a = 0; a < corners; a++)
            for (int b = 0; b < corners; b++) {
                double to = distance[vertex[a]] +
                            mesh_distance(mesh->point + 3 * vertex[a], mesh->point + 3 * vertex[b]);
                if (to < distance[vertex[b]] && to <= far) {
                    distance[vertex[b]] = to;
                    changed = true;
                }
            }
    }
    return changed;
}

enum status activity_mark(struct activity *activity, const struct mesh *mesh, const struct stimulus *s1,
                          struct error *error)
{
    const double least = stimulus_least_weight(s1);
    enum status status = STATUS_OK;
    double *distance = array_new(mesh->nodes, sizeof *distance, what, &status, error);
    TRY(status);
    for (int64_t i = 0; i < mesh->nodes; i++)
        distance[i] = HUGE_VAL;
    for (int64_t k = 0; k < s1->nodes; k++)
        if (stimulus_weight(s1, k) >= least)
            distance[s1->node[k]] = 0;
    while (shorten(distance, mesh))
        ;
    for (int64_t i = 0; i < mesh->nodes; i++)
        activity->zone[i] = distance[i] > near && distance[i] <= far ? ACTIVITY_AROUND : ACTIVITY_ELSEWHERE;
    for (int64_t k = 0; k < s1->nodes; k++)
        if (stimulus_weight(s1, k) >= least)
            activity->zone[s1->node[k]] = ACTIVITY_STIMULATED;
    free(distance);
    return STATUS_OK;
}

void activity_free(struct activity *activity)
{
    free(activity->zone);
    free(activity->count);
    free(activity->last);
    free(activity->before);
    free(activity->map);
    *activity = (struct activity){0};
}

void activity_copy(struct activity *to, const struct activity *from)
{
    size_t nodes = (size_t)from->nodes;
    memcpy(to->count, from->count, nodes * sizeof *to->count);
    memcpy(to->last, from->last, nodes * sizeof *to->last);
    memcpy(to->before, from->before, nodes * sizeof *to->before);
}

static void count_activation(struct activity *activity, int64_t node, double at, struct activity_look *look)
{
    activity->count[node]++;
    activity->before[node] = activity->last[node];
    activity->last[node] = at;
    if (look->fresh++ == 0 || at < look->first) {
        look->first = at;
        look->node = node;
    }
}

enum status activity_look(struct activity *activity, struct monodomain *sim, struct activity_look *look,
                          struct error *error)
{
    int variable = monodomain_find(sim, "activation_time");
    bool full = false;
    TRY(monodomain_get(sim, variable, activity->map, error));
    for (int64_t i = 0; i < activity->nodes; i++) {
        const double *at = activity->map + i * ACTIVITY_BEATS;
        for (int b = 0; b < ACTIVITY_BEATS; b++)
            if (at[b] > activity->last[i])
                count_activation(activity, i, at[b], look);
        full |= !isnan(at[ACTIVITY_BEATS - 1]);
    }
    if (!full)
        return STATUS_OK;
    for (int64_t k = 0; k < activity->nodes * ACTIVITY_BEATS; k++)
        activity->map[k] = NAN;
    return monodomain_set(sim, variable, activity->map, error);
}

double activity_last(const struct activity *activity)
{
    double last = -HUGE_VAL;
    for (int64_t i = 0; i < activity->nodes; i++)
        last = fmax(last, activity->last[i]);
    return last;
}

int32_t activity_most(const struct activity *activity, int64_t *node)
{
    int32_t most = 0;
    *node = -1;
    for (int64_t i = 0; i < activity->nodes; i++) {
        int32_t count = activity->zone[i] == ACTIVITY_STIMULATED ? 0 : activity->count[i];
        if (count > most || (count == most && count > 0 && activity->last[i] < activity->last[*node])) {
            most = count;
            *node = i;
        }
    }
    return most;
}

bool activity_spreads(const struct activity *activity, double start)
{
    bool any = false;
    for (int64_t i = 0; i < activity->nodes; i++) {
        if (activity->zone[i] == ACTIVITY_AROUND && activity->last[i] >= start)
            return true;
        any |= activity->zone[i] == ACTIVITY_AROUND;
    }
    return !any;
}

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

enum status activity_cycle(double *cycle, const struct activity *activity, double start, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t count = 0;
    double *interval = array_new(activity->nodes, sizeof *interval, "the cycle lengths", &status, error);
    for (int64_t i = 0; i < activity->nodes && !status; i++)
        if (activity->before[i] >= start && activity->zone[i] != ACTIVITY_STIMULATED)
            interval[count++] = activity->last[i] - activity->before[i];
    if (!status)
        qsort(interval, (size_t)count, sizeof *interval, compare_numbers);
    *cycle = count > 0 ? interval[count / 2] : (double)NAN;
    free(interval);
    return status;
}
