/* test_lengths.c: steps as long as V allows: the same bits for any threads, instruction set, slice height,
 * division of the time, and after a restart from the variables; long steps are taken, and blocks repeated if
 * they were too long; records of such a block leave no trace; the results agree with fixed steps.
 * `test_lengths [BACKEND]`: that backend against the plain CPU. */
#include "solver/diffusion/diffusion.h"
#include "solver/step/lengths.h"
#include "solver/step/monodomain.h"
#include "tests/support/planted.h"

enum { DOUBLINGS = 4, BLOCK = 1 << DOUBLINGS, STEPS = 160 * BLOCK, EVENT = 140 * BLOCK };

struct outcome {
    double *state;
    int64_t length;
    struct monodomain_work work;
};

static void expect_same(const struct outcome *a, struct outcome b, const char *what)
{
    CHECK(a->length == b.length, "%s: other variables", what);
    for (int k = 0; k <= DOUBLINGS; k++)
        CHECK(a->work.by_level[k] == b.work.by_level[k], "%s: %lld steps of length %d, want %lld", what,
              (long long)b.work.by_level[k], k, (long long)a->work.by_level[k]);
    CHECK(a->work.sweeps == b.work.sweeps && a->work.rejected == b.work.rejected &&
              a->work.rejected_sweeps == b.work.rejected_sweeps,
          "%s: %lld sweeps and %lld of %lld blocks, want %lld, %lld and %lld", what, (long long)b.work.sweeps,
          (long long)b.work.rejected_sweeps, (long long)b.work.rejected, (long long)a->work.sweeps,
          (long long)a->work.rejected_sweeps, (long long)a->work.rejected);
    int64_t k = first_difference(a->state, b.state, a->length);
    CHECK(k < 0, "%s: value %lld is %.17g, want %.17g", what, (long long)k, b.state[k], a->state[k]);
    free(b.state);
}

static struct monodomain *begin(const struct test_case *c, struct queue *queue)
{
    struct error error = {0};
    struct monodomain *sim;
    const int64_t probe[] = {0, c->mesh.nodes - 1};
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, queue, &error), error);
    CHECK_OK(monodomain_follow(sim, probe, 2, 3, &error), error);
    return sim;
}

/* All variables and what was recorded at the probes; frees sim */
static struct outcome end(const struct test_case *c, struct monodomain *sim)
{
    struct error error = {0};
    struct outcome o = {.work = monodomain_work(sim)};
    o.state = case_state(sim, c->mesh.nodes, &o.length);
    int64_t followed = monodomain_followed_values(sim);
    o.state = realloc(o.state, (size_t)(o.length + followed) * sizeof *o.state);
    CHECK(o.state, "no memory");
    CHECK_OK(monodomain_followed(sim, o.state + o.length, &error), error);
    o.length += followed;
    monodomain_free(sim);
    return o;
}

/* To step n, in pieces; at the step EVENT V is raised in some cells, all of a sudden: long steps are taken
 * there, and must be taken back. */
static void advance(const struct test_case *c, struct monodomain *sim, int64_t to, int64_t piece)
{
    struct error error = {0};
    double *v = calloc((size_t)c->mesh.nodes, sizeof *v);
    CHECK(v, "no memory");
    for (int64_t n = monodomain_step(sim); n < to; n = monodomain_step(sim)) {
        int64_t next = n + piece < to ? n + piece : to;
        next = n < EVENT && next > EVENT ? EVENT : next;
        CHECK_OK(monodomain_advance(sim, next - n, &error), error);
        if (next != EVENT)
            continue;
        CHECK_OK(monodomain_voltage(sim, v, &error), error);
        for (int64_t k = 0; k < c->stimulus[0].nodes; k++)
            v[c->stimulus[0].node[k]] += 35;
        CHECK_OK(monodomain_set(sim, 0, v, &error), error);
    }
    CHECK(monodomain_step(sim) == to, "step %lld", (long long)monodomain_step(sim));
    free(v);
}

