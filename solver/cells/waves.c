/* waves.c: finds the causes of activations and the owners of waves; adds activations and copies forests. */
#include "solver/cells/waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/cells/felt.h"
#include "solver/cells/stimulus.h"
#include "solver/mesh/mesh.h"

static const char what[] = "the waves";

enum { SILENT = 3 }; /* maximum number of silent nodes between a cause and its effect */

enum status waves_create(struct waves *waves, const struct csr *neighbours, const double *point,
                         const struct stimulus *stimulus, int stimuli, double speed, struct error *error)
{
    enum status status = STATUS_OK;
    *waves = (struct waves){.neighbours = neighbours,
                            .point = point,
                            .speed = speed,
                            .nodes = neighbours->rows,
                            .until = -HUGE_VAL,
                            .running = -1,
                            .alone_wave = -1};
    waves->latest = array_new(waves->nodes, sizeof *waves->latest, what, &status, error);
    waves->path = array_zeroed(waves->nodes, sizeof *waves->path, what, &status, error);
    waves->mark = array_zeroed(waves->nodes, sizeof *waves->mark, what, &status, error);
    TRY(status);
    memset(waves->latest, -1, (size_t)waves->nodes * sizeof *waves->latest);
    return waves_set_stimuli(waves, stimulus, stimuli, error);
}

void waves_free(struct waves *waves)
{
    free(waves->activation);
    free(waves->latest);
    free(waves->path);
    free(waves->mark);
    free(waves->wave);
    free(waves->owner);
    free(waves->newest);
    free(waves->train);
    *waves = (struct waves){0};
}

int32_t waves_of_pulse(const struct waves *waves, int32_t s, int64_t k)
{
    int32_t owner = waves->newest[s];
    while (owner >= 0 && waves->owner[owner].pulse != k)
        owner = waves->owner[owner].earlier;
    return owner;
}

bool waves_owns(const struct waves *waves, int32_t s, int64_t k, int32_t wave)
{
    int32_t owner = waves->wave[wave].owner;
    while (owner >= 0 && (waves->owner[owner].stimulus != s || waves->owner[owner].pulse != k))
        owner = waves->owner[owner].next;
    return owner >= 0;
}

bool waves_running(const struct waves *waves, int32_t w)
{
    const struct wave *wave = &waves->wave[w];
    return waves->until - waves->activation[wave->last].time <= wave->longest;
}

/* The latest activation of the node before a, -1 = none */
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

/* The latest activation (if several, that of the lowest node) that may be the cause of a, at nodes reached
 * from `node` over exactly `silent` silent ones; best: the one found so far, -1 = none */
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

/* Sets the cause of a to the one over the fewest silent nodes */
static void find_nearest_cause(const struct waves *waves, int32_t a, bool paired)
{
    struct waves_activation *at = &waves->activation[a];
    at->cause = -1;
    for (int silent = 0; silent <= SILENT && at->cause < 0; silent++) {
        at->cause = find_cause(waves, a, at->node, silent, paired, -1);
        at->over_silent = at->cause >= 0 && silent > 0;
    }
}

bool waves_is_inside(const struct waves *waves, int32_t wave, int32_t node)
{
    int32_t owner = waves->wave[wave].owner;
    while (owner >= 0 && felt_index(waves, waves->owner[owner].stimulus, node) < 0)
        owner = waves->owner[owner].next;
    return owner >= 0;
}

static bool has_risen_since(const struct waves *waves, int32_t a, double start)
{
    const int32_t before = waves_before(waves, a, NULL);
    return before >= 0 && waves->activation[before].time >= start;
}

int32_t waves_before_in(const struct waves *waves, int32_t a, int32_t wave)
{
    do
        a = waves_before(waves, a, NULL);
    while (a > waves->wave[wave].first && (int32_t)waves->activation[a].wave != wave);
    return a >= waves->wave[wave].first && (int32_t)waves->activation[a].wave == wave ? a : -1;
}

