/* test_api_misuse.c: wrong arguments of every function are refused with a message and change nothing; random
 * sequences of calls, right and wrong ones, end in a simulation that still computes. */
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "tests/api/sample.h"

enum { NODES = 41 };

static const char small[] = "{\"version\": 1, \"mesh\": {\"cable\": {\"length\": 1, \"spacing\": 0.2}},"
                            "\"tissue\": {\"surface_to_volume\": 140, \"regions\": [{\"tags\": \"all\","
                            "\"model\": \"mitchell-schaeffer\", \"conductivity\": 0.1}]},"
                            "\"time\": {\"end\": 10, \"step\": 0.1}}"; /* without stimuli */

#define REFUSED(call, sim, word)                                                                             \
    do {                                                                                                     \
        CHECK((call) == 2, "not refused: %s", cardiac_error(sim));                                           \
        CHECK(strstr(cardiac_error(sim), word), "'%s' is not in: %s", word, cardiac_error(sim));             \
    } while (0)

static void check_open(void)
{
    struct cardiac *sim;
    CHECK(cardiac_open(NULL, small, NULL, NULL) == 2 && cardiac_open_file(NULL, "x", NULL) == 2, "no handle");
    REFUSED(cardiac_open(&sim, "version: 1\nmesh: {cabel: 1}\n", NULL, NULL), sim, "config:2:8: mesh.cabel");
    cardiac_close(sim);
    REFUSED(cardiac_open(&sim, "", NULL, NULL), sim, "config");
    REFUSED(cardiac_advance(sim, 1), sim, "not open");
    cardiac_close(sim);
    REFUSED(cardiac_open(&sim, small, NULL, "{\"time.step\": "), sim, "overrides");
    cardiac_close(sim);
    REFUSED(cardiac_open(&sim, small, NULL, "[1, 2]"), sim, "overrides");
    cardiac_close(sim);
    REFUSED(cardiac_open(&sim, NULL, NULL, "{}"), sim, "overrides");
    cardiac_close(sim);
    REFUSED(cardiac_open(&sim, small, NULL,
                         "{\"mesh\": {\"slab\": {\"size\": [600, 600, 600], \"spacing\": 1}}}"),
            sim, "need");
    cardiac_close(sim);
    REFUSED(cardiac_open_file(&sim, "no/such/file.yaml", NULL), sim, "no/such/file.yaml");
    cardiac_close(sim);
    REFUSED(cardiac_open_file(&sim, NULL, NULL), sim, "NULL");
    cardiac_close(sim);
    CHECK_API(cardiac_open(&sim, small, NULL, NULL), sim);
    CHECK_API(cardiac_advance(sim, 1), sim);
    cardiac_close(sim);
    cardiac_close(NULL);
    cardiac_free(NULL);
    cardiac_state_free(NULL);
    CHECK(*cardiac_error(NULL), "no message");
    CHECK(cardiac_time(NULL, NULL) == 2 && cardiac_keys(NULL) == 2 && cardiac_models(NULL) == 2, "NULL");
}

static void find_stop(void *found, const char *line)
{
    *(bool *)found |= strstr(line, "warning: stop_when: ") == line;
}

/* What only a run obeys is not ignored without a word. */
static void check_stop(void)
{
    struct cardiac *sim;
    bool warned = false, again = false;
    double ms;
    CHECK_API(cardiac_open(&sim, small, NULL, "{\"stop_when\": \"quiescent\"}"), sim);
    CHECK_API(cardiac_log(sim, find_stop, &warned), sim);
    CHECK(warned, "no warning of stop_when");
    CHECK_API(cardiac_advance(sim, 20), sim);
    CHECK_API(cardiac_time(sim, &ms), sim);
    CHECK(ms == 20, "at %g ms", ms);
    CHECK_API(cardiac_reopen(sim, NULL, "{\"stop_when\": \"never\"}"), sim);
    CHECK_API(cardiac_log(sim, find_stop, &again), sim);
    CHECK(!again, "a warning without stop_when");
    cardiac_close(sim);
}

