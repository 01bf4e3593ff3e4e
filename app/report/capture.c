/* capture.c: whether each pulse of the stimuli captured, and why not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/results.h"
#include "kernels/base/array.h"
#include "solver/cells/beats.h"
#include "solver/cells/stimulus.h"

static const char what[] = "the stimuli";
static const double window = 20; /* ms after the end of a pulse in which what it captures rises */
static const double rest = 50;   /* ms after its repolarization in which tissue may still be refractory */

enum { PULSES_MOST = 100000 };

/* Activations of one node, from the recorded points or from the maps */
struct beats_of {
    const double *time, *repolarized; /* repolarized: NULL = not known */
    int64_t stride, count, most;      /* most: that could be recorded */
};

static struct beats_of beats_of_point(const struct results *results, int64_t point)
{
    const struct sites *sites = results->sites;
    const struct observer o =
        beats_at_points(&results->config->physics, sites->times, results->followed, sites->points);
    struct beats_of beats = {o.time + point, o.repolarized[0] + point, sites->points, 0, sites->times - 1};
    while (beats.count < beats.most && !isnan(beats.time[beats.count * beats.stride]))
        beats.count++;
    return beats;
}

static struct beats_of beats_of_node(const struct results *results, int64_t node)
{
    int64_t most = results->config->physics.activation_beats;
    struct beats_of beats = {results->map + node * most, NULL, 1, 0, most};
    while (beats.count < most && !isnan(beats.time[beats.count]))
        beats.count++;
    return beats;
}

/* Site k of a train: of its own nodes, or of those next to them */
static struct beats_of beats_of_site(const struct results *results, const struct sites_train *train, bool own,
                                     int64_t k)
{
    if (results->followed)
        return beats_of_point(results, (own ? train->point_own : train->point_next) + k);
    return beats_of_node(results, own ? train->own[k] : train->next[k]);
}

/* The first activation in [from, to], NaN = none; *full <- whether a later one than recorded may be there */
static double rise_within(const struct beats_of *beats, double from, double to, bool *full)
{
    for (int64_t b = 0; b < beats->count; b++) {
        double at = beats->time[b * beats->stride];
        if (at >= from && at <= to)
            return at;
        if (at > to)
            return NAN;
    }
    *full |= beats->count == beats->most;
    return NAN;
}

/* The last activation before `time`; *over <- when it was repolarized: NaN = not yet, or not known */
static double rise_before(const struct beats_of *beats, double time, double *over)
{
    double last = NAN;
    *over = NAN;
    for (int64_t b = 0; b < beats->count && beats->time[b * beats->stride] < time; b++) {
        last = beats->time[b * beats->stride];
        *over = beats->repolarized ? beats->repolarized[b * beats->stride] : (double)NAN;
    }
    return last;
}

/* ms by which the pulse comes later at the nodes that come last */
static double latest_delay(const struct stimulus *stimulus)
{
    double latest = 0;
    for (int64_t k = 0; k < stimulus->nodes && stimulus->delay; k++)
        latest = fmax(latest, stimulus->delay[k]);
    return latest;
}

static bool hyperpolarises(const struct stimulus *stimulus)
{
    double most = stimulus->shape ? -HUGE_VAL : stimulus->current, least = fmin(0, stimulus->current);
    for (int k = 0; k < stimulus->shapes; k++) {
        most = fmax(most, stimulus->current * stimulus->shape[k][1]);
        least = fmin(least, stimulus->current * stimulus->shape[k][1]);
    }
    return most <= 0 && least < 0;
}

/* ms that a pulse lasts */
static double length_of(const struct stimulus *stimulus)
{
    return stimulus->shape ? stimulus->shape[stimulus->shapes - 1][0] : stimulus->duration;
}

/* The first activation of any of the sites in [from, to], infinity = none; *rose <- of how many of them */
static double first_rise(const struct results *results, const struct sites_train *train, bool own,
                         double from, double to, int64_t *rose, bool *full)
{
    double first = HUGE_VAL;
    *rose = 0;
    for (int64_t k = 0; k < (own ? train->owns : train->nexts); k++) {
        const struct beats_of beats = beats_of_site(results, train, own, k);
        double at = rise_within(&beats, from, to, full);
        *rose += !isnan(at);
        first = isnan(at) ? first : fmin(first, at);
    }
    return first;
}

/* Whether most of the sites, of those around only those that did not rise up to `to`, were refractory;
 * pulse->rested and rose <- at the one that was ready last */
