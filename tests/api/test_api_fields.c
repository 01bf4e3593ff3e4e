/* test_api_fields.c: what the library reads and sets, by definition: mesh, fields by name at all nodes and at some, conditions, stimuli,
 * waves, moved pulses and currents, files that it writes, and the message of each refusal, whole. Each array has guards around it. */
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "app/io/result/result.h"
#include "kernels/base/bits.h"
#include "tests/api/sample.h"

enum { NODES = 21, BEATS = 5, ROOM = 4 * NODES * BEATS };

/* A cable of two models that share names; S1 comes three times, in trains, S2 once */
static const char config[] =
    "version: 1\n"
    "mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}\n"
    "tissue:\n"
    "  surface_to_volume: 1400 /cm\n"
    "  regions:\n"
    "  - {where: x < 2.6 mm, model: mitchell-schaeffer, conductivity: 0.2 S/m,"
    " parameters: {tau_open: {field: open}, tau_close: 60 ms}}\n"
    "  - {model: modified-mitchell-schaeffer, conductivity: 0.2 S/m, parameters: {tau_open: {field: open}, "
    "tau_close: 50 ms}}\n"
    "stimuli:\n"
    "- {name: S1, where: x < 0.9 mm, start: 2 ms, duration: 2 ms, current: 60 uA/uF,"
    " protocol: [{count: 2, period: 300 ms}, {after: 320 ms}]}\n"
    "- {name: S2, where: x > 4.1 mm, start: 930 ms, duration: 1.5 ms, current: 80 uA/uF}\n"
    "time: {end: 1200 ms, step: 0.1 ms}\n"
    "activation: {beats: 5, threshold: -40 mV, rearm: -50 mV}\n"
    "output: {every: 1200 ms, maps: [activation_time, apd90]}\n"
    "solver: {splitting: godunov, method: jacobi, precision: double}\n";

static uint64_t drawn;

static double draw(double below)
{
    return bits_random(++drawn) * below;
}

/* An array with a guard on either side, which `guarded` checks */
static double room[ROOM + 2];
static double *const at_room = room + 1;

static double *guard(int64_t values)
{
    for (int64_t k = 0; k < ROOM + 2; k++)
        room[k] = 4711;
    CHECK(values <= ROOM, "%lld values", (long long)values);
    return at_room;
}

static void guarded(int64_t values, const char *what)
{
    CHECK(room[0] == 4711 && room[values + 1] == 4711, "%s: written outside", what);
}

static bool equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void refused(struct cardiac *sim, int status, const char *text)
{
    CHECK(status == 2, "not refused: %s", text);
    CHECK(strcmp(cardiac_error(sim), text) == 0, "'%s' is not '%s'", cardiac_error(sim), text);
}

static struct cardiac *opened(const char *overrides)
{
    struct cardiac *sim;
    double open[NODES];
    for (int i = 0; i < NODES; i++)
        open[i] = 80 + i;
    CHECK_API(cardiac_open(&sim, NULL, NULL, NULL), sim);
    CHECK_API(cardiac_array(sim, "open", open, NODES, 1), sim);
    CHECK_API(cardiac_reopen(sim, config, overrides), sim);
    return sim;
}

static void get(struct cardiac *sim, const char *field, int64_t values, double *to)
{
    guard(values);
    CHECK_API(cardiac_get(sim, field, at_room, values), sim);
    guarded(values, field);
    memcpy(to, at_room, (size_t)values * sizeof *to);
}

/* Of either model, by its own name or by the parameter's or state's alone; nodes of the boundary, at 2.5 mm, have the first */
static bool is_first(int i)
{
    return 0.25 * i < 2.6;
}

static void check_shape(struct cardiac *sim)
{
    int64_t nodes = 0, elements = 0, vertex[2 * NODES] = {0};
    int corners = 0;
    double point[3 * NODES], step;
    CHECK_API(cardiac_nodes(sim, &nodes), sim);
    CHECK_API(cardiac_elements(sim, &elements, &corners), sim);
    CHECK(nodes == NODES && elements == NODES - 1 && corners == 2, "%lld nodes, %lld elements",
          (long long)nodes, (long long)elements);
    get(sim, "where/x >= 0 mm", NODES, point);
    vertex[2 * NODES - 2] = vertex[2 * NODES - 1] = -7;
    CHECK_API(cardiac_cells(sim, vertex, 2 * NODES - 2), sim);
    guard(3 * NODES);
    CHECK_API(cardiac_points(sim, at_room, 3 * NODES), sim);
    guarded(3 * NODES, "points");
    for (int i = 0; i < NODES; i++)
        CHECK(fabs(at_room[3 * i] - 0.25 * i) < 1e-12 && at_room[3 * i + 1] == 0 && at_room[3 * i + 2] == 0,
              "node %d", i);
    for (int e = 0; e < NODES - 1; e++)
        CHECK(vertex[2 * e] == e && vertex[2 * e + 1] == e + 1, "element %d", e);
    CHECK(vertex[2 * NODES - 2] == -7, "cells written outside");
    CHECK_API(cardiac_step_length(sim, &step), sim);
    CHECK(step == 0.1, "%g", step);
    refused(sim, cardiac_points(sim, at_room, 3 * NODES - 1),
            "points: the array has 62 values; 63 are needed");
    refused(sim, cardiac_points(sim, at_room, 3 * NODES + 1),
            "points: the array has 64 values; 63 are needed");
    refused(sim, cardiac_cells(sim, vertex, 2 * NODES), "cells: the array has 42 values; 40 are needed");
    refused(sim, cardiac_elements(sim, &elements, NULL), "the number of corners is NULL");
    refused(sim, cardiac_elements(sim, NULL, &corners), "the number of elements is NULL");
}