/* The whole state, so that what a refused call has changed is seen */
static void read_all(struct cardiac *sim, double *value)
{
    CHECK_API(cardiac_time(sim, value++), sim);
    CHECK_API(cardiac_get(sim, "V", value, NODES), sim);
    CHECK_API(cardiac_get(sim, "tp06-epi/Ca_i", value + NODES, NODES), sim);
    CHECK_API(cardiac_get(sim, "activation_time", value + 2 * NODES, (int64_t)4 * NODES), sim);
}

static void check_calls(struct cardiac *sim)
{
    static double value[4 * NODES];
    int64_t node[2] = {0, 0}, far[2] = {0, NODES};
    const char *const unit[] = {"mV", "mV"};
    struct cardiac_state *state;
    char *json;
    double ms;
    for (int i = 0; i < NODES; i++)
        value[i] = -80;
    REFUSED(cardiac_time(sim, NULL), sim, "NULL");
    REFUSED(cardiac_step_length(sim, NULL), sim, "NULL");
    REFUSED(cardiac_advance(sim, NAN), sim, "not a time");
    REFUSED(cardiac_advance(sim, INFINITY), sim, "not a time");
    REFUSED(cardiac_advance(sim, -1), sim, "past");
    REFUSED(cardiac_advance(sim, 1e300), sim, "steps");
    REFUSED(cardiac_advance(sim, 7.013), sim, "nearest is 7.02 ms");
    REFUSED(cardiac_nodes(sim, NULL), sim, "NULL");
    REFUSED(cardiac_elements(sim, NULL, NULL), sim, "NULL");
    REFUSED(cardiac_points(sim, value, NODES), sim, "123 are needed");
    REFUSED(cardiac_points(sim, NULL, (int64_t)3 * NODES), sim, "NULL");
    REFUSED(cardiac_cells(sim, node, 2), sim, "80 are needed");
    REFUSED(cardiac_fields(sim, NULL), sim, "NULL");
    REFUSED(cardiac_get(sim, "Ca_j", value, NODES), sim, "did you mean");
    REFUSED(cardiac_get(sim, "tp06-epi/Cai", value, NODES), sim, "did you mean");
    REFUSED(cardiac_get(sim, NULL, value, NODES), sim, "NULL");
    REFUSED(cardiac_get(sim, "V", value, NODES + 1), sim, "41 are needed");
    REFUSED(cardiac_get(sim, "apd50", value, NODES), sim, "output.maps");
    REFUSED(cardiac_get(sim, "leads", value, NODES), sim, "neither");
    REFUSED(cardiac_get(sim, "V", NULL, NODES), sim, "NULL");
    REFUSED(cardiac_set(sim, "V", value, -1), sim, "41 are needed");
    REFUSED(cardiac_set(sim, "INa", value, NODES), sim, "cannot be set");
    REFUSED(cardiac_set(sim, "activation_time", value, NODES), sim, "cannot be set");
    value[5] = NAN;
    REFUSED(cardiac_set(sim, "V", value, NODES), sim, "not finite");
    value[5] = 1e6;
    REFUSED(cardiac_set(sim, "V", value, NODES), sim, "voltage_limit");
    REFUSED(cardiac_get_at(sim, "V", far, 2, value), sim, "node 41 does not exist");
    REFUSED(cardiac_get_at(sim, "V", NULL, 2, value), sim, "NULL");
    REFUSED(cardiac_get_at(sim, "V", node, -1, value), sim, "nodes");
    REFUSED(cardiac_set_at(sim, "V", far, 2, value), sim, "node 41 does not exist");
    REFUSED(cardiac_set_at(sim, "V", node, 1, &(double){NAN}), sim, "not finite");
    far[1] = 40;
    REFUSED(cardiac_set_at(sim, "tp06-epi/Ca_i", far, 2, value), sim, "another model");
    far[1] = -1;
    REFUSED(cardiac_current(sim, far, 2, value), sim, "does not exist");
    REFUSED(cardiac_current(sim, node, 1, &(double){INFINITY}), sim, "not finite");
    REFUSED(cardiac_current(sim, NULL, 1, value), sim, "NULL");
    REFUSED(cardiac_move(sim, "S3", 0, 10), sim, "did you mean 'S");
    REFUSED(cardiac_move(sim, "S1", 2, 10), sim, "pulses 0 to 1");
    REFUSED(cardiac_move(sim, "S1", -1, 10), sim, "pulses 0 to 1");
    REFUSED(cardiac_move(sim, "S1", 0, NAN), sim, "cannot be moved");
    REFUSED(cardiac_move(sim, "S1", 0, 0.5), sim, "cannot be moved");
    REFUSED(cardiac_move(sim, NULL, 0, 10), sim, "NULL");
    REFUSED(cardiac_copy(sim, NULL), sim, "NULL");
    REFUSED(cardiac_restore(sim, NULL), sim, "NULL");
    REFUSED(cardiac_report(sim, NULL), sim, "NULL");
    REFUSED(cardiac_config(sim, NULL), sim, "NULL");
    REFUSED(cardiac_array(sim, NULL, value, 3, 1), sim, "NULL");
    REFUSED(cardiac_array(sim, "a", NULL, 3, 1), sim, "NULL");
    REFUSED(cardiac_array(sim, "a", value, 3, 2), sim, "1 or 3");
    REFUSED(cardiac_array(sim, "a", &(double){NAN}, 1, 1), sim, "not finite");
    REFUSED(cardiac_reopen(sim, NULL, "{\"solver.method\": \"rkl2\", \"solver.mass_lumping\": 0.5}"), sim,
            "");
    REFUSED(cardiac_reopen(sim, NULL, "{\"stimuli[1].where\": \"x > 70 mm\"}"), sim, "stimuli[1].where");
    REFUSED(cardiac_reopen(sim, "version: 2", NULL), sim, "version");
    REFUSED(cardiac_write(sim, NULL, 0, NULL, NULL, NULL), sim, "NULL");
    REFUSED(cardiac_write(sim, "n.vtkhdf", -1, NULL, NULL, NULL), sim, "-1 fields");
    REFUSED(cardiac_write(sim, "n.vtkhdf", 2, (const char *const[]){"a", NULL}, unit, value), sim, "NULL");
    REFUSED(cardiac_write(sim, "n.vtkhdf", 2, (const char *const[]){"a", "b"},
                          (const char *const[]){"mV", NULL}, value),
            sim, "NULL");
    REFUSED(cardiac_write(sim, "n.vtkhdf", 2, (const char *const[]){"a", "a"}, unit, value), sim, "once");
    REFUSED(cardiac_write(sim, "n.vtkhdf", 1, (const char *const[]){"a/b"}, unit, value), sim, "without '/'");
    CHECK(access("n.vtkhdf", F_OK) != 0, "a refused call has written");
    REFUSED(cardiac_get(sim, "\033]0;V\x07", value, NODES), sim, "'\\x1b]0;V\\x07'");
    CHECK(cardiac_stop(NULL) == 2, "NULL");
    CHECK_API(cardiac_stop(sim), sim); /* no call runs: it has no effect */
    (void)state, (void)json, (void)ms;
}

