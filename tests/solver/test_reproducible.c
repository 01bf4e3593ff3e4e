/* test_reproducible.c: threads, slice height, update schemes, instruction sets, the division of the steps and
 * a restart from the saved state change no bit of V or of any state, and no sweep count. In double and in
 * mixed precision, with a raised budget, too; in one, two and three dimensions; under every solver.
 * `test_reproducible [full]`: each height and update scheme on one instruction set a case, in turn, or on all
 * of them. */
#include "solver/step/monodomain.h"
#include "tests/support/planted.h"

struct outcome {
    double *state;
    int64_t length, sweeps;
};

/* On a backend, with slices of so many rows in place of its own */
static struct outcome run_of_height(const struct test_case *c, const char *name, int threads, int height)
{
    struct outcome o = {0};
    struct backend backend = *backend_find(name, NULL);
    backend.slice_height = height;
    o.state = case_run(c, &backend, threads, 40, &o.length, &o.sweeps);
    return o;
}

static struct outcome run(const struct test_case *c, const char *name, int threads)
{
    return run_of_height(c, name, threads, backend_find(name, NULL)->slice_height);
}

static void expect_same(const struct outcome *a, struct outcome b, const char *what)
{
    CHECK(a->length == b.length, "%s: other variables", what);
    CHECK(a->sweeps == b.sweeps, "%s: %lld sweeps, want %lld", what, (long long)b.sweeps,
          (long long)a->sweeps);
    int64_t k = first_difference(a->state, b.state, a->length);
    CHECK(k < 0, "%s: value %lld is %.17g, want %.17g", what, (long long)k, b.state[k], a->state[k]);
    free(b.state);
}

/* All variations of one case against its plainest form; `turn` < 0: on all instruction sets */
static void test_case_variations(struct test_case c, const char *name, int combination)
{
    char what[128];
    struct outcome want = run(&c, "cpu-plain", 1);
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < c.mesh.nodes; i++) {
        low = fmin(low, want.state[i]);
        high = fmax(high, want.state[i]);
    }
    CHECK(high - low > 5, "%s: V spans %g mV only; nothing would be tested", name, high - low);

    snprintf(what, sizeof what, "%s, 3 threads", name);
    expect_same(&want, run(&c, "cpu-plain", 3), what);
    const char *clones[] = {"cpu-avx2", "cpu-avx512", "cpu-avx512-loads"};
    for (int k = 0; k < 3; k++) {
        snprintf(what, sizeof what, "%s, %s", name, clones[k]);
        if (backend_find(clones[k], NULL))
            expect_same(&want, run(&c, clones[k], 2), what);
    }
    const char *all[] = {"cpu-plain", "cpu-avx2", "cpu-avx512"};
    for (int h = 0; h < 4; h++)
        for (int k = 0; k < 3; k++) {
            if (combination >= 0 && (h % 2 != combination % 2 || k != (combination + h) % 3))
                continue;
            snprintf(what, sizeof what, "%s, slices of %d, %s", name, 8 << h, all[k]);
            if (backend_find(all[k], NULL))
                expect_same(&want, run_of_height(&c, all[k], 1 + h % 3, 8 << h), what);
        }
    const enum update updates[] = {UPDATE_HYBRID, UPDATE_FUSED};
    for (int u = 0; u < 2; u++)
        for (int k = 0; k < 3; k++) {
            if (combination >= 0 && k != (combination + u) % 3)
                continue;
            c.params.update = updates[u];
            snprintf(what, sizeof what, "%s, update %d, %s", name, updates[u], all[k]);
            if (backend_find(all[k], NULL))
                expect_same(&want, run(&c, all[k], 1 + u % 2), what);
        }
    printf("%s: %lld values, %lld sweeps, V %.1f .. %.1f mV: the same bits\n", name, (long long)want.length,
           (long long)want.sweeps, low, high);
    free(want.state);
}

