/* waves_outcome.c: the results of pulses and waves: captures, blocked edges, re-entry. */
#include "solver/cells/waves.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "solver/cells/stimulus.h"
#include "solver/mesh/mesh.h"

static const char what[] = "the waves";

static bool is_excitable(const struct waves *waves, int32_t node)
{
    return !waves->excitable || waves->excitable[node];
}

enum status waves_cycle(double *cycle, const struct waves *waves, int32_t wave, double since,
                        struct error *error)
{
    enum status status = STATUS_OK;
    int64_t count = 0;
    double *interval = array_new(waves->wave[wave].again, sizeof *interval, what, &status, error);
    TRY(status);
    for (int32_t a = waves->wave[wave].first; a < waves->activations; a++) {
        int32_t before = (int32_t)waves->activation[a].wave == wave ? waves_before_in(waves, a, wave) : -1;
        if (before >= 0 && waves->activation[a].time >= since)
            interval[count++] = waves->activation[a].time - waves->activation[before].time;
    }
    qsort(interval, (size_t)count, sizeof *interval, compare_double);
    *cycle = count > 0 ? interval[(count - 1) / 2] : (double)NAN;
    free(interval);
    return STATUS_OK;
}

/* Whether activations of the node after `start` may be missing from the record */
static bool is_dropped(const struct waves *waves, int32_t node, double start)
{
    bool dropped = false;
    for (int32_t a = waves->latest[node]; a >= 0 && waves->activation[a].time > start && !dropped;)
        a = waves_before(waves, a, &dropped);
    return dropped;
}

static const struct waves_rest no_rest = {.rested = NAN, .rose = NAN};

/* Adds *more to *rest */
static void join_rest(struct waves_rest *rest, const struct waves_rest *more)
{
    rest->nodes += more->nodes;
    rest->up += more->up;
    rest->early += more->early;
    if (!isnan(more->rested) && (isnan(rest->rested) || more->rested < rest->rested ||
                                 (more->rested == rest->rested && more->rose > rest->rose))) {
        rest->rested = more->rested;
        rest->rose = more->rose;
    }
}

/* Counts a node in *rest, in its state just before `time` */
static void add_rest(struct waves_rest *rest, const struct waves *waves, int32_t node, double time)
{
    struct waves_rest own = no_rest;
    int32_t a = waves->latest[node];
    while (a >= 0 && waves->activation[a].time >= time)
        a = waves_before(waves, a, NULL);
    own.nodes = 1;
    if (a < 0 && waves->up && waves->up[node]) {
        own.up = 1;
        own.rested = -1;
    }
    if (a >= 0) {
        const struct waves_activation *before = &waves->activation[a];
        own.up = !(before->over <= time);
        own.rested = own.up ? -1 : time - before->over;
        own.rose = before->time;
        own.early = !own.up && own.rested < before->over - before->time;
    }
    join_rest(rest, &own);
}

/* ---- what a pulse did ---- */

/* What the decision is based on in addition to the response */
struct evidence {
    double start, end;           /* of the pulse at its last node, ms */
    int32_t from;                /* the first activation of its waves */
    struct waves_rest own, held; /* nodes, when it began */
    int64_t waves;               /* without repeats */
    bool steady, dropped;        /* a wave is steady; activations may not have been recorded */
};

static bool is_own(const struct waves *waves, int32_t s, int64_t n)
{
    const struct stimulus *stimulus = &waves->stimulus[s];
    return stimulus_weight(stimulus, n) >= waves->train[s].least && is_excitable(waves, stimulus->node[n]);
}

/* Counts a stimulated node, its activations by the pulse's waves, and those by others while it was on */
static void add_own(struct waves_response *response, struct evidence *seen, const struct waves *waves,
                    int32_t node, int32_t s, int64_t k)
{
    bool rose = false;
    add_rest(&seen->own, waves, node, seen->start);
    seen->dropped |= is_dropped(waves, node, seen->start);
    for (int32_t a = waves->latest[node]; a >= 0; a = waves_before(waves, a, NULL)) {
        const struct waves_activation *at = &waves->activation[a];
        if (at->time < seen->start && a < seen->from)
            break;
        const bool owned = waves_owns(waves, s, k, (int32_t)at->wave);
        rose |= owned;
        if (!owned && at->time >= seen->start && at->time <= seen->end)
            response->other = (int32_t)at->wave;
    }
    response->own++;
    response->rose += rose;
}

/* Whether a blocked edge leads to the node from a node inside a wave of the pulse */
static bool is_held(const struct waves *waves, int32_t node, int32_t from, int32_t s, int64_t k)
{
    const struct csr *neighbours = waves->neighbours;
    for (int64_t e = neighbours->start[node]; e < neighbours->start[node + 1]; e++) {
        const int32_t next = neighbours->column[e];
        for (int32_t a = waves->latest[next]; a >= from; a = waves_before(waves, a, NULL)) {
            const int32_t w = (int32_t)waves->activation[a].wave;
            if (waves_owns(waves, s, k, w) && waves_is_inside(waves, w, next) &&
                !waves_is_inside(waves, w, node) && waves_is_blocked(waves, a, node))
                return true;
        }
    }
    return false;
}

