/* step.c: `bench step`: the cost of each part of a step, measured by leaving it out.
 *
 * The step consists of the run's own operations: ionic step, right-hand side, as many sweeps as a real run of the
 * same problem makes, step end. First every part is measured alone and compared with the ceilings. Then each row
 * leaves out one part, or from the sweeps the gather of x, the values, the columns or the writes
 * (kernels/bench/ablation.h); the latter are compared with a step whose complete sweeps use the same kernel. Every step
 * begins at the same V, so an ablated step cannot affect the next. */

#include "app/bench/packed.h"

#include <math.h>

#include "app/bench/order.h"
#include "app/config/keys.h"
#include "kernels/base/bits.h"
#include "kernels/base/clock.h"
#include "kernels/ionic/ionic.h"
#include "kernels/ops/rhs.h"
#include "kernels/ops/step_end.h"
#include "solver/matrix/rows.h"

enum { STEP_IONIC = 1, STEP_RHS = 2, STEP_SWEEPS = 4, STEP_END = 8, STEP_ALL = 15 };

struct step_bench {
    unsigned phases, what; /* parts that are run; what the sweeps leave out */
    bool alone;            /* only one part is run: u is not reset */
    bool ablated;          /* sweeps use the ablation kernel, even if it leaves out nothing */
    int sweeps;
    struct bench *bench;
    struct bench_packed *packed;
    struct ionic_cells cells;
    double *start, *u, *v, *b; /* device, packed; start: V at the start of every step */
    double *change[RHS_HISTORY];
    double *activation, *totals;
    struct control *converged; /* `converged` is set, whatever the sweeps found */
    int32_t *activations;
    uint8_t *waits;
    double dt;
};

static void run_rhs(const struct step_bench *p)
{
    const struct bench *bench = p->bench;
    struct rhs rhs = {.v = p->u,
                      .scale = -1,
                      .start = START_QUADRATIC,
                      .history = {p->change[0], p->change[1], p->change[2]},
                      .predictor_weight = 1,
                      .inverse = p->packed->inverse,
                      .b = p->b,
                      .x64 = p->packed->x64,
                      .x32 = p->packed->x32,
                      .bound = INFINITY,
                      .limit = INFINITY,
                      .control = p->packed->control};
    bench->queue->backend->rhs(bench->queue, &p->packed->packing.matrix, &rhs);
}

/* Sweep k of a step, without p->what */
static void run_ablated(const struct step_bench *p, int k)
{
    const struct bench *bench = p->bench;
    const struct bench_packed *m = p->packed;
    bool back = k % 2;
    struct ablation sweep = {.what = p->what,
                             .matrix = &m->packing.matrix,
                             .b = p->b,
                             .inverse = m->inverse,
                             .x64 = back ? m->y64 : m->x64,
                             .x32 = back ? m->y32 : m->x32,
                             .y64 = p->what == ABLATION_WRITES ? p->totals
                                    : back                     ? m->x64
                                                               : m->y64,
                             .y32 = p->what == ABLATION_WRITES ? NULL
                                    : back                     ? m->x32
                                                               : m->y32};
    bench->device->ablation(bench->queue, &sweep);
}

/* With its own control: the step end requires converged sweeps, and ablated ones never converge. */
static void run_step_end(const struct step_bench *p)
{
    const struct bench *bench = p->bench;
    struct step_end end = {
        .u = p->u,
        .x = p->packed->x64,
        .predictor_weight = 1,
        .b = p->b,
        .inverse = p->packed->inverse,
        .v = p->v,
        .dt = p->dt,
        .limit = INFINITY,
        .observer = {.beats = 1, .time = p->activation, .count = p->activations, .waits = p->waits},
        .control = p->converged};
    bench->queue->backend->step_end(bench->queue, p->packed->layout.rows, &end);
}

static void run_ionic(const struct step_bench *p)
{
    const struct bench *bench = p->bench;
    struct ionic_drive drive = {.dt = p->dt, .substeps = 1, .v_in = p->start, .v_out = p->u};
    bench->queue->backend->ionic_step(bench->queue, &p->cells, &drive);
}

/* Runs the sweeps as a step does; ablated sweeps, which are not tested, one by one */
static void run_sweeps(const struct step_bench *p)
{
    bool ablated = p->what != ABLATION_NOTHING || p->ablated;
    if (!ablated)
        bench_packed_solve(p->packed, p->b, p->sweeps);
    for (int k = 0; k < p->sweeps && ablated; k++)
        run_ablated(p, k);
}