static struct waves_alone alone_of(const struct waves *waves, int32_t node)
{
    return waves->alone ? waves->alone(waves->cells, node) : (struct waves_alone){HUGE_VAL, HUGE_VAL};
}

/* Whether a's time is nearer to the time at which a cell alone would rise than to the end of these pulses,
 * of which `last` began last; without `last`: than to the end of the last pulse anywhere */
static bool is_by_itself(const struct waves *waves, int32_t a, const struct felt *last)
{
    const struct waves_activation *at = &waves->activation[a];
    const struct waves_alone alone = alone_of(waves, at->node);
    const int32_t before = waves_before(waves, a, NULL);
    const double due = before < 0 ? alone.first : waves->activation[before].time + alone.cycle;
    struct felt felt = felt_none;
    double ended = -HUGE_VAL;
    if (last->stimulus >= 0)
        while (felt_next(&felt, waves, at->node, at->time, last->start))
            ended = fmax(ended, felt.end);
    else
        for (int32_t s = 0; s < waves->stimuli; s++)
            ended = fmax(ended, felt_last_end(waves, s, at->time));
    return fabs(at->time - due) < at->time - ended;
}

/* Whether a wave that the pulse does not own is running at `time`. Removes waves that have ended from the
 * list. */
static bool runs_another(struct waves *waves, double time, const struct felt *pulse)
{
    for (int32_t *at = &waves->running; *at >= 0;) {
        struct wave *wave = &waves->wave[*at];
        if (time - waves->activation[wave->last].time > wave->longest) {
            wave->listed = false;
            *at = wave->running;
        } else if (waves_owns(waves, pulse->stimulus, pulse->pulse, *at))
            at = &wave->running;
        else
            return true;
    }
    return false;
}

/* The pulse to which a is a late response; stimulus -1 = none, or not unique */
static struct felt find_late(struct waves *waves, int32_t a)
{
    const struct waves_activation *at = &waves->activation[a];
    struct felt found = felt_none;
    for (int32_t first = 0, end; first < waves->stimuli;
         first = end) { /* sites: the trains of one protocol */
        struct felt last = felt_none;
        for (end = first; end == first || (end < waves->stimuli && waves->stimulus[end].phase); end++) {
            const int64_t pulse =
                waves->train[end].excites ? felt_pulse_at(&waves->stimulus[end], at->time) : -1;
            const double start = pulse < 0 ? -HUGE_VAL : stimulus_start(&waves->stimulus[end], pulse);
            if (pulse >= 0 && start > last.start)
                last = (struct felt){end, pulse, -1, start, felt_last_end(waves, end, at->time)};
        }
        if (last.stimulus < 0 || (has_risen_since(waves, a, last.start) && at->time > last.end) ||
            felt_distance(&waves->train[first], waves->point + 3 * (int64_t)at->node) >
                waves->speed * (at->time - last.start))
            continue;
        if (found.stimulus >= 0)
            return felt_none;
        found = last;
    }
    return found.stimulus >= 0 && runs_another(waves, at->time, &found) ? felt_none : found;
}

/* Makes the pulse an owner of the wave. The owner whose pulse began first is the wave's first owner. */
static enum status own_wave(struct waves *waves, int32_t w, int32_t s, int64_t k, struct error *error)
{
    struct wave *wave = &waves->wave[w];
    const double start = stimulus_start(&waves->stimulus[s], k);
    if (waves_owns(waves, s, k, w))
        return STATUS_OK;
    TRY(array_grow((void **)&waves->owner, &waves->owner_room, waves->owners, sizeof *waves->owner, what,
                   error));
    int32_t *at = &wave->owner;
    while (*at >= 0 &&
           stimulus_start(&waves->stimulus[waves->owner[*at].stimulus], waves->owner[*at].pulse) <= start)
        at = &waves->owner[*at].next;
    if (at == &wave->owner)
        wave->start = start;
    waves->owner[waves->owners] =
        (struct waves_owner){.pulse = k,
                             .stimulus = s,
                             .wave = w,
                             .next = *at,
                             .earlier = waves->newest[s],
                             .repeat = wave->repeat > 0 && waves_of_pulse(waves, s, k) >= 0};
    *at = waves->newest[s] = (int32_t)waves->owners++;
    return STATUS_OK;
}

