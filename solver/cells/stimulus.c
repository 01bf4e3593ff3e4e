/* stimulus.c: classes of stimulated rows, and their currents during a step. */
#include "solver/cells/stimulus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"

/* Slots of a hash table of classes: a linear search would be quadratic in the nodes if each has its own
 * delay */
enum { SLOT_BITS = 18, MOST_CLASSES = UINT16_MAX + 1 };

/* Finds or adds the class `wanted`; -1 = too many classes. slot[1 << SLOT_BITS]: classes, 0 = free. */
static int class_of(struct stimulus_plan *plan, int32_t *slot, const struct stimulus_class *wanted)
{
    const uint64_t bits = bits_of(wanted->delay) + (bits_of(wanted->weight) >> 3) +
                          ((uint64_t)wanted->parent << 16) + (uint64_t)wanted->last;
    size_t at = (size_t)(bits_stir(bits) >> (64 - SLOT_BITS));
    for (; slot[at]; at = (at + 1) & ((1 << SLOT_BITS) - 1)) {
        const struct stimulus_class *found = &plan->class[slot[at]];
        if (found->parent == wanted->parent && found->last == wanted->last && found->delay == wanted->delay &&
            found->weight == wanted->weight)
            return slot[at];
    }
    if (plan->classes == MOST_CLASSES)
        return -1;
    plan->class[plan->classes] = *wanted;
    slot[at] = plan->classes;
    return plan->classes++;
}

enum status stimulus_plan(struct stimulus_plan *plan, const struct stimulus *stimulus, int stimuli,
                          int64_t nodes, uint16_t *class_of_node, struct error *error)
{
    memset(plan, 0, sizeof *plan);
    memset(class_of_node, 0, (size_t)nodes * sizeof *class_of_node);
    enum status status = STATUS_OK;
    plan->stimulus = array_zeroed(stimuli, sizeof *plan->stimulus, "the stimuli", &status, error);
    plan->class = array_zeroed(MOST_CLASSES, sizeof *plan->class, "the stimuli", &status, error);
    int32_t *slot = array_zeroed(1 << SLOT_BITS, sizeof *slot, "the stimuli", &status, error);
    plan->stimuli = stimuli;
    plan->classes = 1;
    TRY_DONE(status);
    for (int s = 0; s < stimuli; s++) {
        int first = plan->classes;
        plan->stimulus[s] = stimulus[s];
        plan->stimulus[s].node = NULL;
        plan->stimulus[s].delay = NULL;
        plan->stimulus[s].weight = NULL;
        for (int64_t k = 0; k < stimulus[s].nodes && !stimulus[s].phase; k++) {
            uint16_t *own = &class_of_node[stimulus[s].node[k]];
            if (*own >= first)
                continue; /* a node listed twice by a stimulus gets its current once */
            const int added =
                class_of(plan, slot,
                         &(struct stimulus_class){*own, s, stimulus[s].delay ? stimulus[s].delay[k] : 0,
                                                  stimulus_weight(&stimulus[s], k)});
            if (added < 0)
                TRY_DONE(error_set(error, STATUS_INPUT,
                                   "the stimuli form more than %d combinations of overlaps and delays",
                                   UINT16_MAX));
            *own = (uint16_t)added;
        }
    }
    struct stimulus_class *few = realloc(plan->class, (size_t)plan->classes * sizeof *few);
    plan->class = few ? few : plan->class;
done:
    free(slot);
    if (status)
        stimulus_plan_free(plan);
    return status;
}

