/* test_monodomain_failure.c: a device continues after a failure, since the host learns of it only at the end
 * of a frame. V, states, maps, increments and the message are then those of steps that stopped at once.
 * `test_monodomain_failure [BACKEND]`: a CPU that behaves like a GPU, or that GPU. */
#include "kernels/device/queue.h"
#include "kernels/ops/step_end.h"
#include "tests/support/case.h"

static const struct backend *gpu; /* NULL: the CPU that behaves like one */
static int64_t last_noted = -1;   /* step of the last crossing that note_first noted */

/* As a GPU does: a row notes its crossing before another is seen to blow up. */
static void note_first(struct queue *queue, int64_t rows, const struct step_end *end)
{
    struct error error = {0};
    const struct backend *cpu = backend_find("cpu", &error);
    struct step_end rest = *end;
    const struct control *control = end->control;
    const struct observer *activation = &end->observer;
    rest.observer.count = NULL;
    for (int64_t i = 0; i < rows && end->v && !control->failure && (control->converged || !end->x); i++) {
        double v = end->v[i], u = end->u[i] + (end->x ? end->x[i] : 0);
        int32_t before = activation->count[i];
        observer_note(activation, rows, i, control->step, end->dt, v, u);
        if (activation->count[i] > before)
            last_noted = control->step;
    }
    cpu->step_end(queue, rows, &rest);
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
    CHECK_OK(queue_new(&queue, backend, backend == gpu ? 0 : 2, &error), error);
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, queue, &error), error);
    for (int frame = 0; frame < 20 && !status; frame++)
        status = monodomain_advance(sim, 7, &outcome.error);
    CHECK(status == STATUS_RUN, "status %d: nothing failed", (int)status);
    outcome.step = monodomain_step(sim);
    outcome.state = case_state(sim, c->mesh.nodes, &outcome.length);
    double *at = outcome.state; /* rows that rearm in the step that fails stay so */
    for (int k = 0; k < monodomain_variables(sim); at += c->mesh.nodes * monodomain_variable(sim, k++)->width)
        for (int64_t i = 0;
             strcmp(monodomain_variable(sim, k)->name, "activation_waits") == 0 && i < c->mesh.nodes; i++)
            at[i] = 0;
    monodomain_free(sim);
    queue_free(queue);
    return outcome;
}

static void test_failure(const struct test_case *c, int64_t step, const char *words)
{
    struct error error = {0};
    const struct backend *cpu = backend_find("cpu", &error);
    CHECK(cpu, "%s", error.text);
    struct backend late = *cpu;
    late.immediate = false;
    late.step_end = note_first;
    struct outcome want = run(c, cpu), got = run(c, gpu ? gpu : &late);
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

int main(int argc, char **argv)
{
    gpu = argc > 1 ? test_backend(argc, argv) : NULL;
    for (int k = 0; k < 16 && !gpu; k++) { /* of mixed precision; each turn of its vectors */
        struct test_case c;
        int later = k / 4;
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
    c.params.step = 0.015;
    c.stimulus[0].current = 400;
    c.params.activation_threshold = 50;
    for (int k = 0; k < 4; k++) {
        c.params.method = k / 2 ? METHOD_RKL2 : METHOD_JACOBI;
        c.params.splitting = k % 2 ? SPLITTING_STAGGERED : SPLITTING_GODUNOV;
        struct outcome first = run(&c, backend_find("cpu", NULL));
        CHECK(first.step > 0, "V starts beyond its limit");
        test_failure(&c, first.step, "blow-up in step");
        CHECK(gpu || last_noted == first.step, "no row crosses in the step that fails");
        free(first.state);
    }
    c.params.splitting = SPLITTING_GODUNOV;
    c.params.stimuli = 2; /* some rows that have crossed fall again */
    c.stimulus[1] = (struct stimulus){.node = c.stimulated,
                                      .nodes = c.stimulus[0].nodes / 2,
                                      .current = -700,
                                      .start = 0.36,
                                      .duration = 1,
                                      .count = 1};
    c.params.activation_beats = 3;
    for (int rearm = 30; rearm < 50; rearm++) {
        c.params.activation_rearm = rearm;
        c.params.activation_slots = rearm % 2 ? 5 : 0; /* the ends of beats, too */
        struct outcome first = run(&c, backend_find("cpu", NULL));
        test_failure(&c, first.step, "blow-up in step");
        free(first.state);
    }
    case_free(&c);
    return 0;
}
