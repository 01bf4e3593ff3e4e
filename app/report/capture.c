/* capture.c: determine the response to each pulse of the stimuli. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/results.h"
#include "kernels/base/array.h"
#include "solver/cells/stimulus.h"

static const char what[] = "the stimuli";

enum { PULSES_MOST = 100000 };

struct results_name results_owner(const struct results *results, int32_t owner)
{
    const struct waves_owner *of = &results->waves->owner[owner];
    return (struct results_name){
        results->config->stimulus[results->problem->stimulus_from[of->stimulus]].name,
        stimulus_start(&results->problem->stimulus[of->stimulus], of->pulse)};
}

static int compare_names(const void *a, const void *b)
{
    const struct results_name *x = a, *y = b;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : strcmp(x->name, y->name);
}

static enum status check_pulse(struct results_pulse *pulse, const struct results *results, int s, int64_t k,
                               struct error *error)
{
    const struct problem *problem = results->problem;
    struct waves_owner *other = NULL;
    enum status status = STATUS_OK;
    pulse->start = stimulus_start(&problem->stimulus[s], k);
    waves_response(&pulse->response, results->waves, s, k);
    TRY_DONE(waves_together(&other, &pulse->togethers, results->waves, s, k, error));
    pulse->together = array_new(pulse->togethers, sizeof *pulse->together, what, &status, error);
    for (int64_t n = 0; n < pulse->togethers && !status; n++)
        pulse->together[n] =
            (struct results_name){results->config->stimulus[problem->stimulus_from[other[n].stimulus]].name,
                                  stimulus_start(&problem->stimulus[other[n].stimulus], other[n].pulse)};
    if (!status)
        qsort(pulse->together, (size_t)pulse->togethers, sizeof *pulse->together, compare_names);
done:
    free(other);
    return status;
}

/* The number of pulses of train s that have begun */
static int64_t count_pulses(const struct results *results, int s)
{
    const struct stimulus *stimulus = &results->problem->stimulus[s];
    int64_t count = 0, most = stimulus->count > 0 ? stimulus->count : PULSES_MOST;
    while (count < most && count < PULSES_MOST && stimulus_start(stimulus, count) < results->time)
        count++;
    return count;
}

static enum status check_stimulus(struct results *results, int i, struct error *error)
{
    const struct problem *problem = results->problem;
    struct results_stimulus *to = &results->stimulus[i];
    enum status status = STATUS_OK;
    int64_t pulses = 0;
    int first = -1;
    for (int s = 0; s < problem->stimuli; s++)
        if (problem->stimulus_from[s] == i) {
            first = first < 0 ? s : first;
            pulses += count_pulses(results, s);
        }
    to->name = results->config->stimulus[i].name;
    to->nodes = first >= 0 ? stimulus_nodes(&problem->stimulus[first]) : 0;
    to->pulse = array_zeroed(pulses + 1, sizeof *to->pulse, what, &status, error);
    for (int s = 0; s < problem->stimuli && !status; s++) {
        int64_t count = problem->stimulus_from[s] == i ? count_pulses(results, s) : 0;
        count += pulses == 0 && s == first;
        for (int64_t k = 0; k < count && !status; k++) {
            struct results_pulse *pulse = &to->pulse[to->pulses++];
            status = check_pulse(pulse, results, s, k, error);
            to->captured += pulse->response.end == WAVES_CAPTURED;
        }
    }
    return status;
}

enum status results_find_captures(struct results *results, struct error *error)
{
    enum status status = STATUS_OK;
    const struct config *config = results->config;
    results->stimulus = array_zeroed(config->stimuli, sizeof *results->stimulus, what, &status, error);
    for (int i = 0; i < config->stimuli && results->waves && !status; i++, results->stimuli++)
        status = check_stimulus(results, i, error);
    return status;
}

double results_last_capture(const struct results *results)
{
    double last = 0;
    for (int s = 0; s < results->stimuli; s++)
        for (int64_t k = 0; k < results->stimulus[s].pulses; k++)
            if (results->stimulus[s].pulse[k].response.end == WAVES_CAPTURED)
                last = fmax(last, results->stimulus[s].pulse[k].start);
    return last;
}