/* *felt <- the next owner of a root: `late`, if there is one, else from felt_next(); false after the last */
static bool next_owner(struct felt *felt, const struct waves *waves, int32_t a, double since,
                       const struct felt *late)
{
    const struct waves_activation *at = &waves->activation[a];
    if (late->stimulus < 0)
        return felt_next(felt, waves, at->node, at->time, since);
    const bool first = felt->stimulus < 0;
    *felt = *late;
    return first;
}

static void set_wave(struct waves_activation *activation, int64_t wave)
{
    activation->wave = (uint32_t)wave & INT32_MAX >> 1;
}

/* Begins a wave with a as its first activation and without owners */
static enum status begin_wave(struct waves *waves, int32_t a, int32_t owner, int32_t repeat,
                              struct error *error)
{
    TRY(array_grow((void **)&waves->wave, &waves->wave_room, waves->waves, sizeof *waves->wave, what, error));
    waves->wave[waves->waves] = (struct wave){.owner = owner,
                                              .repeat = repeat,
                                              .start = waves->activation[a].time,
                                              .first = a,
                                              .last = a,
                                              .left = -1,
                                              .outermost = -1,
                                              .returned = -1,
                                              .latest = -1,
                                              .far = -1,
                                              .running = -1,
                                              .most = -1,
                                              .time = NAN,
                                              .slowness = NAN};
    set_wave(&waves->activation[a], waves->waves++);
    return STATUS_OK;
}

/* Adds a root by itself to the wave of the same beat, or to a new one */
static enum status join_alone(struct waves *waves, int32_t a, struct error *error)
{
    const struct waves_activation *at = &waves->activation[a];
    const int32_t w = waves->alone_wave;
    if (w >= 0 && waves_before_in(waves, a, w) < 0 &&
        at->time - waves->wave[w].start < alone_of(waves, at->node).cycle / 2) {
        set_wave(&waves->activation[a], w);
        return STATUS_OK;
    }
    TRY(begin_wave(waves, a, WAVES_ITSELF, 0, error));
    waves->alone_wave = (int32_t)waves->waves - 1;
    return STATUS_OK;
}

/* Adds a root to the newest wave of one of its owners, or to a new one */
static enum status join_owned(struct waves *waves, int32_t a, double since, const struct felt *late,
                              struct error *error)
{
    struct felt felt = felt_none;
    int32_t newest = -1;
    while (next_owner(&felt, waves, a, since, late)) {
        const int32_t owner = waves_of_pulse(waves, felt.stimulus, felt.pulse);
        const int32_t w = owner < 0 ? -1 : waves->owner[owner].wave;
        if (w >= 0 && (newest < 0 || waves->wave[w].first > waves->wave[newest].first))
            newest = w;
    }
    if (newest < 0 || waves_before_in(waves, a, newest) >= 0) {
        TRY(begin_wave(waves, a, WAVES_UNKNOWN, newest < 0 ? 0 : waves->wave[newest].repeat + 1, error));
        newest = (int32_t)waves->waves - 1;
    }
    set_wave(&waves->activation[a], newest);
    for (felt = felt_none; next_owner(&felt, waves, a, since, late);)
        TRY(own_wave(waves, newest, felt.stimulus, felt.pulse, error));
    return STATUS_OK;
}

