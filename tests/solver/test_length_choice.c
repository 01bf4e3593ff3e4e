/* test_length_choice.c: how many stages a step takes, how long the next steps are, and that they are taken. */
#include "solver/diffusion/rkl2.h"
#include "solver/step/lengths.h"
#include "tests/support/case.h"

/* s stages reach (s^2 + s - 2) / 4 limits, even ones nine tenths of that; the fewest that reach dt are taken. */
static void test_stages(void)
{
    for (int s = 2; s <= RKL2_STAGES_MOST; s++) {
        const double reach = (s % 2 ? 1 : 0.9) * (s * s + s - 2) / 4;
        int fewest = s;
        for (int fewer = 2; fewer < fewest; fewer++)
            fewest = (fewer % 2 ? 1 : 0.9) * (fewer * fewer + fewer - 2) / 4 >= reach ? fewer : fewest;
        CHECK_CLOSE(rkl2_reach(s), reach, 1e-14);
        CHECK_CLOSE(rkl2_weight(s) * (s * s + s - 2), 4.0, 1e-14);
        CHECK(rkl2_stages(0.25 * reach * (1 - 1e-12), 0.25) == fewest, "%d stages", s);
        CHECK(fewest < s || rkl2_stages(0.25 * reach * (1 + 1e-12), 0.25) != s,
              "%d stages beyond their reach", s);
    }
    for (int s = 2; s <= RKL2_STAGES_MOST; s++) { /* what an error of w in each stage grows to */
        double b[3] = {1.0 / 3, 1.0 / 3, 0}, sum = 0,
               before = 0; /* b_{j-2}, b_{j-1}, b_j of Meyer, Balsara and Aslam */
        for (int j = 2; j <= s; j++) {
            b[2] = (j * j + j - 2) / (2.0 * j * (j + 1));
            const double next = (2.0 * j - 1) / j * b[2] / b[1] * (sum + 4.0 / (s * s + s - 2)) -
                                (j - 1.0) / j * b[2] / b[0] * before;
            before = sum;
            sum = next;
            b[0] = b[1];
            b[1] = b[2];
        }
        CHECK_CLOSE(rkl2_amplification(s), sum, 1e-13);
    }
    CHECK(rkl2_stages(1e9, 1) == 0, "a step beyond all stages");
}

/* Exactly at the bounds (lengths.h), of steps of dt 2^level with a mean change `share` in one of dt */
static void test_levels(void)
{
    for (int level = 0; level <= PARAMS_DOUBLINGS; level++) {
        const double change = ldexp(LENGTHS_CHANGE, -level);
        CHECK(lengths_next(level, PARAMS_DOUBLINGS, 0.375 * change) == level + (level < PARAMS_DOUBLINGS),
              "level %d is not followed by a longer step", level);
        CHECK(lengths_next(level, PARAMS_DOUBLINGS, nextafter(0.375 * change, 1)) == level, "level %d grows",
              level);
        CHECK(lengths_next(level, level, 0) == level, "level %d exceeds the longest", level);
        CHECK(lengths_next(level, PARAMS_DOUBLINGS, change) == level, "level %d shrinks", level);
        CHECK(lengths_next(level, PARAMS_DOUBLINGS, nextafter(change, 1)) == (level ? level - 1 : 0),
              "level %d does not shrink by one", level);
        CHECK(lengths_next(level, PARAMS_DOUBLINGS, NAN) == 0 && lengths_next(level, level, 1e9) == 0,
              "level %d after a failure", level);
        CHECK(!lengths_reject(level, 4 * change), "level %d is rejected", level);
        CHECK(lengths_reject(level, nextafter(4 * change, 1)) == (level > 0) &&
                  lengths_reject(level, NAN) == (level > 0),
              "level %d is not rejected", level);
    }
}