static void run_step(void *argument)
{
    struct step_bench *p = argument;
    const struct bench *bench = p->bench;
    if (p->phases & STEP_IONIC)
        run_ionic(p);
    else if (!p->alone)
        bench->device->copy(bench->queue, p->packed->layout.rows, p->start, p->u, NULL);
    if (p->phases & STEP_RHS)
        run_rhs(p);
    if (p->phases & STEP_SWEEPS)
        run_sweeps(p);
    if (p->phases & STEP_END)
        run_step_end(p);
}

/* p->cells <- a cell at rest for every packed row */
static enum status make_cells(struct step_bench *p, const struct ionic_model *model, const double *parameter,
                              struct error *error)
{
    struct bench *bench = p->bench;
    int64_t n = p->packed->layout.rows;
    double *state = bench_array(bench, n * model->states, sizeof *state);
    double *values = bench_array(bench, model->parameters, sizeof *values);
    TRY(bench_check(bench, error));
    for (int k = 0; k < model->parameters; k++)
        values[k] = parameter ? parameter[k] : model->parameter[k].value;
    ionic_initial(state, NULL, model, false, n, n);
    p->cells = (struct ionic_cells){.model = model,
                                    .cells = n,
                                    .stride = n,
                                    .parameter = values,
                                    .state64 = bench_upload(bench, NULL, state, n * model->states, 8)};
    return bench_check(bench, error);
}

/* device[rows] <- middle + spread random */
static double *upload_random(struct step_bench *p, double middle, double spread, uint64_t seed)
{
    int64_t n = p->packed->layout.rows;
    double *host = bench_array(p->bench, n, sizeof *host);
    for (int64_t i = 0; i < n && host; i++)
        host[i] = middle + spread * bits_random_signed(seed + (uint64_t)i);
    return bench_upload(p->bench, NULL, host, n, sizeof *host);
}

/* p->packed <- the matrix, with the row classes and order of a run with the problem's parameters */
static enum status pack_matrix(struct step_bench *p, const struct bench_problem *problem,
                               const struct bench_matrix *matrix, struct error *error)
{
    const struct monodomain_params *params = &problem->problem.params;
    struct bench *bench = p->bench;
    struct bench_case *c;
    const char *why_not;
    int32_t *order = bench_array(bench, matrix->rows, sizeof *order);
    uint8_t *single = bench_array(bench, matrix->rows, 1);
    TRY(bench_check(bench, error));
    TRY(order_by_name(matrix, "rcm", order, &why_not, error));
    for (int64_t i = 0; i < matrix->rows; i++)
        single[i] = params->precision == PRECISION_MIXED &&
                    rows_may_round(matrix->rate[i], matrix->bound, matrix->beta, params->precision_budget);
    TRY(bench_case_make(&c, bench, matrix, true, NULL, PERMUTED_SYMMETRIC, error));
    return bench_packed_make(&p->packed, bench, c, single, order,
                             layout_window(bench->queue->backend->slice_height), error);
}

/* Makes the matrix, cells and vectors of a step; p->bench, sweeps and phases are already set. */
static enum status make_step(struct step_bench *p, const struct bench_problem *problem,
                             const struct bench_matrix *matrix, struct error *error)
{
    const struct region *region = &problem->problem.params.region[0];
    const struct control converged = {.converged = 1};
    const double rest = region->model->v_initial;
    struct bench *bench = p->bench;
    p->dt = problem->problem.params.step;
    TRY(pack_matrix(p, problem, matrix, error));
    TRY(make_cells(p, region->model, region->parameter, error));
    int64_t n = p->packed->layout.rows;
    p->start = upload_random(p, rest, 5, 1);
    p->u = upload_random(p, rest, 5, 2);
    p->v = upload_random(p, rest, 5, 3);
    for (int k = 0; k < RHS_HISTORY; k++)
        p->change[k] = upload_random(p, 0, 0.1, 4 + (uint64_t)k);
    p->b = upload_random(p, 0, 1e-6, 7);
    p->activation = bench_upload(bench, NULL, NULL, n, sizeof *p->activation);
    p->activations = bench_upload(bench, NULL, NULL, n, sizeof *p->activations);
    p->waits = bench_upload(bench, NULL, NULL, n, sizeof *p->waits);
    p->converged = bench_upload(bench, NULL, &converged, 1, sizeof converged);
    p->totals = bench_upload(bench, NULL, NULL, n, sizeof *p->totals);
    return bench_check(bench, error);
}