/* Arrays of a wrong length, and states of others */
static void check_others(struct cardiac *sim)
{
    struct cardiac *other;
    struct cardiac_state *state;
    double share[NODES] = {0};
    CHECK_API(cardiac_open(&other, small, NULL, NULL), other);
    CHECK_API(cardiac_copy(other, &state), other);
    REFUSED(cardiac_restore(sim, state), sim, "another mesh");
    cardiac_state_free(state);
    cardiac_close(other);
    CHECK_API(cardiac_open(&other, SAMPLE_CABLE, NULL, "{\"activation.beats\": 5}"), other);
    CHECK_API(cardiac_copy(other, &state), other);
    REFUSED(cardiac_restore(sim, state), sim, "beats");
    cardiac_state_free(state);
    CHECK_API(cardiac_reopen(other, NULL, "{\"activation.beats\": 4, \"stimuli\": []}"), other);
    CHECK_API(cardiac_copy(other, &state), other);
    REFUSED(cardiac_restore(sim, state), sim, "other stimuli");
    cardiac_state_free(state);
    CHECK_API(cardiac_reopen(other, NULL, "{\"time.step\": \"0.01 ms\"}"), other);
    CHECK_API(cardiac_copy(other, &state), other);
    REFUSED(cardiac_restore(sim, state), sim, "time.step");
    cardiac_state_free(state);
    cardiac_close(other);
    CHECK_API(cardiac_array(sim, "share", share, NODES - 3, 1), sim);
    REFUSED(cardiac_reopen(sim, NULL, "{\"tissue.regions[0].scale\": \"1 + share\"}"), sim,
            "41 (nodes) or 40");
    CHECK_API(cardiac_array(sim, "share", NULL, 0, 1), sim);
}

