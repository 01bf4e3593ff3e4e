/* waves.c: causes of activations, roots and late responses; activations added and removed. */
#include "solver/cells/waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "kernels/base/compare.h"
#include "solver/cells/stimulus.h"
#include "solver/mesh/mesh.h"

static const char what[] = "the waves";

enum {
    SILENT = 3,
    DIGIT = 11,
    DIGITS = 6
}; /* most silent nodes between a cause and its effect; bits of a sort */

enum status waves_create(struct waves *waves, const struct csr *neighbours, const double *point,
                         const struct stimulus *stimulus, int stimuli, double speed, struct error *error)
{
    enum status status = STATUS_OK;
    *waves = (struct waves){.neighbours = neighbours,
                            .point = point,
                            .speed = speed,
                            .nodes = neighbours->rows,
                            .until = -HUGE_VAL};
    waves->latest = array_new(waves->nodes, sizeof *waves->latest, what, &status, error);
    TRY(status);
    memset(waves->latest, -1, (size_t)waves->nodes * sizeof *waves->latest);
    return waves_set_stimuli(waves, stimulus, stimuli, error);
}

void waves_free(struct waves *waves)
{
    free(waves->activation);
    free(waves->latest);
    free(waves->wave);
    free(waves->newest);
    free(waves->least);
    *waves = (struct waves){0};
}

double waves_rested(const struct waves *waves, int32_t a)
{
    int32_t before = waves_before(waves, a, NULL);
    if (before < 0)
        return -HUGE_VAL;
    double over = waves->activation[before].over;
    return isnan(over) ? waves->activation[before].time : over;
}

/* The index of the node in the list of stimulus s, -1 = it is not stimulated */
static int64_t index_in(const struct waves *waves, int32_t s, int32_t node)
{
    const struct stimulus *stimulus = &waves->stimulus[s];
    const int64_t at = compare_search(stimulus->node, stimulus->nodes, node);
    const bool found = at < stimulus->nodes && stimulus->node[at] == node;
    return found && stimulus_weight(stimulus, at) >= waves->least[s] ? at : -1;
}

bool waves_stimulates(const struct waves *waves, int32_t s, int32_t node)
{
    return index_in(waves, s, node) >= 0;
}

int32_t waves_of_pulse(const struct waves *waves, int32_t s, int64_t k)
{
    int32_t wave = waves->newest[s];
    while (wave >= 0 && waves->wave[wave].pulse != k)
        wave = waves->wave[wave].earlier;
    return wave;
}

/* The last pulse that begins up to `time`, -1 = none */
static int64_t pulse_at(const struct stimulus *stimulus, double time)
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

/* A pulse at a node */
struct felt {
    int32_t stimulus; /* -1 = none */
    int64_t pulse;
    double start; /* ms, with the node's delay */
};

/* The latest pulse of stimuli first .. end - 1 that stimulates the node and begins up to `time` */
static struct felt felt_pulse(const struct waves *waves, int first, int end, int32_t node, double time)
{
    struct felt felt = {-1, -1, -HUGE_VAL};
    int64_t index = -1;
    for (int s = first; s < end; s++) {
        const struct stimulus *stimulus = &waves->stimulus[s];
        index = stimulus->phase ? index : index_in(waves, s, node);
        if (index < 0)
            continue;
        double delay = stimulus->delay ? stimulus->delay[index] : 0;
        int64_t pulse = pulse_at(stimulus, time - delay);
        double start = pulse < 0 ? -HUGE_VAL : stimulus_start(stimulus, pulse) + delay;
        if (pulse >= 0 && start > felt.start)
            felt = (struct felt){s, pulse, start};
    }
    return felt;
}

/* Activations of a's node before a, from `start` on */
static int32_t count_since(const struct waves *waves, int32_t a, double start)
{
    int32_t count = 0;
    for (int32_t b = waves_before(waves, a, NULL); b >= 0 && waves->activation[b].time >= start;
         b = waves_before(waves, b, NULL))
        count++;
    return count;
}

