/* test_waves.c: causes, waves and their outcomes on cables and rings whose activations are given by hand; a
 * forest built in pieces, or cut and continued, equals that of all activations at once. */
#include "kernels/base/array.h"
#include "solver/cells/waves.h"
#include "solver/mesh/neighbours.h"
#include "tests/support/mesh_sample.h"

enum { NODES = 12, BEATS = 4 };

/* A cable, or a ring, of nodes 1 mm apart; [node][beat] is activated at time, up for 100 ms. Pulses of 2 ms */
struct line {
    struct mesh mesh;
    struct csr neighbours;
    struct stimulus stimulus[3];
    int stimuli;
    double time[NODES * BEATS], over[NODES * BEATS];
    uint8_t dropped[NODES], excitable[NODES];
    struct waves waves;
};

static void make(struct line *line, bool ring)
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
    for (int k = 0; k < NODES * BEATS; k++)
        line->time[k] = line->over[k] = NAN;
}

/* A stimulus of one pulse; all of them come before any activation. */
static struct stimulus *pulse(struct line *line, const int32_t *node, int64_t nodes, double start,
                              double current)
{
    struct error error = {0};
    struct stimulus *stimulus = &line->stimulus[line->stimuli++];
    *stimulus = (struct stimulus){
        .node = node, .nodes = nodes, .start = start, .current = current, .duration = 2, .count = 1};
    waves_free(&line->waves);
    CHECK_OK(waves_create(&line->waves, &line->neighbours, line->mesh.point, line->stimulus, line->stimuli, 1,
                          &error),
             error);
    return stimulus;
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
}

static struct waves_response respond(const struct line *line, int s)
{
    struct waves_response response;
    waves_response(&response, &line->waves, s, 0);
    return response;
}

static void check(const char *name, const struct line *line, int s, enum waves_end end, int64_t nodes,
                  enum waves_reason reason)
{
    const struct waves_response response = respond(line, s);
    CHECK(response.end == end && response.nodes == nodes && response.reason == reason,
          "%s, pulse %d: end %d, %lld nodes, reason %d", name, s, response.end, (long long)response.nodes,
          response.reason);
}

static void free_line(struct line *line)
{
    waves_free(&line->waves);
    csr_free(&line->neighbours);
    mesh_free(&line->mesh);
}

