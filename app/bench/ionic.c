/* ionic.c: one step of many cells, for each model, with states in fp64 and in mixed precision.
 *
 * In fp64 V must equal the plain CPU code, the specification, bit for bit. Mixed states and tables are compared with
 * fp64: within 0.01 mV after the step. On a CPU each instruction set is measured too, with one thread and cells that
 * fit in its cache; V and all states must equal those of the plain code in the same precision bit for bit. Models in
 * files replace the built-in ones, but are not measured with each instruction set. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/bench.h"
#include "app/commands/text_model.h"
#include "kernels/base/bits.h"
#include "kernels/ionic/ionic.h"

/* The model and how it is stepped. alike: V between rest and rest + 130 mV, nearly equal in 64 neighbours as in tissue,
 * because tables are indexed by V; otherwise V is near rest and different in every cell. */
struct stepping {
    const struct ionic_model *model;
    bool mixed, tables, alike;
    int substeps;
};

static const double DT = 0.02; /* ms */

struct cells {
    struct stepping is;
    struct ionic_cells ionic;
    double *v_in, *v_out;
    struct queue *queue;
};

struct ionic_operands {
    struct bench *bench;
    struct cells cells;
    const double *want;       /* [cells] mV */
    const struct cells *same; /* cells whose states must be equal bit for bit; NULL = not compared */
    bool exact;
};

/* V of cell i: different in every cell */
static double first_v(const struct stepping *is, int64_t i)
{
    const double own = bits_random_signed((uint64_t)i), rest = is->model->v_initial;
    return is->alike ? rest + 65 * (1 + bits_random_signed((uint64_t)i / 64)) + 1e-3 * own
                     : rest + 5.0 / is->substeps * own;
}

/* c->ionic.table <- the model's table in V, on the device */
static enum status add_table(struct cells *c, struct bench *bench, struct error *error)
{
    struct ionic_table table;
    TRY(ionic_table_build(&table, c->is.model, c->ionic.parameter, c->is.mixed, DT, IONIC_TABLE_PER_MV,
                          error));
    if (!table.value)
        return STATUS_OK;
    c->ionic.table = table;
    c->ionic.table.value =
        bench_upload(bench, c->queue, table.value,
                     (int64_t)ionic_table_bytes(c->is.model, c->is.mixed, IONIC_TABLE_PER_MV), 1);
    ionic_table_free(&table);
    return bench_check(bench, error);
}

static enum status cells_make(struct cells *c, struct bench *bench, struct stepping is, int64_t n,
                              struct queue *queue, struct error *error)
{
    const int64_t wide = ionic_states64(is.model, is.mixed), narrow = is.model->states - wide;
    double *parameter = bench_array(bench, is.model->parameters, sizeof *parameter);
    double *state64 = bench_array(bench, wide * n, sizeof *state64), *v = bench_array(bench, n, sizeof *v);
    float *state32 = bench_array(bench, narrow * n, sizeof *state32);
    TRY(bench_check(bench, error));
    for (int k = 0; k < is.model->parameters; k++)
        parameter[k] = is.model->parameter[k].value;
    ionic_initial(state64, state32, is.model, is.mixed, n, n);
    for (int64_t i = 0; i < n; i++)
        v[i] = first_v(&is, i);
    *c = (struct cells){.is = is,
                        .queue = queue,
                        .v_in = bench_upload(bench, queue, v, n, sizeof *v),
                        .v_out = bench_upload(bench, queue, NULL, n, sizeof *v),
                        .ionic = {.model = is.model,
                                  .cells = n,
                                  .stride = n,
                                  .mixed = is.mixed,
                                  .parameter = parameter,
                                  .state64 = bench_upload(bench, queue, state64, wide * n, 8),
                                  .state32 = bench_upload(bench, queue, state32, narrow * n, 4)}};
    TRY(bench_check(bench, error));
    return is.tables ? add_table(c, bench, error) : STATUS_OK;
}

static void step_cells(const struct cells *c)
{
    struct ionic_drive drive = {.dt = DT, .substeps = c->is.substeps, .v_in = c->v_in, .v_out = c->v_out};
    c->queue->backend->ionic_step(c->queue, &c->ionic, &drive);
}

static void run_cells(void *argument)
{
    step_cells(&((struct ionic_operands *)argument)->cells);
}

/* On CPUs only: whether all states are equal bit for bit */
static bool same_states(const struct cells *a, const struct cells *b)
{
    size_t wide = (size_t)ionic_states64(a->is.model, a->is.mixed), n = (size_t)a->ionic.cells;
    return memcmp(a->ionic.state64, b->ionic.state64, 8 * wide * n) == 0 &&
           (!a->is.mixed ||
            memcmp(a->ionic.state32, b->ionic.state32, 4 * ((size_t)a->is.model->states - wide) * n) == 0);
}