static void check_conditions(struct cardiac *sim)
{
    double got[NODES];
    for (int k = 0; k < 20; k++) {
        const double limit = draw(5);
        char name[100];
        snprintf(name, sizeof name, "where/x < %.3f mm", limit);
        get(sim, name, NODES, got);
        for (int i = 0; i < NODES; i++)
            CHECK(got[i] == (0.25 * i < limit), "%s at node %d: %g", name, i, got[i]);
    }
    get(sim, "where/open > 80", NODES, got);
    for (int i = 0; i < NODES; i++)
        CHECK(got[i] == (i != 0), "node %d: %g", i, got[i]);
    refused(sim, cardiac_get(sim, "where/x < ", got, NODES),
            "'x < ': the text ends where a number, a name or '(' is expected");
}

/* Fields that are set at all nodes or some, by either name, with their values before and after */
static void check_values(void)
{
    static const struct {
        const char *name;
        int of; /* 0: both models, 1 or 2: that one */
        double low, high;
    } fields[] = {{"V", 0, -90, 40},
                  {"h", 0, 0, 1},
                  {"mitchell-schaeffer/h", 1, 0, 1},
                  {"modified-mitchell-schaeffer/h", 2, 0, 1},
                  {"tau_open", 0, 50, 150},
                  {"mitchell-schaeffer/tau_open", 1, 50, 150},
                  {"modified-mitchell-schaeffer/tau_open", 2, 50, 150}};
    enum { FIELDS = sizeof fields / sizeof *fields };
    struct cardiac *sim = opened(NULL);
    double want[3][NODES], got[NODES], value[NODES]; /* V, h, tau_open */
    for (int i = 0; i < NODES; i++) {
        want[0][i] = -80;
        want[1][i] = 1;
        want[2][i] = 80 + i;
    }
    for (int k = 0; k < 60; k++) {
        const int f = (int)draw(FIELDS);
        double *own = want[f == 0 ? 0 : f < 4 ? 1 : 2];
        int64_t node[NODES], count = 0;
        const bool some = draw(1) < 0.5;
        for (int i = 0; i < NODES; i++) {
            const bool has = fields[f].of == 0 || (fields[f].of == 1) == is_first(i);
            if (some && (!has || draw(1) < 0.5))
                continue;
            value[count] = fields[f].low + draw(fields[f].high - fields[f].low);
            own[i] = has ? value[count] : own[i];
            node[count++] = i;
        }
        for (int64_t a = count - 1; some && a > 0; a--) { /* in any order */
            const int64_t b = (int64_t)draw((double)a + 1), kept = node[a];
            const double of = value[a];
            node[a] = node[b], node[b] = kept;
            value[a] = value[b], value[b] = of;
        }
        if (some)
            CHECK_API(cardiac_set_at(sim, fields[f].name, node, count, value), sim);
        else
            CHECK_API(cardiac_set(sim, fields[f].name, value, NODES), sim);
        for (int g = 0; g < FIELDS; g++) {
            const double *of = want[g == 0 ? 0 : g < 4 ? 1 : 2];
            get(sim, fields[g].name, NODES, got);
            for (int i = 0; i < NODES; i++) {
                const bool has = fields[g].of == 0 || (fields[g].of == 1) == is_first(i);
                CHECK(equal(got[i], has ? of[i] : NAN), "after %s, %s at node %d: %g, not %g", fields[f].name,
                      fields[g].name, i, got[i], of[i]);
            }
        }
        guard(count);
        CHECK_API(cardiac_get_at(sim, "V", node, count, at_room), sim);
        guarded(count, "V at some");
        for (int64_t a = 0; a < count; a++)
            CHECK(at_room[a] == want[0][node[a]], "node %lld", (long long)node[a]);
    }
    /* what is refused, whole */
    const int64_t two[2] = {3, 15};
    refused(sim, cardiac_set_at(sim, "mitchell-schaeffer/h", two, 2, (double[]){0.5, 0.5}),
            "node 15 does not have 'mitchell-schaeffer/h': it has another model");
    refused(sim, cardiac_set_at(sim, "V", two, 2, (double[]){-80, INFINITY}),
            "V: the value of node 15 is not finite");
    refused(sim, cardiac_set_at(sim, "V", two, 2, (double[]){-80, -1000.5}),
            "V: -1000.5 mV at node 15 is beyond solver.voltage_limit (1000 mV)");
    refused(sim, cardiac_set_at(sim, "tau_open", two, 2, (double[]){90, -1}),
            "tau_open: -1 at node 15; must be 0 or more");
    refused(sim, cardiac_set_at(sim, "tau_open", (int64_t[]){0}, 1, (double[]){-0.5}),
            "tau_open: -0.5 at node 0; must be 0 or more");
    refused(sim, cardiac_set_at(sim, "mitchell-schaeffer/u", two, 1, (double[]){0.5}),
            "'mitchell-schaeffer/u' is computed and cannot be set; V, states and parameters that vary can");
    refused(sim, cardiac_set_at(sim, "tau_close", two, 2, (double[]){90, 90}),
            "tau_close has one value in each region; to be read and set it must be a field in the config, as "
            "in parameters: "
            "{tau_close: {factor: 1}}");
    refused(sim, cardiac_set(sim, "u", value, NODES),
            "'u' is computed and cannot be set; V, states and parameters that vary can");
    refused(sim, cardiac_get_at(sim, "V", (int64_t[]){NODES}, 1, got),
            "node 21 does not exist; the mesh has nodes 0 to 20");
    refused(sim, cardiac_get_at(sim, "V", (int64_t[]){-1}, 1, got),
            "node -1 does not exist; the mesh has nodes 0 to 20");
    refused(sim, cardiac_get_at(sim, "V", two, -1, got), "-1 nodes");
    refused(sim, cardiac_get(sim, "peak", got, NODES),
            "the map 'peak' is not recorded: add it to output.maps");
    refused(sim, cardiac_get(sim, "V", got, NODES - 1), "V: the array has 20 values; 21 are needed");
    for (int i = 0; i < NODES; i++)
        value[i] = want[0][i];
    CHECK_API(cardiac_set_at(sim, "V", two, 2, (double[]){1000, -1000}), sim); /* the limit itself */
    CHECK_API(cardiac_set_at(sim, "tau_open", two, 1, (double[]){0}), sim);
    CHECK_API(cardiac_set(sim, "V", value, NODES), sim);
    CHECK_API(cardiac_reopen(sim, NULL, NULL), sim);
    get(sim, "tau_open", NODES, got);
    for (int i = 0; i < NODES; i++)
        CHECK(got[i] == 80 + i, "reopened: node %d: %g", i, got[i]);
    cardiac_close(sim);
}