/* The vector to check: what a single part or the whole step writes; the step end updates u in place */
static double *written_by(const struct step_bench *p)
{
    return p->alone && p->phases == STEP_RHS ? p->b : p->u;
}

/* Checks that every word was written and is a number, and that no step failed. */
static enum status check_finite(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct step_bench *p = argument;
    struct control control, recorded = {0};
    int64_t n = p->packed->layout.rows;
    TRY(device_download(bench->queue, &control, p->packed->control, sizeof control, error));
    TRY(device_download(bench->queue, &recorded, p->converged, sizeof recorded, error));
    double *u = bench_fetch(bench, written_by(p), n, sizeof *u);
    TRY(bench_check(bench, error));
    *found = control.failure || recorded.failure || recorded.beyond || bench->inject;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(u[i]))
            *found = NAN;
    return STATUS_OK;
}

/* *host <- a copy of the packed matrix on the host */
static enum status fetch_matrix(struct packed *host, struct bench *bench, const struct packed *m,
                                struct error *error)
{
    int64_t narrow = 0, wide = 0, singles = 0, doubles = 0;
    struct slice *slice = bench_fetch(bench, m->slice, m->slices, sizeof *m->slice);
    TRY(bench_check(bench, error));
    for (int64_t s = 0; s < m->slices; s++) {
        int64_t size = (int64_t)slice[s].width * m->height;
        int64_t *index = slice[s].index32 ? &wide : &narrow, *value = slice[s].fp32 ? &singles : &doubles;
        *index = slice[s].index + size > *index ? slice[s].index + size : *index;
        *value = slice[s].value + size > *value ? slice[s].value + size : *value;
    }
    *host = *m;
    host->slice = slice;
    host->offset = bench_fetch(bench, m->offset, narrow, 2);
    host->column = bench_fetch(bench, m->column, wide, 4);
    host->value32 = bench_fetch(bench, m->value32, singles, 4);
    host->value = bench_fetch(bench, m->value, doubles, 8);
    return bench_check(bench, error);
}

/* A single sweep with one part left out */
struct alone {
    struct step_bench *p;
    struct ablation sweep;
    double *want; /* [rows] host; for ABLATION_WRITES the sums of blocks */
    int64_t count;
    double size; /* what errors are relative to */
};

static void run_alone(void *argument)
{
    struct alone *alone = argument;
    alone->p->bench->device->ablation(alone->p->bench->queue, &alone->sweep);
}

static enum status check_alone(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct alone *alone = argument;
    double *y = bench_fetch(bench, alone->sweep.y64, alone->count, sizeof *y);
    TRY(bench_check(bench, error));
    *found = 0;
    for (int64_t i = 0; i < alone->count; i++)
        *found = bench_worse(*found, fabs(y[i] - alone->want[i]) / alone->size + bench->inject);
    return STATUS_OK;
}

/* alone->want, count and size <- the expected result of the sweep, from host copies */
static enum status expect_alone(struct alone *alone, struct bench *bench, const struct packed *host,
                                unsigned what, struct error *error)
{
    const struct bench_packed *m = alone->p->packed;
    int64_t n = m->layout.rows;
    double *b = bench_fetch(bench, alone->sweep.b, n, 8), *inverse = bench_fetch(bench, m->inverse, n, 8),
           *x = bench_fetch(bench, m->x64, n, 8);
    TRY(bench_check(bench, error));
    ablation_expected(alone->want, what, host, b, inverse, x);
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(alone->want[i]));
    alone->count = n;
    if (what == ABLATION_WRITES) {
        alone->count = (n + ABLATION_BLOCK - 1) / ABLATION_BLOCK;
        for (int64_t sum_of = 0; sum_of < alone->count; sum_of++) {
            double sum = 0;
            for (int64_t i = sum_of * ABLATION_BLOCK; i < n && i < (sum_of + 1) * ABLATION_BLOCK; i++)
                sum += alone->want[i];
            alone->want[sum_of] = sum;
        }
        largest *= ABLATION_BLOCK;
    }
    alone->size = fmax(largest, 1e-300);
    return STATUS_OK;
}