static enum status check_cells(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct ionic_operands *operands = argument;
    int64_t n = operands->cells.ionic.cells;
    double *v = bench_fetch(bench, operands->cells.v_out, n, sizeof *v);
    TRY(bench_check(bench, error));
    if (bench->inject)
        v[n / 2] = nextafter(v[n / 2], 1000) + (operands->exact ? 0 : 0.1);
    *found = operands->same && !same_states(&operands->cells, operands->same) ? NAN : 0;
    for (int64_t i = 0; i < n; i++)
        *found = bench_worse(*found, fabs(v[i] - operands->want[i]));
    return STATUS_OK;
}

/* Opens a CPU backend with one thread. */
static enum status open_alone(const char *name, struct queue **queue, struct error *error)
{
    const struct backend *backend = backend_find(name, error);
    return backend ? queue_new(queue, backend, 1, error) : STATUS_INPUT;
}

/* Loads the code of the texts for a queue; built-in models need none. */
static enum status load_texts(struct user_model *texts, struct queue *queue, struct stepping is,
                              struct error *error)
{
    return user_model_load(texts, queue, (struct source_way){.mixed = is.mixed, .tables = is.tables}, error);
}

/* want[n] <- V after the step by the plain code, in fp64 and without tables */
static enum status compute_specification(double *want, struct bench *bench, struct user_model *texts,
                                         struct stepping is, int64_t n, struct error *error)
{
    const int64_t pieces = bench->pieces;
    struct cells cells;
    struct queue *queue;
    enum status status;
    TRY(open_alone("cpu-plain", &queue, error));
    is.mixed = is.tables = false;
    TRY_DONE(load_texts(texts, queue, is, error));
    TRY_DONE(cells_make(&cells, bench, is, n, queue, error));
    step_cells(&cells);
    status = device_download(queue, want, cells.v_out, 8 * (size_t)n, error);
done:
    bench_release(bench, pieces);
    queue_free(queue);
    return status;
}

/* Adds the registers of the model's kernel, on a GPU. */
static void add_kernel(struct bench *bench, struct bench_row *row, const struct stepping *is)
{
    int registers, spilled;
    const struct ionic_kernels *kernels = is->model->cuda;
    if (!bench->device->kernel_takes || !kernels)
        return;
    bench->device->kernel_takes((is->tables ? kernels->tabled : kernels->step)[is->mixed], &registers,
                                &spilled);
    bench_figure(row, "registers", registers);
    bench_figure(row, "spilled B", spilled);
}

/* Adds the row of the operands' cells, with ns per cell and substep. */
static enum status measure_cells(struct ionic_operands *operands, const char *suffix, struct error *error)
{
    struct bench *bench = operands->bench;
    const struct stepping *is = &operands->cells.is;
    double n = (double)operands->cells.ionic.cells, seconds;
    int wide = ionic_states64(is->model, is->mixed);
    char name[80];
    snprintf(name, sizeof name, "%s, %s%s%s", is->model->name, is->mixed ? "mixed" : "double",
             is->tables ? ", tables" : "", suffix);
    struct measurement trial = {.variant = name,
                                .body = run_cells,
                                .argument = operands,
                                .check = check_cells,
                                .limit = operands->exact ? 0 : 0.01,
                                .nan_fill = {operands->cells.v_out},
                                .nan_fill_bytes = {8 * (size_t)operands->cells.ionic.cells},
                                .bytes = n * (2 * (8.0 * wide + 4.0 * (is->model->states - wide)) + 16)};
    enum status status = bench_trial(bench, &trial, &seconds, error);
    if (!status && seconds > 0) {
        struct bench_row *row = bench_last_row(bench);
        bench_figure(row, "ns/cell", 1e9 * seconds / n / is->substeps);
        bench_figure(row, "us/million", 1e12 * seconds / n / is->substeps);
        if (bench->copy > 0) /* the time of its bytes at the rate of a copy */
            bench_figure(row, "floor ns", 1e9 * trial.bytes / bench->copy / n / is->substeps);
        add_kernel(bench, row, is);
    }
    return status;
}

/* Measures a model, compared with the specification. */
static enum status measure_model(struct bench *bench, struct stepping is, int64_t n, const double *want,
                                 struct error *error)
{
    const int64_t pieces = bench->pieces;
    struct ionic_operands operands = {.bench = bench, .want = want, .exact = !is.mixed && !is.tables};
    TRY(cells_make(&operands.cells, bench, is, n, bench->queue, error));
    if (operands.exact)
        bench->report.baseline = 0; /* speed-ups are relative to fp64 of the same model */
    TRY(measure_cells(&operands, "", error));
    bench_release(bench, pieces);
    return STATUS_OK;
}

/* Advances is->mixed and is->tables to the next pair that the model supports; false after the last. */
static bool next_numbers(struct stepping *is, bool with_tables)
{
    do {
        is->tables = is->mixed ? !is->tables : is->tables;
        is->mixed = !is->mixed;
        if (!is->mixed && !is->tables)
            return false;
    } while ((is->mixed && ionic_states64(is->model, true) == is->model->states) ||
             (is->tables && !(with_tables && is->model->columns)));
    return true;
}