/* advance(40) = advance(1) + advance(16) + advance(23), and = a restart from the variables after 17 steps */
static void test_division(const struct test_case *c, const char *name)
{
    struct error error = {0};
    const struct backend *backend = backend_find("cpu", NULL);
    struct outcome want = run(c, "cpu", 2), got = {0};
    struct queue *queue;
    struct monodomain *first, *second;
    CHECK_OK(queue_new(&queue, backend, 2, &error), error);
    CHECK_OK(monodomain_create(&first, &c->mesh, &c->params, queue, &error), error);
    CHECK_OK(monodomain_create(&second, &c->mesh, &c->params, queue, &error), error);
    CHECK_OK(monodomain_advance(first, 1, &error), error);
    CHECK_OK(monodomain_advance(first, 16, &error), error);

    double *value = calloc((size_t)c->mesh.nodes * (size_t)c->params.activation_beats, sizeof *value);
    CHECK(value, "no memory");
    for (int k = 0; k < monodomain_variables(first); k++) {
        CHECK_OK(monodomain_get(first, k, value, &error), error);
        CHECK_OK(monodomain_set(second, k, value, &error), error);
    }
    CHECK_OK(monodomain_restart(second, monodomain_step(first), monodomain_history(first), &error), error);
    monodomain_set_before(second, monodomain_before(first));
    free(value);

    struct monodomain *sims[] = {first, second};
    for (int s = 0; s < 2; s++) {
        CHECK_OK(monodomain_advance(sims[s], 23, &error), error);
        CHECK(monodomain_step(sims[s]) == 40, "step %lld", (long long)monodomain_step(sims[s]));
        got.state = case_state(sims[s], c->mesh.nodes, &got.length);
        int64_t k = first_difference(want.state, got.state, want.length);
        CHECK(k < 0, "%s, %s: value %lld", name, s ? "restarted" : "divided", (long long)k);
        free(got.state);
        monodomain_free(sims[s]);
    }
    free(want.state);
    queue_free(queue);
}

/* What goes on from a copy in memory, though other steps with a later stimulus came between, is what goes on
 * without them. */
static void test_copy(const struct test_case *c, const char *name)
{
    struct error error = {0};
    struct outcome want = run(c, "cpu", 2), got = {0};
    struct queue *queue;
    struct monodomain *sim;
    struct state_copy copy;
    CHECK_OK(queue_new(&queue, backend_find("cpu", NULL), 2, &error), error);
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, queue, &error), error);
    CHECK_OK(state_copy_create(&copy, sim, c->mesh.nodes, &error), error);
    CHECK_OK(monodomain_advance(sim, 11, &error), error);
    for (int between = 0; between < 3; between++) {
        struct stimulus later[] = {c->stimulus[0], c->stimulus[1]};
        later[1].start = 0.3 + 0.1 * between;
        CHECK_OK(state_copy_take(&copy, sim, &error), error);
        CHECK_OK(monodomain_set_stimuli(sim, later, 2, &error), error);
        CHECK_OK(monodomain_advance(sim, 5 + 13 * between, &error), error);
        CHECK_OK(monodomain_set_stimuli(sim, c->stimulus, 2, &error), error);
        CHECK_OK(state_copy_restore(&copy, sim, &error), error);
        CHECK(monodomain_step(sim) == 11, "step %lld", (long long)monodomain_step(sim));
    }
    CHECK_OK(monodomain_advance(sim, 29, &error), error);
    got.state = case_state(sim, c->mesh.nodes, &got.length);
    int64_t k = first_difference(want.state, got.state, want.length);
    CHECK(k < 0, "%s, from a copy: value %lld", name, (long long)k);
    state_copy_free(&copy);
    monodomain_free(sim);
    free(got.state);
    free(want.state);
    queue_free(queue);
}

static int allocations; /* the test's own count, of the table below */

static void *counting_alloc(struct queue *queue, size_t bytes)
{
    allocations++;
    return backend_find("cpu", NULL)->alloc(queue, bytes);
}