static void write_list(const char *nodes)
{
    FILE *file = fopen("test_api_misuse.txt", "w");
    CHECK(file && fputs(nodes, file) >= 0 && fclose(file) == 0, "test_api_misuse.txt");
}

/* The same config has the same files: runs of a study are never of two. */
static void check_changed_file(void)
{
    static const char listed[] =
        "{\"stimuli\": [{\"nodes\": \"test_api_misuse.txt\", \"duration\": \"1 ms\", "
        "\"current\": \"50 uA/uF\"}]}";
    static const char changed[] = "test_api_misuse.txt: has changed since it was first read";
    struct cardiac *sim;
    double before[NODES], after[NODES];
    write_list("1\n2\n");
    CHECK_API(cardiac_open(&sim, SAMPLE_CABLE, NULL, listed), sim);
    write_list("1\n2\n");
    CHECK_API(cardiac_reopen(sim, NULL, NULL), sim);
    CHECK_API(cardiac_advance(sim, 1), sim);
    CHECK_API(cardiac_get(sim, "V", before, NODES), sim);
    write_list("1\n3\n");
    REFUSED(cardiac_reopen(sim, NULL, NULL), sim, changed);
    REFUSED(cardiac_reopen(sim, NULL, "{\"time.step\": \"0.04 ms\"}"), sim, changed);
    CHECK_API(cardiac_get(sim, "V", after, NODES), sim);
    CHECK(memcmp(before, after, sizeof after) == 0, "a refused reopen has changed V");
    CHECK_API(cardiac_reopen(sim, NULL, "{\"stimuli\": []}"), sim); /* the changed file is no longer of it */
    REFUSED(cardiac_reopen(sim, NULL, listed), sim, changed);
    write_list("1\n2\n");
    CHECK_API(cardiac_reopen(sim, NULL, listed), sim);
    write_list("1\n3\n");
    CHECK_API(cardiac_reopen(sim, SAMPLE_CABLE, NULL), sim);
    cardiac_close(sim);
}

/* A failed step: then only a restore, a reopen or a report is possible */
static void check_failure(void)
{
    struct cardiac *sim;
    struct cardiac_state *state;
    char *json;
    double ms;
    CHECK_API(cardiac_open(&sim, SAMPLE_CABLE, NULL, "{\"solver.voltage_limit\": \"90 mV\"}"), sim);
    CHECK_API(cardiac_copy(sim, &state), sim);
    CHECK_API(cardiac_current(sim, &(int64_t){20}, 1, &(double){3000}), sim);
    CHECK(cardiac_advance(sim, 4) == 3, "no failure");
    CHECK(strstr(cardiac_error(sim), "blow-up") && strstr(cardiac_error(sim), "(4, 0, 0 mm)"), "%s",
          cardiac_error(sim));
    REFUSED(cardiac_advance(sim, 5), sim, "restore");
    REFUSED(cardiac_current(sim, &(int64_t){20}, 1, &(double){0}), sim, "restore");
    CHECK_API(cardiac_time(sim, &ms), sim);
    CHECK_API(cardiac_report(sim, &json), sim);
    CHECK(strstr(json, "\"status\": 3"), "%s", json);
    cardiac_free(json);
    CHECK_API(cardiac_restore(sim, state), sim);
    CHECK_API(cardiac_advance(sim, 4), sim);
    cardiac_state_free(state);
    cardiac_close(sim);
}

