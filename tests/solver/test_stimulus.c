/* test_stimulus.c: exact overlap of steps and pulses, for any step; classes of rows with several stimuli;
 * ramps, shapes and delays; the floating-point environment of every thread. */
#include <fenv.h>
#include <omp.h>

#include "kernels/device/cpu.h"
#include "solver/cells/felt.h"
#include "solver/cells/stimulus.h"
#include "tests/support/check.h"

/* The charge that a protocol delivers does not depend on the step. */
static void test_charge(void)
{
    const struct stimulus protocols[] = {
        {.start = 0, .duration = 2, .count = 1},
        {.start = 0.33, .duration = 0.517, .count = 1},
        {.start = 1.01, .duration = 0.3, .period = 1.7, .count = 3},
        {.start = 0.2, .duration = 0.9, .period = 1.1, .count = 0},
        {.start = 0.2, .duration = 0.001, .period = 0.004, .count = 500},
    };
    const double on[] = {2, 0.517, 0.9, 0.9 * 5 + (6 - 0.2 - 5 * 1.1), 0.5};
    const double steps[] = {0.01, 0.02, 0.05, 0.3, 1.5};
    for (int p = 0; p < 5; p++)
        for (int s = 0; s < 5; s++) {
            double charge = 0;
            int count = (int)lround(6 / steps[s]);
            for (int n = 0; n < count; n++)
                charge += stimulus_overlap(&protocols[p], n * steps[s], (n + 1) * steps[s]) * steps[s];
            CHECK_CLOSE(charge, on[p], 1e-11);
        }
    /* a pulse on the grid is on in whole steps: the factor is 1 or 0 to the last bit */
    for (int n = 0; n < 300; n++) {
        double overlap = stimulus_overlap(&protocols[0], n * 0.02, (n + 1) * 0.02);
        CHECK(overlap == (n < 100 ? 1.0 : 0.0), "step %d: %.17g", n, overlap);
    }
}

static void test_classes(void)
{
    const int32_t first[] = {0, 1, 2, 5}, second[] = {1, 2, 6}, third[] = {2, 2, 3};
    const struct stimulus stimuli[] = {
        {.node = first, .nodes = 4, .current = 10, .duration = 9, .count = 1},
        {.node = second, .nodes = 3, .current = 1, .duration = 9, .count = 1},
        {.node = third, .nodes = 3, .current = 0.5, .start = 4, .duration = 1, .count = 1}};
    const double want_early[] = {10, 11, 11, 0, 0, 10, 1}, want_late[] = {10, 11, 11.5, 0.5, 0, 10, 1};
    struct stimulus_plan plan;
    struct error error = {0};
    uint16_t class_of_node[7];
    double current[16];
    CHECK_OK(stimulus_plan(&plan, stimuli, 3, 7, class_of_node, &error), error);
    CHECK(plan.classes <= 7, "%d classes", plan.classes);
    stimulus_currents(&plan, 1, 1.1, current);
    for (int i = 0; i < 7; i++)
        CHECK(current[class_of_node[i]] == want_early[i], "node %d: %g", i, current[class_of_node[i]]);
    stimulus_currents(&plan, 4.5, 4.6, current);
    for (int i = 0; i < 7; i++)
        CHECK(current[class_of_node[i]] == want_late[i], "node %d, late: %g", i, current[class_of_node[i]]);
    stimulus_plan_free(&plan);
}

/* Each node gets its share, also of the phases; equal shares are one class. */
static void test_weights(void)
{
    const int32_t first[] = {0, 1, 2, 3, 5}, second[] = {2, 3};
    const double weight[] = {0.25, 0.5, 0.25, 1, 0.25}, half[] = {0.125, 0.375};
    struct stimulus stimuli[] = {
        {.node = first, .nodes = 5, .current = 8, .duration = 9, .count = 1, .weight = weight},
        {.node = first, .nodes = 5, .current = 2, .start = 4, .duration = 9, .count = 1, .phase = true},
        {.node = second, .nodes = 2, .current = 16, .duration = 9, .count = 1, .weight = half}};
    const double want[] = {2, 4, 4, 14, 0, 2}, want_late[] = {2.5, 5, 4.5, 16, 0, 2.5};
    struct stimulus_plan plan;
    struct error error = {0};
    uint16_t class_of_node[6];
    double current[16];
    CHECK_OK(stimulus_plan(&plan, stimuli, 3, 6, class_of_node, &error), error);
    CHECK(plan.classes == 6 && class_of_node[0] == class_of_node[5], "%d classes", plan.classes);
    CHECK(stimulus_classes(&stimuli[0], 1) == 4, "%g classes", stimulus_classes(&stimuli[0], 1));
    for (int late = 0; late < 2; late++) {
        stimulus_currents(&plan, late ? 4.5 : 1, late ? 4.6 : 1.1, current);
        for (int i = 0; i < 6; i++)
            CHECK(current[class_of_node[i]] == (late ? want_late : want)[i], "node %d, %d: %g", i, late,
                  current[class_of_node[i]]);
    }
    stimulus_plan_free(&plan);
    CHECK(stimulus_nodes(&stimuli[0]) == 2 && stimulus_nodes(&stimuli[2]) == 1,
          "1/2 or more, or the largest");
    stimuli[0].weight = NULL;
    CHECK(stimulus_nodes(&stimuli[0]) == 5, "%d nodes", (int)stimulus_nodes(&stimuli[0]));
}

