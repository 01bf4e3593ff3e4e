/* test_forest.c: random activations of a sheet, some at one time, some dropped, some nodes silent or not excitable: their order, which of them
 * pair, their causes, what their waves count, and intervals, against plain loops over the definitions of waves.h. */
#include <string.h>

#include "kernels/base/compare.h"
#include "solver/cells/waves.h"
#include "solver/mesh/neighbours.h"
#include "tests/support/dice.h"
#include "tests/support/mesh_sample.h"

enum { NODES = 20, BEATS = 3, MOST = NODES * BEATS };

/* What was recorded, in order */
static struct plain {
    double time, over;
    int32_t node, before;
    bool dropped;
} plain[MOST];
static int count;
static bool pairs[MOST][NODES]; /* [a][j]: a pairs with an earlier one of node j */

static int compare_plain(const void *a, const void *b)
{
    const struct plain *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->node > y->node) - (x->node < y->node);
}

/* For two nodes, one after the other: the next of both is a pair of the last one if that is the other node's, unpaired and up */
static void find_pairs(void)
{
    memset(pairs, 0, sizeof pairs);
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < i; j++) {
            int last = -1;
            bool paired = false;
            for (int a = 0; a < count; a++) {
                if (plain[a].node != i && plain[a].node != j)
                    continue;
                paired = last >= 0 && plain[last].node != plain[a].node && !paired &&
                         !(plain[last].over <= plain[a].time);
                if (paired)
                    pairs[a][plain[last].node] = true;
                last = a;
            }
        }
}

static int latest_of(int node, int before)
{
    int found = -1;
    for (int a = 0; a < before; a++)
        found = plain[a].node == node ? a : found;
    return found;
}

/* The best cause of a over exactly so many silent nodes from `node` on */
static int best_cause(const struct csr *neighbours, int a, int node, int silent, int best)
{
    for (int64_t k = neighbours->start[node]; k < neighbours->start[node + 1]; k++) {
        const int next = neighbours->column[k];
        if (silent > 0) {
            best = latest_of(next, count) < 0 ? best_cause(neighbours, a, next, silent - 1, best) : best;
            continue;
        }
        const int b = latest_of(next, a);
        if (b < 0 || next == plain[a].node || plain[b].time >= plain[a].time ||
            plain[b].over <= plain[a].time || !pairs[a][next])
            continue;
        if (best < 0 || plain[b].time > plain[best].time ||
            (plain[b].time == plain[best].time && plain[b].node < plain[best].node))
            best = b;
    }
    return best;
}

static void check_waves(const struct waves *waves, const struct csr *neighbours)
{
    struct error error = {0};
    int caused = 0;
    CHECK(waves->activations == count, "%lld activations, want %d", (long long)waves->activations, count);
    for (int a = 0; a < count; a++) {
        const struct waves_activation *got = &waves->activation[a];
        bool dropped;
        CHECK(got->time == plain[a].time && got->node == plain[a].node && !signbit(got->time) &&
                  (got->over == plain[a].over || (isnan(got->over) && isnan(plain[a].over))),
              "activation %d is of node %d at %g ms, want %d at %g", a, got->node, got->time, plain[a].node,
              plain[a].time);
        CHECK(waves_before(waves, a, &dropped) == plain[a].before &&
                  dropped == (plain[a].dropped && plain[a].before >= 0),
              "before %d: %d, %d", a, waves_before(waves, a, NULL), dropped);
        for (int j = 0; j < NODES; j++)
            CHECK(j == plain[a].node || waves_pairs(waves, a, j) == pairs[a][j],
                  "activation %d and node %d: %d", a, j, pairs[a][j]);
        int cause = -1, silent = 0;
        for (; silent <= 3 && cause < 0; silent++)
            cause = best_cause(neighbours, a, plain[a].node, silent, -1);
        if (cause >= 0) {
            CHECK(got->cause == cause && got->over_silent == (silent > 1),
                  "activation %d: cause %d over %d, want %d over %d", a, got->cause, got->over_silent, cause,
                  silent - 1);
            CHECK(got->wave == waves->activation[cause].wave, "activation %d is of wave %d, its cause of %d",
                  a, got->wave, waves->activation[cause].wave);
            caused++;
        } else
            CHECK(got->cause < 0 || !pairs[a][plain[got->cause].node], "activation %d has a cause", a);
    }
    CHECK(waves->waves <= count - caused, "%lld waves", (long long)waves->waves);
    for (int w = 0; w < waves->waves; w++) {
        const struct wave *wave = &waves->wave[w];
        double interval[MOST], cycle;
        int64_t members = 0, again = 0;
        int first = -1, last = -1, n = 0;
        const double since = plain[count / 2].time;
        for (int a = 0; a < count; a++) {
            if ((int)waves->activation[a].wave != w)
                continue;
            int before = -1;
            for (int b = 0; b < a; b++)
                before = (int)waves->activation[b].wave == w && plain[b].node == plain[a].node ? b : before;
            CHECK(waves_before_in(waves, a, w) == before, "before %d in its wave: %d, want %d", a,
                  waves_before_in(waves, a, w), before);
            first = first < 0 ? a : first;
            last = a;
            members++;
            again += before >= 0;
            if (before >= 0 && plain[a].time >= since)
                interval[n++] = plain[a].time - plain[before].time;
        }
        CHECK(wave->activations == members && wave->first == first && wave->last == last,
              "wave %d: %lld from %d to %d, want %lld from %d to %d", w, (long long)wave->activations,
              wave->first, wave->last, (long long)members, first, last);
        CHECK(wave->again == again, "wave %d: %lld again, want %lld", w, (long long)wave->again,
              (long long)again);
        CHECK(waves_running(waves, w) == (waves->until - plain[last].time <= wave->longest), "wave %d runs",
              w);
        CHECK_OK(waves_cycle(&cycle, waves, w, since, &error), error);
        qsort(interval, (size_t)n, sizeof *interval, compare_double);
        CHECK(n == 0 ? isnan(cycle) : cycle == interval[(n - 1) / 2], "wave %d: a cycle of %g ms", w, cycle);
    }
}