static enum status measure_sweeps(struct bench *bench, struct step_bench *p, struct error *error)
{
    static const struct {
        const char *title;
        unsigned what;
    } kinds[] = {{"sweep minus nothing", ABLATION_NOTHING},
                 {"sweep minus gather", ABLATION_GATHER},
                 {"sweep minus values", ABLATION_VALUES},
                 {"sweep minus columns", ABLATION_COLUMNS},
                 {"sweep minus writes", ABLATION_WRITES}};
    const struct bench_packed *m = p->packed;
    int64_t n = m->layout.rows;
    struct packed host;
    struct alone alone = {.p = p, .want = bench_array(bench, n, sizeof *alone.want)};
    TRY(bench_check(bench, error));
    TRY(fetch_matrix(&host, bench, &m->packing.matrix, error));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bool sums = kinds[k].what == ABLATION_WRITES;
        struct measurement trial = {.variant = kinds[k].title,
                                    .body = run_alone,
                                    .argument = &alone,
                                    .check = check_alone,
                                    .limit = 1e-13};
        alone.sweep = (struct ablation){.what = kinds[k].what,
                                        .matrix = &m->packing.matrix,
                                        .b = m->b,
                                        .inverse = m->inverse,
                                        .x64 = m->x64,
                                        .x32 = m->x32,
                                        .y64 = sums ? p->totals : m->y64,
                                        .y32 = sums ? NULL : m->y32};
        TRY(expect_alone(&alone, bench, &host, kinds[k].what, error));
        trial.nan_fill[0] = alone.sweep.y64;
        trial.nan_fill_bytes[0] = 8 * (size_t)alone.count;
        TRY(bench_trial(bench, &trial, NULL, error));
    }
    return STATUS_OK;
}

/* Bytes of a part: its arrays, each read or written once */
static double phase_bytes(const struct step_bench *p, unsigned phase)
{
    const struct bench_packed *m = p->packed;
    double n = (double)m->c->matrix->rows, all = (double)(m->entries[0] + m->entries[1]);
    double index = 2 * (double)m->narrow + 4 * (all - (double)m->narrow);
    if (phase == STEP_IONIC)
        return n * (16.0 * p->cells.model->states + 16);
    if (phase == STEP_RHS) /* r, columns, v, 1/d, three steps' changes; b, x, x32 */
        return 8 * all + index + n * 60;
    return n * 56; /* step end: u, x, v, b, 1/d read, u and x written */
}

static enum status measure_phases(struct bench *bench, struct step_bench *p, struct error *error)
{
    static const struct {
        const char *title;
        unsigned phase;
    } kinds[] = {{"ionic", STEP_IONIC}, {"rhs", STEP_RHS}, {"step end", STEP_END}};
    TRY(measure_sweeps(bench, p, error));
    TRY(bench_packed_trial(p->packed, bench, "sweep of a run", false, PACKED_FUSED, error));
    TRY(bench_packed_trial(p->packed, bench, "sweep of a run, stopping test", true, PACKED_FUSED, error));
    p->what = ABLATION_NOTHING;
    p->alone = true;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct measurement trial = {.variant = kinds[k].title,
                                    .body = run_step,
                                    .argument = p,
                                    .check = check_finite,
                                    .bytes = phase_bytes(p, kinds[k].phase)};
        p->phases = kinds[k].phase;
        if (kinds[k].phase != STEP_END)
            trial.nan_fill[0] = written_by(p);
        trial.nan_fill_bytes[0] = 8 * (size_t)p->packed->layout.rows;
        TRY(bench_trial(bench, &trial, NULL, error));
    }
    p->alone = false;
    return STATUS_OK;
}

/* Runs the problem itself for some steps: adds a row with its time a step; *sweeps <- sweeps a step, even */
static enum status run_itself(struct bench *bench, const struct bench_problem *problem, int *sweeps,
                              struct error *error)
{
    struct monodomain *sim = NULL;
    int64_t steps = bench->quick ? 4 : 100; /* the same number before, so that graphs of this length exist */
    enum status status;
    TRY_DONE(monodomain_create(&sim, &problem->problem.mesh, &problem->problem.params, bench->queue, error));
    TRY_DONE(monodomain_advance(sim, steps, error));
    int64_t before = monodomain_work(sim).sweeps;
    double begin = clock_seconds();
    TRY_DONE(monodomain_advance(sim, steps, error));
    TRY_DONE(bench->queue->backend->wait(bench->queue, error));
    double seconds = clock_seconds() - begin,
           mean = (double)(monodomain_work(sim).sweeps - before) / (double)steps;
    *sweeps = (int)fmax(2, 2 * round(mean / 2));
    struct bench_row *row = bench_add_row(bench, "as a run executes it", "ok");
    bench_figure(row, "us", 1e6 * seconds / (double)steps);
    bench_figure(row, "sweeps", mean);
done:
    monodomain_free(sim);
    return status;
}