/* Sets the wave of a; its cause must be known if it pairs with one */
static enum status find_wave(struct waves *waves, int32_t a, struct error *error)
{
    struct waves_activation *at = &waves->activation[a];
    if (at->cause < 0) {
        struct felt felt = felt_none, late = felt_none;
        const struct felt last = felt_last(waves, at->node, at->time);
        const bool on = felt_next(&felt, waves, at->node, at->time, at->time);
        const double since = on ? at->time : last.start;
        if (!on && is_by_itself(waves, a, &last))
            return join_alone(waves, a, error);
        const bool owned = on || (last.stimulus >= 0 && !has_risen_since(waves, a, last.start));
        if (!owned)
            late = find_late(waves, a);
        if (owned || late.stimulus >= 0)
            return join_owned(waves, a, since, &late, error);
        find_nearest_cause(waves, a, false);
        if (at->cause < 0)
            return begin_wave(waves, a, WAVES_UNKNOWN, 0, error);
    }
    set_wave(at, waves->activation[at->cause].wave);
    return STATUS_OK;
}

/* Pulses that are on at a root of the wave before the wave leaves its nodes with a become owners, too */
static enum status own_by_roots(struct waves *waves, int32_t w, int32_t a, struct error *error)
{
    const double from = waves->activation[waves->wave[w].first].time, to = waves->activation[a].time;
    for (int32_t s = 0; s < waves->stimuli && waves->wave[w].owner >= 0; s++) {
        const struct stimulus *stimulus = &waves->stimulus[s];
        if (felt_last_end(waves, s, to) < from)
            continue;
        for (int64_t n = 0; n < stimulus->nodes; n++) {
            const int32_t node = stimulus->node[n], root = latest_before(waves, node, a);
            struct felt felt = felt_none;
            if (root < waves->wave[w].first || stimulus_weight(stimulus, n) < waves->train[s].least ||
                ((int32_t)waves->activation[root].wave != w && waves_before_in(waves, root, w) < 0))
                continue;
            while (felt_next(&felt, waves, node, to, from))
                TRY(own_wave(waves, w, felt.stimulus, felt.pulse, error));
        }
    }
    return STATUS_OK;
}

static double length_of(const struct waves *waves, int32_t i, int32_t j)
{
    return mesh_distance(waves->point + 3 * (int64_t)i, waves->point + 3 * (int64_t)j);
}

/* The last activation of a neighbour before another one, and the length of the edge, mm */
struct earlier {
    int32_t activation, node;
    double length;
};

/* An activation to be added to its wave: the last earlier activation of each neighbour, and the longest
 * edge at the node, mm */
struct joining {
    const struct earlier *earlier;
    int64_t count;
    double longest;
};

/* *joining <- for activation a; earlier[neighbours of the node] */
static void list_earlier(struct joining *joining, const struct waves *waves, int32_t a,
                         struct earlier *earlier)
{
    const struct csr *neighbours = waves->neighbours;
    const struct waves_activation *at = &waves->activation[a];
    *joining = (struct joining){.earlier = earlier};
    for (int64_t k = neighbours->start[at->node]; k < neighbours->start[at->node + 1]; k++) {
        const int32_t next = neighbours->column[k], b = latest_before(waves, next, a);
        const double length = length_of(waves, at->node, next);
        joining->longest = fmax(joining->longest, length);
        if (b >= 0 && waves->activation[b].time < at->time)
            earlier[joining->count++] = (struct earlier){b, next, length};
    }
}

/* path[] <- the path of a, if outside; updates the longest path and the steps of its wave */
static void add_path(struct waves *waves, int32_t a, const struct joining *joining)
{
    const struct waves_activation *at = &waves->activation[a];
    struct wave *wave = &waves->wave[at->wave];
    double path = 0;
    if (at->cause >= 0) {
        const int32_t from = waves->activation[at->cause].node;
        path = waves->path[from] + length_of(waves, at->node, from);
    }
    for (int64_t k = 0; k < joining->count; k++) {
        const struct earlier *earlier = &joining->earlier[k];
        if (waves->activation[earlier->activation].wave == at->wave)
            path = fmin(path, waves->path[earlier->node] + earlier->length);
    }
    waves->path[at->node] = path;
    if (path > wave->most) {
        wave->most = path;
        wave->far = a;
    }
    const double share = 0.999; /* of edges that are equal but for rounding */
    if (path < wave->path + share * joining->longest)
        return;
    const double slowness = wave->path > 0 ? (at->time - wave->time) / (path - wave->path) : (double)NAN;
    wave->steady |= slowness <= wave->slowness;
    wave->slowness = slowness;
    wave->path = path;
    wave->time = at->time;
}

