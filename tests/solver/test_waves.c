/* test_waves.c: causes, waves and their outcomes on cables and rings whose activations are given by hand; a
 * forest built in pieces, or cut and continued, equals that of all activations at once. */
#include "kernels/base/array.h"
#include "solver/cells/waves.h"
#include "solver/mesh/neighbours.h"
#include "tests/support/mesh_sample.h"

enum { NODES = 12, BEATS = 4 };

/* A cable, or a ring, of nodes 1 mm apart; [node][beat] is activated at time, up for 100 ms */
struct line {
    struct mesh mesh;
    struct csr neighbours;
    struct stimulus stimulus[2];
    double time[NODES * BEATS], over[NODES * BEATS];
    uint8_t dropped[NODES];
    struct waves waves;
};

static void make(struct line *line, bool ring, const int32_t *node, int64_t nodes)
{
    struct error error = {0};
    *line = (struct line){
        .mesh = mesh_sample_lattice(1, (const int[]){NODES - 1, 0, 0}, (const double[]){1, 1, 1})};
    if (ring) { /* one element more */
        struct mesh *mesh = &line->mesh;
        mesh->vertex = realloc(mesh->vertex, (size_t)(mesh->elements + 1) * 2 * sizeof *mesh->vertex);
        CHECK(mesh->vertex, "no memory");
        mesh->vertex[2 * mesh->elements] = 0;
        mesh->vertex[2 * mesh->elements + 1] = NODES - 1;
        mesh->elements++;
    }
    CHECK_OK(mesh_neighbours_create(&line->neighbours, &line->mesh, NULL, 0, &error), error);
    line->stimulus[0] =
        (struct stimulus){.node = node, .nodes = nodes, .current = 50, .duration = 2, .count = 1};
    line->stimulus[1] = line->stimulus[0];
    line->stimulus[1].start = INFINITY;
    line->stimulus[1].phase = true;
    for (int k = 0; k < NODES * BEATS; k++)
        line->time[k] = line->over[k] = NAN;
    CHECK_OK(waves_create(&line->waves, &line->neighbours, line->mesh.point, line->stimulus, 2, 1, &error),
             error);
}

static void put(struct line *line, int node, double time)
{
    int beat = 0;
    while (!isnan(line->time[node * BEATS + beat]))
        beat++;
    CHECK(beat < BEATS, "no room");
    line->time[node * BEATS + beat] = time;
    line->over[node * BEATS + beat] = time + 100;
}

/* Activations and repolarizations after `until` are not recorded yet. */
static void add(struct line *line, double until)
{
    struct error error = {0};
    double time[NODES * BEATS], over[NODES * BEATS];
    for (int k = 0; k < NODES * BEATS; k++) {
        time[k] = line->time[k] <= until ? line->time[k] : NAN;
        over[k] = line->over[k] <= until ? line->over[k] : NAN;
    }
    const struct waves_record record = {time, over, BEATS, line->dropped};
    CHECK_OK(waves_add(&line->waves, &record, until, &error), error);
    waves_measure(&line->waves);
}

static struct waves_response respond(const struct line *line, int s)
{
    struct error error = {0};
    struct waves_response response;
    CHECK_OK(waves_response(&response, &line->waves, s, 0, &error), error);
    return response;
}

static void free_line(struct line *line)
{
    waves_free(&line->waves);
    csr_free(&line->neighbours);
    mesh_free(&line->mesh);
}

