/* stimulus.c: classes of stimulated rows and their currents. */
#include "solver/stimulus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

/* The class of `parent` with stimulus s added: an existing one, or a new one; -1 when there are too many or
 * no memory. Classes made for stimulus s stand at the end, from `first`. */
static int class_with(struct stimulus_plan *plan, int parent, int s, int first)
{
    for (int c = first; c < plan->classes; c++)
        if (plan->parent[c] == parent)
            return c;
    if (plan->classes > UINT16_MAX)
        return -1;
    size_t count = (size_t)plan->classes + 1;
    int *parents = realloc(plan->parent, count * sizeof *parents);
    if (parents)
        plan->parent = parents;
    int *lasts = realloc(plan->last, count * sizeof *lasts);
    if (lasts)
        plan->last = lasts;
    if (!parents || !lasts)
        return -1;
    plan->parent[plan->classes] = parent;
    plan->last[plan->classes] = s;
    return plan->classes++;
}

enum status stimulus_plan(struct stimulus_plan *plan, const struct stimulus *stimulus, int stimuli,
                          int64_t nodes, uint16_t *class_of_node, struct error *error)
{
    memset(plan, 0, sizeof *plan);
    memset(class_of_node, 0, (size_t)nodes * sizeof *class_of_node);
    enum status status = STATUS_OK;
    plan->stimulus = array_zeroed(stimuli, sizeof *plan->stimulus, "the stimuli", &status, error);
    plan->parent = array_zeroed(1, sizeof *plan->parent, "the stimuli", &status, error);
    plan->last = array_zeroed(1, sizeof *plan->last, "the stimuli", &status, error);
    plan->stimuli = stimuli;
    plan->classes = 1;
    if (status) {
        stimulus_plan_free(plan);
        return status;
    }
    for (int s = 0; s < stimuli; s++) {
        int first = plan->classes;
        plan->stimulus[s] = stimulus[s];
        plan->stimulus[s].node = NULL;
        for (int64_t k = 0; k < stimulus[s].nodes; k++) {
            uint16_t *own = &class_of_node[stimulus[s].node[k]];
            if (*own >= first)
                continue; /* a node named twice by one stimulus feels it once */
            int added = class_with(plan, *own, s, first);
            if (added < 0 || added > UINT16_MAX) {
                stimulus_plan_free(plan);
                return error_set(error, STATUS_INPUT, "the stimuli overlap in more than %d different ways",
                                 UINT16_MAX);
            }
            *own = (uint16_t)added;
        }
    }
    return STATUS_OK;
}

void stimulus_plan_free(struct stimulus_plan *plan)
{
    free(plan->stimulus);
    free(plan->parent);
    free(plan->last);
    memset(plan, 0, sizeof *plan);
}

/* Length of [start, start + duration] within [t0, t1] */
static double overlap_once(double start, double duration, double t0, double t1)
{
    double slack = 1e-9 * (t1 - t0), end = start + duration;
    if (fabs(start - t0) <= slack)
        start = t0;
    if (fabs(start - t1) <= slack)
        start = t1;
    if (fabs(end - t0) <= slack)
        end = t0;
    if (fabs(end - t1) <= slack)
        end = t1;
    double length = fmin(end, t1) - fmax(start, t0);
    return length > 0 ? length : 0;
}

double stimulus_overlap(const struct stimulus *stimulus, double t0, double t1)
{
    double length = 0;
    if (stimulus->count == 1) {
        length = overlap_once(stimulus->start, stimulus->duration, t0, t1);
    } else {
        /* only pulses that can touch [t0, t1]; the first and last are taken one too wide and come out 0 */
        double first = floor((t0 - stimulus->start - stimulus->duration) / stimulus->period) - 1;
        double last = floor((t1 - stimulus->start) / stimulus->period) + 1;
        first = fmax(first, 0);
        if (stimulus->count > 0)
            last = fmin(last, (double)(stimulus->count - 1));
        for (double k = first; k <= last; k++)
            length += overlap_once(stimulus->start + k * stimulus->period, stimulus->duration, t0, t1);
    }
    return length == t1 - t0 ? 1 : length / (t1 - t0);
}

void stimulus_currents(const struct stimulus_plan *plan, double t0, double t1, double *current)
{
    current[0] = 0;
    for (int c = 1; c < plan->classes; c++) {
        const struct stimulus *stimulus = plan->stimulus + plan->last[c];
        current[c] = current[plan->parent[c]] + stimulus->current * stimulus_overlap(stimulus, t0, t1);
    }
}