/* A passive tissue that comes to rest takes longer steps, and ends where steps of dt do. */
static void test_taken(enum method method, enum splitting splitting)
{
    struct error error = {0};
    double *v[2];
    struct test_case c;
    case_make_small(&c, 2, 12, "passive", 1);
    c.params.stimuli = 1;
    c.params.method = method;
    c.params.splitting = splitting;
    for (int k = 0; k < 2; k++) {
        struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
        struct monodomain *sim;
        c.params.doublings = k ? 3 : 0;
        v[k] = calloc((size_t)c.mesh.nodes, sizeof **v);
        CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
        CHECK_OK(monodomain_advance(sim, 400, &error), error);
        const struct monodomain_work work = monodomain_work(sim);
        int64_t steps = 0;
        for (int level = 0; level <= PARAMS_DOUBLINGS; level++)
            steps += work.by_level[level] << level;
        CHECK(work.steps == 400 && (k == 0 || steps == 400), "%lld steps, %lld by length",
              (long long)work.steps, (long long)steps);
        const int64_t longer = work.by_level[1] + work.by_level[2] + work.by_level[3];
        CHECK(k == 0 || (longer > 20 && work.by_level[0] > 0 && work.by_level[4] == 0 && work.rejected < 5),
              "%lld longer steps, %lld rejected", (long long)longer, (long long)work.rejected);
        CHECK_OK(monodomain_voltage(sim, v[k], &error), error);
        monodomain_free(sim);
        queue_free(queue);
    }
    double most = 0;
    for (int64_t i = 0; i < c.mesh.nodes; i++)
        most = fmax(most, fabs(v[1][i] - v[0][i]));
    printf("method %d, splitting %d: %.2g mV from steps of dt\n", (int)method, (int)splitting, most);
    CHECK(most < 0.2, "%g mV from steps of dt", most);
    free(v[0]);
    free(v[1]);
    case_free(&c);
}

/* V after 4 ms from a V that varies along a cable */
static double *run_cable(const struct test_case *c, double step)
{
    struct error error = {0};
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    struct monodomain *sim;
    struct monodomain_params params = c->params;
    double *v = calloc((size_t)c->mesh.nodes, sizeof *v);
    CHECK(v, "no memory");
    params.step = step;
    for (int64_t i = 0; i < c->mesh.nodes; i++)
        v[i] = -60 + 20 * cos(c->mesh.point[3 * i]);
    CHECK_OK(monodomain_create(&sim, &c->mesh, &params, queue, &error), error);
    CHECK_OK(monodomain_set(sim, 0, v, &error), error);
    CHECK_OK(monodomain_advance(sim, lround(4 / step), &error), error);
    CHECK_OK(monodomain_voltage(sim, v, &error), error);
    monodomain_free(sim);
    queue_free(queue);
    return v;
}

/* Half the step, a quarter of the error */
static void test_order(enum method method)
{
    struct test_case c;
    double error[2] = {0};
    case_make_small(&c, 1, 40, "mitchell-schaeffer", 0);
    c.params.stimuli = 0;
    c.params.method = method;
    c.params.splitting = SPLITTING_STAGGERED;
    c.params.tolerance = 1e-9;
    double *fine = run_cable(&c, 0.01);
    for (int k = 0; k < 2; k++) {
        double *v = run_cable(&c, k ? 0.1 : 0.2);
        for (int64_t i = 0; i < c.mesh.nodes; i++)
            error[k] = fmax(error[k], fabs(v[i] - fine[i]));
        free(v);
    }
    printf("method %d: errors %.3g and %.3g mV\n", (int)method, error[0], error[1]);
    CHECK(error[0] > 3.5 * error[1], "errors %.3g and %.3g mV are not of second order", error[0], error[1]);
    free(fine);
    case_free(&c);
}

int main(void)
{
    test_order(METHOD_JACOBI);
    test_order(METHOD_CHEBYSHEV);
    test_order(METHOD_RKL2);
    test_stages();
    test_levels();
    test_taken(METHOD_JACOBI, SPLITTING_GODUNOV);
    test_taken(METHOD_RKL2, SPLITTING_STAGGERED);
    test_taken(METHOD_CHEBYSHEV, SPLITTING_STAGGERED);
    return 0;
}
