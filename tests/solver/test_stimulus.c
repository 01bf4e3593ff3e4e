/* test_stimulus.c: exact overlap of steps and pulses, whatever the step; classes of rows that feel several
 * stimuli; the floating-point environment of every thread. */
#include <fenv.h>
#include <omp.h>

#include "kernels/device/cpu.h"
#include "solver/stimulus.h"
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

int main(void)
{
    test_charge();
    test_classes();
    test_environment();
    return 0;
}
