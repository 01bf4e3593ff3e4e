/* test_thread_tuner.c: the tuner of the number of threads, with given times; changing the number between
 * steps changes no bit. */
#include "solver/step/thread_tuner.h"

#include "kernels/device/cpu.h"
#include "tests/support/case.h"

/* Steps for `seconds`, each costing cost[threads]; returns the seconds of steps with other threads than
 * `expected`. */
static double advance(struct thread_tuner *tuner, const double *cost, double seconds, int expected)
{
    double off = 0;
    for (double t = 0; t < seconds;) {
        double step = cost[tuner->threads];
        off += tuner->threads == expected ? 0 : step;
        t += step;
        thread_tuner_step(tuner, step);
    }
    return off;
}

/* Half of the threads are taken if they save at least a tenth of the time: a fifth of the half that they leave. */
static void test_gain(void)
{
    for (int least = 0; least < 2; least++) {
        const double quiet[] = {0, 1e-3, 0.5e-3}, busy[] = {0, least ? 0.89e-3 : 0.91e-3, 1e-3};
        struct thread_tuner tuner;
        thread_tuner_start(&tuner, 2);
        advance(&tuner, quiet, 5, 2);
        advance(&tuner, busy, 5, 2);
        CHECK(tuner.changes == least && (tuner.previous || tuner.threads == (least ? 1 : 2)),
              "%g of the time: %d threads, %d changes", busy[1] / busy[2], tuner.threads, tuner.changes);
    }
}

static void test_two(void)
{
    const double quiet[] = {0, 0.25e-3, 0.15e-3}, busy[] = {0, 0.26e-3, 1.8e-3};
    struct thread_tuner tuner;
    thread_tuner_start(&tuner, 2);
    double off = advance(&tuner, quiet, 60, 2);
    CHECK(tuner.changes == 0 && tuner.threads == 2, "quiet: %d changes", tuner.changes);
    CHECK(off > 0 && off < 0.03, "quiet: one trial, not %g s of them", off);
    advance(&tuner, busy, 0.2, 1);
    CHECK(tuner.threads == 1 && tuner.changes == 1 && tuner.from == 2, "busy: %d threads", tuner.threads);
    CHECK(tuner.from_cost > 0.4e-3 && tuner.changed_cost < 0.3e-3, "%g s, then %g", tuner.from_cost,
          tuner.changed_cost);
    off = advance(&tuner, busy, 60, 1);
    CHECK(tuner.changes == 1 && off > 0 && off < 0.02 * 60, "busy for a minute: %g s of trials", off);
    advance(&tuner, quiet, 2.2, 2);
    CHECK(tuner.threads == 2 && tuner.changes == 2 && tuner.from == 1, "quiet again: %d threads",
          tuner.threads);
    /* busy before the first step: nothing is known to have been faster */
    thread_tuner_start(&tuner, 2);
    advance(&tuner, busy, 0.3, 1);
    CHECK(tuner.threads == 1 && tuner.changes == 1, "busy from the start: %d threads", tuner.threads);
    /* what stays below half as slow again, but behind one thread that was tried */
    const double halfway[] = {0, 0.16e-3, 0.2e-3};
    thread_tuner_start(&tuner, 2);
    advance(&tuner, quiet, 10, 2);
    advance(&tuner, halfway, 10, 2);
    CHECK(tuner.threads == 2, "20 %% more than the best is no reason: %d threads", tuner.threads);
}

/* A front that leaves makes steps dearer for any number of threads: no change, and not a trial every second
 */
static void test_dearer(void)
{
    const double cheap[] = {0, 2e-3, 1e-3}, dear[] = {0, 8e-3, 4e-3};
    struct thread_tuner tuner;
    thread_tuner_start(&tuner, 2);
    advance(&tuner, cheap, 5, 2);
    double off = advance(&tuner, dear, 60, 2);
    CHECK(tuner.threads == 2 && tuner.changes == 0 && off < 0.06, "dearer steps: %g s of trials", off);
}

/* A pause of 50 ms now and then, in which no thread is to blame */
static void test_hiccups(void)
{
    const double quiet[] = {0, 2e-3, 1e-3};
    struct thread_tuner tuner;
    double off = 0;
    thread_tuner_start(&tuner, 2);
    advance(&tuner, quiet, 5, 2);
    for (int k = 0; k < 40; k++) {
        thread_tuner_step(&tuner, 0.05);
        off += advance(&tuner, quiet, 0.95, 2);
    }
    CHECK(tuner.changes == 0 && off == 0, "hiccups: %d changes, %g s", tuner.changes, off);
}

/* 13 threads, of which only the first `cores` have a core of their own */
static void share(double *cost, int cores)
{
    for (int n = 1; n <= 13; n++)
        cost[n] = 13e-3 / n * (n > cores ? 4 : 1);
}