static int owned; /* forests with owners */

static void test_random(int turn)
{
    struct error error = {0};
    struct csr neighbours;
    struct waves waves;
    struct mesh mesh = mesh_sample_lattice(2, (const int[]){4, 3, 0}, (const double[]){1, 1, 1});
    static const int32_t sites[] = {0, 1, 7};
    const struct stimulus stimulus = {
        .node = sites, .nodes = 1 + turn % 3, .start = 0, .current = 50, .duration = 2, .count = 1};
    double time[MOST], over[MOST];
    uint8_t dropped[NODES], excitable[NODES];
    CHECK(mesh.nodes == NODES, "%lld nodes", (long long)mesh.nodes);
    CHECK_OK(mesh_neighbours_create(&neighbours, &mesh, NULL, 0, &error), error);
    CHECK_OK(waves_create(&waves, &neighbours, mesh.point, &stimulus, 1, 1, &error), error);
    const double until = 330 + 40 * random_from(0, 1);
    count = 0;
    for (int i = 0; i < NODES; i++) {
        const bool silent = random_from(0, 1) < (turn % 4) * 0.2;
        double now = -1;
        int before = 0, recorded = 0;
        dropped[i] = random_from(0, 1) < 0.3;
        excitable[i] = random_from(0, 1) < 0.9;
        for (int b = 0; b < BEATS; b++)
            time[BEATS * i + b] = over[BEATS * i + b] = NAN;
        for (int b = 0; b < BEATS && !silent; b++) {
            now = fmax(now + 1, b * 140 + floor((turn % 2 ? 8 : 60) * random_from(0, 1)));
            if (random_from(0, 1) < 0.2 || now > until)
                break;
            const double end = now + 20 + floor(90 * random_from(0, 1));
            time[BEATS * i + b] = now == 0 ? -0.0 : now;
            over[BEATS * i + b] = end > until ? (double)NAN : end;
            if (excitable[i])
                plain[count++] = (struct plain){now, over[BEATS * i + b], i, recorded ? before : -1,
                                                dropped[i] && b == BEATS - 1};
            before = b;
            recorded++;
        }
    }
    waves.excitable = excitable;
    qsort(plain, (size_t)count, sizeof *plain, compare_plain);
    for (int a = 0; a < count; a++)
        plain[a].before = latest_of(plain[a].node, a);
    find_pairs();
    const struct waves_record record = {time, over, BEATS, dropped};
    CHECK_OK(waves_add(&waves, &record, until, &error), error);
    CHECK(waves.until == until, "until %g", waves.until);
    check_waves(&waves, &neighbours);
    struct waves other = {.neighbours = &neighbours};
    for (int again = 0; again < 2; again++) { /* into nothing, and over what is there */
        CHECK_OK(waves_copy(&other, &waves, &error), error);
        CHECK(other.activations == waves.activations && other.waves == waves.waves &&
                  other.owners == waves.owners && other.nodes == waves.nodes && other.until == waves.until &&
                  other.running == waves.running && other.alone_wave == waves.alone_wave,
              "another number of something");
        CHECK(!memcmp(other.latest, waves.latest, NODES * sizeof *other.latest) &&
                  !memcmp(other.path, waves.path, NODES * sizeof *other.path) &&
                  (count == 0 ||
                   !memcmp(other.activation, waves.activation, (size_t)count * sizeof *other.activation)) &&
                  (waves.waves == 0 ||
                   !memcmp(other.wave, waves.wave, (size_t)waves.waves * sizeof *other.wave)) &&
                  (waves.owners == 0 ||
                   !memcmp(other.owner, waves.owner, (size_t)waves.owners * sizeof *other.owner)),
              "a copy differs");
        if (again == 0 && count > 0)
            other.activation[0].time = -7;
    }
    owned += waves.owners > 0;
    waves_free(&other);
    waves_free(&waves);
    csr_free(&neighbours);
    mesh_free(&mesh);
}

