/* test_latch.c: a device runs on after a failure, for the host hears of it only at the end of a frame. What
 * it leaves then, V, states, maps and increments, and what is said of it, are those of steps that stopped at
 * once. */
#include "kernels/backend.h"
#include "kernels/program.h"
#include "tests/case.h"

/* As a GPU does: every step of the frame is placed, whatever became of those before */
static enum status run_on(struct queue *queue, struct control *control, int64_t steps,
                          struct program *program, struct error *error)
{
    (void)queue, (void)control, (void)error;
    for (int64_t k = 0; k < steps; k++)
        program->place(program->argument);
    return STATUS_OK;
}

struct outcome {
    struct error error;
    int64_t step, length;
    double *state;
};

/* Frames of 7 steps until the failure */
static struct outcome run(const struct test_case *c, const struct backend *backend)
{
    struct outcome outcome = {0};
    struct monodomain *sim;
    struct queue *queue;
    struct error error = {0};
    enum status status = STATUS_OK;
    CHECK_OK(backend->queue_new(&queue, 2, &error), error);
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, backend, queue, &error), error);
    for (int frame = 0; frame < 20 && !status; frame++)
        status = monodomain_advance(sim, 7, &outcome.error);
    CHECK(status == STATUS_RUN, "status %d: nothing failed", (int)status);
    outcome.step = monodomain_step(sim);
    outcome.state = case_state(sim, c->mesh.nodes, &outcome.length);
    monodomain_free(sim);
    backend->queue_free(queue);
    return outcome;
}

static void test_failure(const struct test_case *c, int64_t step, const char *words)
{
    struct error error = {0};
    const struct backend *cpu = backend_find("cpu", &error);
    CHECK(cpu, "%s", error.text);
    struct backend late = *cpu;
    late.immediate = false;
    late.run = run_on;
    struct outcome want = run(c, cpu), got = run(c, &late);
    CHECK(want.step == step && strstr(want.error.text, words), "step %lld: %s", (long long)want.step,
          want.error.text);
    CHECK(got.step == want.step, "step %lld, want %lld", (long long)got.step, (long long)want.step);
    CHECK(strcmp(got.error.text, want.error.text) == 0, "%s\nwant: %s", got.error.text, want.error.text);
    CHECK(got.length == want.length, "%lld values", (long long)got.length);
    for (int64_t k = 0; k < want.length; k++)
        CHECK(memcmp(got.state + k, want.state + k, sizeof(double)) == 0,
              "%s: value %lld is %.17g, want %.17g", words, (long long)k, got.state[k], want.state[k]);
    printf("%s\n", got.error.text);
    free(want.state);
    free(got.state);
}

int main(void)
{
    for (int later = 0; later < 3; later++) { /* each turn of the three vectors */
        struct test_case c;
        case_make(&c, 2, "tp06-epi", 1);
        c.params.stimuli = 1;
        c.stimulus[0].start = 0.1 + 0.02 * later;
        c.params.precision = PRECISION_MIXED;
        c.params.precision_budget = 1;
        c.params.tolerance = 1e-9;
        c.params.max_sweeps = 2;
        test_failure(&c, 5 + later, "2 sweeps left an error");
        case_free(&c);
    }
    struct test_case c;
    case_make(&c, 3, "tp06-epi", 0);
    c.params.stimuli = 1;
    c.params.voltage_limit = 88;
    c.stimulus[0].current = 400;
    struct outcome first = run(&c, backend_find("cpu", NULL));
    CHECK(first.step > 0, "V starts beyond its limit");
    test_failure(&c, first.step, "blow-up in step");
    free(first.state);
    case_free(&c);
    return 0;
}