/* In pieces of so many steps */
static struct outcome run(const struct test_case *c, const char *name, int threads, int height, int64_t piece)
{
    struct backend backend = *backend_find(name, NULL);
    backend.slice_height = height ? height : backend.slice_height;
    struct queue *queue = test_queue(&backend, threads);
    struct monodomain *sim = begin(c, queue);
    advance(c, sim, STEPS, piece);
    struct outcome o = end(c, sim);
    queue_free(queue);
    return o;
}

/* = a restart from variables, history, level and records after `at` steps */
static struct outcome resumed(const struct test_case *c, int64_t at)
{
    struct error error = {0};
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    struct monodomain *first = begin(c, queue), *second;
    CHECK_OK(monodomain_create(&second, &c->mesh, &c->params, queue, &error), error);
    advance(c, first, at, STEPS);
    double *value = calloc((size_t)c->mesh.nodes * 8 + 1000, sizeof *value);
    CHECK(value && monodomain_followed_values(first) < 1000, "no memory");
    for (int k = 0; k < monodomain_variables(first); k++) {
        CHECK_OK(monodomain_get(first, k, value, &error), error);
        CHECK_OK(monodomain_set(second, k, value, &error), error);
    }
    CHECK_OK(monodomain_restart(second, at, monodomain_history(first), &error), error);
    monodomain_set_before(second, monodomain_before(first));
    monodomain_set_level(second, monodomain_level(first));
    const int64_t probe[] = {0, c->mesh.nodes - 1}; /* once the state is there, as a run does */
    CHECK_OK(monodomain_follow(second, probe, 2, 3, &error), error);
    CHECK_OK(monodomain_followed(first, value, &error), error);
    double again[1000];
    for (int k = 0; k < 2; k++) /* the records may be set more than once */
        CHECK_OK(monodomain_set_followed(second, value, &error), error);
    CHECK_OK(monodomain_followed(second, again, &error), error);
    CHECK(memcmp(again, value, (size_t)monodomain_followed_values(first) * sizeof *value) == 0,
          "other records");
    free(value);
    struct monodomain_work before = monodomain_work(first);
    monodomain_free(first);
    advance(c, second, STEPS, STEPS);
    struct outcome o = end(c, second);
    for (int k = 0; k <= DOUBLINGS; k++)
        o.work.by_level[k] += before.by_level[k];
    o.work.sweeps += before.sweeps;
    o.work.rejected += before.rejected;
    o.work.rejected_sweeps += before.rejected_sweeps;
    queue_free(queue);
    return o;
}

static void test_variations(const struct test_case *c, const char *name)
{
    char what[128];
    struct outcome want = run(c, "cpu-plain", 1, 0, STEPS);
    const struct monodomain_work *w = &want.work;
    printf("%s: %lld + %lld + %lld + %lld + %lld steps, %lld sweeps, %lld blocks repeated\n", name,
           (long long)w->by_level[0], (long long)w->by_level[1], (long long)w->by_level[2],
           (long long)w->by_level[3], (long long)w->by_level[4], (long long)w->sweeps,
           (long long)w->rejected);
    CHECK(w->by_level[0] > BLOCK && w->by_level[1] > 0 && w->by_level[2] > 0, "%s: one length alone", name);
    const bool repeats = c->params.method != METHOD_RKL2 || c->params.splitting != SPLITTING_STAGGERED;
    CHECK(w->rejected > 0 || !repeats, "%s: no block was repeated; nothing would be tested", name);
    const char *clones[] = {"cpu-plain", "cpu-avx2", "cpu-avx512", "cpu"};
    for (int k = 0; k < 4; k++) {
        snprintf(what, sizeof what, "%s, %s", name, clones[k]);
        if (backend_find(clones[k], NULL))
            expect_same(&want, run(c, clones[k], 1 + k / 3, 8 << k % 3, (int64_t)BLOCK * (3 * k + 1)), what);
    }
    for (int64_t at = BLOCK; at < STEPS; at += STEPS / 2 / BLOCK * BLOCK + BLOCK) {
        snprintf(what, sizeof what, "%s, resumed after %lld steps", name, (long long)at);
        expect_same(&want, resumed(c, at), what);
    }
    free(want.state);
}

