/* ionic.c: one step of every cell, each model, all fp64 and in mixed state.
 *
 * In fp64 V and all states must have the bits of the plain CPU code, the specification. Mixed state is
 * compared with fp64: within 0.01 mV after the step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/bench.h"
#include "kernels/ionic/ionic.h"

struct cells {
    struct ionic_cells ionic;
    double *v_in, *v_out, *parameter;
    uint16_t *stimulus; /* none */
    const struct backend *backend;
    struct queue *queue;
};

struct work {
    struct bench *bench;
    struct cells cells;
    const double *want; /* [cells] mV */
    bool exact;
};

/* v and states: the initial ones, moved a little so that no two cells are alike */
static enum status fill(struct cells *c, struct error *error)
{
    const struct ionic_model *model = c->ionic.model;
    int64_t n = c->ionic.cells, wide = ionic_states64(model, c->ionic.mixed), narrow = model->states - wide;
    double *state64 = malloc(8 * (size_t)(wide * n + 1)), *v = malloc(8 * (size_t)(n + 1));
    float *state32 = malloc(4 * (size_t)(narrow * n + 1));
    enum status status = STATUS_OK;
    if (!state64 || !state32 || !v) {
        status = error_memory(error, "the cells", 8.0 * (double)n * model->states);
    } else {
        ionic_initial(state64, state32, model, c->ionic.mixed, n, n);
        for (int64_t i = 0; i < n; i++)
            v[i] = model->v_initial + 5 * bench_random((uint64_t)i);
        status = c->backend->upload(c->queue, c->ionic.state64, state64, 8 * (size_t)(wide * n), error);
        if (!status && narrow)
            status = c->backend->upload(c->queue, c->ionic.state32, state32, 4 * (size_t)(narrow * n), error);
        if (!status)
            status = c->backend->upload(c->queue, c->v_in, v, 8 * (size_t)n, error);
    }
    free(state64);
    free(state32);
    free(v);
    return status;
}

static void cells_free(struct cells *c)
{
    c->backend->release(c->queue, c->ionic.state64);
    c->backend->release(c->queue, c->ionic.state32);
    c->backend->release(c->queue, c->v_in);
    c->backend->release(c->queue, c->v_out);
    free(c->parameter);
    memset(c, 0, sizeof *c);
}

static enum status cells_make(struct cells *c, const struct ionic_model *model, bool mixed, int64_t n,
                              const struct backend *backend, struct queue *queue, struct error *error)
{
    int64_t wide = ionic_states64(model, mixed), narrow = model->states - wide;
    enum status status = STATUS_OK;
    *c = (struct cells){.ionic = {.model = model, .cells = n, .stride = n, .mixed = mixed},
                        .backend = backend,
                        .queue = queue};
    c->parameter = malloc(((size_t)model->parameters + 1) * sizeof *c->parameter);
    if (!c->parameter)
        return error_memory(error, "the parameters", 8.0 * model->parameters);
    for (int k = 0; k < model->parameters; k++)
        c->parameter[k] = model->parameter[k].value;
    c->ionic.parameter = c->parameter;
    c->ionic.state64 = bench_upload(backend, queue, NULL, wide * n, 8, &status, error);
    if (mixed)
        c->ionic.state32 = bench_upload(backend, queue, NULL, narrow * n, 4, &status, error);
    c->v_in = bench_upload(backend, queue, NULL, n, 8, &status, error);
    c->v_out = bench_upload(backend, queue, NULL, n, 8, &status, error);
    if (!status)
        status = fill(c, error);
    if (status)
        cells_free(c);
    return status;
}

static void step(const struct cells *c)
{
    struct ionic_drive drive = {.dt = 0.02, .substeps = 1, .v_in = c->v_in, .v_out = c->v_out};
    c->backend->ionic_step(c->queue, &c->ionic, &drive);
}

static void run(void *argument)
{
    step(&((struct work *)argument)->cells);
}

static enum status check(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct work *work = argument;
    int64_t n = work->cells.ionic.cells;
    double *v = malloc(8 * (size_t)(n + 1));
    if (!v)
        return error_memory(error, "the validation", 8.0 * (double)n);
    enum status status = bench->backend->download(bench->queue, v, work->cells.v_out, 8 * (size_t)n, error);
    if (bench->inject && !status)
        v[n / 2] = nextafter(v[n / 2], 1000) + (work->exact ? 0 : 0.1);
    *found = 0;
    for (int64_t i = 0; i < n && !status; i++) {
        double apart = fabs(v[i] - work->want[i]);
        if (!(apart <= *found))
            *found = apart;
    }
    free(v);
    return status;
}

/* want[n] <- one step by the plain code */
static enum status specification(double *want, const struct ionic_model *model, int64_t n,
                                 struct error *error)
{
    struct cells cells;
    struct queue *queue;
    const struct backend *plain = backend_find("cpu-plain", error);
    if (!plain)
        return STATUS_INPUT;
    enum status status = plain->queue_new(&queue, 0, error);
    if (status)
        return status;
    status = cells_make(&cells, model, false, n, plain, queue, error);
    if (!status) {
        step(&cells);
        status = plain->download(queue, want, cells.v_out, 8 * (size_t)n, error);
        cells_free(&cells);
    }
    plain->queue_free(queue);
    return status;
}

static enum status try_model(struct bench *bench, const struct ionic_model *model, bool mixed, int64_t n,
                             const double *want, struct error *error)
{
    struct work work = {.bench = bench, .want = want, .exact = !mixed};
    char name[80];
    double seconds;
    int wide = ionic_states64(model, mixed);
    enum status status = cells_make(&work.cells, model, mixed, n, bench->backend, bench->queue, error);
    if (status)
        return status;
    snprintf(name, sizeof name, "%s, %s", model->name, mixed ? "mixed" : "double");
    struct measurement trial = {.variant = name, .body = run, .argument = &work, .check = check};
    trial.limit = mixed ? 0.01 : 0;
    trial.nan_fill[0] = work.cells.v_out;
    trial.nan_fill_bytes[0] = 8 * (size_t)n;
    trial.bytes = (double)n * (2 * (8.0 * wide + 4.0 * (model->states - wide)) + 16);
    if (!mixed)
        bench->report.baseline = 0; /* mixed against double of the same model */
    status = bench_trial(bench, &trial, &seconds, error);
    if (!status && seconds > 0) {
        report_figure(&bench->report.row[bench->report.rows - 1], "ns/cell", 1e9 * seconds / (double)n);
        report_figure(&bench->report.row[bench->report.rows - 1], "us/million", 1e12 * seconds / (double)n);
    }
    cells_free(&work.cells);
    return status;
}

enum status bench_ionic(struct bench *bench, struct error *error)
{
    bool is_cpu = strncmp(bench->backend->name, "cpu", 3) == 0;
    int64_t n = bench->quick ? 1111 : is_cpu ? 100003 : 1000003;
    enum status status = STATUS_OK;
    double *want = malloc(8 * (size_t)n);
    char title[60];
    if (!want)
        return error_memory(error, "the reference", 8.0 * (double)n);
    snprintf(title, sizeof title, "%lld cells", (long long)n);
    report_section(&bench->report, "ionic", title, "one step of 0.02 ms");
    for (int k = 0; k < ionic_models() && !status; k++) {
        const struct ionic_model *model = ionic_model(k);
        status = specification(want, model, n, error);
        for (int mixed = 0; mixed < 2 && !status; mixed++)
            if (!mixed || ionic_states64(model, true) < model->states)
                status = try_model(bench, model, mixed, n, want, error);
    }
    free(want);
    return status;
}