/* The time loop allocates nothing. */
static void test_no_allocation(const struct test_case *c)
{
    struct error error = {0};
    struct backend backend = *backend_find("cpu", NULL);
    struct queue *queue;
    struct monodomain *sim;
    backend.alloc = counting_alloc;
    CHECK_OK(queue_new(&queue, &backend, 2, &error), error);
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, queue, &error), error);
    int before = allocations;
    CHECK(before > 5, "%d allocations at set-up", before);
    CHECK_OK(monodomain_advance(sim, 5, &error), error);
    CHECK(allocations == before, "%d allocations in the time loop", allocations - before);
    monodomain_free(sim);
    queue_free(queue);
}

/* Clusters of nodes that are solved as one unknown, by each method */
static void test_planted(bool full)
{
    const enum method methods[] = {METHOD_JACOBI, METHOD_CHEBYSHEV, METHOD_RKL2};
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int m = 0; m < 3; m++) {
            struct test_case c;
            char name[64];
            case_make(&c, dimension, "mitchell-schaeffer", dimension > 1);
            planted_few(&c.mesh);
            c.params.method = methods[m];
            c.params.precision = (dimension + m) % 2 ? PRECISION_MIXED : PRECISION_DOUBLE;
            c.params.precision_budget = m == 2 ? 1e-5 : 5e-7;
            c.params.tolerance = 1e-6;
            c.params.mass_lumping = m == 1 ? 0.5 : 1;
            planted_check(&c, 3);
            snprintf(name, sizeof name, "%d-D, clusters, method %d", dimension, (int)methods[m]);
            test_case_variations(c, name, full ? -1 : dimension + m);
            test_division(&c, name);
            case_free(&c);
        }
}

int main(int argc, char **argv)
{
    const bool full = argc > 1 && strcmp(argv[1], "full") == 0;
    int combination = 0;
    const enum method methods[] = {METHOD_JACOBI, METHOD_JACOBI, METHOD_CHEBYSHEV, METHOD_RKL2,
                                   METHOD_JACOBI};
    const char *names[] = {"jacobi", "jacobi with theta 1/2", "chebyshev", "rkl2", "staggered"};
    const char *precisions[] = {"double", "mixed"};
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int m = 0; m < 5; m++)
            for (int mixed = 0; mixed < 2; mixed++) {
                struct test_case c;
                char name[64];
                if (!full && (dimension + m + mixed) % 2) /* a method has one precision in each dimension */
                    continue;
                case_make(&c, dimension, m % 4 == 0 ? "tp06-epi" : "mitchell-schaeffer", dimension > 1);
                c.params.method = methods[m];
                c.params.precision = mixed ? PRECISION_MIXED : PRECISION_DOUBLE;
                c.params.precision_budget = m == 3 ? 1e-5 * dimension : 5e-7; /* divides the rows */
                c.params.step = m == 3 ? 0.1 * dimension : 0.02;              /* 2 to 5 stages */
                c.params.ionic_mixed = mixed && m % 4 == 0;
                c.params.tolerance = 1e-6;
                c.params.splitting = m == 4 || m % 2 ? SPLITTING_STAGGERED : SPLITTING_GODUNOV;
                c.params.ionic_substeps = m == 4 ? dimension : 1;
                c.params.mass_lumping = m == 2 ? 0.5 : 1;
                c.params.activation_beats = 2;
                c.params.activation_rearm = -40;
                if (m < 2)
                    c.params.maps = (struct params_maps){true, m, true, 2, {90, 5}};
                snprintf(name, sizeof name, "%d-D, %s, %s", dimension, names[m], precisions[mixed]);
                test_case_variations(c, name, full ? -1 : combination++);
                test_division(&c, name);
                test_copy(&c, name);
                if (m == 0)
                    test_no_allocation(&c);
                case_free(&c);
            }
    test_planted(full);
    return 0;
}
