/* test_api_bits.c: a simulation through the library, in slices and interleaved with copies, restores, reads
 * and reports, has the bits of the program's own run: every method, longer steps, one and two threads,
 * whatever floating-point mode the caller has set. A current has those of a stimulus, and a moved pulse those
 * of a config that has it there. */
#include <fenv.h>
#include <string.h>
#include <xmmintrin.h>

#include "app/run/run.h"
#include "app/run/simulation.h"
#include "tests/api/sample.h"

enum { NODES = 41, FIELDS = 60, WIDTH = 4 };

/* All variables of a tissue at its end, by the names that cardiac_get knows */
struct outcome {
    int fields;
    char name[FIELDS][64];
    double value[FIELDS][NODES * WIDTH];
    int64_t width[FIELDS];
};

/* V before the last step is no field. */
static bool is_read(const struct variable *variable)
{
    return strcmp(variable->name, "V") == 0 || variable->model >= 0 ||
           strcmp(variable->name, "activation_time") == 0;
}

/* What `cardiac run` computes */
static void run(struct outcome *outcome, const char *text)
{
    struct error error = {0};
    struct setup setup = {.comm = comm_alone(),
                          .options = {.mute = true, .no_files = true, .stop_after = INFINITY}};
    struct run own;
    CHECK_OK(config_parse(&setup.config, "sample.yaml", "", text, strlen(text), NULL, 0, &error), error);
    CHECK_OK(run_simulate(&own, &setup, &error), error);
    *outcome = (struct outcome){0};
    CHECK_OK(monodomain_show(setup.sim, &error), error);
    for (int k = 0; k < monodomain_variables(setup.sim); k++) {
        const struct variable *variable = monodomain_variable(setup.sim, k);
        int f = outcome->fields;
        if (!is_read(variable))
            continue;
        for (int i = 0; i < NODES * WIDTH; i++)
            outcome->value[f][i] = NAN;
        CHECK(f < FIELDS && variable->width <= WIDTH, "%d variables", f);
        memcpy(outcome->name[f], variable->name, sizeof outcome->name[f]);
        outcome->width[f] = variable->width;
        CHECK_OK(monodomain_get(setup.sim, k, outcome->value[f], &error), error);
        outcome->fields++;
    }
    monodomain_hide(setup.sim);
    CHECK(outcome->fields > 10, "%d fields", outcome->fields);
    run_free(&own);
    setup_free(&setup);
}

/* The same bits, or both no number */
static void compare(struct cardiac *sim, const struct outcome *want, const char *what)
{
    static double got[NODES * WIDTH];
    for (int f = 0; f < want->fields; f++) {
        CHECK_API(cardiac_get(sim, want->name[f], got, NODES * want->width[f]), sim);
        for (int64_t i = 0; i < NODES * want->width[f]; i++)
            CHECK(memcmp(&got[i], &want->value[f][i], sizeof *got) == 0 ||
                      (isnan(got[i]) && isnan(want->value[f][i])),
                  "%s: %s[%lld] is %.17g, not %.17g", what, want->name[f], (long long)i, got[i],
                  want->value[f][i]);
    }
}

/* What was recorded, in words and without the work, to be freed by cardiac_free */
static char *recorded(struct cardiac *sim)
{
    char *json;
    CHECK_API(cardiac_report(sim, &json), sim);
    CHECK(strstr(json, "\"captured\""), "%s", json);
    char *work = strstr(json, ", \"steps\""); /* absent after a restore, as the sweeps are */
    work = work ? work : strstr(json, ", \"warnings\"");
    char *sweeps = strstr(json, "{\"name\": \"sweeps\"");
    CHECK(work && sweeps && sweeps < work, "%s", json);
    *work = 0;
    const char *next = strchr(sweeps, '}');
    memmove(sweeps, next, strlen(next) + 1);
    return json;
}

/* All that reads, and a copy from which it goes on */
static void read_all(struct cardiac *sim, double step)
{
    static double value[NODES * WIDTH];
    struct cardiac_state *state;
    double now;
    const int64_t nodes[] = {3, 40};
    char *before = recorded(sim);
    CHECK_API(cardiac_time(sim, &now), sim);
    CHECK_API(cardiac_copy(sim, &state), sim);
    CHECK_API(cardiac_advance(sim, now + 9 * step), sim);
    CHECK_API(cardiac_current(sim, nodes, 2, (double[]){3, 7}), sim);
    CHECK_API(cardiac_move(sim, "S2", 0, now + 10 * step), sim);
    CHECK_API(cardiac_set_at(sim, "V", nodes, 2, (double[]){20, 20}), sim);
    CHECK_API(cardiac_advance(sim, now + 20 * step), sim);
    CHECK_API(cardiac_restore(sim, state), sim);
    cardiac_state_free(state);
    CHECK_API(cardiac_get(sim, "tp06-epi/INa", value, NODES), sim);
    CHECK_API(cardiac_get(sim, "apd90", value, (int64_t)NODES * 4), sim);
    char *after = recorded(sim);
    CHECK(strcmp(before, after) == 0, "before a copy was restored: %s\nthen: %s", before, after);
    cardiac_free(before);
    cardiac_free(after);
}

