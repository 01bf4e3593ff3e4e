/* test_staggered.c: the staggered step of the cells: values shown are those of now and leave no trace; V that
 * is set costs no order; a passive cell takes its plain step. `test_staggered
 * [BACKEND]` */
#include "solver/step/monodomain.h"
#include "tests/support/case.h"

enum { STEPS = 60, MORE = 20 };

static struct monodomain *begin(const struct test_case *c, struct queue *queue)
{
    struct error error = {0};
    struct monodomain *sim;
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, queue, &error), error);
    return sim;
}

static void expect_same(const double *want, const double *got, int64_t length, const char *what)
{
    int64_t at = first_difference(want, got, length);
    CHECK(at < 0, "%s: value %lld is %.17g, want %.17g", what, (long long)at, got[at], want[at]);
}

/* What is shown is what settling leaves, and the steps go on as if nothing had been shown */
static void test_show(const struct backend *backend, bool mixed)
{
    struct test_case c;
    struct error error = {0};
    case_make(&c, 2, "luo-rudy-1991", 1);
    c.params.splitting = SPLITTING_STAGGERED;
    c.params.ionic_mixed = mixed;
    struct queue *queue = test_queue(backend, 2);
    struct monodomain *sim[3];
    double *state[3];
    int64_t length, nodes = c.mesh.nodes;
    for (int k = 0; k < 3; k++) {
        sim[k] = begin(&c, queue);
        CHECK(monodomain_lag(sim[k]) == 0, "gates are behind at the start");
        CHECK_OK(monodomain_advance(sim[k], STEPS, &error), error);
        CHECK(monodomain_lag(sim[k]) == c.params.step / 2, "%g ms behind", monodomain_lag(sim[k]));
    }
    CHECK_OK(monodomain_settle(sim[1], monodomain_lag(sim[1]), &error), error);
    CHECK_OK(monodomain_show(sim[0], &error), error);
    for (int k = 0; k < 3; k++)
        state[k] = case_state(sim[k], nodes, &length);
    monodomain_hide(sim[0]);
    expect_same(state[1], state[0], length, "shown");
    CHECK(first_difference(state[1], state[2], length) >= nodes, "gates are not behind");
    for (int k = 0; k < 3; k++) {
        free(state[k]);
        CHECK_OK(monodomain_advance(sim[k], MORE, &error), error);
        state[k] = case_state(sim[k], nodes, &length);
    }
    expect_same(state[2], state[0], length, "after it was shown");
    CHECK(first_difference(state[2], state[1], length) >= 0, "settling changes nothing");
    for (int k = 0; k < 3; k++) {
        free(state[k]);
        monodomain_free(sim[k]);
    }
    queue_free(queue);
    case_free(&c);
}

/* ms: upstroke of a cell whose V is set to -57 mV at 2 ms */
static double upstroke_after_jump(const struct backend *backend, double step)
{
    struct test_case c;
    struct error error = {0};
    case_make(&c, 1, "tp06-epi", 0);
    c.params.stimuli = 0;
    c.params.splitting = SPLITTING_STAGGERED;
    c.params.step = step;
    struct queue *queue = test_queue(backend, 1);
    struct monodomain *sim = begin(&c, queue);
    double *value = calloc((size_t)c.mesh.nodes, sizeof *value), time;
    CHECK(value, "no memory");
    CHECK_OK(monodomain_advance(sim, llround(2 / step), &error), error);
    for (int64_t i = 0; i < c.mesh.nodes; i++)
        value[i] = -57;
    CHECK_OK(monodomain_set(sim, 0, value, &error), error);
    CHECK(monodomain_lag(sim) == 0, "gates are still behind");
    CHECK_OK(monodomain_advance(sim, llround(6 / step), &error), error);
    CHECK_OK(monodomain_get(sim, monodomain_find(sim, "activation_time"), value, &error), error);
    time = value[0];
    free(value);
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
    return time;
}

static void test_jump(const struct backend *backend)
{
    double time[4];
    for (int k = 0; k < 4; k++)
        time[k] = upstroke_after_jump(backend, ldexp(0.05, -k));
    const double order = log2((time[0] - time[1]) / (time[1] - time[2])),
                 finer = log2((time[1] - time[2]) / (time[2] - time[3]));
    printf("upstroke %.5f, %.5f, %.5f, %.5f ms: order %.2f, %.2f\n", time[0], time[1], time[2], time[3],
           order, finer);
    CHECK(order > 1.8 && order < 2.2 && finer > 1.8 && finer < 2.2, "orders %g and %g", order, finer);
}

static void test_plain(const struct backend *backend)
{
    struct test_case c;
    int64_t length[2];
    case_make(&c, 1, "passive", 0);
    double *godunov = case_run(&c, backend, 1, STEPS, &length[0], NULL);
    c.params.splitting = SPLITTING_STAGGERED;
    double *staggered = case_run(&c, backend, 1, STEPS, &length[1], NULL);
    CHECK(length[1] == length[0] + c.mesh.nodes, "V before the last step is no variable");
    expect_same(godunov, staggered, c.mesh.nodes, "passive");
    free(godunov), free(staggered);
    case_free(&c);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    test_show(backend, false);
    test_show(backend, true);
    test_jump(backend);
    test_plain(backend);
    return 0;
}