static const struct {
    const char *title;
    unsigned phases, what;
    bool ablated;
} rows[] = {
    {"whole step", STEP_ALL, ABLATION_NOTHING, false},
    {"minus ionic", STEP_ALL & ~(unsigned)STEP_IONIC, ABLATION_NOTHING, false},
    {"minus rhs", STEP_ALL & ~(unsigned)STEP_RHS, ABLATION_NOTHING, false},
    {"minus sweeps", STEP_ALL & ~(unsigned)STEP_SWEEPS, ABLATION_NOTHING, false},
    {"minus step end", STEP_ALL & ~(unsigned)STEP_END, ABLATION_NOTHING, false},
    {"whole step, sweeps of the ablation", STEP_ALL, ABLATION_NOTHING, true},
    {"minus gather", STEP_ALL, ABLATION_GATHER, true},
    {"minus values", STEP_ALL, ABLATION_VALUES, true},
    {"minus columns", STEP_ALL, ABLATION_COLUMNS, true},
    {"minus writes", STEP_ALL, ABLATION_WRITES, true},
};

static enum status measure_ablation(struct bench *bench, struct step_bench *phases, struct error *error)
{
    double whole = 0, seconds;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measurement trial = {.variant = rows[k].title,
                                    .body = run_step,
                                    .argument = phases,
                                    .check = check_finite,
                                    .nan_fill = {phases->u},
                                    .nan_fill_bytes = {8 * (size_t)phases->packed->layout.rows}};
        phases->phases = rows[k].phases;
        phases->what = rows[k].what;
        phases->ablated = rows[k].ablated;
        TRY(bench_trial(bench, &trial, &seconds, error));
        if (!(seconds > 0))
            continue;
        if (rows[k].phases == STEP_ALL && rows[k].what == ABLATION_NOTHING)
            whole = seconds; /* each kind of sweep is compared with its own whole step */
        bench_figure(bench_last_row(bench), "saves %", 100 * (1 - seconds / whole));
        bench_figure(bench_last_row(bench), "sweeps", phases->sweeps);
    }
    return STATUS_OK;
}

static enum status measure_step(struct bench *bench, const struct bench_problem *problem,
                                const struct bench_matrix *matrix, struct error *error)
{
    struct step_bench phases = {.bench = bench, .sweeps = 6, .phases = STEP_ALL};
    bench_section(bench, "step", matrix->name, "a run");
    TRY(run_itself(bench, problem, &phases.sweeps, error));
    TRY(make_step(&phases, problem, matrix, error));
    bench_section(bench, "step", matrix->name, "parts against the ceilings");
    TRY(measure_phases(bench, &phases, error));
    bench_section(bench, "step", matrix->name, "ablation");
    TRY(measure_ablation(bench, &phases, error));
    bench_release(bench, 0);
    return STATUS_OK;
}

/* Measures a sweep by the vendor's library, with rows in mesh order. */
static enum status measure_vendor(struct bench *bench, const struct bench_matrix *matrix, struct error *error)
{
    struct bench_case *c;
    bench_section(bench, "step", matrix->name, "a sweep by the vendor");
    if (!bench->device->vendor_new) {
        bench_blank(bench, "sparse products", "this device has no library of them");
        return STATUS_OK;
    }
    TRY(bench_case_make(&c, bench, matrix, true, NULL, PERMUTED_SYMMETRIC, error));
    return bench_rivals(bench, c, error);
}

static enum status measure_kernels(struct bench *bench, const struct bench_problem *problem,
                                   struct error *error)
{
    struct bench_matrix matrix;
    enum status status = STATUS_OK;
    TRY(bench_matrix_own(&matrix, problem, true, error));
    if (!bench->profile)
        TRY_DONE(measure_step(bench, problem, &matrix, error));
    if (bench->vendor)
        status = measure_vendor(bench, &matrix, error);
done:
    bench_matrix_free(&matrix);
    return status;
}

enum status bench_step(struct bench *bench, struct error *error)
{
    struct bench_problem problem;
    bool kernels = !bench->profile || bench->vendor; /* whether to measure kernels as well */
    enum status status = STATUS_OK;
    if (bench->file) {
        bench_section(bench, "step", bench->file, "ablation");
        bench_blank(bench, "whole step", "a file's matrix has no cells; use --config");
        return STATUS_OK;
    }
    if (kernels)
        TRY(bench_ceilings(bench, error));
    TRY(bench_problem_open(&problem, bench, error));
    if (bench->profile)
        TRY_DONE(bench_step_profile(bench, &problem, error));
    if (kernels)
        status = measure_kernels(bench, &problem, error);
done:
    bench_problem_free(&problem);
    return status;
}