/* Thousands at once, in pieces: sorted by time, then by node; what was added before is not added again, and learns when it was over */
static void test_append(void)
{
    enum { MANY = 30000 };
    struct error error = {0};
    struct mesh mesh = mesh_sample_lattice(1, (const int[]){MANY - 1, 0, 0}, (const double[]){1, 1, 1});
    double *time = calloc(2 * MANY, sizeof *time), *over = calloc(2 * MANY, sizeof *over);
    struct csr neighbours;
    struct waves waves;
    CHECK(time && over, "no memory");
    CHECK_OK(mesh_neighbours_create(&neighbours, &mesh, NULL, 0, &error), error);
    CHECK_OK(waves_create(&waves, &neighbours, mesh.point, NULL, 0, 1, &error), error);
    for (int k = 0; k < 2 * MANY; k++) {
        time[k] = k % 2 * 50 + floor(4000 * random_from(0, 1)) / 100;
        over[k] = k % 2 ? (double)NAN : time[k] + 5;
    }
    const struct waves_record record = {time, over, 2, NULL};
    int64_t before = 0;
    for (int piece = 0; piece < 3; piece++) {
        const double until = (const double[]){20.37, 60, 100}[piece], from = waves.until;
        int64_t want = 0;
        struct waves_record now = record;
        double *seen = calloc(2 * MANY, sizeof *seen), *ends = calloc(2 * MANY, sizeof *ends);
        CHECK(seen && ends, "no memory");
        for (int k = 0; k < 2 * MANY; k++) {
            seen[k] = time[k] <= until ? time[k] : (double)NAN;
            ends[k] = over[k] <= until ? over[k] : (double)NAN;
            want += time[k] > from && time[k] <= until;
        }
        now.time = seen;
        now.over = ends;
        CHECK_OK(waves_append(&waves, &now, &error), error);
        CHECK(waves.activations == before + want, "%lld activations, want %lld", (long long)waves.activations,
              (long long)(before + want));
        for (int64_t a = 1; a < waves.activations; a++) {
            const struct waves_activation *own = &waves.activation[a], *last = own - 1;
            CHECK(last->time < own->time || (last->time == own->time && last->node < own->node),
                  "activation %lld is not in order", (long long)a);
        }
        for (int64_t a = 0; a < waves.activations; a++) {
            const struct waves_activation *own = &waves.activation[a];
            const int k = 2 * own->node + (own->time == time[2 * own->node] ? 0 : 1);
            CHECK(own->time == time[k], "activation %lld is none of its node", (long long)a);
            CHECK(waves_before(&waves, (int32_t)a, NULL) < 0 || a > waves_before(&waves, (int32_t)a, NULL),
                  "before");
            if (k % 2 == 1 || ends[k] == own->over || isnan(ends[k]))
                continue;
            CHECK(waves.latest[own->node] != a, "activation %lld was over at %g ms", (long long)a, ends[k]);
        }
        before = waves.activations;
        waves.until = until;
        free(seen);
        free(ends);
    }
    waves_free(&waves);
    csr_free(&neighbours);
    mesh_free(&mesh);
    free(time);
    free(over);
}

int main(void)
{
    for (int turn = 0; turn < 400; turn++)
        test_random(turn);
    CHECK(owned > 100, "%d forests have owners", owned);
    test_append();
    return 0;
}