/* Adds a, whose wave is known, to its wave; paired: whether a pairs with its cause is known, too */
static enum status add_to_wave(struct waves *waves, int32_t a, bool paired, const struct joining *joining,
                               struct error *error)
{
    const struct waves_activation *at = &waves->activation[a];
    const int32_t w = (int32_t)at->wave;
    struct wave *wave = &waves->wave[w];
    const bool again = waves_before_in(waves, a, w) >= 0;
    wave->last = a;
    wave->activations++;
    wave->again += again;
    wave->returned = again && wave->returned < 0 ? a : wave->returned;
    wave->latest = again ? a : wave->latest;
    if (at->cause >= 0 && (paired || waves_pairs(waves, a, waves->activation[at->cause].node))) {
        wave->longest = fmax(wave->longest, at->time - waves->activation[at->cause].time);
        if (!wave->listed) {
            wave->running = waves->running;
            waves->running = w;
        }
        wave->listed = true;
    }
    waves->path[at->node] = 0;
    if (waves_is_inside(waves, w, at->node))
        return STATUS_OK;
    if (wave->left < 0) {
        TRY(own_by_roots(waves, w, a, error));
        wave->left = a;
        wave->late = at->cause < 0;
    }
    wave->outermost = a;
    wave->outside++;
    wave->followed += !again;
    add_path(waves, a, joining);
    return STATUS_OK;
}

/* Whether activations from `first` on are at nodes over which an earlier cause was found */
static bool breaks_silence(const struct waves *waves, int64_t first)
{
    bool breaks = false, over = false;
    for (int64_t a = first; a < waves->activations && !breaks; a++)
        breaks = waves_before(waves, (int32_t)a, NULL) < 0;
    for (int64_t a = 0; a < first && breaks && !over; a++)
        over = waves->activation[a].over_silent;
    return over;
}

/* A block of activations: what threads can compute for each of them independently of the waves of the
 * others */
struct block {
    struct joining *joining; /* [BLOCK] */
    int64_t *first;          /* [BLOCK + 1] first entry of each in earlier[] */
    struct earlier *earlier;
    int64_t room;
};

enum { BLOCK = 1 << 16, ALONE = 1 << 14 }; /* smaller blocks are processed by one thread */

static int64_t count_neighbours(const struct waves *waves, int64_t a)
{
    const int32_t node = waves->activation[a].node;
    return waves->neighbours->start[node + 1] - waves->neighbours->start[node];
}

/* Finds the causes of activations first .. first + count - 1, and the earlier activations of their
 * neighbours */
static enum status find_causes(struct block *block, struct waves *waves, int64_t first, int64_t count,
                               struct error *error)
{
    block->first[0] = 0;
#pragma omp parallel for schedule(static) if (count >= ALONE)
    for (int64_t k = 0; k < count; k++)
        block->first[k + 1] = count_neighbours(waves, first + k);
    for (int64_t k = 0; k < count; k++)
        block->first[k + 1] += block->first[k];
    TRY(array_grow((void **)&block->earlier, &block->room, block->first[count], sizeof *block->earlier, what,
                   error));
#pragma omp parallel for schedule(dynamic, 1024) if (count >= ALONE)
    for (int64_t k = 0; k < count; k++) {
        find_nearest_cause(waves, (int32_t)(first + k), true);
        list_earlier(&block->joining[k], waves, (int32_t)(first + k), block->earlier + block->first[k]);
    }
    return STATUS_OK;
}