static void hear(void *argument, const char *line)
{
    char *text = argument;
    if (strncmp(line, "warning: V: ", 12) == 0)
        snprintf(text, 200, "%s", line);
}

/* The warning of values in volts: only where all are within 1 mV and the tissue is not within 10 mV */
static void check_volts(void)
{
    static const struct {
        double before, after;
        bool warns;
    } cases[] = {{-80, -0.08, true}, {-80, 0.9, true}, {-80, 1, false},  {-80, 1.5, false},
                 {9, 0.5, false},    {10, 0.5, false}, {-11, 0.5, true}, {-80, 0, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct cardiac *sim = opened(NULL);
        char heard[200] = "", want[200];
        double value[NODES];
        for (int i = 0; i < NODES; i++)
            value[i] = i == 4 ? cases[k].before : 2;
        CHECK_API(cardiac_set(sim, "V", value, NODES), sim);
        for (int i = 0; i < NODES; i++)
            value[i] = i == 7 ? cases[k].after : 0;
        CHECK_API(cardiac_log(sim, hear, heard), sim);
        *heard = 0;
        CHECK_API(cardiac_set(sim, "V", value, NODES), sim);
        snprintf(want, sizeof want, "warning: V: is set to values up to %g mV; V is in mV, not in V",
                 fabs(cases[k].after));
        CHECK(strcmp(heard, cases[k].warns ? want : "") == 0, "case %zu: '%s'", k, heard);
        cardiac_close(sim);
    }
}

/* The number that follows the word, which is next in the text from *at on; NaN for null */
static double next(const char **at, const char *word)
{
    *at = strstr(*at, word);
    CHECK(*at, "no %s", word);
    *at += strlen(word);
    return strncmp(*at, "null", 4) == 0 ? NAN : strtod(*at, NULL);
}

static void expect(const char **at, const char *text)
{
    CHECK(strncmp(*at, text, strlen(text)) == 0, "%.300s is not %s", *at, text);
    *at += strlen(text);
}

/* The waves of the cable: each pulse p activates all its nodes once, in beat p, so all is found in the map of activations */
static void check_waves(void)
{
    static const double start[4] = {2, 302, 622, 930};
    static const char *const name[4] = {"S1", "S1", "S1", "S2"};
    struct cardiac *sim = opened(NULL), *looked = opened(NULL);
    struct cardiac_state *state;
    static double map[NODES * BEATS], got[NODES * BEATS];
    char *json, *same, field[40];
    CHECK_API(cardiac_advance(sim, 1150), sim);
    for (double now = 0; now < 1150; now = fmin(1150, now + 1 + floor(draw(150)))) {
        CHECK_API(cardiac_advance(looked, now), looked);
        CHECK_API(cardiac_waves(looked, &json), looked);
        cardiac_free(json);
    }
    CHECK_API(cardiac_advance(looked, 1150), looked);
    CHECK_API(cardiac_waves(sim, &json), sim);
    CHECK_API(cardiac_waves(looked, &same), looked);
    CHECK(strcmp(json, same) == 0, "%s\nafter looks is\n%s", json, same);
    cardiac_free(same);
    get(sim, "activation_time", NODES * BEATS, map);
    int64_t some[2] = {NODES - 1, 2};
    guard(2 * BEATS);
    CHECK_API(cardiac_get_at(sim, "activation_time", some, 2, at_room), sim);
    guarded(2 * BEATS, "activation_time");
    for (int b = 0; b < 2 * BEATS; b++)
        CHECK(equal(at_room[b], map[some[b / BEATS] * BEATS + b % BEATS]), "value %d", b);
    double last = 0, last_of[4] = {0}, first_of[4];
    for (int p = 0; p < 4; p++) {
        const bool second = p == 3;
        double weight[NODES], first = INFINITY;
        get(sim, second ? "stimulus/S2" : "stimulus/S1", NODES, weight);
        for (int i = 0; i < NODES;
             i++) { /* the fraction of the integral of a node's hat function, a little coarse */
            const double from = fmin(1, fmax(-1, second ? i - 16.4 : 3.6 - i)),
                         in = from < 0 ? (1 + from) * (1 + from) / 2 : 1 - (1 - from) * (1 - from) / 2;
            CHECK(fabs(weight[i] - in) < 0.01 && (weight[i] == 0) == (in == 0),
                  "weight of node %d: %g, not %g", i, weight[i], in);
        }
        snprintf(field, sizeof field, "wave/%s/%d", name[p], second ? 0 : p);
        get(sim, field, NODES, got);
        for (int i = 0; i < NODES; i++) {
            CHECK(got[i] > start[p] && got[i] < start[p] + 60, "%s at node %d: %g", field, i, got[i]);
            CHECK(got[i] == map[i * BEATS + p], "%s at node %d: %g, not %g", field, i, got[i],
                  map[i * BEATS + p]);
            first = fmin(first, got[i]);
            last_of[p] = fmax(last_of[p], got[i]);
        }
        first_of[p] = first;
        last = fmax(last, last_of[p]);
        snprintf(field, sizeof field, "velocity/%s/%d", name[p], second ? 0 : p);
        get(sim, field, NODES, got);
        for (int i = 0; i < NODES; i++) {
            CHECK(isnan(got[i]) == (weight[i] > 0), "%s at node %d: %g", field, i, got[i]);
            if (i > 0 && i + 1 < NODES && weight[i] == 0 && weight[i - 1] == 0 && weight[i + 1] == 0) {
                const double slope = fabs(map[(i + 1) * BEATS + p] - map[(i - 1) * BEATS + p]) / 0.5;
                CHECK(fabs(got[i] * slope - 1) < 0.2, "%s at node %d: %g m/s, not about %g", field, i, got[i],
                      1 / slope);
            }
        }
    }
    get(sim, "last_activation", NODES, got);
    for (int i = 0; i < NODES; i++)
        CHECK(got[i] == map[i * BEATS + 3] && isnan(map[i * BEATS + 4]), "node %d: %g", i, got[i]);
    get(sim, "last_cycle", NODES, got);
    for (int i = 0; i < NODES; i++)
        CHECK(got[i] == map[i * BEATS + 3] - map[i * BEATS + 2], "node %d: %g", i, got[i]);
    /* as JSON, from its first character to its last */
    const char *at = json;
    expect(&at, "{\"failure\": null, \"excited\": false, \"activations\": 84, ");
    CHECK(next(&at, "\"last\": ") == last, "%s", at);
    expect((at = strchr(at, ','), &at), ", \"stimuli\": [{\"name\": \"S1\", \"pulses\": [2, 302, 622], "
                                        "\"ends\": [\"captured\", \"captured\", \"captured\"], "
                                        "\"end\": 624}, {\"name\": \"S2\", \"pulses\": [930], \"ends\": "
                                        "[\"captured\"], \"end\": 931.5}], \"waves\": [");
    for (int p = 0; p < 4; p++) {
        char text[300];
        snprintf(text, sizeof text, "{\"stimulus\": \"%s\", \"pulse\": %d, \"start\": ", name[p],
                 p == 3 ? 0 : p);
        expect(&at, text);
        at -= 9;
        CHECK(next(&at, "start\": ") == start[p], "wave %d: start %.20s, not %.17g", p, at, start[p]);
        CHECK(next(&at, "\"last\": ") == last_of[p], "wave %d: last %.20s, not %.17g", p, at, last_of[p]);
        at = strchr(at, ',');
        expect(&at, ", \"activations\": 21, \"again\": 0, \"last_again\": null, \"place\": [");
        const double x = strtod(at, NULL);
        const int i = (int)(x / 0.25 + 0.5);
        CHECK(map[i * BEATS + p] == first_of[p], "wave %d began at %g mm", p, x);
        at = strchr(at, ',');
        expect(&at, p < 3 ? ", 0, 0]}, " : ", 0, 0]}]}\n");
    }
    CHECK(!*at, "%s", at);
    /* a copy has them too */
    CHECK_API(cardiac_copy(sim, &state), sim);
    CHECK_API(cardiac_reopen(looked, NULL, NULL), looked);
    CHECK_API(cardiac_restore(looked, state), looked);
    CHECK_API(cardiac_waves(looked, &same), looked);
    CHECK(strcmp(json, same) == 0, "%s\nrestored is\n%s", json, same);
    cardiac_free(same);
    cardiac_free(json);
    cardiac_state_free(state);
    /* names that no pulse has */
    static const char *const none[] = {"wave/S1/3",  "wave/S1/-1",       "wave/S2/1",     "wave/S1/0x",
                                       "wave/S1",    "wave/S3/0",        "velocity/S1/3", "stimulus/S3",
                                       "stimulus/S", "last_activations", "last_cyc"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        CHECK(cardiac_get(sim, none[k], got, NODES) == 2, "%s", none[k]);
    cardiac_close(looked);
    cardiac_close(sim);
}

/* Of a tissue that keeps one beat of each node, whose record is emptied between looks; and of one where the first wave is a later
 * train's, copied into another whose pulses were moved */
static void check_copied_waves(void)
{
    struct cardiac *sim = opened(NULL), *few = opened("{\"activation.beats\": 1}"), *moved = opened(NULL);
    struct cardiac_state *state;
    char *json, *same;
    CHECK_API(cardiac_move(sim, "S2", 0, 1), sim);
    CHECK_API(cardiac_move(few, "S2", 0, 1), few);
    for (double now = 0; now < 1150; now = fmin(1150, now + 60 + floor(draw(30)))) {
        CHECK_API(cardiac_advance(few, now), few);
        CHECK_API(cardiac_waves(few, &json), few);
        cardiac_free(json);
    }
    CHECK_API(cardiac_advance(few, 1150), few);
    CHECK_API(cardiac_advance(sim, 1150), sim);
    CHECK_API(cardiac_waves(sim, &json), sim);
    CHECK_API(cardiac_waves(few, &same), few);
    CHECK(strcmp(json, same) == 0 &&
              strstr(json, "\"waves\": [{\"stimulus\": \"S2\", \"pulse\": 0, \"start\": 1,"),
          "%s\nof one beat is\n%s", json, same);
    cardiac_free(same);
    CHECK_API(cardiac_copy(sim, &state), sim);
    CHECK_API(cardiac_move(moved, "S1", 1, 8), moved);
    CHECK_API(cardiac_advance(moved, 100), moved);
    CHECK_API(cardiac_restore(moved, state), moved);
    CHECK_API(cardiac_waves(moved, &same), moved);
    CHECK(strcmp(json, same) == 0, "%s\nrestored is\n%s", json, same);
    cardiac_free(same);
    CHECK_API(cardiac_move(moved, "S1", 2, 1300), moved); /* the waves so far keep their pulses */
    CHECK_API(cardiac_waves(moved, &same), moved);
    CHECK(strcmp(strstr(json, "\"waves\""), strstr(same, "\"waves\"")) == 0, "%s\nmoved is\n%s", json, same);
    cardiac_free(same);
    cardiac_free(json);
    cardiac_state_free(state);
    cardiac_close(moved);
    cardiac_close(few);
    cardiac_close(sim);
}

/* V of two simulations after some steps, bit by bit */
static void compare(struct cardiac *a, struct cardiac *b, const char *what)
{
    double one[NODES], other[NODES];
    get(a, "V", NODES, one);
    get(b, "V", NODES, other);
    for (int i = 0; i < NODES; i++)
        CHECK(one[i] == other[i], "%s: node %d: %.17g, not %.17g", what, i, one[i], other[i]);
}

/* Pulses moved at random are those of a config with a stimulus for each; the JSON has their starts in the order of their numbers */
static void check_moves(void)
{
    for (int k = 0; k < 6; k++) {
        struct cardiac *sim = opened(NULL), *own;
        double start[4] = {2, 302, 622, 930}, starts[4];
        char text[1000], *json;
        for (int m = 0; m < 1 + k; m++) {
            const int p = (int)draw(4);
            start[p] = 1 + floor(draw(40));
            if (m == 3)
                start[p] = INFINITY;
            CHECK_API(cardiac_move(sim, p == 3 ? "S2" : "S1", p == 3 ? 0 : p, start[p]), sim);
        }
        int at = snprintf(text, sizeof text, "{\"stimuli\": [");
        for (int p = 0; p < 4; p++)
            at +=
                snprintf(text + at, sizeof text - (size_t)at,
                         "%s{\"where\": \"%s\", \"start\": %g, \"duration\": %g, \"current\": \"%g uA/uF\"}",
                         p ? ", " : "", p == 3 ? "x > 4.1 mm" : "x < 0.9 mm",
                         isinf(start[p]) ? 650 : start[p], p == 3 ? 1.5 : 2., p == 3 ? 80. : 60.);
        snprintf(text + at, sizeof text - (size_t)at, "]}");
        own = opened(text);
        CHECK_API(cardiac_advance(sim, 60), sim);
        CHECK_API(cardiac_advance(own, 60), own);
        compare(sim, own, "moved");
        CHECK_API(cardiac_waves(sim, &json), sim);
        const char *from = strstr(json, "\"pulses\": [");
        for (int p = 0; p < 4; p++) {
            from = p == 3 ? strstr(from, "\"pulses\": [") + 11 : p ? strchr(from, ',') + 1 : from + 11;
            while (*from == ' ')
                from++;
            starts[p] = strncmp(from, "null", 4) == 0 ? INFINITY : strtod(from, NULL);
            CHECK(fabs(starts[p] - start[p]) < 1e-9 || starts[p] == start[p], "pulse %d at %g, not %g", p,
                  starts[p], start[p]);
        }
        cardiac_free(json);
        cardiac_close(own);
        cardiac_close(sim);
    }
    struct cardiac *sim = opened("{\"stimuli[1].count\": 0, \"stimuli[1].period\": 300}");
    CHECK_API(cardiac_advance(sim, 10), sim);
    refused(sim, cardiac_move(sim, "S2", 0, 600),
            "stimulus 'S2' comes for ever; to move its pulses, give it a count");
    refused(sim, cardiac_move(sim, "S1", 3, 600), "stimulus 'S1' has no pulse 3; it has pulses 0 to 2");
    refused(sim, cardiac_move(sim, "S1", -1, 600), "stimulus 'S1' has no pulse -1; it has pulses 0 to 2");
    refused(sim, cardiac_move(sim, "S1", 2, 9.5), "a pulse cannot be moved to 9.5 ms; it is 10 ms");
    CHECK_API(cardiac_move(sim, "S1", 2, 10), sim);
    CHECK_API(cardiac_reopen(sim, NULL, "{\"stimuli[1].count\": 2001, \"stimuli[1].period\": 1.6}"), sim);
    refused(sim, cardiac_move(sim, "S2", 0, 600),
            "stimulus 'S2' comes 2001 times; pulses of at most 2000 can be moved");
    CHECK_API(cardiac_reopen(sim, NULL, "{\"stimuli[1].count\": 2000, \"stimuli[1].period\": 1.6}"), sim);
    CHECK_API(cardiac_move(sim, "S2", 1999, 10), sim);
    cardiac_close(sim);
}

/* Currents set by any calls in any order are stimuli of a config, each of the nodes with one value */
static void check_currents(void)
{
    static const double values[5] = {0, -20, 15, 30, 45};
    for (int k = 0; k < 8; k++) {
        struct cardiac *sim = opened(k % 2 ? "{\"stimuli\": []}" : NULL), *own;
        int of[NODES] = {0};
        char text[2000], name[40];
        for (int call = 0; call < 3; call++) {
            int64_t node[NODES], count = 0;
            double current[NODES];
            for (int i = 0; i < NODES; i++)
                if (draw(1) < 0.6) {
                    of[i] = (int)draw(5);
                    node[count] = i;
                    current[count++] = values[of[i]];
                }
            for (int64_t a = count - 1; a > 0; a--) {
                const int64_t b = (int64_t)draw((double)a + 1), kept = node[a];
                const double now = current[a];
                node[a] = node[b], node[b] = kept;
                current[a] = current[b], current[b] = now;
            }
            CHECK_API(cardiac_current(sim, node, count, current), sim);
        }
        int at = snprintf(text, sizeof text, "{\"stimuli\": [%s",
                          k % 2 ? ""
                                : "{\"where\": \"x < 0.9 mm\", \"start\": 2, \"duration\": 2, \"current\": "
                                  "\"60 uA/uF\"}, {\"where\": \"x > 4.1 mm\", "
                                  "\"start\": 930, \"duration\": 1.5, \"current\": \"80 uA/uF\"}");
        for (int v = 1; v < 5; v++) {
            snprintf(name, sizeof name, "test_api_fields_%d.txt", v);
            FILE *file = fopen(name, "w");
            int nodes = 0;
            CHECK(file, "%s", name);
            for (int i = 0; i < NODES; i++)
                if (of[i] == v) {
                    fprintf(file, "%d\n", i);
                    nodes++;
                }
            fclose(file);
            if (nodes > 0)
                at += snprintf(text + at, sizeof text - (size_t)at,
                               "%s{\"nodes\": \"%s\", \"duration\": 300, \"current\": \"%g uA/uF\"}",
                               text[at - 1] == '[' ? "" : ", ", name, values[v]);
        }
        snprintf(text + at, sizeof text - (size_t)at, "]}");
        own = opened(text);
        CHECK_API(cardiac_advance(sim, 12), sim);
        CHECK_API(cardiac_advance(own, 12), own);
        compare(sim, own, "currents");
        cardiac_close(own);
        cardiac_close(sim);
    }
    for (int v = 1; v < 5; v++) {
        char name[40];
        snprintf(name, sizeof name, "test_api_fields_%d.txt", v);
        unlink(name);
    }
    struct cardiac *sim = opened(NULL);
    refused(sim, cardiac_current(sim, (int64_t[]){1, 5}, 2, (double[]){1, NAN}),
            "the current of node 5 is not finite");
    refused(sim, cardiac_current(sim, (int64_t[]){1, 5}, 2, (double[]){NAN, 1}),
            "the current of node 1 is not finite");
    refused(sim, cardiac_current(sim, (int64_t[]){1, 5}, 2, NULL), "the array is NULL");
    cardiac_close(sim);
}

/* A front that runs is seen at V above `rearm`, by either model */
static void check_excited(void)
{
    struct cardiac *sim = opened(NULL);
    static const struct {
        int node;
        double v;
        bool excited;
    } cases[] = {{3, -50, false}, {3, -49.99, true}, {18, -50, false}, {18, -49.99, true},
                 {0, -45, true},  {20, -45, true},   {10, -80, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double value[NODES];
        char *json;
        for (int i = 0; i < NODES; i++)
            value[i] = i == cases[k].node ? cases[k].v : -80;
        CHECK_API(cardiac_set(sim, "V", value, NODES), sim);
        CHECK_API(cardiac_waves(sim, &json), sim);
        CHECK((strstr(json, "\"excited\": true") != NULL) == cases[k].excited, "case %zu: %s", k, json);
        cardiac_free(json);
    }
    cardiac_close(sim);
}

/* The list of fields, whole */
static void check_list(struct cardiac *sim)
{
    static const char *const model[2] = {"mitchell-schaeffer", "modified-mitchell-schaeffer"};
    static const struct {
        const char *name, *unit;
        bool writable;
    } own[] = {{"tau_open", "ms", true},     {"h", "1", true},  {"Iion", "uA/uF", false},
               {"stimulus", "mV/ms", false}, {"u", "1", false}, {"Jin", "mV/ms", false},
               {"Jout", "mV/ms", false}};
    char want[4000], *json;
    int at = snprintf(
        want, sizeof want,
        "[{\"name\": \"V\", \"unit\": \"mV\", \"where\": \"nodes\", \"width\": 1, \"writable\": true}");
    for (int m = 0; m < 2; m++)
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            at += snprintf(want + at, sizeof want - (size_t)at,
                           ", {\"name\": \"%s/%s\", \"unit\": \"%s\", \"where\": \"nodes\", \"width\": 1, "
                           "\"writable\": %s}",
                           model[m], own[k].name, own[k].unit, own[k].writable ? "true" : "false");
    snprintf(want + at, sizeof want - (size_t)at,
             ", {\"name\": \"activation_time\", \"unit\": \"ms\", \"where\": \"nodes\", \"width\": 5, "
             "\"writable\": false}, {\"name\": "
             "\"apd90\", \"unit\": \"ms\", \"where\": \"nodes\", \"width\": 5, \"writable\": false}]\n");
    CHECK_API(cardiac_fields(sim, &json), sim);
    CHECK(strcmp(json, want) == 0, "%s\nis not\n%s", json, want);
    cardiac_free(json);
}

static void check_file(struct cardiac *sim)
{
    static const char path[] = "test_api_fields.vtkhdf",
                      longest[] = "a234567890123456789012345678901234567890",
                      longer[] = "a2345678901234567890123456789012345678901";
    const char *name[3] = {"one", longest, "three"}, *unit[3] = {"mV", "1", "ms"};
    static const char *const bad[] = {"", ".", "a/b", longer, "one"};
    double value[3 * NODES], got[NODES];
    struct result result;
    struct error error = {0};
    for (int k = 0; k < 3 * NODES; k++)
        value[k] = draw(100);
    unlink(path);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char want[200];
        const char *names[3] = {"one", "two", bad[k]};
        snprintf(want, sizeof want,
                 "'%s' cannot name a field: expected 1 to 40 characters without '/', each name once", bad[k]);
        refused(sim, cardiac_write(sim, path, 3, names, unit, value), want);
    }
    refused(sim, cardiac_write(sim, path, 1, NULL, unit, value), "the names of the fields is NULL");
    refused(sim, cardiac_write(sim, path, 1, name, NULL, value), "the units of the fields is NULL");
    refused(sim, cardiac_write(sim, path, 1, name, unit, NULL), "the array is NULL");
    CHECK(access(path, F_OK) != 0, "it wrote");
    CHECK_API(cardiac_write(sim, path, 3, name, unit, value), sim);
    CHECK_OK(result_open(&result, path, &error), error);
    for (int f = 0; f < 3; f++) {
        const int k = result_find(&result, name[f]);
        CHECK(k >= 0 && result_values(&result, k) == NODES, "%s", name[f]);
        CHECK_OK(result_get(&result, k, 0, got, &error), error);
        for (int i = 0; i < NODES; i++)
            CHECK(got[i] == value[f * NODES + i] || got[i] == (double)(float)value[f * NODES + i],
                  "%s of node %d", name[f], i);
    }
    CHECK_OK(result_mesh(&result, &error), error);
    CHECK(result.mesh.nodes == NODES && result.mesh.elements == NODES - 1, "mesh");
    result_close(&result);
    unlink(path);
}

/* Times on the grid, and beside it: within 1e-9 of a time is that time */
static void check_times(void)
{
    struct cardiac *sim = opened(NULL);
    double ms;
    CHECK_API(cardiac_advance(sim, 7.3), sim);
    CHECK_API(cardiac_advance(sim, 7.3 * (1 - 5e-10)), sim);
    CHECK_API(cardiac_time(sim, &ms), sim);
    CHECK(fabs(ms - 7.3) < 1e-12, "%.17g", ms);
    refused(sim, cardiac_advance(sim, 7.3 * (1 - 3e-9)),
            "advance: 7.299999978 ms is in the past; it is 7.3 ms");
    refused(sim, cardiac_advance(sim, 7.54),
            "advance: 7.54 ms is not a multiple of time.step (0.1 ms); the nearest is 7.5 ms");
    refused(sim, cardiac_advance(sim, 7.56),
            "advance: 7.56 ms is not a multiple of time.step (0.1 ms); the nearest is 7.6 ms");
    refused(sim, cardiac_advance(sim, 7.34),
            "advance: 7.34 ms is not a multiple of time.step (0.1 ms); the nearest is 7.3 ms");
    refused(sim, cardiac_advance(sim, 2e14), "advance: 2e+14 ms is more than 1e15 steps");
    refused(sim, cardiac_advance(sim, INFINITY), "advance: inf ms is not a time");
    CHECK_API(cardiac_advance(sim, 7.6 * (1 + 5e-10)), sim);
    CHECK_API(cardiac_reopen(sim, NULL, "{\"time.longest\": 0.4}"), sim);
    CHECK_API(cardiac_step_length(sim, &ms), sim);
    CHECK(ms == 0.4, "%g", ms);
    CHECK_API(cardiac_advance(sim, 2), sim);
    refused(sim, cardiac_advance(sim, 2.5),
            "advance: 2.5 ms is not a multiple of time.longest (0.4 ms); the nearest is 2.4 ms");
    CHECK_API(cardiac_time(sim, &ms), sim);
    CHECK(fabs(ms - 2) < 1e-12, "%.17g", ms);
    cardiac_close(sim);
}

int main(void)
{
    struct cardiac *sim = opened(NULL);
    check_shape(sim);
    check_conditions(sim);
    check_list(sim);
    check_file(sim);
    cardiac_close(sim);
    check_values();
    check_volts();
    check_times();
    check_waves();
    check_copied_waves();
    check_moves();
    check_currents();
    check_excited();
    return 0;
}
