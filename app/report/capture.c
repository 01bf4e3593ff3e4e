/* capture.c: whether each pulse of the stimuli captured, and why not. */
#include <math.h>
#include <stdlib.h>

#include "app/report/results.h"
#include "kernels/base/array.h"
#include "solver/cells/stimulus.h"

static const char what[] = "the stimuli";

enum { PULSES_MOST = 100000 };

static bool hyperpolarises(const struct stimulus *stimulus)
{
    double most = stimulus->shape ? -HUGE_VAL : stimulus->current, least = fmin(0, stimulus->current);
    for (int k = 0; k < stimulus->shapes; k++) {
        most = fmax(most, stimulus->current * stimulus->shape[k][1]);
        least = fmin(least, stimulus->current * stimulus->shape[k][1]);
    }
    return most <= 0 && least < 0;
}

/* Whether a wave of a pulse was running at the end */
static bool is_running(const struct waves *waves, int32_t s, int64_t k)
{
    bool running = false;
    for (int32_t w = waves_of_pulse(waves, s, k); w >= 0; w = waves->wave[w].earlier)
        running |= waves->wave[w].pulse == k && waves_running(waves, w);
    return running;
}

/* ms, the end of the pulse at its last node */
static double over_at(const struct stimulus *stimulus, int64_t k)
{
    double latest = 0;
    for (int64_t n = 0; n < stimulus->nodes && stimulus->delay; n++)
        latest = fmax(latest, stimulus->delay[n]);
    return stimulus_start(stimulus, k) + latest + stimulus_length(stimulus);
}

/* Why a pulse captured nothing */
static enum results_pulse_end find_cause(const struct results_pulse *pulse, const struct results *results,
                                         const struct stimulus *stimulus, int64_t k,
                                         const struct waves_response *response)
{
    return response->dropped                      ? RESULTS_UNKNOWN
           : hyperpolarises(stimulus)             ? RESULTS_NEGATIVE
           : response->own.nodes == 0             ? RESULTS_PASSIVE
           : response->rose > 0                   ? RESULTS_NOT_LEFT
           : response->other >= 0                 ? RESULTS_REACHED
           : results->time < over_at(stimulus, k) ? RESULTS_CUT
           : pulse->early                         ? RESULTS_REFRACTORY
                                                  : RESULTS_WEAK;
}

static enum status check_pulse(struct results_pulse *pulse, const struct results *results, int s, int64_t k,
                               struct error *error)
{
    const struct stimulus *stimulus = &results->problem->stimulus[s];
    const struct waves *waves = results->waves;
    struct waves_response response;
    TRY(waves_response(&response, waves, s, k, error));
    bool captured = response.left >= 0 || (response.around == 0 && response.rose > 0);
    const struct waves_rest *rest = captured ? &response.ahead : &response.own;
    *pulse = (struct results_pulse){.start = stimulus_start(stimulus, k),
                                    .latency = response.delay,
                                    .rested = rest->rested,
                                    .rose = rest->rose,
                                    .early = 2 * (rest->up + rest->early) > rest->nodes,
                                    .other = NAN};
    if (response.around > 0)
        pulse->share = (double)response.followed / (double)response.around;
    if (response.other >= 0)
        pulse->other = waves->wave[response.other].start;
    if (captured && response.left < 0)
        pulse->latency =
            waves->activation[waves->wave[waves_of_pulse(waves, s, k)].first].time - pulse->start;
    if (response.left >= 0)
        pulse->late = waves->activation[response.left].cause < 0;
    bool whole = response.followed == response.around || response.dropped || is_running(waves, s, k);
    pulse->end = pulse->start >= results->time ? RESULTS_NOT_APPLIED
                 : !captured                   ? find_cause(pulse, results, stimulus, k, &response)
                 : whole                       ? RESULTS_CAPTURED
                                               : RESULTS_PARTLY;
    return STATUS_OK;
}

/* Pulses of a train that began */
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
            to->captured += pulse->end <= RESULTS_PARTLY;
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
            if (results->stimulus[s].pulse[k].end <= RESULTS_PARTLY)
                last = fmax(last, results->stimulus[s].pulse[k].start);
    return last;
}
