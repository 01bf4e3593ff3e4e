/* test_identity.c: a backend computes what the CPU computes. In double: V, all states, maps and sweep counts
 * bit for bit, on every model, sweep solver, dimension, form and splitting; a run that changes from one to
 * the other and back; failures at the same step with the same V. In mixed precision: within the bounds that
 * docs/theory/numerics.md states. Without an argument it is another table of the CPU. */
#include "tests/support/planted.h"

enum { STEPS = 30 };

static const struct backend *cpu, *other;
static int runs;

static int64_t compare(const struct test_case *c, const char *what)
{
    int64_t length = 0, sweeps = 0, other_sweeps = 0;
    double *want = case_run(c, cpu, 1, STEPS, &length, &sweeps);
    double *got = case_run(c, other, 2, STEPS, &length, &other_sweeps);
    int64_t at = first_difference(want, got, length);
    CHECK(at < 0, "%s: value %lld is %.17g, want %.17g", what, (long long)at, got[at], want[at]);
    CHECK(sweeps == other_sweeps, "%s: %lld sweeps, want %lld", what, (long long)other_sweeps,
          (long long)sweeps);
    runs++;
    free(want);
    free(got);
    return sweeps;
}

static void test_models(void)
{
    for (int k = 0; k < ionic_models(); k++) {
        struct test_case c;
        const char *name = ionic_model(k)->name;
        case_make(&c, 1 + k % 3, name, k % 3 > 0);
        if (strcmp(name, "pathmanathan-gray") == 0) /* V is of order 1 */
            c.stimulus[0].current = 0.5, c.stimulus[1].current = 0.2;
        compare(&c, name);
        const char *text = ionic_model(k)->source;
        if (text && k > 0 && ionic_model(k - 1)->source && strcmp(text, ionic_model(k - 1)->source) == 0) {
            case_free(&c); /* another set of the same formulas */
            continue;
        }
        c.params.ionic_substeps = 3;
        compare(&c, name);
        c.params.ionic_tables = ionic_model(k)->columns > 0;
        if (c.params.ionic_tables)
            compare(&c, name);
        c.params.splitting = SPLITTING_STAGGERED;
        c.params.ionic_substeps = 1 + k % 2;
        compare(&c, name);
        c.params.ionic_tables = false;
        compare(&c, name);
        case_free(&c);
    }
}

static void test_solvers(void)
{
    const enum method methods[] = {METHOD_JACOBI, METHOD_CHEBYSHEV, METHOD_RKL2};
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int m = 0; m < 3; m++) {
            struct test_case c;
            char what[96];
            case_make(&c, dimension, m == 1 ? "tp06-endo" : "mitchell-schaeffer", dimension > 1);
            c.params.method = methods[m];
            c.params.step = methods[m] == METHOD_RKL2 ? 0.1 * dimension : 0.02; /* 2 to 5 stages */
            c.params.splitting = dimension == 2 ? SPLITTING_STAGGERED : SPLITTING_GODUNOV;
            snprintf(what, sizeof what, "%d-D, method %d", dimension, m);
            compare(&c, what);
            c.params.update = m % 2 ? UPDATE_FUSED : UPDATE_HYBRID;
            c.params.maps = (struct params_maps){.slope = true};
            compare(&c, what);
            case_free(&c);
        }
}

static void test_clusters(void)
{
    const enum method methods[] = {METHOD_JACOBI, METHOD_CHEBYSHEV, METHOD_AUTO, METHOD_RKL2};
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int m = 0; m < 4; m++) {
            struct test_case c;
            char what[96];
            case_make(&c, dimension, "mitchell-schaeffer", dimension > 1);
            planted_few(&c.mesh);
            c.params.method = methods[m];
            c.params.mass_lumping = m == 1 && dimension > 1 ? 0.5 : 1;
            c.params.update = dimension % 2 ? UPDATE_FUSED : UPDATE_HYBRID;
            planted_check(&c, 3);
            snprintf(what, sizeof what, "clusters, %d-D, method %d", dimension, (int)methods[m]);
            compare(&c, what);
            case_free(&c);
        }
}

static void test_forms(void)
{
    for (int k = 0; k < 6; k++) {
        struct test_case c;
        char what[96];
        case_make(&c, 3, "mitchell-schaeffer", 1);
        c.params.mass_lumping = k < 3 ? 1 : 0.5;
        c.params.method = METHOD_CHEBYSHEV;
        c.params.splitting = k % 3 == 0 || k >= 3 ? SPLITTING_STAGGERED : SPLITTING_GODUNOV;
        c.params.update = k / 3 ? UPDATE_FUSED : UPDATE_HYBRID;
        c.params.tolerance = 1e-7; /* more sweeps than are laid out in a row */
        c.params.activation_beats = 2;
        c.params.activation_rearm = -40;
        if (k % 2)
            c.params.maps = (struct params_maps){k < 3, true, true, 2, {90, 5}};
        snprintf(what, sizeof what, "form %d", k);
        CHECK(compare(&c, what) > 4 * STEPS, "%s: too few sweeps to say much", what);
        case_free(&c);
    }
}