/* Pulses of a ramp begin where they are added up to, in however many steps they are looked for. */
static void test_ramp(void)
{
    const struct stimulus ramp = {.start = 3, .duration = 0.5, .period = 7, .count = 6, .change = -1.25};
    double at = 3, interval = 7, charge = 0;
    for (int k = 0; k < 6; k++) {
        CHECK_CLOSE(stimulus_start(&ramp, k), at, 1e-12);
        CHECK_CLOSE(stimulus_overlap(&ramp, at - 0.25, at + 0.75), 0.5, 1e-12);
        CHECK(stimulus_overlap(&ramp, at + 0.5, at + 0.75) == 0, "pulse %d has ended", k);
        at += interval;
        interval -= 1.25;
    }
    CHECK_CLOSE(stimulus_end(&ramp), at - interval - 1.25 + 0.5, 1e-12);
    for (int n = 0; n < 400; n++)
        charge += stimulus_overlap(&ramp, 0.07 * n, 0.07 * (n + 1)) * 0.07;
    CHECK_CLOSE(charge, 3.0, 1e-11);
}

/* A trapezium and an inverse pulse behind it: the area under straight lines, whatever the step. */
static void test_shape(void)
{
    static const double shape[][2] = {{0.5, 0}, {1, 2}, {2, 2}, {2, -1}, {3.2, -1}};
    const struct stimulus stimulus = {
        .start = 1.3, .duration = 3.2, .period = 5, .count = 2, .shape = shape, .shapes = 5};
    const double steps[] = {0.01, 0.3, 1.7};
    for (int s = 0; s < 3; s++) {
        double charge = 0;
        for (int n = 0; n * steps[s] < 12; n++)
            charge += stimulus_overlap(&stimulus, n * steps[s], (n + 1) * steps[s]) * steps[s];
        CHECK_CLOSE(charge, 2 * (0.5 + 2 - 1.2), 1e-11);
    }
    CHECK_CLOSE(stimulus_overlap(&stimulus, 2, 2.1), 4 * 0.25, 1e-12);
    CHECK_CLOSE(stimulus_overlap(&stimulus, 8.5, 9), -1.0, 1e-12);
}

/* A saw of as many lines as a file may have, each felt in its own step alone */
static void test_long_shape(void)
{
    enum { POINTS = 100000 };
    static double shape[POINTS][2];
    for (int k = 0; k < POINTS; k++) {
        shape[k][0] = 0.01 * k;
        shape[k][1] = k % 2;
    }
    const struct stimulus stimulus = {.start = 2,
                                      .duration = shape[POINTS - 1][0],
                                      .count = 1,
                                      .shape = (const double(*)[2])shape,
                                      .shapes = POINTS};
    double charge = 0;
    for (int n = 0; n < 110000; n++)
        charge += stimulus_overlap(&stimulus, 0.01 * n, 0.01 * (n + 1)) * 0.01;
    CHECK_CLOSE(charge, 0.5 * shape[POINTS - 1][0], 1e-9);
}

