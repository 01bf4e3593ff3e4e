/* activation.c: how much of each region was activated, how fast and for how long. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/config.h"
#include "app/report/results.h"
#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "solver/cells/beats.h"
#include "solver/cells/stimulus.h"
#include "solver/matrix/tensor.h"

static const char what[] = "the results";
enum { ELEMENTS_ENOUGH = 20 };   /* for a median */
enum { NODES_SORTED = 1000000 }; /* quartiles use an even sample of at most this many nodes */

void results_find_activation(struct results *results)
{
    int64_t beats = results->config->physics.activation_beats, excitable = 0, activated = 0;
    double first = INFINITY, last = -INFINITY;
#pragma omp parallel for schedule(static) reduction(+ : excitable, activated) reduction(min : first)         \
    reduction(max : last)
    for (int64_t i = 0; i < results->problem->mesh.nodes; i++) {
        const double at = results->map[i * beats] + 0.0; /* no -0: any order finds the same bits */
        if (!sites_excitable(results->cells, i))
            continue;
        excitable++;
        if (isnan(at))
            continue;
        activated++;
        first = fmin(first, at);
        last = fmax(last, at);
    }
    results->excitable = excitable;
    results->activated = activated;
    results->first = first;
    results->last = last;
}

bool results_doubt_qrs(const struct results *results)
{
    return results->intervals.qrs < (results->last - results->first) / 2;
}

double results_second_beat(const struct results *results)
{
    const struct problem *problem = results->problem;
    const struct waves *waves = results->waves;
    int32_t a = 0;
    while (waves && a < waves->activations && waves_before(waves, a, NULL) < 0)
        a++;
    double second = waves && a < waves->activations ? waves->activation[a].time : HUGE_VAL;
    for (int s = 0; s < problem->stimuli; s++) {
        const struct stimulus *stimulus = &problem->stimulus[s];
        int64_t k = 0;
        while (stimulus_start(stimulus, k) <= results->last && (stimulus->count == 0 || k < stimulus->count))
            k++;
        if (stimulus->count == 0 || k < stimulus->count)
            second = fmin(second, stimulus_start(stimulus, k));
    }
    return second;
}

/* The activation time of a node in that beat, ms; NaN = none, or a passive node */
static double time_of(const struct results *results, int64_t node, int64_t beat)
{
    return sites_excitable(results->cells, node)
               ? results->map[node * results->config->physics.activation_beats + beat]
               : (double)NAN;
}

static enum status count_regions(struct results *results, struct error *error)
{
    int64_t beats = results->config->physics.activation_beats, nodes = results->problem->mesh.nodes;
    enum status status = STATUS_OK;
    results->region =
        array_zeroed(results->config->tissue.regions, sizeof *results->region, what, &status, error);
    results->regions = status ? 0 : results->config->tissue.regions;
    for (int r = 0; r < results->regions; r++) {
        struct results_region *region = &results->region[r];
        double asked[3];
        for (int k = 0; k < VELOCITY_DIRECTIONS; k++) {
            region->velocity[k] = region->velocity_last[k] = (struct velocity_spread){0, NAN, NAN, NAN};
            region->asked[k] = NAN;
        }
        if (config_velocity(asked, &results->config->tissue.region[r]))
            memcpy(region->asked, asked, sizeof region->asked); /* the first VELOCITY_DIRECTIONS of them */
        region->excitable = sites_carries(results->cells, r);
        region->activated = array_zeroed(beats, sizeof *region->activated, what, &status, error);
    }
    for (int64_t i = 0; i < nodes && !status; i++) {
        int32_t r = results->cells->region[i];
        if (r >= results->regions)
            continue;
        results->region[r].nodes++;
        for (int64_t b = 0; b < beats; b++)
            results->region[r].activated[b] += !isnan(time_of(results, i, b));
    }
    return status;
}

/* The time of a node's last activation, ms; NaN = none, or a passive node */
static double last_of(const struct results *results, int64_t node)
{
    const struct waves *waves = results->waves;
    if (!waves)
        return time_of(results, node, 0);
    return waves->latest[node] < 0 ? (double)NAN : waves->activation[waves->latest[node]].time;
}

/* time[nodes] <- activation times of the first or last beat; NaN at stimulated nodes, which depolarise together */
static void find_times(double *time, const struct results *results, bool last)
{
    const struct problem *problem = results->problem;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < problem->mesh.nodes; i++)
        time[i] = last ? last_of(results, i) : time_of(results, i, 0);
    for (int s = 0; s < problem->stimuli; s++)
        for (int64_t k = 0; k < problem->stimulus[s].nodes; k++)
            time[problem->stimulus[s].node[k]] = NAN;
}

