/* felt.c: finds pulses by the bounding box and the node list of each stimulus. */
#include "solver/cells/felt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "solver/cells/stimulus.h"

static const char what[] = "the waves";

/* Whether a node is in the bounding box of a train's nodes */
static bool is_near(const struct waves *waves, int32_t s, int32_t node)
{
    const struct waves_train *train = &waves->train[s];
    const double *point = waves->point ? waves->point + 3 * (int64_t)node : NULL;
    for (int x = 0; x < 3 && point; x++)
        if (point[x] < train->box[0][x] || point[x] > train->box[1][x])
            return false;
    return true;
}

int64_t felt_index(const struct waves *waves, int32_t s, int32_t node)
{
    const struct stimulus *stimulus = &waves->stimulus[s];
    if (!is_near(waves, s, node))
        return -1;
    const int64_t at = compare_search(stimulus->node, stimulus->nodes, node);
    const bool found = at < stimulus->nodes && stimulus->node[at] == node;
    return found && stimulus_weight(stimulus, at) >= waves->train[s].least ? at : -1;
}

int64_t felt_pulse_at(const struct stimulus *stimulus, double time)
{
    if (!(stimulus->start <= time))
        return -1;
    int64_t low = 0, high = stimulus->count;
    if (high == 0)
        for (high = 1; stimulus_start(stimulus, high) <= time; high *= 2)
            ;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (stimulus_start(stimulus, middle) <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* *felt <- pulse k of the same stimulus and node */
static void set_pulse(struct felt *felt, const struct waves *waves, int64_t k)
{
    const struct stimulus *stimulus = &waves->stimulus[felt->stimulus];
    felt->pulse = k;
    felt->start = stimulus_start(stimulus, k) + (stimulus->delay ? stimulus->delay[felt->index] : 0);
    felt->end = felt->start + stimulus_length(stimulus);
}

bool felt_next(struct felt *felt, const struct waves *waves, int32_t node, double time, double since)
{
    if (felt->pulse > 0) {
        set_pulse(felt, waves, felt->pulse - 1);
        if (felt->end >= since)
            return true;
    }
    while (++felt->stimulus < waves->stimuli) {
        const int32_t s = felt->stimulus;
        felt->index = waves->stimulus[s].phase ? felt->index : felt_index(waves, s, node);
        if (felt->index < 0 || !waves->train[s].excites)
            continue;
        const double *delay = waves->stimulus[s].delay;
        const int64_t pulse = felt_pulse_at(&waves->stimulus[s], time - (delay ? delay[felt->index] : 0));
        if (pulse >= 0)
            set_pulse(felt, waves, pulse);
        if (pulse >= 0 && felt->end >= since)
            return true;
    }
    return false;
}

struct felt felt_last(const struct waves *waves, int32_t node, double time)
{
    struct felt last = felt_none, felt = felt_none;
    while (felt_next(&felt, waves, node, time, -HUGE_VAL)) {
        last = felt.start >= last.start ? felt : last;
        felt.pulse = 0; /* go on with the next stimulus */
    }
    return last;
}

double felt_last_end(const struct waves *waves, int32_t s, double time)
{
    const struct stimulus *stimulus = &waves->stimulus[s];
    const int64_t pulse = waves->train[s].excites ? felt_pulse_at(stimulus, time) : -1;
    return pulse < 0 ? -HUGE_VAL
                     : stimulus_start(stimulus, pulse) + waves->train[s].delay + stimulus_length(stimulus);
}

double felt_distance(const struct waves_train *train, const double point[3])
{
    double square = 0;
    for (int x = 0; x < 3; x++) {
        const double gap = fmax(0, fmax(train->box[0][x] - point[x], point[x] - train->box[1][x]));
        square += gap * gap;
    }
    return sqrt(square);
}

static struct waves_train train_of(const struct stimulus *stimulus, const double *point)
{
    struct waves_train train = {.least = stimulus_least_weight(stimulus),
                                .box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}},
                                .excites = stimulus_peak(stimulus) > 0};
    for (int64_t k = 0; k < stimulus->nodes; k++) {
        train.delay = fmax(train.delay, stimulus->delay ? stimulus->delay[k] : 0);
        for (int x = 0; x < 3 && point && stimulus_weight(stimulus, k) >= train.least; x++) {
            const double at = point[3 * (int64_t)stimulus->node[k] + x];
            train.box[0][x] = fmin(train.box[0][x], at);
            train.box[1][x] = fmax(train.box[1][x], at);
        }
    }
    return train;
}

enum status waves_set_stimuli(struct waves *waves, const struct stimulus *stimulus, int stimuli,
                              struct error *error)
{
    enum status status = STATUS_OK;
    int32_t *newest = array_new(stimuli, sizeof *newest, what, &status, error);
    struct waves_train *train = array_new(stimuli, sizeof *train, what, &status, error);
    if (status) {
        free(newest);
        free(train);
        return status;
    }
    memset(newest, -1, (size_t)stimuli * sizeof *newest);
    for (int s = 0; s < stimuli; s++)
        train[s] = train_of(&stimulus[s], waves->point);
    for (int32_t k = 0; k < waves->owners; k++) {
        struct waves_owner *owner = &waves->owner[k];
        owner->earlier = newest[owner->stimulus];
        newest[owner->stimulus] = k;
    }
    free(waves->newest);
    free(waves->train);
    waves->newest = newest;
    waves->train = train;
    waves->stimulus = stimulus;
    waves->stimuli = stimuli;
    return STATUS_OK;
}