/* Every node's start is its own, beside a stimulus without delays; phases add to it. */
static void test_delays(void)
{
    enum { NODES = 40000, DELAYED = 30000 };
    static int32_t node[NODES];
    static double delay[DELAYED];
    static uint16_t class_of_node[NODES];
    for (int i = 0; i < NODES; i++)
        node[i] = i;
    for (int i = 0; i < DELAYED; i++)
        delay[i] = (i * 7919 % 20011) * 0.01;
    struct stimulus stimuli[] = {
        {.node = node + 10000, .nodes = 30000, .current = 5, .start = 90, .duration = 1, .count = 1},
        {.node = node, .nodes = DELAYED, .delay = delay, .current = 8, .start = 1, .duration = 2, .count = 1},
        {.node = node,
         .nodes = DELAYED,
         .delay = delay,
         .current = 3,
         .start = 50,
         .duration = 2,
         .count = 1,
         .phase = true}};
    struct stimulus_plan plan;
    struct error error = {0};
    CHECK_OK(stimulus_plan(&plan, stimuli, 3, NODES, class_of_node, &error), error);
    double *current = calloc((size_t)plan.classes, sizeof *current);
    const double times[] = {1.5, 51.5, 90.5, 140.5, 222.2, 300};
    for (int t = 0; t < 6; t++) {
        stimulus_currents(&plan, times[t], times[t] + 0.01, current);
        for (int i = 0; i < NODES; i++) {
            double want = 0, later = i < DELAYED ? delay[i] : INFINITY, at = times[t] + 0.005;
            want += i >= 10000 && at > 90 && at < 91 ? 5 : 0;
            want += at > 1 + later && at < 3 + later ? 8 : 0;
            want += at > 50 + later && at < 52 + later ? 3 : 0;
            double edge = fmin(fmin(fabs(at - 1 - later), fabs(at - 3 - later)),
                               fmin(fabs(at - 50 - later), fabs(at - 52 - later)));
            CHECK(edge < 0.006 || current[class_of_node[i]] == want, "node %d at %g ms: %g, not %g", i, at,
                  current[class_of_node[i]], want);
        }
    }
    CHECK(plan.classes <= 1 + 1 + 2 * 20011, "%d classes", plan.classes);
    free(current);
    stimulus_plan_free(&plan);
    for (int i = 0; i < DELAYED; i++)
        delay[i] = i * 0.01;
    stimuli[0].delay = delay;
    stimuli[2].phase = false;
    CHECK(stimulus_plan(&plan, stimuli, 3, NODES, class_of_node, &error) == STATUS_INPUT,
          "90001 different ways are distinct in 16 bits");
}

/* Threads that were left in another rounding mode compute in the default one after a queue was made. */
static void test_environment(void)
{
    struct queue *queue;
    struct error error = {0};
#pragma omp parallel num_threads(3)
    fesetround(FE_UPWARD);
    CHECK_OK(cpu_queue_new(&queue, 3, &error), error);
    int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    wrong += fegetround() != FE_TONEAREST;
    CHECK(wrong == 0, "%d threads round upwards", wrong);
    cpu_queue_free(queue);
}

/* Of all nodes, the latest one included */
static void test_end(void)
{
    const double delay[] = {0, 3.5, 1};
    const int32_t node[] = {4, 7, 9};
    struct stimulus stimulus = {
        .node = node, .nodes = 3, .start = 10, .duration = 2, .period = 300, .count = 3};
    CHECK(stimulus_end(&stimulus) == 612, "%g", stimulus_end(&stimulus));
    stimulus.delay = delay;
    CHECK(stimulus_end(&stimulus) == 615.5, "%g, delayed", stimulus_end(&stimulus));
    stimulus.change = -10; /* intervals of 300 and 290 ms */
    CHECK(stimulus_end(&stimulus) == 605.5, "%g, of shorter intervals", stimulus_end(&stimulus));
    for (int forever = 0; forever < 2; forever++) { /* the last pulse begun, exactly at its begin */
        stimulus.count = forever ? 0 : 3;
        stimulus.change = forever ? 0 : -10;
        for (int k = 0; k < 3; k++) {
            const double start = stimulus_start(&stimulus, k);
            CHECK(felt_pulse_at(&stimulus, start) == k &&
                      felt_pulse_at(&stimulus, nextafter(start, 0)) == k - 1,
                  "pulse %d begins at %g ms", k, start);
        }
        CHECK(felt_pulse_at(&stimulus, 1e4) == (forever ? 33 : 2), "pulse %lld",
              (long long)felt_pulse_at(&stimulus, 1e4));
    }
    CHECK(isinf(stimulus_end(&stimulus)), "an end of what has none");
}

int main(void)
{
    test_end();
    test_charge();
    test_classes();
    test_weights();
    test_ramp();
    test_shape();
    test_long_shape();
    test_delays();
    test_environment();
    return 0;
}