/* Largest difference between two tissues in the variable of that name; infinite where one has what the other
 * has not */
static double apart(struct monodomain *a, struct monodomain *b, int64_t nodes, const char *name)
{
    struct error error = {0};
    int k = monodomain_find(a, name);
    int64_t count = nodes * monodomain_variable(a, k)->width;
    double *x = calloc((size_t)count, sizeof *x), *y = calloc((size_t)count, sizeof *y), most = 0;
    CHECK(x && y, "no memory");
    CHECK_OK(monodomain_get(a, k, x, &error), error);
    CHECK_OK(monodomain_get(b, monodomain_find(b, name), y, &error), error);
    for (int64_t i = 0; i < count; i++)
        most = isnan(x[i]) != isnan(y[i]) ? HUGE_VAL : isnan(x[i]) ? most : fmax(most, fabs(x[i] - y[i]));
    free(x);
    free(y);
    return most;
}

/* Beats and V beside those of fixed steps. What a repeated block had noted would show: as a beat that comes
 * twice, or a peak or rest that is not V's. */
static void test_results(struct test_case c, const char *name)
{
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    struct monodomain *sim = begin(&c, queue);
    c.params.doublings = 0;
    struct monodomain *fixed = begin(&c, queue);
    advance(&c, sim, STEPS, STEPS);
    advance(&c, fixed, STEPS, STEPS);
    static const struct {
        const char *name;
        double most, staggered; /* ms, mV */
    } want[] = {{"activation_time", 0.01, 0.01},
                {"repolarization_90", 0.1, 0.0016},
                {"rest", 0.1, 0.001},
                {"V", LENGTHS_CHANGE, 0.02}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        const double most = apart(sim, fixed, c.mesh.nodes, want[k].name),
                     allowed = c.params.splitting == SPLITTING_STAGGERED ? want[k].staggered : want[k].most;
        printf("%s: %s differs by %.3g\n", name, want[k].name, most);
        CHECK(most <= allowed, "%s: %s differs by %g", name, want[k].name, most);
    }
    monodomain_free(sim);
    monodomain_free(fixed);
    queue_free(queue);
}

/* A tissue at rest, in its longest steps, of which so many nodes are raised below the threshold and cross it
 * within the next block, which is repeated: maps, counts and the records of followed nodes are those of fixed
 * steps. Of few nodes the repeated block takes the current away before they cross: nothing is left of that.
 */
static void test_repeated_records(int64_t nodes, double raised)
{
    enum { RAISED = 40 * BLOCK, END = 60 * BLOCK, VALUES = 200 };
    struct error error = {0};
    struct test_case c;
    struct monodomain *sim[2];
    double record[2][VALUES];
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    case_make_small(&c, 1, 12, "mitchell-schaeffer", 0);
    c.params.stimuli = 0;
    c.params.step = 0.15;
    c.params.activation_threshold = raised + 5;
    c.params.activation_rearm = raised - 15;
    c.params.activation_beats = 2;
    c.params.maps = (struct params_maps){true, true, true, 1, {90}};
    for (int k = 0; k < 2; k++) {
        double v[64];
        CHECK(nodes <= c.mesh.nodes && c.mesh.nodes <= 64, "%lld nodes", (long long)c.mesh.nodes);
        c.params.doublings = k ? 0 : DOUBLINGS;
        sim[k] = begin(&c, queue);
        advance(&c, sim[k], RAISED, STEPS);
        CHECK(k || monodomain_level(sim[k]) == DOUBLINGS, "level %d at rest", monodomain_level(sim[k]));
        CHECK_OK(monodomain_voltage(sim[k], v, &error), error);
        for (int64_t i = 0; i < nodes; i++)
            v[i] = raised;
        CHECK_OK(monodomain_set(sim[k], 0, v, &error), error);
        advance(&c, sim[k], END, STEPS);
        CHECK(monodomain_followed_values(sim[k]) <= VALUES, "too many values");
        CHECK_OK(monodomain_followed(sim[k], record[k], &error), error);
    }
    CHECK(monodomain_work(sim[0]).rejected > 0, "no block was repeated; nothing would be tested");
    static const char *const maps[] = {"activation_time", "rest", "peak"};
    for (int m = 0; m < 3; m++) {
        double most = apart(sim[0], sim[1], c.mesh.nodes, maps[m]);
        CHECK(most <= 0.01, "%s differs by %g", maps[m], most);
    }
    for (int64_t i = 0; i < monodomain_followed_values(sim[0]); i++)
        CHECK(isnan(record[0][i]) ? isnan(record[1][i])
                                  : record[0][i] == record[1][i] || fabs(record[0][i] - record[1][i]) <= 0.01,
              "record %lld: %g, in fixed steps %g", (long long)i, record[0][i], record[1][i]);
    monodomain_free(sim[0]);
    monodomain_free(sim[1]);
    queue_free(queue);
    case_free(&c);
}