/* Successive activations are scattered in memory: prefetches what a later one will read */
static void prefetch(const struct waves *waves, const struct joining *joining)
{
    for (int64_t k = 0; k < joining->count; k++) {
        __builtin_prefetch(waves->activation + joining->earlier[k].activation);
        __builtin_prefetch(waves->path + joining->earlier[k].node);
    }
}

/* Adds them to their waves, in order */
static enum status join_waves(const struct block *block, struct waves *waves, int64_t first, int64_t count,
                              struct error *error)
{
    enum { AHEAD = 8 };
    for (int64_t k = 0; k < count; k++) {
        const int32_t a = (int32_t)(first + k);
        const bool paired = waves->activation[a].cause >= 0;
        if (k + AHEAD < count)
            prefetch(waves, &block->joining[k + AHEAD]);
        TRY(find_wave(waves, a, error));
        TRY(add_to_wave(waves, a, paired, &block->joining[k], error));
    }
    return STATUS_OK;
}

/* Finds the causes and waves of activations from `first` on */
static enum status find_origins(struct waves *waves, int64_t first, struct error *error)
{
    enum status status = STATUS_OK;
    struct block block = {0};
    block.joining = array_new(BLOCK, sizeof *block.joining, what, &status, error);
    block.first = array_new(BLOCK + 1, sizeof *block.first, what, &status, error);
    for (int64_t a = first; a < waves->activations && !status; a += BLOCK) {
        const int64_t count = waves->activations - a < BLOCK ? waves->activations - a : BLOCK;
        status = find_causes(&block, waves, a, count, error);
        status = status ? status : join_waves(&block, waves, a, count, error);
    }
    free(block.joining);
    free(block.first);
    free(block.earlier);
    return status;
}

enum status waves_add(struct waves *waves, const struct waves_record *record, double until,
                      struct error *error)
{
    int64_t first = waves->activations;
    TRY(waves_append(waves, record, error));
    if (breaks_silence(waves, first)) {
        first = waves->waves = waves->owners = 0;
        waves->running = waves->alone_wave = -1;
        memset(waves->newest, -1, (size_t)waves->stimuli * sizeof *waves->newest);
    }
    enum status status = find_origins(waves, first, error);
    waves->until = until;
    return status;
}

enum status waves_copy(struct waves *to, const struct waves *from, struct error *error)
{
    enum status status = STATUS_OK;
    if (!to->latest)
        to->latest = array_new(from->nodes, sizeof *to->latest, what, &status, error);
    if (!to->path)
        to->path = array_new(from->nodes, sizeof *to->path, what, &status, error);
    TRY(status);
    TRY(array_grow((void **)&to->activation, &to->room, from->activations, sizeof *to->activation, what,
                   error));
    TRY(array_grow((void **)&to->wave, &to->wave_room, from->waves, sizeof *to->wave, what, error));
    TRY(array_grow((void **)&to->owner, &to->owner_room, from->owners, sizeof *to->owner, what, error));
    to->nodes = from->nodes;
    to->until = from->until;
    to->activations = from->activations;
    to->waves = from->waves;
    to->owners = from->owners;
    to->running = from->running;
    to->alone_wave = from->alone_wave;
    memcpy(to->latest, from->latest, (size_t)from->nodes * sizeof *to->latest);
    memcpy(to->path, from->path, (size_t)from->nodes * sizeof *to->path);
    if (from->activations > 0)
        memcpy(to->activation, from->activation, (size_t)from->activations * sizeof *to->activation);
    if (from->waves > 0)
        memcpy(to->wave, from->wave, (size_t)from->waves * sizeof *to->wave);
    if (from->owners > 0)
        memcpy(to->owner, from->owner, (size_t)from->owners * sizeof *to->owner);
    return STATUS_OK;
}