static const int32_t left_end[] = {0, 1}, middle[] = {5}, beside[] = {8, 9}, right_end[] = {10, 11},
                     anywhere[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

static void test_cable(void)
{
    struct line line;
    struct waves_blocked blocked;
    make(&line, false);
    pulse(&line, left_end, 2, 0, 50);
    for (int i = 0; i < NODES; i++)
        put(&line, i, 1 + 2 * i);
    add(&line, 300);
    const struct wave *wave = line.waves.wave;
    struct waves_response response = respond(&line, 0);
    check("a cable", &line, 0, WAVES_CAPTURED, NODES - 2, WAVES_NO_REASON);
    CHECK(line.waves.waves == 1 && wave->activations == NODES && wave->outside == NODES - 2 && !wave->again,
          "%lld waves, the first of %lld activations", (long long)line.waves.waves,
          (long long)wave->activations);
    CHECK(response.rose == 2 && response.own == 2 && response.around == 1 && response.held == 0 &&
              response.first == 5 && response.last == 23 && response.reach == 10 && !response.late,
          "%lld rose, %lld around, %g to %g ms, %g mm", (long long)response.rose, (long long)response.around,
          response.first, response.last, response.reach);
    CHECK(wave->longest == 2 && !waves_running(&line.waves, 0), "%g ms at most", wave->longest);
    waves_blocked_edges(&blocked, &line.waves, 0);
    CHECK(blocked.ahead.nodes == 0, "%lld edges blocked", (long long)blocked.ahead.nodes);
    free_line(&line);
}

/* A pulse at the left end; nodes 0 .. rows - 1 rise at these times, ms */
static void test_end(const char *name, const double *time, int rows, double until, double current,
                     enum waves_end end, int64_t nodes, enum waves_reason reason)
{
    struct line line;
    make(&line, false);
    pulse(&line, left_end, 2, 0, current);
    for (int i = 0; i < rows; i++)
        put(&line, i, time[i]);
    line.over[0] = line.over[BEATS] = 250; /* however long its nodes are up */
    add(&line, until);
    check(name, &line, 0, end, nodes, reason);
    free_line(&line);
}

static void test_ends(void)
{
    const double steady[] = {1, 3, 5, 7, 9, 11, 13}, slower[] = {1, 1.5, 3, 5, 8, 13},
                 gains[] = {1, 2, 5, 9, 12};
    test_end("a front that is blocked", steady, 7, 300, 50, WAVES_CAPTURED, 5, WAVES_NO_REASON);
    test_end("each step slower", slower, 6, 300, 50, WAVES_FADED, 4, WAVES_NO_REASON);
    test_end("one that leaves a slow start", gains, 5, 300, 50, WAVES_CAPTURED, 3, WAVES_NO_REASON);
    test_end("one that may go on", slower, 5, 10, 50, WAVES_CAPTURED, 3, WAVES_NO_REASON);
    test_end("two steps", steady, 4, 300, 50, WAVES_FADED, 2, WAVES_NO_REASON);
    test_end("no follower", slower, 2, 300, 50, WAVES_NOTHING, 0, WAVES_NONE_FOLLOWED);
    test_end("no follower yet", slower, 2, 1.8, 50, WAVES_RUN_ENDED, 0, WAVES_NO_REASON);
    test_end("nothing", NULL, 0, 300, 50, WAVES_NOTHING, 0, WAVES_WEAK);
    test_end("nothing yet", NULL, 0, 1, 50, WAVES_RUN_ENDED, 0, WAVES_NO_REASON);
    test_end("no current", steady, 7, 300, 0, WAVES_NOTHING, 0, WAVES_NO_CURRENT);
    test_end("a negative one", NULL, 0, 300, -5, WAVES_NOTHING, 0, WAVES_WRONG_SIGN);
    test_end("before it", NULL, 0, 0, 50, WAVES_NOT_APPLIED, 0, WAVES_NO_REASON);
}

/* Cells without a front, and cells that are up at the beginning */
static void test_states(void)
{
    struct line line;
    make(&line, false);
    pulse(&line, left_end, 2, 0, 50);
    line.waves.excitable = line.excitable;
    add(&line, 300);
    check("passive cells", &line, 0, WAVES_NOTHING, 0, WAVES_PASSIVE);
    line.excitable[0] = line.excitable[1] = 1;
    line.waves.up = line.excitable;
    check("cells up at the beginning", &line, 0, WAVES_NOTHING, 0, WAVES_REFRACTORY);
    CHECK(respond(&line, 0).rest.rested == -1 && isnan(respond(&line, 0).rest.rose),
          "a time before the record");
    free_line(&line);
}

/* Two pulses on the same nodes: one that comes before the wave has left them owns it, too, and a later one
 * does not. */
static void test_together(double start, double current, bool together)
{
    struct error error = {0};
    struct line line;
    struct waves_owner *other = NULL;
    int64_t count;
    make(&line, false);
    pulse(&line, left_end, 2, 0, 50);
    pulse(&line, left_end, 2, start, current);
    for (int i = 0; i < NODES; i++)
        put(&line, i, i < 2 ? 0.4 : -1 + 2 * i);
    add(&line, 300);
    check("the first of two", &line, 0, WAVES_CAPTURED, NODES - 2, WAVES_NO_REASON);
    check("the second of two", &line, 1, together ? WAVES_CAPTURED : WAVES_NOTHING, together ? NODES - 2 : 0,
          together ? WAVES_NO_REASON : WAVES_REFRACTORY);
    CHECK_OK(waves_together(&other, &count, &line.waves, 0, 0, &error), error);
    CHECK(count == together && (count == 0 || other->stimulus == 1), "together with %lld", (long long)count);
    free(other);
    free_line(&line);
}

/* Sites whose waves meet block nothing. S3 has no node of its own beside it. */
static void test_sites(void)
{
    const double meet[] = {1, 1, 2, 3, 4, 4, 3, 2, 1, 1, 1, 1};
    struct line line;
    make(&line, false);
    pulse(&line, left_end, 2, 0, 50);
    pulse(&line, beside, 2, 0, 50);
    pulse(&line, right_end, 2, 0, 50);
    for (int i = 0; i < NODES; i++)
        put(&line, i, meet[i]);
    add(&line, 300);
    check("S1", &line, 0, WAVES_CAPTURED, 3, WAVES_NO_REASON);
    check("S2", &line, 1, WAVES_CAPTURED, 3, WAVES_NO_REASON);
    check("S3", &line, 2, WAVES_CAPTURED, 0, WAVES_NO_REASON);
    for (int s = 0; s < 3; s++)
        CHECK(respond(&line, s).held == 0, "S%d is held", s + 1);
    free_line(&line);
}

static struct waves_alone alone_at_98(void *cells, int32_t node)
{
    (void)cells;
    (void)node;
    return (struct waves_alone){98, 200};
}

/* Tissue that beats by itself: without a pulse's help at 98 ms, and at 298; with it at 4.5 ms */
static void test_itself(void)
{
    for (int helped = 0; helped < 2; helped++) {
        struct line line;
        make(&line, false);
        pulse(&line, left_end, 2, 0, 50);
        line.waves.alone = alone_at_98;
        for (int i = 0; i < NODES; i++) {
            put(&line, i, helped ? 4.5 + 2 * i : 98 + 1e-6 * i);
            if (!helped)
                put(&line, i, 298 + 1e-6 * i);
        }
        add(&line, 400);
        check("by itself", &line, 0, helped ? WAVES_CAPTURED : WAVES_NOTHING, helped ? NODES - 2 : 0,
              helped ? WAVES_NO_REASON : WAVES_WEAK);
        CHECK(line.waves.waves == (helped ? 1 : 2) && (line.waves.wave[0].owner == WAVES_ITSELF) == !helped &&
                  line.waves.wave[0].again == 0,
              "%lld waves", (long long)line.waves.waves);
        free_line(&line);
    }
}

/* A late response, where the stimulated nodes did not rise, is of the pulse, if it can reach it; not while
 * another wave runs. */
static void test_late(double speed, bool other, enum waves_end end, int64_t nodes)
{
    struct line line;
    make(&line, false);
    pulse(&line, left_end, 2, 0, 50);
    pulse(&line, right_end, 2, 39, 50);
    put(&line, 11, other ? 39.1 : 39.6);
    put(&line, 10, 40);
    line.waves.speed = speed;
    for (int i = 4; i < 9; i++)
        put(&line, i, 40.5 + 2 * (i - 4));
    add(&line, 300);
    check("a late response", &line, 0, end, nodes, end == WAVES_NOTHING ? WAVES_WEAK : WAVES_NO_REASON);
    CHECK(respond(&line, 0).late == (nodes > 0), "late");
    free_line(&line);
}

/* It stops at node 6; 2 ms later it might have gone on. */
static void test_blocked(void)
{
    struct line line;
    struct waves_blocked blocked;
    make(&line, false);
    pulse(&line, left_end, 2, 0, 50);
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
    CHECK(line.waves.waves == 2 && line.waves.wave[1].owner == WAVES_UNKNOWN, "%lld waves",
          (long long)line.waves.waves);
    waves_blocked_edges(&blocked, &line.waves, 0);
    CHECK(blocked.ahead.nodes == 1, "%lld edges", (long long)blocked.ahead.nodes);
    free_line(&line);
}

/* A pulse between cells at rest and cells that are up: blocked at one of the two nodes next to it */
static void test_held(void)
{
    struct line line;
    make(&line, false);
    pulse(&line, beside, 2, 30, 50);
    put(&line, 9, 10); /* whence nodes 10 and 11 were activated */
    line.over[9 * BEATS] = 15;
    for (int i = 0; i < NODES; i++)
        put(&line, i, i >= 10 ? i + 1 : 32 + abs(i - 9));
    line.over[10 * BEATS] = line.over[11 * BEATS] = 200;
    add(&line, 300);
    const struct waves_response response = respond(&line, 0);
    check("blocked at one side", &line, 0, WAVES_CAPTURED, 8, WAVES_NO_REASON);
    CHECK(response.around == 2 && response.held == 1 && response.rest.nodes == 1 && response.rest.up == 1 &&
              response.rest.rose == 11,
          "held at %lld of %lld", (long long)response.held, (long long)response.around);
    free_line(&line);
}

static int32_t stimulus_of(const struct waves *waves, int32_t w)
{
    const int32_t owner = waves->wave[w].owner;
    return owner < 0 ? owner : waves->owner[owner].stimulus;
}

/* Over three silent nodes a cause is found, over four it is not: but the cone tells whose late response it
 * is, unless it is too far for the time */
static void test_silent(int silent, double time, int32_t stimulus, bool late)
{
    struct line line;
    make(&line, false);
    pulse(&line, left_end, 2, 0, 50);
    for (int i = 0; i < 2; i++)
        put(&line, i, 1 + 2 * i);
    put(&line, 2 + silent, time);
    add(&line, 300);
    const struct waves *waves = &line.waves;
    int32_t a = waves->latest[2 + silent];
    CHECK(stimulus_of(waves, (int32_t)waves->activation[a].wave) == stimulus, "%d silent", silent);
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
    make(&line, true);
    pulse(&line, middle, 1, 0, 50);
    pulse(&line, middle, 1, INFINITY, 50)->phase = true;
    for (int i = 0; i < NODES; i++)
        put(&line, i, 1 + 3 * abs(i - 5));
    line.stimulus[1].start = 102;
    for (int i = 0; i < 2 * NODES; i++)
        put(&line, (5 - i + 2 * NODES) % NODES, 103 + 10 * i);
    add(&line, 600);
    const struct waves *waves = &line.waves;
    CHECK(waves->waves == 2 && stimulus_of(waves, 1) == 1, "%lld waves", (long long)waves->waves);
    CHECK(waves->wave[0].activations == NODES && waves->wave[1].activations == 2 * NODES &&
              waves->wave[0].again == 0 && waves->wave[1].again == NODES,
          "%lld again", (long long)waves->wave[1].again);
    CHECK(waves->activation[waves->wave[1].returned].node == 5, "first at node %d",
          waves->activation[waves->wave[1].returned].node);
    CHECK_OK(waves_cycle(&cycle, waves, 1, 0, &error), error);
    CHECK(cycle == 10 * NODES, "%g ms", cycle);
    struct waves_response response = respond(&line, 1);
    CHECK(response.around == 2 && response.held == 1 && response.first == 11 && response.nodes == NODES - 1,
          "held at %lld of %lld, first after %g ms", (long long)response.held, (long long)response.around,
          response.first);
    waves_blocked_edges(&blocked, waves, 1);
    CHECK(blocked.ahead.nodes == 2 && blocked.ahead.up == 1 && blocked.ahead.early == 1 &&
              blocked.ahead.rested == -1 && waves->activation[blocked.last].node == 6,
          "%lld edges blocked, %lld by what was up", (long long)blocked.ahead.nodes,
          (long long)blocked.ahead.up);
    free_line(&line);
}

/* A pulse that does nothing, and another wave that passes: it is not the pulse's */
static void test_passing(void)
{
    struct line line;
    make(&line, false);
    pulse(&line, middle, 1, 10, 0.1);
    for (int i = 0; i < NODES; i++)
        put(&line, i, 7 + i);
    add(&line, 300);
    check("what another wave passes", &line, 0, WAVES_NOTHING, 0, WAVES_ANOTHER);
    CHECK(line.waves.waves == 1 && respond(&line, 0).rose == 0 && respond(&line, 0).other == 0, "rose");
    free_line(&line);
}

/* A current of 400 ms: nodes that rise again while it is on are no re-entry. After it they are unknown. */
static void test_long(void)
{
    struct line line;
    make(&line, false);
    pulse(&line, anywhere, NODES, 0, 50)->duration = 400;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < NODES; i++)
            put(&line, i, 3 + 250.0 * k);
    add(&line, 600);
    const struct waves *waves = &line.waves;
    CHECK(waves->wave[0].repeat == 0 && waves->wave[1].repeat == 1 && waves->wave[2].owner < 0,
          "repeats %d, %d", waves->wave[0].repeat, waves->wave[1].repeat);
    CHECK(waves->wave[0].activations == NODES && waves->wave[1].again == 0, "again");
    check("a current that lasts", &line, 0, WAVES_CAPTURED, 0, WAVES_NO_REASON);
    CHECK(respond(&line, 0).repeats == 1, "%lld repeats", (long long)respond(&line, 0).repeats);
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
    make(&line, false);
    pulse(&line, middle, 1, 0, 50);
    struct waves none = copy(&line.waves);
    for (int b = 0; b < BEATS; b++)
        put(&line, 4, 500 + 200 * b);
    add(&line, 2000);
    check("all activations", &line, 0, WAVES_FADED, 1, WAVES_NO_REASON);
    restore(&line, &none);
    line.dropped[4] = 1;
    add(&line, 2000);
    check("some of them", &line, 0, WAVES_NOT_RECORDED, 1, WAVES_NO_REASON);
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
    for (int64_t w = 0; w < want->waves; w++) {
        const struct wave *x = &got->wave[w], *y = &want->wave[w];
        CHECK(x->owner == y->owner && x->again == y->again && x->followed == y->followed &&
                  x->left == y->left && x->longest == y->longest && x->most == y->most && x->far == y->far &&
                  x->steady == y->steady && x->path == y->path &&
                  memcmp(&x->slowness, &y->slowness, sizeof x->slowness) == 0,
              "wave %lld", (long long)w);
    }
    for (int64_t k = 0; k < want->owners; k++)
        CHECK(got->owner[k].wave == want->owner[k].wave && got->owner[k].pulse == want->owner[k].pulse &&
                  got->owner[k].stimulus == want->owner[k].stimulus &&
                  got->owner[k].earlier == want->owner[k].earlier &&
                  got->owner[k].next == want->owner[k].next,
              "owner %lld", (long long)k);
}