/* A passive cable that a constant current holds: V stands still, since diffusion takes the current away,
 * several mV in a step of dt. A long step would split what balances: there is none. */
static void test_balance(void)
{
    struct test_case c;
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    case_make_small(&c, 1, 12, "passive", 0);
    c.params.step = 0.15;
    c.params.doublings = DOUBLINGS;
    c.params.activation_threshold = 1000;
    c.stimulus[0].duration = 1e9;
    c.params.stimuli = 1;
    struct monodomain *sim = begin(&c, queue);
    advance(&c, sim, 60 * BLOCK, STEPS);
    CHECK(monodomain_level(sim) == 0, "a level of %d beside several mV of diffusion", monodomain_level(sim));
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
}

/* A long step in which diffusion changes V by more than rows in fp32 are rounded for is repeated, though the
 * last step of its block and the block's whole change allow it. */
static void test_rounded(enum method method, enum precision precision, int64_t rejected)
{
    struct test_case c;
    struct error error = {0};
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    double v[64];
    case_make_small(&c, 1, 12, "passive", 0);
    c.params.stimuli = 0;
    c.params.step = 2;
    c.params.method = method;
    c.params.precision = precision;
    c.params.precision_budget = 1;
    c.params.doublings = DOUBLINGS;
    struct monodomain *sim = begin(&c, queue);
    CHECK(c.mesh.nodes <= 64 &&
              (monodomain_report(sim)->scheme.fp32_share == 1) == (precision == PRECISION_MIXED),
          "%g of the rows in fp32", monodomain_report(sim)->scheme.fp32_share);
    CHECK_OK(monodomain_voltage(sim, v, &error), error);
    for (int64_t i = 0; i < c.mesh.nodes; i++)
        v[i] += (i % 2 ? 1.9 : -1.9) * DIFFUSION_CHANGE;
    CHECK_OK(monodomain_set(sim, 0, v, &error), error);
    monodomain_set_level(sim, 1);
    CHECK_OK(monodomain_advance(sim, BLOCK, &error), error);
    CHECK(monodomain_work(sim).rejected == rejected && monodomain_passed(sim) == 0,
          "method %d: %lld blocks repeated", (int)method, (long long)monodomain_work(sim).rejected);
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
}

/* What the starting guess looks back on is of steps of one length. */
static void test_history(const struct test_case *c, const char *name)
{
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    struct monodomain *sim = begin(c, queue);
    int changes = 0, level = 0;
    for (int64_t at = BLOCK; at <= 60 * BLOCK; at += BLOCK) {
        advance(c, sim, at, STEPS);
        if (monodomain_level(sim) != level)
            CHECK(monodomain_history(sim) == 0, "%s: %d steps of another length", name,
                  monodomain_history(sim));
        changes += monodomain_level(sim) != level;
        level = monodomain_level(sim);
    }
    CHECK(changes > 1, "%s: one length alone", name);
    monodomain_free(sim);
    queue_free(queue);
}