/* until 32 ms in slices of as many steps, with a look after each third of them */
static void step(struct cardiac *sim, const char *text, int slice)
{
    double length, now = 0;
    CHECK_API(cardiac_step_length(sim, &length), sim);
    int64_t steps = llround(32 / length);
    for (int64_t n = 0, k = 0; n < steps; k++) {
        n = n + slice < steps ? n + slice : steps;
        CHECK_API(cardiac_advance(sim, (double)n * length), sim);
        if (k % 3 == 1)
            read_all(sim, length);
    }
    CHECK_API(cardiac_time(sim, &now), sim);
    CHECK(fabs(now - 32) < 1e-9, "%s: at %g ms", text, now);
}

static void open_and_compare(const char *more, int slice, const struct outcome *want)
{
    static char text[4000];
    struct cardiac *sim;
    snprintf(text, sizeof text, "%s%s", SAMPLE_CABLE, more);
    CHECK_API(cardiac_open(&sim, text, NULL, NULL), sim);
    step(sim, more, slice);
    compare(sim, want, more);
    CHECK_API(cardiac_reopen(sim, NULL, NULL), sim);
    step(sim, more, 3 * slice);
    compare(sim, want, more);
    cardiac_close(sim);
}

static void check_methods(bool brief)
{
    static const char *const solvers[] = {
        "solver: {method: jacobi, precision: double}\nthreads: 1\n",
        "solver: {method: jacobi, precision: mixed}\nthreads: 2\n",
        "solver: {method: chebyshev, precision: double}\nthreads: 2\n",
        "solver: {method: rkl2, precision: double}\nthreads: 1\n",
        "solver: {splitting: godunov, precision: double}\nthreads: 2\n",
        "solver: {splitting: staggered}\nthreads: 2\n",
        "ionic: {state: mixed, tables: on}\n",
    };
    static char text[4000];
    static struct outcome want;
    for (size_t k = 0; k < (brief ? 1 : sizeof solvers / sizeof *solvers); k++) {
        snprintf(text, sizeof text, "%s%s", SAMPLE_CABLE, solvers[k]);
        run(&want, text);
        open_and_compare(solvers[k], 37, &want);
        fesetround(FE_UPWARD);
        _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, subnormals are zero */
        open_and_compare(solvers[k], 201, &want);
        CHECK(fegetround() == FE_UPWARD && (_mm_getcsr() & 0x8040) == 0x8040,
              "the caller's mode has changed");
        fesetenv(FE_DFL_ENV);
    }
}

/* time.longest: slices and looks at whole blocks */
static void check_longer_steps(bool brief)
{
    static struct outcome want;
    static char text[4000];
    const char *end = strstr(SAMPLE_CABLE, "time:"), *rest = strstr(SAMPLE_CABLE, "activation:");
    snprintf(text, sizeof text,
             "%.*stime: {end: 32 ms, step: 0.02 ms, longest: 0.16 ms}\n%s    every: 3.2 ms\n",
             (int)(end - SAMPLE_CABLE), SAMPLE_CABLE, rest);
    run(&want, text);
    struct cardiac *sim;
    for (int slice = brief ? 187 : 1; slice < 200; slice = 5 * slice + 2) {
        CHECK_API(cardiac_open(&sim, text, NULL, NULL), sim);
        step(sim, "longer steps", slice);
        compare(sim, &want, "longer steps");
        cardiac_close(sim);
    }
}

/* S2 by cardiac_current, and as a moved pulse */
static void check_drive(void)
{
    static struct outcome want;
    struct cardiac *sim;
    int64_t node[NODES];
    double current[NODES] = {0};
    run(&want, SAMPLE_CABLE);
    CHECK_API(cardiac_open(&sim, SAMPLE_CABLE, NULL, "{\"stimuli[1].start\": \"30 ms\"}"), sim);
    CHECK_API(cardiac_move(sim, "S2", 0, 20), sim);
    CHECK_API(cardiac_move(sim, "S1", 1, 25), sim);
    CHECK_API(cardiac_advance(sim, 10), sim);
    CHECK_API(cardiac_move(sim, "S1", 1, 13), sim);
    CHECK_API(cardiac_advance(sim, 32), sim);
    compare(sim, &want, "moved");

    CHECK_API(cardiac_reopen(sim, NULL, "{\"stimuli[1].start\": \"31 ms\"}"), sim);
    CHECK_API(cardiac_move(sim, "S2", 0, INFINITY), sim);
    int n = 0;
    for (int i = 0; i < NODES; i++)
        if (0.2 * i > 6.9)
            node[n++] = i;
    for (int i = 0; i < n; i++)
        current[i] = i == 0 ? 20 : 40; /* of the first, at 7 mm, S2 stimulates one side */
    CHECK_API(cardiac_advance(sim, 20), sim);
    CHECK_API(cardiac_current(sim, node, n, current), sim);
    CHECK_API(cardiac_advance(sim, 21), sim);
    for (int i = 0; i < n; i++)
        current[i] = 0;
    CHECK_API(cardiac_current(sim, node, n, current), sim);
    CHECK_API(cardiac_advance(sim, 32), sim);
    compare(sim, &want, "currents");
    cardiac_close(sim);
}

/* With an argument one method and one slice, which are all that sanitizers need to see. */
int main(int argc, char **argv)
{
    (void)argv;
    check_methods(argc > 1);
    check_longer_steps(argc > 1);
    check_drive();
    return 0;
}