/* The models in the bench's texts, or the built-in ones */
struct models {
    int count;
    const struct ionic_model **model;
    struct user_model *texts;
};

static enum status find_models(struct models *models, struct bench *bench, struct error *error)
{
    models->count = bench->texts ? bench->texts : ionic_models();
    models->model = bench_array(bench, models->count, sizeof *models->model);
    TRY(bench_check(bench, error));
    for (int k = 0; k < models->count; k++)
        if (bench->texts)
            TRY(text_model_find(&models->model[k], &models->texts, bench->text[k], bench->model_options,
                                error));
        else
            models->model[k] = ionic_model(k);
    return STATUS_OK;
}

/* Whether model k has the formulas of model k - 1, with other values */
static bool is_set(const struct models *models, int k)
{
    const char *one = models->model[k]->source, *before = k ? models->model[k - 1]->source : NULL;
    return one && before && strcmp(one, before) == 0;
}

static enum status measure_models(struct bench *bench, const struct models *models, bool alike, int64_t n,
                                  double *want, struct error *error)
{
    for (int k = 0; k < models->count; k++) {
        struct stepping is = {.model = models->model[k], .alike = alike, .substeps = 1};
        if ((!models->texts && is_set(models, k)) || (alike && !is.model->columns))
            continue;
        TRY(compute_specification(want, bench, models->texts, is, n, error));
        do {
            TRY(load_texts(models->texts, bench->queue, is, error));
            TRY(measure_model(bench, is, n, want, error));
        } while (next_numbers(&is, alike));
    }
    return STATUS_OK;
}

enum { CACHED_CELLS = 2048, CACHED_STEPS = 20, CACHED_STEPS_QUICK = 2 };

/* Measures the instruction set `clone`; `same`: the plain one's cells, to compare with */
static enum status measure_clone(struct bench *bench, const char *clone, const struct cells *same,
                                 struct error *error)
{
    struct ionic_operands operands = {.bench = bench, .want = same->v_out, .same = same, .exact = true};
    struct queue *queue;
    char suffix[32];
    const int64_t pieces = bench->pieces;
    enum status status;
    if (!backend_find(clone, NULL))
        return STATUS_OK; /* not supported by this CPU */
    TRY(open_alone(clone, &queue, error));
    snprintf(suffix, sizeof suffix, ", %s", clone);
    TRY_DONE(cells_make(&operands.cells, bench, same->is, CACHED_CELLS, queue, error));
    status = measure_cells(&operands, suffix, error);
done:
    bench_release(bench, pieces);
    queue_free(queue);
    return status;
}

static enum status measure_clones(struct bench *bench, struct stepping is, struct error *error)
{
    static const char *const clones[] = {"cpu-plain", "cpu-avx2", "cpu-avx512"};
    const int64_t pieces = bench->pieces;
    struct cells same;
    struct queue *queue;
    enum status status;
    TRY(open_alone("cpu-plain", &queue, error));
    bench->report.baseline = 0;
    TRY_DONE(cells_make(&same, bench, is, CACHED_CELLS, queue, error));
    step_cells(&same);
    for (int k = 0; k < 3; k++)
        TRY_DONE(measure_clone(bench, clones[k], &same, error));
done:
    bench_release(bench, pieces);
    queue_free(queue);
    return status;
}

enum status bench_ionic(struct bench *bench, struct error *error)
{
    const int steps = bench->quick ? CACHED_STEPS_QUICK : CACHED_STEPS;
    int64_t n = bench->quick ? 1111 : bench->is_cpu ? 100003 : 1000003;
    struct models models = {0};
    char title[60];
    enum status status;
    double *want = bench_array(bench, n, sizeof *want);
    TRY(bench_check(bench, error));
    TRY_DONE(find_models(&models, bench, error));
    snprintf(title, sizeof title, "%lld cells", (long long)n);
    bench_section(bench, "ionic", title, "one step of 0.02 ms");
    TRY_DONE(measure_models(bench, &models, false, n, want, error));
    bench_section(bench, "ionic", title, "V alike in 64 neighbours");
    TRY_DONE(measure_models(bench, &models, true, n, want, error));
    if (!bench->is_cpu || models.texts)
        goto done;
    snprintf(title, sizeof title, "%d steps by one thread", steps);
    bench_section(bench, "ionic", "2048 cells", title);
    for (int k = 0; k < models.count; k++) {
        const struct ionic_model *model = models.model[k];
        struct stepping is = {.model = model, .alike = model->columns, .substeps = steps};
        if (is_set(&models, k))
            continue;
        do
            TRY_DONE(measure_clones(bench, is, error));
        while (next_numbers(&is, true));
    }
done:
    user_model_free(models.texts);
    return status;
}