static void test_choice(void)
{
    /* a block of 16 steps of dt: its change, its level, whether it is rejected, the level after it */
    static const struct {
        double change; /* in units of 5 LENGTHS_CHANGE */
        int level, rejected, next;
    } want[] = {{0, 0, 0, 1},    {0, 4, 0, 4},    {1.19, 0, 0, 1}, {1.21, 0, 0, 0}, {0.61, 1, 0, 1},
                {1.59, 1, 0, 1}, {1.61, 1, 0, 0}, {6.39, 1, 0, 0}, {6.41, 1, 1, 0}, {0.19, 4, 0, 4},
                {0.21, 4, 0, 3}, {0.81, 4, 1, 1}, {0.14, 3, 0, 4}, {0.16, 3, 0, 3}, {200, 0, 0, 0},
                {NAN, 2, 1, 0},  {NAN, 0, 0, 0}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        double share = want[k].change * 5 * LENGTHS_CHANGE / 16;
        CHECK(lengths_reject(want[k].level, share) == want[k].rejected, "%g mV at level %d", want[k].change,
              want[k].level);
        int next = lengths_next(want[k].level, 4, share);
        CHECK(next == want[k].next, "%g mV: level %d after %d, want %d", want[k].change, next, want[k].level,
              want[k].next);
    }
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    const enum method methods[] = {METHOD_JACOBI, METHOD_CHEBYSHEV, METHOD_RKL2, METHOD_RKL2, METHOD_JACOBI};
    const char *names[] = {"jacobi", "chebyshev", "rkl2", "rkl2 of tp06", "staggered"};
    enum { PLAIN = 5, CLUSTERS = 7, HALF = 10 }; /* of either `methods` */
    static const int of[HALF] = {0, 1, 2, 3, 4, 0, 2, 4, 1, 2};
    test_choice();
    test_repeated_records(13, -45);
    test_repeated_records(2, -62);
    test_balance();
    for (int k = 0; k < 2; k++) {
        test_rounded(k ? METHOD_RKL2 : METHOD_JACOBI, PRECISION_DOUBLE, 0);
        test_rounded(k ? METHOD_RKL2 : METHOD_JACOBI, PRECISION_MIXED, 1);
    }
    for (int k = 0; k < HALF; k++) {
        const int m = of[k];
        const bool clusters = k >= PLAIN && k != CLUSTERS, half = k >= CLUSTERS;
        struct test_case c;
        char name[64];
        case_make_small(&c, clusters ? 1 : 1 + m % 2, 12, m < 3 ? "mitchell-schaeffer" : "tp06-epi", m % 2);
        c.params.method = methods[m];
        c.params.precision = m % 2 ? PRECISION_MIXED : PRECISION_DOUBLE;
        c.params.precision_budget = 1e-5;
        c.params.ionic_mixed = m == 1;
        c.params.step = m == 3 ? 0.02 : m == 4 ? 0.05 : 0.15;
        c.params.doublings = m == 3 ? 2 : DOUBLINGS;
        c.params.splitting = half || m == 1 || m == 4 ? SPLITTING_STAGGERED : SPLITTING_GODUNOV;
        c.params.mass_lumping = half && m == 1 ? 0.5 : 1;
        c.params.activation_beats = 2;
        c.params.activation_rearm = -40;
        c.params.maps = (struct params_maps){true, m != 3, true, 1, {90}};
        if (m < 2 ||
            m == 4) { /* enough sweeps for dt, too few for some longer steps: they are repeated, too */
            c.params.tolerance = 1e-5;
            c.params.max_sweeps = m == 1 ? 14 : 18;
        }
        c.stimulus[1].start = m == 3   ? 30.03
                              : m == 4 ? 60.03
                                       : 150.03; /* far from a block's edges, in the plateau */
        c.stimulus[1].count = 1;
        snprintf(name, sizeof name, "%s%s%s", names[m], half ? ", of second order" : "",
                 clusters ? " with clusters" : "");
        if (clusters) {
            planted_add(&c.mesh, PLANTED_PAIRS, 5, 1e-4);
            planted_check(&c, 2);
        }
        if (argc > 1) {
            struct outcome want = run(&c, "cpu-plain", 1, 0, STEPS);
            expect_same(&want, run(&c, backend->name, 1, 0, BLOCK * 7), name);
            free(want.state);
        } else {
            test_variations(&c, name);
            test_results(c, name);
            test_history(&c, name);
        }
        case_free(&c);
    }
    return 0;
}