static void create(const struct test_case *c, const struct backend *backend, struct queue **queue,
                   struct monodomain **sim)
{
    struct error error = {0};
    *queue = test_queue(backend, 2);
    CHECK_OK(monodomain_create(sim, &c->mesh, &c->params, *queue, &error), error);
}

static void hand_over(const struct test_case *c, struct monodomain *from, struct monodomain *to)
{
    struct error error = {0};
    double *value = calloc((size_t)c->mesh.nodes * (size_t)c->params.activation_beats, sizeof *value);
    CHECK(value, "no memory");
    for (int k = 0; k < monodomain_variables(from); k++) {
        CHECK_OK(monodomain_get(from, k, value, &error), error);
        CHECK_OK(monodomain_set(to, k, value, &error), error);
    }
    CHECK_OK(monodomain_restart(to, monodomain_step(from), monodomain_history(from), &error), error);
    monodomain_set_before(to, monodomain_before(from));
    free(value);
}

/* CPU for 7 steps, the other for 14, CPU for 9 = CPU for 30 */
static void test_change_over(void)
{
    struct test_case c;
    struct error error = {0};
    struct queue *queue[2];
    struct monodomain *sim[2];
    int64_t length;
    case_make(&c, 3, "tp06-m", 1);
    double *want = case_run(&c, cpu, 2, STEPS, &length, NULL);
    create(&c, cpu, &queue[0], &sim[0]);
    create(&c, other, &queue[1], &sim[1]);
    CHECK_OK(monodomain_advance(sim[0], 7, &error), error);
    hand_over(&c, sim[0], sim[1]);
    CHECK_OK(monodomain_advance(sim[1], 14, &error), error);
    hand_over(&c, sim[1], sim[0]);
    CHECK_OK(monodomain_advance(sim[0], 9, &error), error);
    double *got = case_state(sim[0], c.mesh.nodes, &length);
    int64_t at = first_difference(want, got, length);
    CHECK(at < 0, "there and back: value %lld", (long long)at);
    for (int k = 0; k < 2; k++)
        monodomain_free(sim[k]);
    queue_free(queue[0]);
    queue_free(queue[1]);
    free(want);
    free(got);
    case_free(&c);
}

/* The whole state that a run leaves which fails as it should, and in *step how far it came */
static double *run_to_failure(const struct test_case *c, const struct backend *backend,
                              enum failure_kind kind, int64_t *step, int64_t *length)
{
    struct error error = {0};
    struct queue *queue;
    struct monodomain *sim;
    create(c, backend, &queue, &sim);
    CHECK(monodomain_advance(sim, 400, &error) == STATUS_RUN, "no failure");
    CHECK((enum failure_kind)monodomain_failure(sim)->kind == kind, "%s", error.text);
    *step = monodomain_step(sim);
    double *state = case_state(sim, c->mesh.nodes, length);
    monodomain_free(sim);
    queue_free(queue);
    return state;
}

/* How many nodes would have activated in step n, had nothing stopped it */
static int64_t activated_in(struct test_case *c, int64_t n)
{
    struct error error = {0};
    struct queue *queue;
    struct monodomain *sim;
    double limit = c->params.voltage_limit;
    int64_t count = 0;
    c->params.voltage_limit = 1e6;
    create(c, cpu, &queue, &sim);
    CHECK_OK(monodomain_advance(sim, n + 1, &error), error);
    double *map = calloc((size_t)c->mesh.nodes, sizeof *map);
    CHECK(map, "no memory");
    CHECK_OK(monodomain_get(sim, monodomain_find(sim, "activation_time"), map, &error), error);
    for (int64_t i = 0; i < c->mesh.nodes; i++)
        count += map[i] > (double)n * c->params.step;
    free(map);
    monodomain_free(sim);
    queue_free(queue);
    c->params.voltage_limit = limit;
    return count;
}

/* A step that fails leaves V and maps as they were and the rest alike, on every backend after the same number
 * of steps: one that does not converge; blow-ups, with maps by threshold, by slope and of beats, in a step in
 * which other nodes activate */