/* The latest activation of the node that comes before a, -1 = none */
static int32_t latest_before(const struct waves *waves, int32_t node, int32_t a)
{
    int32_t b = waves->latest[node];
    while (b >= a)
        b = waves_before(waves, b, NULL);
    return b;
}

bool waves_pairs(const struct waves *waves, int32_t a, int32_t node)
{
    const int32_t own = waves->activation[a].node;
    for (bool pairs = true;; pairs = !pairs) { /* a pairs unless the one before it already does, and so on */
        int32_t b = latest_before(waves, node, a);
        if (b < 0 || b < waves_before(waves, a, NULL) ||
            waves->activation[b].over <= waves->activation[a].time)
            return !pairs;
        node = node == own ? waves->activation[a].node : own;
        a = b;
    }
}

/* The latest activation (of several that of the lowest node) that may be the cause of a, at nodes reached
 * from `node` over exactly `silent` silent ones; best: found so far, -1 = none */
static int32_t find_cause(const struct waves *waves, int32_t a, int32_t node, int silent, bool paired,
                          int32_t best)
{
    const struct csr *neighbours = waves->neighbours;
    const double time = waves->activation[a].time;
    for (int64_t k = neighbours->start[node]; k < neighbours->start[node + 1]; k++) {
        int32_t next = neighbours->column[k];
        if (silent > 0) {
            if (waves->latest[next] < 0)
                best = find_cause(waves, a, next, silent - 1, paired, best);
            continue;
        }
        int32_t up = latest_before(waves, next, a);
        if (up < 0 || next == waves->activation[a].node || waves->activation[up].time == time ||
            waves->activation[up].over <= time || (paired && !waves_pairs(waves, a, next)))
            continue;
        double later = best < 0 ? 1 : waves->activation[up].time - waves->activation[best].time;
        if (later > 0 || (later == 0 && next < waves->activation[best].node))
            best = up;
    }
    return best;
}

/* The cause of a <- the one over the fewest silent nodes */
static void find_nearest_cause(const struct waves *waves, int32_t a, bool paired)
{
    struct waves_activation *at = &waves->activation[a];
    at->cause = -1;
    for (int silent = 0; silent <= SILENT && at->cause < 0; silent++) {
        at->cause = find_cause(waves, a, at->node, silent, paired, -1);
        at->over_silent = at->cause >= 0 && silent > 0;
    }
}

static bool is_within(const struct waves *waves, int s, int32_t node, double distance)
{
    const struct stimulus *stimulus = &waves->stimulus[s];
    for (int64_t k = 0; k < stimulus->nodes; k++)
        if (stimulus_weight(stimulus, k) >= waves->least[s] &&
            mesh_distance(waves->point + 3 * (int64_t)node, waves->point + 3 * (int64_t)stimulus->node[k]) <=
                distance)
            return true;
    return false;
}

/* Whether an activation is at the edge of its wave: when a begins, an excitable neighbour has not followed
 * it, and it did not come from there */
static bool is_edge(const struct waves *waves, int32_t edge, int32_t a)
{
    const struct csr *neighbours = waves->neighbours;
    const int32_t node = waves->activation[edge].node;
    for (int64_t k = neighbours->start[node]; k < neighbours->start[node + 1]; k++) {
        const int32_t next = neighbours->column[k];
        if ((!waves->excitable || waves->excitable[next]) && latest_before(waves, next, a) < edge &&
            !waves_pairs(waves, edge, next))
            return true;
    }
    return false;
}

/* Whether the edge of another wave than that pulse's reaches a: activations that began after a's node had
 * rested and are up */