static bool same_times(const double *a, const double *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* region[].velocity (or velocity_last) <- the velocities of the first (last) beat */
static enum status find_velocities(struct results *results, const double *time, bool last,
                                   struct error *error)
{
    const struct problem *problem = results->problem;
    const struct monodomain_params *params = &problem->params;
    const struct tensors tensors = {&problem->mesh, params->region, params->element_region, params->fiber};
    enum status status = STATUS_OK;
    struct velocity_spread(*spread)[VELOCITY_DIRECTIONS] =
        array_zeroed(results->regions, sizeof *spread, what, &status, error);
    if (!status)
        status = velocity_spreads(spread, &tensors, results->regions, time, 1, error);
    for (int r = 0; r < results->regions && !status; r++)
        for (int k = 0; k < VELOCITY_DIRECTIONS && results->region[r].excitable; k++)
            if (spread[r][k].elements >= ELEMENTS_ENOUGH)
                *((last ? results->region[r].velocity_last : results->region[r].velocity) + k) = spread[r][k];
    free(spread);
    return status;
}

/* Velocities of both beats; computed once if there is a single beat */
static enum status find_both_velocities(struct results *results, struct error *error)
{
    const int64_t nodes = results->problem->mesh.nodes;
    enum status status = STATUS_OK;
    double *first = array_new(nodes, sizeof *first, what, &status, error);
    double *last = array_new(nodes, sizeof *last, what, &status, error);
    TRY_DONE(status);
    find_times(first, results, false);
    find_times(last, results, true);
    TRY_DONE(find_velocities(results, first, false, error));
    if (!same_times(first, last, nodes))
        TRY_DONE(find_velocities(results, last, true, error));
    else
        for (int r = 0; r < results->regions; r++)
            memcpy(results->region[r].velocity_last, results->region[r].velocity,
                   sizeof results->region[r].velocity);
done:
    free(first);
    free(last);
    return status;
}

enum status results_find_regions(struct results *results, struct error *error)
{
    TRY(count_regions(results, error));
    const struct mesh *mesh = &results->problem->mesh;
    if (results->activated <= 1 || !mesh->vertex || !velocity_measured(results->config, mesh->elements))
        return STATUS_OK;
    return find_both_velocities(results, error);
}

/* Quartiles of value[count], which is sorted in place */
static struct results_quartiles quartiles(double *value, int64_t count)
{
    qsort(value, (size_t)count, sizeof *value, compare_double);
    if (count == 0)
        return (struct results_quartiles){0, NAN, NAN, NAN};
    return (struct results_quartiles){count, value[(count - 1) / 4], value[(count - 1) / 2],
                                      value[3 * (count - 1) / 4]};
}

/* value[] <- APD90 of a beat in a region, at its nodes or, with apd90 NULL, at its sites; returns their number */
static int64_t gather_apd(double *value, const struct results *results, const double *apd90, int r,
                          int64_t beat)
{
    const struct sites *sites = results->sites;
    int64_t nodes = apd90 ? results->problem->mesh.nodes : sites->points, count = 0;
    int64_t beats = results->config->physics.activation_beats;
    int64_t every = apd90 ? 1 + nodes / NODES_SORTED : 1;
    for (int64_t k = 0; k < nodes; k += every) {
        double apd;
        if (results->cells->region[apd90 ? k : sites->node[k]] != r)
            continue;
        if (apd90)
            apd = apd90[k * beats + beat];
        else {
            const struct observer o =
                beats_at_points(&results->config->physics, sites->times, results->followed, sites->points);
            apd = o.repolarized[0][beat * sites->points + k] - o.time[beat * sites->points + k];
        }
        if (!isnan(apd))
            value[count++] = apd;
    }
    return count;
}

enum status results_find_apd(struct results *results, const double *apd90, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t most = apd90 ? results->problem->mesh.nodes : results->sites->points;
    double *value = array_new(most, sizeof *value, what, &status, error);
    results->apd_everywhere = apd90;
    results->apd_beats = apd90 ? results->config->physics.activation_beats : results->sites->times - 1;
    for (int r = 0; r < results->regions && !status; r++) {
        struct results_region *region = &results->region[r];
        region->apd90 = array_zeroed(results->apd_beats, sizeof *region->apd90, what, &status, error);
        for (int64_t b = 0; b < results->apd_beats && !status; b++)
            region->apd90[b] =
                quartiles(value, region->excitable ? gather_apd(value, results, apd90, r, b) : 0);
    }
    free(value);
    return status;
}

/* Time allowed for repolarisation after an activation at `at`, ms (struct results_recovery) */
static double time_to_recover(const struct results *results, double at)
{
    const struct problem *problem = results->problem;
    double latest = -HUGE_VAL, limit = 1000;
    for (int s = 0; s < problem->stimuli; s++) {
        const struct stimulus *train = &problem->stimulus[s];
        int64_t k = 0;
        while (stimulus_start(train, k) <= at && (train->count == 0 || k < train->count))
            k++;
        if (k == 0 || stimulus_start(train, k - 1) < latest)
            continue;
        const bool more = train->count == 0 || k < train->count;
        latest = stimulus_start(train, k - 1);
        limit = train->count == 1                                   ? 1000
                : more && stimulus_start(train, k) <= results->time ? train->period
                                                                    : 1.5 * train->period;
    }
    return limit;
}

/* The beats of one node: values of beat b are at [b * stride] */
struct node_beats {
    int64_t beats, stride;
    const double *time, *over, *eads; /* over: time of 90 % repolarisation, ms, NaN = not reached; */
    bool since;                       /* counted from the activation, else from the start of the run */
};

/* The number of pulses that begin between two times; each may cause one rise of V at a node */
static int64_t count_starts(const struct results *results, double from, double to)
{
    int64_t pulses = 0;
    for (int s = 0; s < results->problem->stimuli; s++) {
        const struct stimulus *train = &results->problem->stimulus[s];
        for (int64_t k = 0; (train->count == 0 || k < train->count) && stimulus_start(train, k) < to; k++)
            pulses += stimulus_start(train, k) > from;
    }
    return pulses;
}

/* Early afterdepolarisations in beat b: the recorded rises, minus those that pulses within the beat may have caused
 * (excluding the pulse that evoked the next beat) */
static double count_eads(const struct results *results, const struct node_beats *of, int64_t b)
{
    const int64_t at = b * of->stride;
    const double eads = of->eads[at], begin = of->time[at];
    const double next = b + 1 < of->beats ? of->time[at + of->stride] : (double)NAN;
    if (!(eads > 0))
        return 0;
    if (!isnan(of->over[at]))
        return fmax(0, eads - (double)count_starts(results, begin, of->over[at] + (of->since ? begin : 0)));
    return fmax(0, eads + !isnan(next) -
                       (double)count_starts(results, begin, isnan(next) ? results->time : next));
}

static void add_recovery(struct results_recovery *recovery, const struct results *results, int64_t node,
                         const struct node_beats *of)
{
    double most = 0, at = NAN;
    int64_t b = 0;
    for (; b < of->beats && !isnan(of->time[b * of->stride]); b++) {
        at = of->time[b * of->stride];
        most = fmax(most, count_eads(results, of, b));
    }
    if (b == 0)
        return;
    recovery->nodes++;
    recovery->early += most > 0;
    recovery->eads = fmax(recovery->eads, most);
    const double waited = results->time - at;
    if (!isnan(of->over[(b - 1) * of->stride]) || last_of(results, node) > at ||
        !(waited > time_to_recover(results, at)))
        return;
    recovery->late++;
    recovery->waited = fmax(recovery->waited, waited);
}

/* *to <- the union of both */
static void join_recovery(struct results_recovery *to, const struct results_recovery *more)
{
    to->nodes += more->nodes;
    to->early += more->early;
    to->late += more->late;
    to->eads = fmax(to->eads, more->eads);
    to->waited = fmax(to->waited, more->waited);
}

enum status results_find_recovery(struct results *results, const double *apd90, const double *eads,
                                  struct error *error)
{
    const struct sites *sites = results->sites;
    const int64_t kept = results->config->physics.activation_beats;
    const int64_t count = apd90 ? results->problem->mesh.nodes : sites->points;
    const int threads = omp_get_max_threads();
    enum status status = STATUS_OK;
    struct observer o = {0};
    struct results_recovery *found = /* [threads][regions] */
        array_zeroed((int64_t)threads * results->regions, sizeof *found, what, &status, error);
    TRY(status);
    if (!apd90)
        o = beats_at_points(&results->config->physics, sites->times, results->followed, sites->points);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < count; k++) {
        const int64_t node = apd90 ? k : sites->node[k];
        const int32_t r = results->cells->region[node];
        if (r >= results->regions || !results->region[r].excitable)
            continue;
        const struct node_beats of =
            apd90 ? (struct node_beats){kept, 1, results->map + k * kept, apd90 + k * kept, eads + k * kept,
                                        true}
                  : (struct node_beats){sites->times - 1,     sites->points, o.time + k,
                                        o.repolarized[0] + k, o.eads + k,    false};
        add_recovery(&found[omp_get_thread_num() * results->regions + r], results, node, &of);
    }
    for (int k = 0; k < threads * results->regions; k++)
        join_recovery(&results->region[k % results->regions].recovery, &found[k]);
    free(found);
    return STATUS_OK;
}

void results_find_peak(struct results *results)
{
    const struct sites *sites = results->sites;
    const struct observer o =
        beats_at_points(&results->config->physics, sites->times, results->followed, sites->points);
    for (int64_t k = 0; k < (sites->times - 1) * sites->points; k++) {
        double value = o.peak.value[k];
        if (value > results->peak.value || (isnan(results->peak.value) && !isnan(value)))
            results->peak = (struct results_peak){.value = value,
                                                  .time = o.time[k],
                                                  .since = results->peak.since,
                                                  .node = sites->node[k % sites->points]};
    }
}