/* Counts the excitable stimulated nodes and those next to them, each once */
static void add_site(struct waves_response *response, struct evidence *seen, const struct waves *waves,
                     int32_t s, int64_t k)
{
    enum { OWN = 1, NEXT = 2 };
    const struct stimulus *stimulus = &waves->stimulus[s];
    const struct csr *neighbours = waves->neighbours;
    for (int64_t n = 0; n < stimulus->nodes; n++)
        if (is_own(waves, s, n)) {
            waves->mark[stimulus->node[n]] = OWN;
            add_own(response, seen, waves, stimulus->node[n], s, k);
        }
    for (int pass = 0; pass < 2; pass++) /* the second pass resets the marks */
        for (int64_t n = 0; n < stimulus->nodes; n++) {
            const int32_t own = stimulus->node[n];
            for (int64_t e = neighbours->start[own]; e < neighbours->start[own + 1] && is_own(waves, s, n);
                 e++) {
                const int32_t next = neighbours->column[e];
                const bool first = pass == 0 && is_excitable(waves, next) && !waves->mark[next];
                waves->mark[next] = first ? NEXT : pass == 0 ? waves->mark[next] : 0;
                if (!first)
                    continue;
                response->around++;
                seen->dropped |= is_dropped(waves, next, seen->start);
                if (seen->waves > 0 && is_held(waves, next, seen->from, s, k)) {
                    response->held++;
                    add_rest(&seen->held, waves, next, seen->start);
                }
            }
            waves->mark[own] = pass == 0 ? waves->mark[own] : 0;
        }
}

/* Distance, mm, from the end of a wave's longest path to the stimulated node at which its chain of causes
 * began; for a late response to the nearest stimulated node. NaN if there is no path. */
static double reach_of(const struct waves *waves, int32_t w)
{
    const struct wave *wave = &waves->wave[w];
    double reach = NAN;
    if (wave->far < 0)
        return NAN;
    const double *end = waves->point + 3 * (int64_t)waves->activation[wave->far].node;
    int32_t a = wave->far;
    while (waves->activation[a].cause >= 0 && !waves_is_inside(waves, w, waves->activation[a].node))
        a = waves->activation[a].cause;
    if (waves_is_inside(waves, w, waves->activation[a].node))
        return mesh_distance(end, waves->point + 3 * (int64_t)waves->activation[a].node);
    for (int32_t o = wave->owner; o >= 0; o = waves->owner[o].next) {
        const struct stimulus *stimulus = &waves->stimulus[waves->owner[o].stimulus];
        for (int64_t n = 0; n < stimulus->nodes; n++)
            reach = fmin(reach, mesh_distance(end, waves->point + 3 * (int64_t)stimulus->node[n]));
    }
    return reach;
}

/* Adds the waves of the pulse, last one first */
static void add_waves(struct waves_response *response, struct evidence *seen, const struct waves *waves,
                      int32_t s, int64_t k)
{
    for (int32_t o = waves_of_pulse(waves, s, k); o >= 0; o = waves->owner[o].earlier) {
        const int32_t w = waves->owner[o].wave;
        const struct wave *wave = &waves->wave[w];
        if (waves->owner[o].pulse != k)
            continue;
        response->running |= waves_running(waves, w);
        response->repeats += waves->owner[o].repeat;
        if (waves->owner[o].repeat)
            continue;
        seen->from = wave->first < seen->from ? wave->first : seen->from;
        seen->waves++;
        seen->steady |= wave->steady;
        response->nodes += wave->followed;
        response->late = wave->late;
        if (wave->left < 0)
            continue;
        response->first = fmin(response->first, waves->activation[wave->left].time - seen->start);
        response->last = fmax(response->last, waves->activation[wave->outermost].time - seen->start);
        response->reach = fmax(response->reach, reach_of(waves, w));
    }
}

static bool has_blocked_edge(const struct waves *waves, int32_t s, int64_t k)
{
    struct waves_blocked blocked = {.last = -1};
    for (int32_t o = waves_of_pulse(waves, s, k); o >= 0 && blocked.last < 0; o = waves->owner[o].earlier)
        if (waves->owner[o].pulse == k && !waves->owner[o].repeat)
            waves_blocked_edges(&blocked, waves, waves->owner[o].wave);
    return blocked.last >= 0;
}

/* response->end, open <- for a pulse with a positive current at excitable nodes */
static void decide(struct waves_response *response, struct evidence *seen, const struct waves *waves,
                   int32_t s, int64_t k)
{
    const bool left = response->nodes > 0, any = left || response->rose == response->own;
    const bool certain = seen->steady || (seen->waves > 0 && any && !has_blocked_edge(waves, s, k));
    const bool cut = waves->until < seen->end;
    response->open = !certain && left && response->running;
    response->end = certain || response->open                                ? WAVES_CAPTURED
                    : seen->dropped                                          ? WAVES_NOT_RECORDED
                    : cut || (seen->waves > 0 && response->running && !left) ? WAVES_RUN_ENDED
                    : left                                                   ? WAVES_FADED
                                                                             : WAVES_NOTHING;
}