static bool is_reached(const struct waves *waves, int32_t a, struct felt felt)
{
    const struct waves_activation *at = &waves->activation[a];
    double since = waves_rested(waves, a);
    for (int32_t b = a - 1; b >= 0 && waves->activation[b].time > since; b--) {
        const struct waves_activation *from = &waves->activation[b];
        const struct wave *wave = &waves->wave[from->wave];
        bool own = wave->stimulus == felt.stimulus && wave->pulse == felt.pulse;
        if (!own && from->time < at->time && !(from->over <= at->time) &&
            mesh_distance(waves->point + 3 * (int64_t)at->node, waves->point + 3 * (int64_t)from->node) <=
                waves->speed * (at->time - from->time) &&
            is_edge(waves, b, a))
            return true;
    }
    return false;
}

/* The pulse to which a is a late response; stimulus -1 = to none, or not clearly to one */
static struct felt find_late(const struct waves *waves, int32_t a)
{
    const struct waves_activation *at = &waves->activation[a];
    struct felt found = {-1, -1, NAN};
    for (int first = 0, end; first < waves->stimuli; first = end) { /* sites: the trains of one protocol */
        struct felt latest = {-1, -1, -HUGE_VAL};
        for (end = first; end == first || (end < waves->stimuli && waves->stimulus[end].phase); end++) {
            int64_t pulse = pulse_at(&waves->stimulus[end], at->time);
            double start = pulse < 0 ? -HUGE_VAL : stimulus_start(&waves->stimulus[end], pulse);
            if (pulse >= 0 && start > latest.start)
                latest = (struct felt){end, pulse, start};
        }
        if (latest.stimulus < 0 || count_since(waves, a, latest.start) > 0 ||
            !is_within(waves, first, at->node, waves->speed * (at->time - latest.start)))
            continue;
        if (found.stimulus >= 0)
            return (struct felt){-1, -1, NAN};
        found = latest;
    }
    return found.stimulus >= 0 && is_reached(waves, a, found) ? (struct felt){-1, -1, NAN} : found;
}

static void set_wave(struct waves_activation *activation, int64_t wave)
{
    activation->wave = (uint32_t)wave & INT32_MAX >> 1;
}

/* The wave of a pulse that begins for the (repeat + 1)-th time; if new, with a as its first activation */
static enum status join_wave(struct waves *waves, int32_t a, struct felt felt, int32_t repeat, bool late,
                             struct error *error)
{
    int32_t wave = felt.stimulus < 0 ? -1 : waves_of_pulse(waves, felt.stimulus, felt.pulse);
    while (wave >= 0 && waves->wave[wave].pulse == felt.pulse && waves->wave[wave].repeat != repeat)
        wave = waves->wave[wave].earlier;
    if (wave >= 0 && waves->wave[wave].pulse == felt.pulse) {
        set_wave(&waves->activation[a], wave);
        return STATUS_OK;
    }
    TRY(array_grow((void **)&waves->wave, &waves->wave_room, waves->waves, sizeof *waves->wave, what, error));
    set_wave(&waves->activation[a], waves->waves);
    waves->wave[waves->waves] = (struct wave){
        .stimulus = felt.stimulus,
        .repeat = repeat,
        .pulse = felt.pulse,
        .start = felt.stimulus < 0 ? waves->activation[a].time
                                   : stimulus_start(&waves->stimulus[felt.stimulus], felt.pulse),
        .late = late,
        .first = a,
        .earlier = felt.stimulus < 0 ? -1 : waves->newest[felt.stimulus]};
    if (felt.stimulus >= 0)
        waves->newest[felt.stimulus] = (int32_t)waves->waves;
    waves->waves++;
    return STATUS_OK;
}

