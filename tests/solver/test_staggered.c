/* test_staggered.c: the staggered step of the cells: values shown are those at the time of V and leave no
 * trace; setting V keeps the order in time; a passive cell takes its plain step. `test_staggered [BACKEND]`
 */
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

enum { JUMP_TIME = 20, JUMP_NODES = 101 + 1, JUMP_LEVELS = 4, EDGE_TIME = 2 };

/* v[nodes] <- of a passive cable whose V jumps by 80 mV in the middle, in steps of Crank-Nicolson: at the
 * start by its regions, or set (mV, at 2 ms); checks the range. Halfway it goes on from a copy of its state.
 */
static void relax(const struct backend *backend, double step, bool set, double *v)
{
    struct test_case c;
    struct error error = {0};
    struct state_copy copy = {0};
    case_make(&c, 1, "passive", 0);
    const double rest = c.region[0].model->v_initial, raised = rest + 80;
    const double parameter[] = {0, rest}; /* without a leak, of which the plain step is of first order */
    c.region[0].parameter = c.region[1].parameter = parameter;
    c.params.stimuli = 0;
    c.params.splitting = SPLITTING_STAGGERED;
    c.params.tolerance = 1e-9;
    c.params.step = step;
    c.region[1].initial = set ? NULL : &raised;
    struct queue *queue = test_queue(backend, 1);
    struct monodomain *sim = begin(&c, queue);
    CHECK(c.mesh.nodes == JUMP_NODES, "%lld nodes", (long long)c.mesh.nodes);
    if (set) {
        CHECK_OK(monodomain_advance(sim, llround(JUMP_TIME / step), &error), error);
        for (int64_t i = 0; i < c.mesh.nodes; i++)
            v[i] = c.mesh.point[3 * i] > 13.3 ? raised : rest;
        CHECK_OK(monodomain_set(sim, 0, v, &error), error);
    }
    CHECK_OK(state_copy_create(&copy, sim, c.mesh.nodes, &error), error);
    CHECK_OK(state_copy_take(&copy, sim, &error), error);
    for (int again = 0; again < 2; again++) {
        double first[JUMP_NODES];
        memcpy(first, v, sizeof first);
        CHECK_OK(state_copy_restore(&copy, sim, &error), error);
        for (int64_t n = 0; n < llround(JUMP_TIME / step); n++) {
            CHECK_OK(monodomain_advance(sim, 1, &error), error);
            CHECK_OK(monodomain_voltage(sim, v, &error), error);
            for (int64_t i = 1; i < c.mesh.nodes; i++)
                CHECK(v[i] >= v[i - 1] - 1e-6 && v[i] <= raised, "step of %g ms: V is %g after %g mV", step,
                      v[i], v[i - 1]);
        }
        CHECK(again == 0 || first_difference(first, v, JUMP_NODES) < 0, "other bits from a copy");
    }
    state_copy_free(&copy);
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
}

/* A V that jumps in space does not ring, and costs no order */
static void test_profile(const struct backend *backend, bool set)
{
    double v[JUMP_LEVELS][JUMP_NODES], apart[JUMP_LEVELS - 1] = {0};
    for (int k = 0; k < JUMP_LEVELS; k++)
        relax(backend, ldexp(2, -k), set, v[k]);
    for (int k = 0; k + 1 < JUMP_LEVELS; k++)
        for (int i = 0; i < JUMP_NODES; i++)
            apart[k] = fmax(apart[k], fabs(v[k][i] - v[k + 1][i]));
    printf("a profile of V %s: differences %.4f, %.4f, %.4f mV\n", set ? "that is set" : "by regions",
           apart[0], apart[1], apart[2]);
    CHECK(apart[0] / apart[1] > 3.5 && apart[1] / apart[2] > 3.7, "ratios %g and %g", apart[0] / apart[1],
          apart[1] / apart[2]);
}

/* v[nodes] <- V of a cable at 2 ms, when a stimulus ends that is on within 0.7 mm */
static void excite(const struct backend *backend, enum method method, double step, double *v)
{
    struct test_case c;
    struct error error = {0};
    case_make(&c, 1, "luo-rudy-1991", 0);
    c.params.splitting = SPLITTING_STAGGERED;
    c.params.method = method;
    c.params.step = step;
    c.params.stimuli = 1;
    c.stimulus[0].duration = EDGE_TIME;
    struct queue *queue = test_queue(backend, 1);
    struct monodomain *sim = begin(&c, queue);
    CHECK_OK(monodomain_advance(sim, llround(EDGE_TIME / step), &error), error);
    CHECK_OK(monodomain_voltage(sim, v, &error), error);
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
}

/* Around the edge of a stimulus stages are as near as Crank-Nicolson: what cells add is inside them */
static void test_edge(const struct backend *backend)
{
    static const enum method methods[] = {METHOD_JACOBI, METHOD_RKL2};
    double want[JUMP_NODES], got[JUMP_NODES], off[2][2] = {{0}};
    excite(backend, METHOD_JACOBI, 0.0025, want);
    for (int k = 0; k < 4; k++) {
        excite(backend, methods[k / 2], k % 2 ? 0.02 : 0.04, got);
        for (int i = 0; i < JUMP_NODES; i++)
            off[k / 2][k % 2] = fmax(off[k / 2][k % 2], fabs(got[i] - want[i]));
    }
    printf("V when a stimulus ends is off by %.4f and %.4f mV in steps of 0.04 and 0.02 ms, by stages %.4f "
           "and %.4f\n",
           off[0][0], off[0][1], off[1][0], off[1][1]);
    for (int k = 0; k < 2; k++)
        CHECK(off[1][k] < 1.5 * off[0][k], "stages are off by %g mV, Crank-Nicolson by %g", off[1][k],
              off[0][k]);
}

static void test_plain(const struct backend *backend)
{
    struct test_case c;
    int64_t length[2];
    case_make(&c, 1, "passive", 0);
    for (int r = 0; r < 2; r++) /* by diffusion they differ */
        memset(c.region[r].diffusion, 0, sizeof c.region[r].diffusion);
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
    test_profile(backend, false);
    test_profile(backend, true);
    test_edge(backend);
    test_plain(backend);
    return 0;
}