static void test_many(void)
{
    double cost[14];
    struct thread_tuner tuner;
    thread_tuner_start(&tuner, 13);
    share(cost, 13);
    advance(&tuner, cost, 5, 13);
    CHECK(tuner.threads == 13 && tuner.changes == 0, "quiet: %d", tuner.threads);
    share(cost, 12);
    advance(&tuner, cost, 20, 12);
    CHECK((tuner.previous ? tuner.previous : tuner.threads) == 12, "one is busy: %d", tuner.threads);
    share(cost, 7);
    advance(&tuner, cost, 20, 6);
    CHECK((tuner.previous ? tuner.previous : tuner.threads) == 6, "six are busy: %d", tuner.threads);
    share(cost, 13);
    advance(&tuner, cost, 20, 13);
    CHECK(tuner.threads == 13, "quiet again: %d", tuner.threads);
    /* single threads, and steps that are windows by themselves */
    const double one[] = {0, 1e-3};
    thread_tuner_start(&tuner, 1);
    CHECK(advance(&tuner, one, 5, 1) == 0 && tuner.changes == 0, "one thread");
    const double long_quiet[] = {0, 3.6, 2}, long_busy[] = {0, 3.7, 9};
    thread_tuner_start(&tuner, 2);
    double off = advance(&tuner, long_quiet, 4000, 2);
    CHECK(tuner.threads == 2 && off < 8, "long steps: %g s of trials", off);
    advance(&tuner, long_busy, 40, 1);
    CHECK(tuner.threads == 1, "long steps, busy: %d", tuner.threads);
}

/* Another number of threads for every step or two, against three for all of them */
static void test_bits(void)
{
    const int threads[] = {1, 5, 2, 3, 1, 4}, steps[] = {1, 2, 1, 3, 2, 5};
    const struct backend *backend = backend_find("cpu", NULL);
    struct error error = {0};
    for (int k = 0; k < 2; k++) {
        struct test_case c;
        struct queue *queue;
        struct monodomain *sim;
        int64_t length;
        case_make(&c, k ? 2 : 3, k ? "mitchell-schaeffer" : "tp06-epi", 1);
        c.params.precision = k ? PRECISION_MIXED : PRECISION_DOUBLE;
        c.params.splitting = k ? SPLITTING_STAGGERED : SPLITTING_GODUNOV;
        double *want = case_run(&c, backend, 3, 28, &length, NULL);
        CHECK_OK(queue_new(&queue, backend, 5, &error), error);
        CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
        for (int s = 0; s < 12; s++) {
            cpu_set_threads(queue, threads[s % 6]);
            CHECK_OK(monodomain_advance(sim, steps[s % 6], &error), error);
        }
        double *got = case_state(sim, c.mesh.nodes, &length);
        CHECK(monodomain_step(sim) == 28, "step %lld", (long long)monodomain_step(sim));
        int64_t at = first_difference(want, got, length);
        CHECK(at < 0, "case %d: value %lld", k, (long long)at);
        /* a tissue that is watched gives the queue back as it was */
        cpu_set_threads(queue, 5);
        monodomain_tune_threads(sim, 2);
        CHECK(cpu_threads(queue) == 2 && monodomain_thread_tuner(sim)->most == 2, "%d threads",
              cpu_threads(queue));
        CHECK_OK(monodomain_advance(sim, 3, &error), error);
        monodomain_free(sim);
        CHECK(cpu_threads(queue) == 5, "%d threads", cpu_threads(queue));
        queue_free(queue);
        free(want);
        free(got);
        case_free(&c);
    }
}

/* Steps that are said to be slower with two threads come out the same while the tuner changes their threads.
 */
static double slow_between(struct queue *queue, int k)
{
    return backend_find("cpu", NULL)->event_elapsed(queue, k) + (cpu_threads(queue) > 1 ? 0.02 : 0.005);
}

static void test_thread_tunered(void)
{
    struct test_case c;
    struct error error = {0};
    struct queue *queue;
    struct monodomain *sim;
    int64_t length;
    const struct backend *real = backend_find("cpu", NULL);
    struct backend slowed = *real;
    slowed.event_elapsed = slow_between;
    case_make(&c, 2, "mitchell-schaeffer", 1);
    double *want = case_run(&c, real, 2, 150, &length, NULL);
    CHECK_OK(queue_new(&queue, &slowed, 2, &error), error);
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    monodomain_tune_threads(sim, 2);
    CHECK_OK(monodomain_advance(sim, 40, &error), error);
    CHECK(cpu_threads(queue) == 1 && monodomain_thread_tuner(sim)->changes == 1, "slowed: %d threads",
          cpu_threads(queue));
    CHECK_OK(monodomain_advance(sim, 110, &error), error);
    double *got = case_state(sim, c.mesh.nodes, &length);
    CHECK(first_difference(want, got, length) < 0, "other bits");
    monodomain_free(sim);
    queue_free(queue);
    free(want);
    free(got);
    case_free(&c);
}

int main(void)
{
    test_gain();
    test_two();
    test_dearer();
    test_hiccups();
    test_many();
    test_bits();
    test_thread_tunered();
    return 0;
}