/* A pulse at node 5 and activations at random, some nodes with none in some beats: what is passed over as
 * silent in one piece may be activated in the next. */
static void test_pieces(uint64_t seed)
{
    struct line whole, pieces;
    const uint64_t draw = seed * 1000;
    make(&whole, true);
    pulse(&whole, middle, 1, 0, 50);
    pulse(&whole, middle, 1, INFINITY, 50)->phase = true;
    make(&pieces, true);
    pulse(&pieces, middle, 1, 0, 50);
    pulse(&pieces, middle, 1, INFINITY, 50)->phase = true;
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

/* Nodes that all rise at once, of no pulse: a cost that grows as their square would take a minute. */
static void test_cost(void)
{
#ifdef __SANITIZE_ADDRESS__
    enum { MANY = 20000 };
#else
    enum { MANY = 200000 };
#endif
    static double time[MANY], over[MANY];
    struct error error = {0};
    struct mesh mesh = mesh_sample_lattice(1, (const int[]){MANY - 1, 0, 0}, (const double[]){1, 1, 1});
    const struct stimulus stimulus = {.node = middle, .nodes = 1, .current = 0.1, .duration = 1, .count = 1};
    struct csr neighbours;
    struct waves waves;
    CHECK_OK(mesh_neighbours_create(&neighbours, &mesh, NULL, 0, &error), error);
    CHECK_OK(waves_create(&waves, &neighbours, mesh.point, &stimulus, 1, 0.5, &error), error);
    for (int i = 0; i < MANY; i++) {
        time[i] = 50;
        over[i] = NAN;
    }
    const struct waves_record record = {time, over, 1, NULL};
    CHECK_OK(waves_add(&waves, &record, 300, &error), error);
    CHECK(waves.waves >= MANY - 60, "%lld waves", (long long)waves.waves);
    waves_free(&waves);
    csr_free(&neighbours);
    mesh_free(&mesh);
}

int main(void)
{
    test_cable();
    test_blocked();
    test_ends();
    test_held();
    test_states();
    test_together(0.5, 1, true);
    test_together(1, 50, true);
    test_together(6, 50, false);
    test_sites();
    test_itself();
    test_late(1, false, WAVES_CAPTURED, 5);
    test_late(1, true, WAVES_NOTHING, 0);
    test_late(0.05, false, WAVES_NOTHING, 0);
    test_silent(3, 20, 0, false);
    test_silent(4, 20, 0, true);
    test_silent(4, 4.5, -1, true);
    test_ring();
    test_passing();
    test_long();
    test_dropped();
    test_cost();
#ifdef __SANITIZE_ADDRESS__
    const uint64_t pieces = 100;
#else
    const uint64_t pieces = 1000;
#endif
    for (uint64_t seed = 0; seed < pieces; seed++)
        test_pieces(seed);
    return 0;
}