static const int32_t left_end[] = {0, 1}, middle[] = {5}, anywhere[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

static void test_cable(void)
{
    struct line line;
    struct waves_blocked blocked;
    make(&line, false, left_end, 2);
    for (int i = 0; i < NODES; i++)
        put(&line, i, 1 + 2 * i);
    add(&line, 300);
    const struct wave *wave = line.waves.wave;
    struct waves_response response = respond(&line, 0);
    CHECK(line.waves.waves == 1 && wave->activations == NODES && wave->outside == NODES - 2 && !wave->again,
          "%lld waves, the first of %lld activations", (long long)line.waves.waves,
          (long long)wave->activations);
    CHECK(response.rose == 2 && response.around == 1 && response.followed == 1 && response.delay == 5,
          "%lld rose, %lld of %lld followed after %g ms", (long long)response.rose,
          (long long)response.followed, (long long)response.around, response.delay);
    CHECK(wave->longest == 2 && !waves_running(&line.waves, 0), "%g ms at most", wave->longest);
    waves_blocked_edges(&blocked, &line.waves, 0);
    CHECK(blocked.ahead.nodes == 0, "%lld edges blocked", (long long)blocked.ahead.nodes);
    free_line(&line);
}

/* It stops at node 6; 2 ms later it might have gone on. */
static void test_blocked(void)
{
    struct line line;
    struct waves_blocked blocked;
    make(&line, false, left_end, 2);
    for (int i = 0; i < 7; i++)
        put(&line, i, 1 + 2 * i);
    add(&line, 15);
    CHECK(waves_running(&line.waves, 0), "stopped at once");
    add(&line, 15.5);
    CHECK(!waves_running(&line.waves, 0), "still running");
    waves_blocked_edges(&blocked, &line.waves, 0);
    CHECK(blocked.ahead.nodes == 1 && blocked.never == 1 && line.waves.activation[blocked.last].node == 6 &&
              isnan(blocked.ahead.rested),
          "%lld edges", (long long)blocked.ahead.nodes);
    for (int i = 7; i < NODES; i++) /* another wave: no front comes so far by then */
        put(&line, i, 130 + 2 * (NODES - i));
    line.waves.speed = 0.05;
    add(&line, 300);
    CHECK(line.waves.waves == 2 && line.waves.wave[1].stimulus < 0, "%lld waves",
          (long long)line.waves.waves);
    waves_blocked_edges(&blocked, &line.waves, 0);
    CHECK(blocked.ahead.nodes == 1, "%lld edges", (long long)blocked.ahead.nodes);
    free_line(&line);
}

/* Nodes 2 to 4 rise after the stimulated ones and fall at `over`, those at 101 and 103 ms: what is lifted
 * falls first, and a node outlives all by more than a delay if a wave has spread. Until then it is open. */
static void test_lifted(const double over[3], double until, bool captured, bool open)
{
    struct line line;
    make(&line, false, left_end, 2);
    for (int i = 0; i < 5; i++)
        put(&line, i, 1 + 2 * i);
    for (int i = 0; i < 3; i++)
        line.over[(2 + i) * BEATS] = over[i];
    add(&line, until);
    const struct wave *wave = line.waves.wave;
    CHECK(wave->outside == 3 && wave->spread == (captured && !open) && wave->open == open,
          "spread %d, open %d by %g ms", wave->spread, wave->open, until);
    CHECK((respond(&line, 0).left >= 0) == captured, "captured %d", !captured);
    free_line(&line);
}

/* Over three silent nodes a cause is found, over four it is not: but the cone tells whose late response it
 * is, unless it is too far for the time */
static void test_silent(int silent, double time, int32_t stimulus, bool late)
{
    struct line line;
    make(&line, false, left_end, 2);
    for (int i = 0; i < 2; i++)
        put(&line, i, 1 + 2 * i);
    put(&line, 2 + silent, time);
    add(&line, 300);
    const struct waves *waves = &line.waves;
    int32_t a = waves->latest[2 + silent];
    CHECK(waves->wave[waves->activation[a].wave].stimulus == stimulus, "%d silent: stimulus %d", silent,
          waves->wave[waves->activation[a].wave].stimulus);
    CHECK((waves->activation[a].cause < 0) == late, "%d silent: cause %d", silent,
          waves->activation[a].cause);
    free_line(&line);
}

/* A pulse in the wake of a wave: what is still up beside it is no cause. It goes to the left alone, round the
 * ring, comes back, and stops before node 5 in the second round. */
static void test_ring(void)
{
    struct error error = {0};
    struct line line;
    struct waves_blocked blocked;
    double cycle;
    make(&line, true, middle, 1);
    for (int i = 0; i < NODES; i++)
        put(&line, i, 1 + 3 * abs(i - 5));
    line.stimulus[1].start = 102;
    for (int i = 0; i < 2 * NODES; i++)
        put(&line, (5 - i + 2 * NODES) % NODES, 103 + 10 * i);
    add(&line, 600);
    const struct waves *waves = &line.waves;
    CHECK(waves->waves == 2 && waves->wave[1].stimulus == 1, "%lld waves", (long long)waves->waves);
    CHECK(waves->wave[0].activations == NODES && waves->wave[1].activations == 2 * NODES &&
              waves->wave[0].again == 0 && waves->wave[1].again == NODES,
          "%lld again", (long long)waves->wave[1].again);
    CHECK(waves->activation[waves->wave[1].returned].node == 5, "first at node %d",
          waves->activation[waves->wave[1].returned].node);
    CHECK_OK(waves_cycle(&cycle, waves, 1, 0, &error), error);
    CHECK(cycle == 10 * NODES, "%g ms", cycle);
    struct waves_response response = respond(&line, 1);
    CHECK(response.around == 2 && response.followed == 1 && response.delay == 11, "%lld of %lld after %g ms",
          (long long)response.followed, (long long)response.around, response.delay);
    waves_blocked_edges(&blocked, waves, 1);
    CHECK(blocked.ahead.nodes == 2 && blocked.ahead.up == 1 && blocked.ahead.early == 1 &&
              blocked.ahead.rested == -1 && waves->activation[blocked.last].node == 6,
          "%lld edges blocked, %lld by what was up", (long long)blocked.ahead.nodes,
          (long long)blocked.ahead.up);
    CHECK(response.own.nodes == 1 && response.own.early == 1 && response.own.rested == 1 &&
              response.own.rose == 1 && response.ahead.nodes == 1 && response.ahead.up == 1,
          "rested for %g ms", response.own.rested);
    free_line(&line);
}

/* Node 4 follows the second pulse, at node 5, late: the nodes of the first wave that are still up could reach
 * it, but all around them have followed; unless that wave stopped before node 9, which then may be its source
 */
static void test_edge(int last, int32_t stimulus)
{
    struct line line;
    make(&line, true, middle, 1);
    for (int i = 0; i <= last; i++)
        put(&line, i, 1 + 10 * abs(i - 5));
    line.over[4 * BEATS] = line.over[5 * BEATS] = 40;
    line.stimulus[1].start = 102;
    put(&line, 5, 103);
    line.over[5 * BEATS + 1] = 105;
    put(&line, 4, 115);
    add(&line, 300);
    const struct waves *waves = &line.waves;
    const struct wave *wave = &waves->wave[waves->activation[waves->latest[4]].wave];
    CHECK(wave->stimulus == stimulus, "node 4 is of stimulus %d", wave->stimulus);
    free_line(&line);
}

/* A pulse that does nothing, and another wave that passes: it is not the pulse's */
static void test_passing(void)
{
    struct line line;
    make(&line, false, middle, 1);
    line.stimulus[0].start = 10;
    for (int i = 0; i < NODES; i++)
        put(&line, i, 7 + i);
    add(&line, 300);
    struct waves_response response = respond(&line, 0);
    CHECK(line.waves.waves == 1 && response.rose == 0 && response.left < 0, "%lld rose",
          (long long)response.rose);
    free_line(&line);
}

/* A current of 400 ms: nodes that rise again while it is on are no re-entry. After it they are unknown. */
static void test_long(void)
{
    struct line line;
    make(&line, false, anywhere, NODES);
    line.stimulus[0].duration = 400;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < NODES; i++)
            put(&line, i, 3 + 250.0 * k);
    add(&line, 600);
    const struct waves *waves = &line.waves;
    CHECK(waves->wave[0].repeat == 0 && waves->wave[1].repeat == 1 && waves->wave[2].stimulus < 0,
          "repeats %d, %d", waves->wave[0].repeat, waves->wave[1].repeat);
    CHECK(waves->wave[0].activations == NODES && waves->wave[1].again == 0, "again");
    struct waves_response response = respond(&line, 0);
    CHECK(response.around == 0 && response.rose == NODES && response.left < 0, "%lld around",
          (long long)response.around);
    free_line(&line);
}