/* What steps that failed have left in the solver's vectors is forgotten, also where sweeps read what they overwrite. */
static void check_restore(void)
{
    static double value[NODES], want[NODES], got[NODES];
    struct cardiac *sim;
    struct cardiac_state *state;
    for (int i = 0; i < NODES; i++)
        value[i] = -1e300;
    CHECK_API(cardiac_open(&sim, SAMPLE_CABLE, NULL, "{\"solver.method\": \"chebyshev\"}"), sim);
    CHECK_API(cardiac_copy(sim, &state), sim);
    CHECK_API(cardiac_advance(sim, 4), sim);
    CHECK_API(cardiac_get(sim, "V", want, NODES), sim);
    CHECK_API(cardiac_restore(sim, state), sim);
    CHECK_API(cardiac_set(sim, "tp06-epi/Ca_i", value, NODES), sim);
    CHECK(cardiac_advance(sim, 4) == 3 && strstr(cardiac_error(sim), "blow-up") &&
              !strstr(cardiac_error(sim), "node -1"),
          "%s", cardiac_error(sim));
    CHECK_API(cardiac_restore(sim, state), sim);
    CHECK_API(cardiac_advance(sim, 4), sim);
    CHECK_API(cardiac_get(sim, "V", got, NODES), sim);
    CHECK(memcmp(want, got, sizeof want) == 0, "other bits after a restore");
    cardiac_state_free(state);
    cardiac_close(sim);
}

/* ---- random calls ---- */

static uint64_t seed = 88172645463325252u;

static int draw(int below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int)(seed % (uint64_t)below);
}

struct player {
    struct cardiac *sim;
    struct cardiac_state *state[3];
    double value[4 * NODES + 10];
    int64_t node[4];
};

static double odd_number(void)
{
    static const double odd[] = {0, 1, -1, 0.5, 1e300, -1e300, 1e-320, 50};
    int k = draw(12);
    return k < 8 ? odd[k] : k < 9 ? (double)NAN : k < 10 ? (double)INFINITY : draw(100) - 50;
}

static const char *const names[] = {
    "V",   "tp06-epi/Ca_i", "INa", "activation_time", "apd90", "leads", "",    NULL, "S1", "S2",
    "Xr1", "correction_1",  "m",   "luo-rudy-1991/m", "share", "/",     "peak"};
enum { NAMES = sizeof names / sizeof *names };

static const char *odd_name(void)
{
    return names[draw(NAMES)];
}

static const char *odd_override(void)
{
    static const char *const text[] = {"{}",
                                       "",
                                       "{\"time.step\": 0.04}",
                                       "{\"time.step\": \"0.02 ms\"}",
                                       "{\"threads\": 2}",
                                       "{\"threads\": 1}",
                                       "{\"solver.method\": \"chebyshev\"}",
                                       "{\"tissue.regions[1].conductivity\": \"0.1 S/m\"}",
                                       "{\"stimuli\": []}",
                                       "{\"activation.beats\": 3}",
                                       "{\"mesh.cable.length\": 4}",
                                       "{\"a\": [}",
                                       "null",
                                       "{\"stimuli\": null}",
                                       "{\"device\": \"cpu-plain\"}",
                                       "{\"device\": \"cpu\"}"};
    return text[draw((int)(sizeof text / sizeof *text))];
}