/* The wave of a, whose cause is known if it pairs with one */
static enum status find_wave(struct waves *waves, int32_t a, struct error *error)
{
    struct waves_activation *at = &waves->activation[a];
    if (at->cause < 0) {
        struct felt felt = felt_pulse(waves, 0, waves->stimuli, at->node, at->time);
        int32_t repeat = felt.stimulus < 0 ? 0 : count_since(waves, a, felt.start);
        if (felt.stimulus >= 0 &&
            (repeat == 0 || at->time <= felt.start + stimulus_length(&waves->stimulus[felt.stimulus])))
            return join_wave(waves, a, felt, repeat, false, error);
        felt = find_late(waves, a);
        if (felt.stimulus >= 0)
            return join_wave(waves, a, felt, 0, true, error);
        find_nearest_cause(waves, a, false);
        if (at->cause < 0)
            return join_wave(waves, a, (struct felt){-1, -1, NAN}, 0, false, error);
    }
    set_wave(at, waves->activation[at->cause].wave);
    return STATUS_OK;
}

static bool is_within_pulse(const struct waves *waves, int32_t a)
{
    const struct waves_activation *at = &waves->activation[a];
    const int32_t stimulus = waves->wave[at->wave].stimulus;
    return stimulus >= 0 && (at->cause < 0 || waves->activation[at->cause].within) &&
           waves_stimulates(waves, stimulus, at->node);
}

/* Of a new activation: its index in the record */
struct fresh {
    double time;
    int64_t index;
};

/* Sorts fresh[count] by time; equal ones keep their order. Workspace: as large. */
static void sort_fresh(struct fresh *fresh, struct fresh *scratch, int64_t count)
{
    struct fresh *from = fresh, *to = scratch;
    for (int digit = 0; digit < DIGITS; digit++) { /* an even number of passes ends in fresh */
        int64_t first[(1 << DIGIT) + 1] = {0};
        for (int64_t k = 0; k < count; k++)
            first[1 + (bits_of(from[k].time) >> (digit * DIGIT) & ((1 << DIGIT) - 1))]++;
        for (int d = 0; d < 1 << DIGIT; d++)
            first[d + 1] += first[d];
        for (int64_t k = 0; k < count; k++)
            to[first[bits_of(from[k].time) >> (digit * DIGIT) & ((1 << DIGIT) - 1)]++] = from[k];
        struct fresh *other = from;
        from = to;
        to = other;
    }
}

/* fresh[count] <- the new activations in the order of nodes; earlier ones <- their repolarization. Returns
 * count; with fresh NULL it only counts. */
static int64_t list_fresh(struct fresh *fresh, struct waves *waves, const struct waves_record *record)
{
    int64_t count = 0;
    for (int64_t i = 0; i < waves->nodes; i++) {
        int32_t latest = waves->latest[i];
        for (int64_t b = 0; b < record->beats && (!waves->excitable || waves->excitable[i]); b++) {
            double time = record->time[i * record->beats + b];
            if (isnan(time))
                continue;
            if (latest >= 0 && time == waves->activation[latest].time)
                waves->activation[latest].over = record->over[i * record->beats + b];
            if (time > waves->until && fresh)
                fresh[count] = (struct fresh){time + 0.0, i * record->beats + b}; /* no -0 */
            count += time > waves->until;
        }
    }
    return count;
}

/* Appends the new ones to activation[], linked with those of their nodes */
static void append_fresh(struct waves *waves, const struct waves_record *record, const struct fresh *fresh,
                         int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        int32_t node = (int32_t)(fresh[k].index / record->beats), a = (int32_t)waves->activations;
        int64_t beat = fresh[k].index % record->beats;
        int32_t before = waves->latest[node];
        bool dropped = record->dropped && record->dropped[node] && beat == record->beats - 1;
        waves->activation[waves->activations++] =
            (struct waves_activation){fresh[k].time,
                                      record->over[fresh[k].index],
                                      node,
                                      -1,
                                      dropped && before >= 0 ? -2 - before : before,
                                      0,
                                      0,
                                      0};
        waves->latest[node] = a;
    }
}

static enum status make_room(struct waves *waves, int64_t count, struct error *error)
{
    const int most = INT32_MAX >> 1;
    if (count > most)
        return error_set(error, STATUS_RUN, "%lld activations: at most %d are supported", (long long)count,
                         most);
    return array_grow((void **)&waves->activation, &waves->room, count, sizeof *waves->activation, what,
                      error);
}