static struct waves copy(const struct waves *waves)
{
    struct waves to = {0};
    struct error error = {0};
    CHECK_OK(waves_copy(&to, waves, &error), error);
    return to;
}

/* Back to a copy, which is freed */
static void restore(struct line *line, struct waves *from)
{
    struct error error = {0};
    const struct waves *waves = &line->waves;
    CHECK_OK(waves_copy(&line->waves, from, &error), error);
    CHECK_OK(waves_set_stimuli(&line->waves, waves->stimulus, waves->stimuli, &error), error);
    waves_free(from);
}

/* What a full record lost is said */
static void test_dropped(void)
{
    struct line line;
    make(&line, false, middle, 1);
    struct waves none = copy(&line.waves);
    for (int b = 0; b < BEATS; b++)
        put(&line, 4, 500 + 200 * b);
    add(&line, 2000);
    CHECK(!respond(&line, 0).dropped, "dropped");
    restore(&line, &none);
    line.dropped[4] = 1;
    add(&line, 2000);
    CHECK(respond(&line, 0).dropped, "not dropped");
    free_line(&line);
}

static void compare(const struct waves *got, const struct waves *want)
{
    CHECK(got->activations == want->activations && got->waves == want->waves,
          "%lld activations in %lld waves, not %lld in %lld", (long long)got->activations,
          (long long)got->waves, (long long)want->activations, (long long)want->waves);
    for (int64_t a = 0; a < want->activations; a++) {
        const struct waves_activation *x = &got->activation[a], *y = &want->activation[a];
        CHECK(x->time == y->time && (x->over == y->over || (isnan(x->over) && isnan(y->over))) &&
                  x->node == y->node && x->cause == y->cause && x->wave == y->wave && x->before == y->before,
              "activation %lld at %g ms of node %d", (long long)a, x->time, x->node);
    }
    for (int64_t w = 0; w < want->waves; w++)
        CHECK(got->wave[w].stimulus == want->wave[w].stimulus && got->wave[w].again == want->wave[w].again &&
                  got->wave[w].earlier == want->wave[w].earlier,
              "wave %lld", (long long)w);
}