static void test_failure(void)
{
    for (int kind = 0; kind < 5; kind++) {
        struct test_case c;
        int64_t step[2], length[2];
        case_make(&c, 2, kind == 0 ? "mitchell-schaeffer" : "passive", 1);
        if (kind == 0)
            c.params.max_sweeps = 2; /* enough until the stimulus begins to spread */
        else
            c.params.voltage_limit = 100;
        if (kind == 2)
            c.params.maps = (struct params_maps){.slope = true};
        if (kind == 4)
            c.params.maps = (struct params_maps){true, true, true, 1, {90}};
        if (kind == 3)
            c.params.splitting = SPLITTING_STAGGERED;
        c.params.activation_threshold = kind == 0 ? 0 : 60;
        c.params.tolerance = kind == 0 ? 1e-6 : 1e-4;
        c.stimulus[0].current = kind == 0 ? 5 : 400;
        c.stimulus[0].start = 0.2;
        enum failure_kind kept = kind == 0 ? FAILURE_SWEEPS : FAILURE_VOLTAGE;
        double *want = run_to_failure(&c, cpu, kept, &step[0], &length[0]);
        double *got = run_to_failure(&c, other, kept, &step[1], &length[1]);
        CHECK(step[0] == step[1] && step[0] > 0, "failed after %lld and %lld steps", (long long)step[0],
              (long long)step[1]);
        if (kind == 1 || kind >= 3)
            CHECK(activated_in(&c, step[0]) > 0, "kind %d: no node activates in step %lld", kind,
                  (long long)step[0]);
        int64_t at = first_difference(want, got, length[0]);
        CHECK(length[0] == length[1] && at < 0, "kind %d: value %lld is %.17g, want %.17g", kind,
              (long long)at, got[at < 0 ? 0 : at], want[at < 0 ? 0 : at]);
        free(want);
        free(got);
        case_free(&c);
    }
}

/* Largest |difference| of V after the steps */
static double distance(const struct test_case *c)
{
    int64_t length;
    double *want = case_run(c, cpu, 2, 5 * STEPS, &length, NULL);
    double *got = case_run(c, other, 2, 5 * STEPS, &length, NULL);
    double top = 0;
    for (int64_t i = 0; i < c->mesh.nodes; i++)
        top = fmax(top, fabs(want[i] - got[i]));
    free(want);
    free(got);
    return top;
}

static struct monodomain_report report_of(const struct test_case *c)
{
    struct queue *queue;
    struct monodomain *sim;
    create(c, other, &queue, &sim);
    struct monodomain_report report = *monodomain_report(sim);
    monodomain_free(sim);
    queue_free(queue);
    return report;
}

/* The same bits by both update schemes */
static void compare_updates(struct test_case *c)
{
    const enum update updates[] = {UPDATE_HYBRID, UPDATE_FUSED};
    int64_t length, count = 0, first_count = 0;
    double *first = NULL;
    for (int k = 0; k < 2; k++) {
        c->params.update = updates[k];
        count = 0;
        double *got = case_run(c, other, 2, STEPS, &length, &count);
        CHECK(!first || (first_difference(first, got, length) < 0 && count == first_count),
              "update scheme %d changes bits", updates[k]);
        if (first)
            free(got);
        else
            first = got, first_count = count;
    }
    free(first);
}

static void test_mixed(void)
{
    struct test_case c;
    case_make(&c, 3, "tp06-epi", 1);
    c.params.tolerance = 1e-6;
    c.params.precision = PRECISION_MIXED;
    double matrix = distance(&c);
    CHECK(matrix <= 1e-4, "mixed matrix: %g mV apart", matrix);
    c.params.ionic_mixed = true;
    double gates = distance(&c);
    CHECK(gates <= 0.02, "mixed gates: %g mV apart", gates);
    c.params.method = METHOD_RKL2;
    double stages = distance(&c);
    CHECK(stages <= 0.02, "rkl2, mixed gates: %g mV apart", stages);
    c.params.method = METHOD_JACOBI;
    printf("mixed, across backends: matrix %.3g mV, gates too %.3g mV, rkl2 %.3g mV\n", matrix, gates,
           stages);

    c.params.precision_budget = 5e-7; /* divides the rows */
    compare_updates(&c);
    c.params.method = METHOD_RKL2;
    c.params.precision_budget = 1e-5;
    struct monodomain_report report;
    do {
        c.params.precision_budget *= 0.9;
        report = report_of(&c);
    } while (report.scheme.fp32_share == 1);
    CHECK(report.scheme.length[0].stages == 2 && report.scheme.fp32_share > 0.9, "%d stages, a share of %g",
          report.scheme.length[0].stages, report.scheme.fp32_share);
    compare_updates(&c); /* the first stage is implied */
    case_free(&c);
}

int main(int argc, char **argv)
{
    cpu = backend_find("cpu", NULL);
    other = argc > 1 ? test_backend(argc, argv) : backend_find("cpu-avx2", NULL);
    if (!other || other == cpu)
        other = backend_find("cpu-plain", NULL);
    CHECK(cpu && other, "no CPU");
    test_models();
    test_solvers();
    test_clusters();
    test_forms();
    test_change_over();
    test_failure();
    test_mixed();
    printf("%s and %s: %d runs of %d steps with the same bits\n", cpu->name, other->name, runs, STEPS);
    return 0;
}