static void call_once(struct player *p)
{
    struct cardiac *sim = p->sim;
    int64_t count = draw(3) ? NODES : draw(4 * NODES), some = draw(6) - 1;
    double ms = 0, before = 0;
    char *json = NULL;
    int corners, k = draw(3);
    const int status_of_time = cardiac_time(sim, &before);
    for (int i = 0; i < 4; i++)
        p->node[i] = draw(5) ? draw(NODES) : draw(100) - 50;
    some = some < 4 ? some : 4;
    switch (draw(22)) {
    case 0:
    case 1:
    case 2:
    case 3: {
        double until = draw(4) ? before + 0.04 * draw(20) : odd_number();
        if (until - before < 5 || !isfinite(until))
            cardiac_advance(sim, until);
        break;
    }
    case 4:
        cardiac_get(sim, odd_name(), p->value, count);
        break;
    case 5:
        cardiac_set(sim, odd_name(), p->value, count);
        break;
    case 6:
        cardiac_get_at(sim, odd_name(), p->node, some, p->value);
        break;
    case 7:
        p->value[0] = odd_number();
        cardiac_set_at(sim, odd_name(), p->node, some, p->value);
        break;
    case 8:
        cardiac_move(sim, odd_name(), draw(4) - 1, before + odd_number());
        break;
    case 9:
        p->value[draw(4)] = odd_number();
        cardiac_current(sim, p->node, some, p->value);
        break;
    case 10:
    case 11:
        cardiac_state_free(p->state[k]);
        p->state[k] = NULL;
        cardiac_copy(sim, &p->state[k]);
        break;
    case 12:
    case 13:
        cardiac_restore(sim, p->state[k]);
        break;
    case 14:
        cardiac_report(sim, &json);
        break;
    case 15:
        cardiac_fields(sim, &json);
        break;
    case 16:
        cardiac_array(sim, odd_name(), p->value, count, 1 + draw(3));
        break;
    case 17:
        cardiac_reopen(sim, NULL, odd_override());
        break;
    case 18:
        cardiac_config(sim, &json);
        break;
    case 19:
        cardiac_elements(sim, &count, &corners);
        cardiac_cells(sim, p->node, some);
        break;
    case 20:
        cardiac_points(sim, p->value, 3 * some);
        break;
    default:
        cardiac_step_length(sim, &ms);
    }
    cardiac_free(json);
    CHECK(status_of_time == 0 || *cardiac_error(sim) || cardiac_time(sim, &ms) != 3, "%s",
          cardiac_error(sim));
}

static void play(int sequences)
{
    static struct player p;
    for (int s = 0; s < sequences; s++) {
        if (!p.sim)
            CHECK_API(cardiac_open(&p.sim, SAMPLE_CABLE, NULL, NULL), p.sim);
        for (int k = 1 + draw(8); k > 0; k--)
            call_once(&p);
        if (draw(20))
            continue;
        for (int k = 0; k < NAMES; k++)
            CHECK(!names[k] || cardiac_array(p.sim, names[k], NULL, 0, 1) == 0, "%s", cardiac_error(p.sim));
        CHECK_API(cardiac_reopen(p.sim, SAMPLE_CABLE,
                                 "{\"threads\": 1, \"time.step\": \"0.02 ms\", \"mesh.cable.length\": 8}"),
                  p.sim);
        CHECK_API(cardiac_advance(p.sim, 0.1), p.sim);
        cardiac_close(p.sim);
        p.sim = NULL;
    }
    cardiac_close(p.sim);
    for (int k = 0; k < 3; k++)
        cardiac_state_free(p.state[k]);
}

int main(int argc, char **argv)
{
    static double before[1 + 6 * NODES], after[1 + 6 * NODES];
    struct cardiac *sim;
    check_open();
    check_stop();
    CHECK_API(cardiac_open(&sim, SAMPLE_CABLE, NULL, NULL), sim);
    CHECK_API(cardiac_advance(sim, 6), sim);
    read_all(sim, before);
    check_calls(sim);
    check_others(sim);
    read_all(sim, after);
    CHECK(memcmp(before, after, sizeof before) == 0, "a refused call has changed the state");
    cardiac_close(sim);
    check_changed_file();
    check_failure();
    check_restore();
    play(argc > 1 ? atoi(argv[1]) : 3000);
    return 0;
}