/* A pulse at node 5 and activations at random, some nodes with none in some beats: what is passed over as
 * silent in one piece may be activated in the next. */
static void test_pieces(uint64_t seed)
{
    struct line whole, pieces;
    const uint64_t draw = seed * 1000;
    make(&whole, true, middle, 1);
    make(&pieces, true, middle, 1);
    whole.stimulus[1].start = pieces.stimulus[1].start = 150;
    for (int i = 0; i < NODES; i++)
        for (int b = 0; b < BEATS - 1; b++) {
            double time = floor(40 * bits_random(draw + (uint64_t)(i * BEATS + b))) + 150 * b;
            if (seed % 2 == 1 && bits_random(draw + (uint64_t)(i * BEATS + b) + 500) < 0.4)
                continue;
            put(&whole, i, time);
            put(&pieces, i, time);
        }
    for (double until = 0; until < 500;) { /* back by a part of the way now and then */
        const uint64_t k = draw + 700 + (uint64_t)(until * 8);
        double to = until + 0.5 + 60 * bits_random(k);
        const bool back = bits_random(k + 1) < 0.2;
        if (back)
            add(&pieces, until + (to - until) * bits_random(k + 2));
        struct waves kept = copy(&pieces.waves);
        add(&pieces, to);
        if (back)
            restore(&pieces, &kept);
        else
            waves_free(&kept);
        until = to;
    }
    add(&whole, 600);
    add(&pieces, 600);
    compare(&pieces.waves, &whole.waves);
    free_line(&whole);
    free_line(&pieces);
}

int main(void)
{
    test_cable();
    test_blocked();
    test_lifted((double[]){90, 60, 20}, 300, false, false);
    test_lifted((double[]){90, 104, 20}, 300, false, false);
    test_lifted((double[]){90, 106, 20}, 300, true, false);
    test_lifted((double[]){109, 110, 20}, 300, false, false);
    test_lifted((double[]){90, 95, 20}, 50, true, true);
    test_lifted((double[]){90, 40, 20}, 50, false, false);
    test_lifted((double[]){90, 40, 20}, 10, true, true);
    test_silent(3, 20, 0, false);
    test_silent(4, 20, 0, true);
    test_silent(4, 4.5, -1, true);
    test_ring();
    test_edge(NODES - 1, 1);
    test_edge(8, 0);
    test_passing();
    test_long();
    test_dropped();
    for (uint64_t seed = 0; seed < 1000; seed++)
        test_pieces(seed);
    return 0;
}