static enum waves_reason reason_of(const struct waves_response *response, const struct evidence *seen)
{
    const struct waves_rest *own = &seen->own;
    return seen->waves > 0                           ? WAVES_NONE_FOLLOWED
           : response->other >= 0                    ? WAVES_ANOTHER
           : 2 * (own->up + own->early) > own->nodes ? WAVES_REFRACTORY
                                                     : WAVES_WEAK;
}

void waves_response(struct waves_response *response, const struct waves *waves, int32_t s, int64_t k)
{
    const struct stimulus *stimulus = &waves->stimulus[s];
    const double start = stimulus_start(stimulus, k), peak = stimulus_peak(stimulus);
    struct evidence seen = {.start = start,
                            .end = start + waves->train[s].delay + stimulus_length(stimulus),
                            .from = INT32_MAX,
                            .own = no_rest,
                            .held = no_rest};
    *response =
        (struct waves_response){.first = NAN, .last = NAN, .reach = NAN, .other = -1, .rest = no_rest};
    if (start >= waves->until)
        return;
    add_waves(response, &seen, waves, s, k);
    add_site(response, &seen, waves, s, k);
    response->end = WAVES_NOTHING;
    response->reason = peak < 0 ? WAVES_WRONG_SIGN : peak == 0 ? WAVES_NO_CURRENT : WAVES_PASSIVE;
    if (peak > 0 && response->own > 0) {
        decide(response, &seen, waves, s, k);
        response->reason = response->end == WAVES_NOTHING ? reason_of(response, &seen) : WAVES_NO_REASON;
    }
    response->rest = response->end == WAVES_CAPTURED ? seen.held : seen.own;
}

static int compare_owners(const void *a, const void *b)
{
    const struct waves_owner *x = a, *y = b;
    return x->stimulus != y->stimulus ? (x->stimulus > y->stimulus) - (x->stimulus < y->stimulus)
                                      : (x->pulse > y->pulse) - (x->pulse < y->pulse);
}

enum status waves_together(struct waves_owner **list, int64_t *count, const struct waves *waves, int32_t s,
                           int64_t k, struct error *error)
{
    int64_t room = 0, unique = 0;
    *count = 0;
    for (int32_t o = waves_of_pulse(waves, s, k); o >= 0; o = waves->owner[o].earlier) {
        int32_t other = waves->owner[o].pulse != k || waves->owner[o].repeat
                            ? -1
                            : waves->wave[waves->owner[o].wave].owner;
        for (; other >= 0; other = waves->owner[other].next) {
            if (waves->owner[other].stimulus == s && waves->owner[other].pulse == k)
                continue;
            TRY(array_grow((void **)list, &room, *count, sizeof **list, what, error));
            (*list)[(*count)++] = waves->owner[other];
        }
    }
    if (*count > 0)
        qsort(*list, (size_t)*count, sizeof **list, compare_owners);
    for (int64_t n = 0; n < *count; n++)
        if (n == 0 || compare_owners(&(*list)[n], &(*list)[unique - 1]) != 0)
            (*list)[unique++] = (*list)[n];
    *count = unique;
    return STATUS_OK;
}

bool waves_is_blocked(const struct waves *waves, int32_t a, int32_t node)
{
    int32_t after = -1;
    for (int32_t b = waves->latest[node]; b > a; b = waves_before(waves, b, NULL))
        after = b;
    bool followed = after >= 0 && !(waves->activation[after].time >= waves->activation[a].over);
    return !followed && !waves_pairs(waves, a, node);
}

/* Adds to *blocked the blocked edges from activation a */
static void add_blocked(struct waves_blocked *blocked, const struct waves *waves, int32_t a)
{
    const struct csr *neighbours = waves->neighbours;
    const int32_t node = waves->activation[a].node;
    for (int64_t k = neighbours->start[node]; k < neighbours->start[node + 1]; k++) {
        const int32_t ahead = neighbours->column[k];
        if (!is_excitable(waves, ahead) || !waves_is_blocked(waves, a, ahead))
            continue;
        add_rest(&blocked->ahead, waves, ahead, waves->activation[a].time);
        blocked->never += waves->latest[ahead] < 0;
        blocked->last = a;
    }
}

void waves_blocked_edges(struct waves_blocked *blocked, const struct waves *waves, int32_t wave)
{
    enum { MANY = 10000 };
    const struct waves_blocked none = {.ahead = no_rest, .last = -1};
    *blocked = none;
#pragma omp parallel if (waves->wave[wave].activations > MANY)
    {
        struct waves_blocked own = none;
#pragma omp for schedule(static) nowait
        for (int32_t a = waves->wave[wave].first; a <= waves->wave[wave].last; a++)
            if ((int32_t)waves->activation[a].wave == wave)
                add_blocked(&own, waves, a);
#pragma omp critical(waves_blocked)
        {
            join_rest(&blocked->ahead, &own.ahead);
            blocked->never += own.never;
            blocked->last = own.last > blocked->last ? own.last : blocked->last;
        }
    }
}