static bool was_refractory(struct results_pulse *pulse, const struct results *results,
                           const struct sites_train *train, bool own, double to)
{
    int64_t count = own ? train->owns : train->nexts, early = 0, sites = 0;
    pulse->rested = pulse->rose = NAN;
    double least = HUGE_VAL;
    for (int64_t k = 0; k < count; k++) {
        const struct beats_of beats = beats_of_site(results, train, own, k);
        bool full = false;
        double over, rose = rise_before(&beats, pulse->start, &over);
        if (!isnan(rise_within(&beats, pulse->start, to, &full)) && !own)
            continue;
        sites++;
        if (isnan(rose))
            continue;
        double rested = isnan(over) || over > pulse->start ? -1 : pulse->start - over;
        early += rested < rest;
        if (rested < least) {
            least = rested;
            pulse->rested = rested;
            pulse->rose = rose;
        }
    }
    return sites > 0 && 2 * early > sites;
}

static enum results_pulse_end find_cause(struct results_pulse *pulse, const struct results *results,
                                         const struct sites_train *train, double to, bool reached)
{
    bool full = false;
    int64_t rose = 0;
    if (reached)
        return RESULTS_REACHED;
    if (was_refractory(pulse, results, train, true, to))
        return RESULTS_REFRACTORY;
    first_rise(results, train, true, pulse->start, to, &rose, &full);
    return rose > 0 ? RESULTS_NOT_LEFT : RESULTS_WEAK;
}

static void check_pulse(struct results_pulse *pulse, const struct results *results, int s)
{
    const struct stimulus *stimulus = &results->problem->stimulus[s];
    int first = s;
    while (results->problem->stimulus[first].phase)
        first--;
    const struct sites_train *train = &results->sites->train[first];
    bool own = train->nexts == 0, full = false, unused = false; /* own: all of the tissue is stimulated */
    int64_t count = own ? train->owns : train->nexts, rose = 0, rose_own = 0;
    const double end = pulse->start + latest_delay(stimulus) + length_of(stimulus), to = end + window;
    double around = first_rise(results, train, own, pulse->start, to, &rose, &full);
    double first_own = first_rise(results, train, true, pulse->start, to, &rose_own, &unused);
    /* A front made here rises here first. One that comes from elsewhere passes nodes around on its way. */
    bool reached = rose > 0 && !own && around < first_own && first_own > end;
    if (reached)
        rose = 0;
    pulse->latency = rose > 0 ? around - pulse->start : (double)NAN;
    pulse->share = count > 0 ? (double)rose / (double)count : 0;
    if (pulse->start >= results->time)
        pulse->end = RESULTS_NOT_APPLIED;
    else if (hyperpolarises(stimulus))
        pulse->end = RESULTS_NEGATIVE;
    else if (rose > 0 && rose == count)
        pulse->end = RESULTS_CAPTURED;
    else if (full)
        pulse->end = rose > 0 ? RESULTS_CAPTURED : RESULTS_UNKNOWN;
    else if (train->owns == 0)
        pulse->end = RESULTS_PASSIVE;
    else if (results->time < to && !reached)
        pulse->end = rose > 0 ? RESULTS_CAPTURED : RESULTS_CUT;
    else if (rose > 0) {
        pulse->end = RESULTS_PARTLY;
        if (!was_refractory(pulse, results, train, own, to))
            pulse->rose = NAN;
    } else
        pulse->end = find_cause(pulse, results, train, to, reached);
}

/* Pulses of a train that began, or 1: the first, which did not */
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
        for (int64_t k = 0; k < count; k++) {
            struct results_pulse *pulse = &to->pulse[to->pulses++];
            *pulse = (struct results_pulse){stimulus_start(&problem->stimulus[s], k), NAN, 0, NAN, NAN, 0};
            check_pulse(pulse, results, s);
            to->captured += pulse->end <= RESULTS_PARTLY;
        }
    }
    return status;
}

enum status results_find_captures(struct results *results, struct error *error)
{
    enum status status = STATUS_OK;
    const struct config *config = results->config;
    bool single = config->stimuli == 1 && config->stimulus->count == 1 && !config->stimulus->phases;
    bool known = single || config->physics.activation == ACTIVATION_THRESHOLD;
    results->stimulus = array_zeroed(config->stimuli, sizeof *results->stimulus, what, &status, error);
    for (int i = 0; i < config->stimuli && known && !status; i++, results->stimuli++)
        status = check_stimulus(results, i, error);
    return status;
}
