/* waves_outcome.c: outcomes of pulses and waves: captures, blocked edges, re-entry. */
#include "solver/cells/waves.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "solver/cells/stimulus.h"

static const char what[] = "the waves";

static bool is_excitable(const struct waves *waves, int32_t node)
{
    return !waves->excitable || waves->excitable[node];
}

/* The activation of the same node by the same wave before a, -1 = none */
static int32_t before_in_wave(const struct waves *waves, int32_t a)
{
    const int32_t wave = waves->activation[a].wave;
    do
        a = waves_before(waves, a, NULL);
    while (a >= 0 && waves->activation[a].wave != wave);
    return a;
}

static bool is_near(const struct waves *waves, int32_t a)
{
    const struct waves_activation *at = &waves->activation[a];
    return at->within || (at->cause >= 0 && waves->activation[at->cause].within);
}

/* wave->spread and open <- the rest of its summary */
static void find_spread(struct waves *waves, int32_t w)
{
    struct wave *wave = &waves->wave[w];
    struct waves_blocked blocked;
    wave->spread = wave->left >= 0 && wave->beyond - wave->near > wave->longest;
    if (wave->left >= 0 && !wave->spread) {
        waves_blocked_edges(&blocked, waves, w);
        wave->spread = blocked.last < 0;
    }
    wave->open = wave->left >= 0 && !wave->spread && (wave->beyond == HUGE_VAL || waves_running(waves, w));
}

void waves_measure(struct waves *waves)
{
    for (int64_t w = 0; w < waves->waves; w++) {
        struct wave *wave = &waves->wave[w];
        wave->left = wave->returned = wave->latest = -1;
        wave->activations = wave->outside = wave->again = 0;
        wave->longest = 0;
        wave->near = wave->beyond = -HUGE_VAL;
    }
    for (int32_t a = 0; a < waves->activations; a++) {
        const struct waves_activation *at = &waves->activation[a];
        struct wave *wave = &waves->wave[at->wave];
        bool outside = wave->stimulus < 0 || !waves_stimulates(waves, wave->stimulus, at->node);
        bool again = before_in_wave(waves, a) >= 0;
        double over = isnan(at->over) ? HUGE_VAL : at->over;
        wave->last = a;
        wave->activations++;
        wave->outside += outside;
        wave->again += again;
        wave->left = outside && wave->left < 0 ? a : wave->left;
        wave->returned = again && wave->returned < 0 ? a : wave->returned;
        wave->latest = again ? a : wave->latest;
        if (at->cause >= 0 && waves_pairs(waves, a, waves->activation[at->cause].node))
            wave->longest = fmax(wave->longest, at->time - waves->activation[at->cause].time);
        double *ends = is_near(waves, a) ? &wave->near : &wave->beyond;
        *ends = fmax(*ends, over);
    }
    for (int32_t w = 0; w < waves->waves; w++)
        find_spread(waves, w);
}

bool waves_running(const struct waves *waves, int32_t w)
{
    const struct wave *wave = &waves->wave[w];
    return waves->until - waves->activation[wave->last].time <= wave->longest;
}

enum status waves_cycle(double *cycle, const struct waves *waves, int32_t wave, double since,
                        struct error *error)
{
    enum status status = STATUS_OK;
    int64_t count = 0;
    double *interval = array_new(waves->wave[wave].again, sizeof *interval, what, &status, error);
    TRY(status);
    for (int32_t a = waves->wave[wave].first; a < waves->activations; a++) {
        int32_t before = waves->activation[a].wave == wave ? before_in_wave(waves, a) : -1;
        if (before >= 0 && waves->activation[a].time >= since)
            interval[count++] = waves->activation[a].time - waves->activation[before].time;
    }
    qsort(interval, (size_t)count, sizeof *interval, compare_double);
    *cycle = count > 0 ? interval[(count - 1) / 2] : (double)NAN;
    free(interval);
    return STATUS_OK;
}

static bool is_of_pulse(const struct waves *waves, int32_t wave, int32_t s, int64_t k)
{
    return waves->wave[wave].stimulus == s && waves->wave[wave].pulse == k;
}

