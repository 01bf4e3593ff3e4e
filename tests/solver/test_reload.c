/* test_reload.c: a tissue reloaded with other cells and stimuli has the bits of one created with them,
 * whatever steps its matrix was used for before. `test_reload [BACKEND]` */
#include "tests/support/planted.h"

enum { STEPS = 40, BEFORE = 25 };

/* Another tissue on the same matrix: its models, parameters, stimuli, maps and states in fp32 */
static void change_cells(struct test_case *c)
{
    c->region[0].model = ionic_find("mitchell-schaeffer");
    c->region[1].model = ionic_find("tp06-epi");
    c->stimulus[0].current = -30;
    c->params.stimuli = 1;
    c->params.activation_beats = 3;
    c->params.ionic_mixed = true;
}

/* One that blows up: V and the iterates that it leaves are no numbers a step may read. */
static void spoil_cells(struct test_case *c)
{
    c->stimulus[0].current = 1e6;
}

static void test_one(const struct backend *backend, enum method method, enum precision precision,
                     void (*change)(struct test_case *), bool fails)
{
    struct test_case c, before;
    struct error error = {0};
    struct monodomain *sim;
    int64_t length, same;
    case_make(&c, 3, "tp06-epi", 1);
    c.params.method = method;
    c.params.precision = precision;
    if (precision == PRECISION_DOUBLE) { /* with clusters */
        planted_few(&c.mesh);
        planted_check(&c, 3);
    }
    before = c;
    before.params.region = before.region;
    before.params.stimulus = before.stimulus;
    change(&before);
    double *want = case_run(&c, backend, 2, STEPS, &length, NULL);
    struct queue *queue = test_queue(backend, 2);
    CHECK_OK(monodomain_create(&sim, &before.mesh, &before.params, queue, &error), error);
    bool failed = monodomain_advance(sim, BEFORE, &error) != STATUS_OK;
    CHECK(failed == fails, "%s", failed ? error.text : "no blow-up");
    for (int again = 0; again < 2; again++) {
        monodomain_unload(sim);
        CHECK_OK(monodomain_reload(sim, &c.mesh, &c.params, &error), error);
        CHECK(monodomain_step(sim) == 0 && monodomain_work(sim).steps == 0, "it begins at step %lld",
              (long long)monodomain_step(sim));
        CHECK_OK(monodomain_advance(sim, STEPS, &error), error);
        double *got = case_state(sim, c.mesh.nodes, &same);
        CHECK(same == length && first_difference(want, got, length) < 0,
              "method %d, precision %d: %lld values of %lld, the first that differs is %lld", (int)method,
              (int)precision, (long long)same, (long long)length,
              (long long)first_difference(want, got, length < same ? length : same));
        free(got);
    }
    monodomain_unload(sim); /* and is freed as it is */
    monodomain_free(sim);
    queue_free(queue);
    free(want);
    case_free(&c);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    static const enum method methods[] = {METHOD_JACOBI, METHOD_CHEBYSHEV, METHOD_RKL2, METHOD_AUTO};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        test_one(backend, methods[m], PRECISION_DOUBLE, change_cells, false);
        test_one(backend, methods[m], PRECISION_MIXED, spoil_cells, true);
    }
    return 0;
}