void stimulus_plan_free(struct stimulus_plan *plan)
{
    free(plan->stimulus);
    free(plan->class);
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

/* The integral from 0 to t of the line through (ta, a) and (tb, b) between ta and tb, 0 elsewhere */
static double area_to(double t, const double a[2], const double b[2])
{
    double x = fmin(fmax(t - a[0], 0), b[0] - a[0]);
    return b[0] > a[0] ? x * (a[1] + (b[1] - a[1]) * (x / (b[0] - a[0])) / 2) : 0;
}

/* The integral over [t0, t1] of one pulse that begins at start */
static double pulse_area(const struct stimulus *stimulus, double start, double t0, double t1)
{
    double area = 0;
    if (!stimulus->shape)
        return overlap_once(start, stimulus->duration, t0, t1);
    int k = 1, end = stimulus->shapes; /* the first segment that ends after t0 */
    while (k < end) {
        int middle = k + (end - k) / 2;
        if (stimulus->shape[middle][0] <= t0 - start)
            k = middle + 1;
        else
            end = middle;
    }
    for (; k < stimulus->shapes && stimulus->shape[k - 1][0] < t1 - start; k++)
        area += area_to(t1 - start, stimulus->shape[k - 1], stimulus->shape[k]) -
                area_to(t0 - start, stimulus->shape[k - 1], stimulus->shape[k]);
    return area;
}

static double start_of(const struct stimulus *stimulus, double k)
{
    return stimulus->start + k * stimulus->period + stimulus->change * (k * (k - 1) / 2);
}

double stimulus_start(const struct stimulus *stimulus, int64_t k)
{
    return k == 0 ? stimulus->start : start_of(stimulus, (double)k);
}

double stimulus_least_weight(const struct stimulus *stimulus)
{
    double most = 0;
    for (int64_t k = 0; k < stimulus->nodes; k++)
        most = fmax(most, stimulus_weight(stimulus, k));
    return fmin(most, 0.5);
}

int64_t stimulus_nodes(const struct stimulus *stimulus)
{
    const double least = stimulus_least_weight(stimulus);
    int64_t nodes = 0;
    for (int64_t k = 0; k < stimulus->nodes; k++)
        nodes += stimulus_weight(stimulus, k) >= least;
    return nodes;
}

double stimulus_end(const struct stimulus *stimulus)
{
    double latest = 0;
    for (int64_t k = 0; k < stimulus->nodes && stimulus->delay; k++)
        latest = fmax(latest, stimulus->delay[k]);
    if (stimulus->count == 0)
        return INFINITY;
    return stimulus_start(stimulus, stimulus->count - 1) + stimulus->duration + latest;
}

static int count_weights(const struct stimulus *stimulus)
{
    bool seen[STIMULUS_WEIGHTS + 1] = {false};
    int count = 0;
    for (int64_t k = 0; k < stimulus->nodes; k++) {
        bool *own = &seen[(int)(stimulus_weight(stimulus, k) * STIMULUS_WEIGHTS)];
        count += !*own;
        *own = true;
    }
    return count;
}

double stimulus_length(const struct stimulus *stimulus)
{
    return stimulus->shape ? stimulus->shape[stimulus->shapes - 1][0] : stimulus->duration;
}

double stimulus_peak(const struct stimulus *stimulus)
{
    double most = stimulus->shape ? -INFINITY : stimulus->current, least = fmin(0, stimulus->current);
    for (int k = 0; k < stimulus->shapes; k++) {
        most = fmax(most, stimulus->current * stimulus->shape[k][1]);
        least = fmin(least, stimulus->current * stimulus->shape[k][1]);
    }
    return most > 0 ? most : least;
}

double stimulus_classes(const struct stimulus *stimulus, double step)
{
    double low = INFINITY, high = -INFINITY;
    if (stimulus->phase || !stimulus->delay)
        return stimulus->phase ? 0 : 1 + count_weights(stimulus);
    for (int64_t k = 0; k < stimulus->nodes; k++) {
        low = fmin(low, stimulus->delay[k]);
        high = fmax(high, stimulus->delay[k]);
    }
    return fmin(fmin((double)stimulus->nodes, (high - low) / step + 2), UINT16_MAX);
}

/* The index of a pulse that is not later than the first one that ends after t */
static double first_pulse(const struct stimulus *stimulus, double t)
{
    double low = 0, high = (double)stimulus->count;
    if (stimulus->change == 0)
        return fmax(floor((t - stimulus->start - stimulus->duration) / stimulus->period) - 1, 0);
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (start_of(stimulus, middle) + stimulus->duration <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double stimulus_overlap(const struct stimulus *stimulus, double t0, double t1)
{
    double length = 0, count = stimulus->count > 0 ? (double)stimulus->count : INFINITY;
    if (stimulus->count == 1)
        length = pulse_area(stimulus, stimulus->start, t0, t1);
    else
        for (double k = first_pulse(stimulus, t0); k < count && start_of(stimulus, k) < t1; k++)
            length += pulse_area(stimulus, start_of(stimulus, k), t0, t1);
    return length == t1 - t0 ? 1 : length / (t1 - t0);
}

void stimulus_currents(const struct stimulus_plan *plan, double t0, double t1, double *current)
{
    double whole = 0; /* current of the last stimulus for weight 1 */
    current[0] = 0;
    for (int c = 1; c < plan->classes; c++) {
        const struct stimulus_class *own = &plan->class[c];
        const struct stimulus *stimulus = plan->stimulus + own->last;
        const struct stimulus *end = plan->stimulus + plan->stimuli;
        const bool same = c > 1 && own->last == own[-1].last && own->delay == own[-1].delay;
        whole = same ? whole : 0;
        do {
            struct stimulus later = *stimulus;
            later.start += own->delay;
            whole += same ? 0 : later.current * stimulus_overlap(&later, t0, t1);
        } while (!same && ++stimulus < end && stimulus->phase);
        current[c] = current[own->parent] + own->weight * whole;
    }
}