/* Whether a wave of the pulse activates `node` while `from`, which it had activated before, is up */
static bool follows(const struct waves *waves, int32_t node, int32_t from, int32_t s, int64_t k)
{
    for (int32_t a = waves->latest[node]; a >= 0; a = waves_before(waves, a, NULL)) {
        if (!is_of_pulse(waves, waves->activation[a].wave, s, k))
            continue;
        double time = waves->activation[a].time;
        int32_t b = waves->latest[from];
        while (b >= 0 && waves->activation[b].time >= time)
            b = waves_before(waves, b, NULL);
        if (b >= 0 && is_of_pulse(waves, waves->activation[b].wave, s, k) &&
            !(waves->activation[b].over <= time))
            return true;
    }
    return false;
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

/* *rest <- of the nodes of both */
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

/* Counts a node before something reached it at that time */
static void add_rest(struct waves_rest *rest, const struct waves *waves, int32_t node, double time)
{
    struct waves_rest own = no_rest;
    int32_t a = waves->latest[node];
    while (a >= 0 && waves->activation[a].time >= time)
        a = waves_before(waves, a, NULL);
    own.nodes = 1;
    if (a >= 0) {
        const struct waves_activation *before = &waves->activation[a];
        own.up = !(before->over <= time);
        own.rested = own.up ? -1 : time - before->over;
        own.rose = before->time;
        own.early = !own.up && own.rested < before->over - before->time;
    }
    join_rest(rest, &own);
}

/* Counts a node next to the stimulated ones, and whether it followed the stimulated neighbour */
struct around {
    int32_t node;
    bool followed;
};

/* response->around and followed <- of the neighbours of all stimulated nodes */
static enum status count_around(struct waves_response *response, const struct waves *waves, int32_t s,
                                int64_t k, double start, struct error *error)
{
    const struct stimulus *stimulus = &waves->stimulus[s];
    const struct csr *neighbours = waves->neighbours;
    enum status status = STATUS_OK;
    int64_t count = 0, most = 0;
    for (int64_t n = 0; n < stimulus->nodes; n++)
        most += neighbours->start[stimulus->node[n] + 1] - neighbours->start[stimulus->node[n]];
    struct around *around = array_new(most, sizeof *around, what, &status, error);
    TRY(status);
    for (int64_t n = 0; n < stimulus->nodes; n++) {
        int32_t own = stimulus->node[n];
        if (stimulus_weight(stimulus, n) < waves->least[s])
            continue;
        response->dropped |= is_dropped(waves, own, start);
        for (int64_t e = neighbours->start[own]; e < neighbours->start[own + 1]; e++) {
            int32_t next = neighbours->column[e];
            if (is_excitable(waves, next) && !waves_stimulates(waves, s, next))
                around[count++] = (struct around){next, follows(waves, next, own, s, k)};
        }
    }
    qsort(around, (size_t)count, sizeof *around, compare_int32);
    for (int64_t n = 0, end; n < count; n = end) {
        bool followed = false;
        for (end = n; end < count && around[end].node == around[n].node; end++)
            followed |= around[end].followed;
        response->around++;
        response->followed += followed;
        response->dropped |= is_dropped(waves, around[n].node, start);
        if (!followed)
            add_rest(&response->ahead, waves, around[n].node, start);
    }
    free(around);
    return STATUS_OK;
}

/* response->own, rose and other <- of a stimulated node */
static void add_own(struct waves_response *response, const struct waves *waves, int32_t node, int32_t s,
                    int64_t k, double start)
{
    bool rose = false;
    if (is_excitable(waves, node))
        add_rest(&response->own, waves, node, start);
    for (int32_t a = waves->latest[node]; a >= 0; a = waves_before(waves, a, NULL)) {
        const struct waves_activation *at = &waves->activation[a];
        bool own = is_of_pulse(waves, at->wave, s, k);
        rose |= own;
        if (!own && at->time >= start && at->time <= start + stimulus_length(&waves->stimulus[s]))
            response->other = at->wave;
    }
    response->rose += rose;
}

enum status waves_response(struct waves_response *response, const struct waves *waves, int32_t s, int64_t k,
                           struct error *error)
{
    const struct stimulus *stimulus = &waves->stimulus[s];
    double start = stimulus_start(stimulus, k);
    *response =
        (struct waves_response){.left = -1, .other = -1, .delay = NAN, .own = no_rest, .ahead = no_rest};
    for (int64_t n = 0; n < stimulus->nodes; n++)
        if (stimulus_weight(stimulus, n) >= waves->least[s])
            add_own(response, waves, stimulus->node[n], s, k, start);
    for (int32_t w = waves_of_pulse(waves, s, k); w >= 0; w = waves->wave[w].earlier) {
        bool spread = waves->wave[w].pulse == k && (waves->wave[w].spread || waves->wave[w].open);
        int32_t left = spread ? waves->wave[w].left : -1;
        if (left >= 0 && (response->left < 0 || left < response->left))
            response->left = left;
    }
    if (response->left >= 0)
        response->delay = waves->activation[response->left].time - start;
    return count_around(response, waves, s, k, start, error);
}

bool waves_is_blocked(const struct waves *waves, int32_t a, int32_t node)
{
    int32_t after = -1;
    for (int32_t b = waves->latest[node]; b > a; b = waves_before(waves, b, NULL))
        after = b;
    bool followed = after >= 0 && !(waves->activation[after].time >= waves->activation[a].over);
    return !followed && !waves_pairs(waves, a, node);
}

/* *block <- also the edges that begin at activation a */
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
            if (waves->activation[a].wave == wave)
                add_blocked(&own, waves, a);
#pragma omp critical(waves_blocked)
        {
            join_rest(&blocked->ahead, &own.ahead);
            blocked->never += own.never;
            blocked->last = own.last > blocked->last ? own.last : blocked->last;
        }
    }
}