/* Whether activations from `first` on are of nodes that an earlier cause was found over */
static bool breaks_silence(const struct waves *waves, int64_t first)
{
    bool breaks = false, over = false;
    for (int64_t a = first; a < waves->activations && !breaks; a++)
        breaks = waves_before(waves, (int32_t)a, NULL) < 0;
    for (int64_t a = 0; a < first && breaks && !over; a++)
        over = waves->activation[a].over_silent;
    return over;
}

/* The causes and waves of activations from `first` on */
static enum status find_origins(struct waves *waves, int64_t first, struct error *error)
{
    enum status status = STATUS_OK;
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t a = first; a < waves->activations; a++)
        find_nearest_cause(waves, (int32_t)a, true);
    for (int64_t a = first; a < waves->activations && !status; a++) {
        status = find_wave(waves, (int32_t)a, error);
        waves->activation[a].within = !status && is_within_pulse(waves, (int32_t)a);
    }
    return status;
}

enum status waves_add(struct waves *waves, const struct waves_record *record, double until,
                      struct error *error)
{
    enum status status = STATUS_OK;
    const int64_t count = list_fresh(NULL, waves, record);
    int64_t first = waves->activations;
    struct fresh *fresh = array_new(count, sizeof *fresh, what, &status, error);
    struct fresh *scratch = array_new(count, sizeof *scratch, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(make_room(waves, first + count, error));
    list_fresh(fresh, waves, record);
    sort_fresh(fresh, scratch, count);
    append_fresh(waves, record, fresh, count);
    if (breaks_silence(waves, first)) {
        first = waves->waves = 0;
        memset(waves->newest, -1, (size_t)waves->stimuli * sizeof *waves->newest);
    }
    status = find_origins(waves, first, error);
    waves->until = until;
done:
    free(fresh);
    free(scratch);
    return status;
}

enum status waves_copy(struct waves *to, const struct waves *from, struct error *error)
{
    enum status status = STATUS_OK;
    if (!to->latest)
        to->latest = array_new(from->nodes, sizeof *to->latest, what, &status, error);
    TRY(status);
    TRY(array_grow((void **)&to->activation, &to->room, from->activations, sizeof *to->activation, what,
                   error));
    TRY(array_grow((void **)&to->wave, &to->wave_room, from->waves, sizeof *to->wave, what, error));
    to->nodes = from->nodes;
    to->until = from->until;
    to->activations = from->activations;
    to->waves = from->waves;
    memcpy(to->latest, from->latest, (size_t)from->nodes * sizeof *to->latest);
    if (from->activations > 0)
        memcpy(to->activation, from->activation, (size_t)from->activations * sizeof *to->activation);
    if (from->waves > 0)
        memcpy(to->wave, from->wave, (size_t)from->waves * sizeof *to->wave);
    return STATUS_OK;
}

enum status waves_set_stimuli(struct waves *waves, const struct stimulus *stimulus, int stimuli,
                              struct error *error)
{
    enum status status = STATUS_OK;
    int32_t *newest = array_new(stimuli, sizeof *newest, what, &status, error);
    double *least = array_new(stimuli, sizeof *least, what, &status, error);
    if (status) {
        free(newest);
        return status;
    }
    memset(newest, -1, (size_t)stimuli * sizeof *newest);
    for (int s = 0; s < stimuli; s++)
        least[s] = stimulus_least_weight(&stimulus[s]);
    for (int32_t w = 0; w < waves->waves; w++) {
        struct wave *wave = &waves->wave[w];
        wave->earlier = wave->stimulus < 0 ? -1 : newest[wave->stimulus];
        if (wave->stimulus >= 0)
            newest[wave->stimulus] = w;
    }
    free(waves->newest);
    free(waves->least);
    waves->newest = newest;
    waves->least = least;
    waves->stimulus = stimulus;
    waves->stimuli = stimuli;
    return STATUS_OK;
}
